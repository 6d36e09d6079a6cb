//! `<actuator>`: motors and servos of joints, and of tendons whose joints one joint leads.

use std::collections::{BTreeMap, HashMap};

use bunraku_document::Diagnostic;

use super::bodies::Tree;
use super::defaults::ACTUATORS;
use super::element::Element;
use super::findings::{short, suggest};
use super::joints::{MjcfJoint, limits};
use super::model::ModelFile;
use super::tendons::{Tendons, leader};
use super::view::View;
use crate::dynamics::{BodyMotionState, InverseDynamics};
use crate::{ActuationMode, Body, JointIndex, LinkIndex, Range};

/// Most entries of a list in a message.
const MOST: usize = 12;

/// Gains of servos by joint, for a note.
#[derive(Default)]
struct Gains {
    stiffness: Vec<String>,
    damping: Vec<String>,
    velocity: Vec<String>,
}

/// Affine law of an actuator: force = gain·control + bias₀ + bias₁·length + bias₂·velocity.
struct Law {
    gain: f64,
    bias: [f64; 3],
}

/// Reads all actuators: what drives each joint, and the efforts that it can give. Gains belong to scenes and are noted.
pub(super) fn read<'m>(tree: &mut Tree<'m>, tendons: &Tendons<'m>, file: &'m ModelFile<'m>) {
    let findings = file.findings;
    let mut gains = Gains::default();
    let mut first = None;
    let mut efforts: BTreeMap<LinkIndex, Range> = BTreeMap::new();
    let mut names: HashMap<&str, u32> = HashMap::new();
    for element in file.root.section("actuator") {
        let tag = element.tag.as_str();
        if let Some(line) = element.attribute("name").and_then(|name| names.insert(name, findings.line(element))) {
            let message = format!("the name of an actuator is already taken on line {line}");
            let error = Diagnostic::error("duplicate-name", message);
            findings.report_attribute(element, "name", error.help("give one of the two another name"));
        }
        if !ACTUATORS.contains(&tag) {
            continue;
        }
        let view = file.view(element, None);
        let Some(driven) = driven(&view, tree, tendons, file) else { continue };
        let Some(law) = law(&view, &|| driven.mass(&tree.body, gear(&view)), file) else { continue };
        first.get_or_insert(element);
        let (link, gear) = (driven.link, gear(&view) * driven.ratio);
        let name = tree.body.link(link).joint_name().to_owned();
        let joint = &mut tree.body.link_mut(link).joint;
        let [_, stiffness, damping] = law.bias;
        joint.actuation_mode = Some(if stiffness != 0.0 {
            gains.stiffness.push(format!("{name}: {}", -stiffness * gear * gear));
            gains.damping.push(format!("{name}: {}", -damping * gear * gear));
            ActuationMode::JointDisplacement
        } else if damping != 0.0 && law.gain != 0.0 {
            gains.velocity.push(format!("{name}: {}", -damping * gear * gear));
            ActuationMode::JointVelocity
        } else {
            ActuationMode::JointEffort
        });
        let is_servo = stiffness != 0.0 || damping != 0.0;
        if is_servo {
            // Several servos of a joint act together.
            let [kp, kd] = joint.suggested.servo.unwrap_or_default();
            joint.suggested.servo = Some([kp - stiffness * gear * gear, kd - damping * gear * gear]);
        }
        if let Some(range) = effort_range(&view, law.gain, is_servo, gear, file) {
            let sum = efforts.entry(link).or_insert(Range { lower: 0.0, upper: 0.0 });
            *sum = Range { lower: sum.lower + range.lower, upper: sum.upper + range.upper };
        } else {
            efforts.insert(link, Range::UNLIMITED);
        }
        joint.equivalent_rotor_inertia += view.number("armature").unwrap_or(0.0) * gear * gear;
    }
    for (link, range) in efforts {
        let known = &mut tree.body.link_mut(link).joint.effort_range;
        *known = Range { lower: known.lower.max(range.lower), upper: known.upper.min(range.upper) };
    }
    if let Some(element) = first {
        note_gains(element, gains, file);
    }
}

fn note_gains(element: &Element, gains: Gains, file: &ModelFile<'_>) {
    let list = |mut entries: Vec<String>| {
        if entries.len() > MOST {
            entries.truncate(MOST);
            entries.push("…".to_owned());
        }
        entries.join(", ")
    };
    let note = |message: &str, help: String| {
        file.findings.report(element, Diagnostic::note("mjcf-gains", message.to_owned()).help(help));
    };
    if !gains.stiffness.is_empty() {
        note(
            "gains of servos belong to the scene, not to the model",
            format!(
                "write `controller: {{ type: servo, kp: {{ {} }}, kd: {{ {} }} }}` at the body of the scene",
                list(gains.stiffness),
                list(gains.damping)
            ),
        );
    }
    if !gains.velocity.is_empty() {
        let help = format!("write `controller: {{ type: velocity, kd: {{ {} }} }}` at the body", list(gains.velocity));
        note("gains of velocity servos belong to the scene, not to the model", help);
    }
}

/// The target of an actuator.
struct Driven {
    /// Link of the joint that moves.
    link: LinkIndex,
    /// Change of the actuator's length, without its gear, for a unit change of the displacement.
    ratio: f64,
    /// Links of all joints that it pulls, each with its own ratio.
    joints: Vec<(LinkIndex, f64)>,
}

impl Driven {
    /// Mass that MuJoCo counts for the damping ratio of a servo, with the inertia of each joint in the pose of the file.
    fn mass(&self, body: &Body, gear: f64) -> f64 {
        let mobility = |(link, ratio): &(LinkIndex, f64)| (ratio * gear).powi(2) / inertia(body, *link).max(SMALLEST);
        1.0 / self.joints.iter().map(mobility).sum::<f64>().max(SMALLEST)
    }
}

/// Smallest inertia and mobility, as in MuJoCo (`mjMINVAL`).
const SMALLEST: f64 = 1e-15;

/// Inertia at a joint in the initial pose, kg·m² or kg.
fn inertia(body: &Body, link: LinkIndex) -> f64 {
    let Some(JointIndex(joint)) = body.joint_of(link) else { return 0.0 };
    let displacements = body.initial_displacements();
    let alone = |other: usize| if other == joint { 1.0 } else { 0.0 };
    let accelerations: Vec<f64> = (0..displacements.len()).map(alone).collect();
    let state = BodyMotionState {
        root_pose: body.root().offset,
        displacements: &displacements,
        accelerations: &accelerations,
        ..BodyMotionState::default()
    };
    InverseDynamics::of(body, &state, &nalgebra::Vector3::zeros(), &[]).efforts.get(joint).copied().unwrap_or(0.0)
}

/// The target of an actuator; `None`, with a report, if it is neither a joint nor a tendon.
fn driven(view: &View<'_>, tree: &Tree<'_>, tendons: &Tendons<'_>, file: &ModelFile<'_>) -> Option<Driven> {
    let findings = file.findings;
    let element = view.element;
    if view.text("tendon").is_some() && view.text("joint").or(view.text("jointinparent")).is_none() {
        let joints = tendons.find(view, "tendon", file)?;
        let Some((link, ratio)) = leader(joints, tree) else {
            let message = "an actuator of a tendon whose joints move independently is left out";
            let warning = Diagnostic::warning("mjcf-unsupported", message);
            let help = "couple the joints by `<equality>`, or command the efforts of the joints themselves";
            findings.once("actuator-tendon", element, warning.help(help));
            return None;
        };
        return Some(Driven { link, ratio, joints: joints.to_vec() });
    }
    let Some((attribute, name)) =
        ["joint", "jointinparent"].into_iter().find_map(|attribute| Some((attribute, view.text(attribute)?)))
    else {
        let what = ["site", "slidersite", "cranksite", "body"]
            .into_iter()
            .find(|name| view.find(name).is_some())
            .unwrap_or("nothing");
        let message = format!("an actuator of a {what} is left out: actuators drive joints here");
        let warning = Diagnostic::warning("mjcf-unsupported", message);
        findings.once(
            &format!("actuator-{what}"),
            element,
            warning.help("command the efforts of the joints themselves"),
        );
        return None;
    };
    let Some(placed) = tree.joints.get(name) else {
        let error = Diagnostic::error("unknown-joint", format!("there is no joint `{}`", short(name)));
        let mut known: Vec<&str> = tree.joints.keys().copied().collect();
        known.sort_unstable();
        findings.report_attribute(element, attribute, suggest(error, name, known));
        return None;
    };
    if !matches!(placed.kind, MjcfJoint::Hinge | MjcfJoint::Slide) {
        let warning = Diagnostic::warning("mjcf-unsupported", "actuators of ball and free joints are left out");
        findings.once("actuator-ball", element, warning);
        return None;
    }
    Some(Driven { link: placed.link, ratio: 1.0, joints: vec![(placed.link, 1.0)] })
}

/// Ratio of the actuator's force to that of the joint.
fn gear(view: &View<'_>) -> f64 {
    view.numbers("gear", 1, 6).and_then(|numbers| numbers.first().copied()).unwrap_or(1.0)
}

/// The law of an actuator; `None` if it is of a kind that is not read. `mass` is that of [`Driven::mass`].
fn law(view: &View<'_>, mass: &dyn Fn() -> f64, file: &ModelFile<'_>) -> Option<Law> {
    let number = |name, default: f64| view.number(name).unwrap_or(default);
    let servo = |kp: f64, kv: f64| Law { gain: kp, bias: [0.0, -kp, -kv] };
    let tag = view.element.tag.as_str();
    if let Some((element, _)) = view.find("timeconst").filter(|_| tag == "position" && number("timeconst", 0.0) != 0.0)
    {
        note_filter(element, "timeconst", file);
    }
    match tag {
        "motor" => Some(Law { gain: 1.0, bias: [0.0; 3] }),
        "position" => {
            let kp = number("kp", 1.0);
            // Critical damping of the mass that it drives has the ratio 1.
            let damping = match view.number("dampratio") {
                Some(ratio) => ratio * 2.0 * (kp.max(0.0) * mass()).sqrt(),
                None => number("kv", 0.0),
            };
            Some(servo(kp, damping))
        }
        "velocity" => {
            let kv = number("kv", 1.0);
            Some(Law { gain: kv, bias: [0.0, 0.0, -kv] })
        }
        "damper" => Some(Law { gain: 0.0, bias: [0.0; 3] }),
        "general" => general(view, mass, file),
        other => {
            let message = format!("actuators `<{other}>` are not read");
            let warning = Diagnostic::warning("mjcf-unsupported", message);
            file.findings.once(
                &format!("actuator-{other}"),
                view.element,
                warning.help("command efforts of the joints"),
            );
            None
        }
    }
}

/// Notes a filter, which an attribute switches on.
fn note_filter(element: &Element, attribute: &str, file: &ModelFile<'_>) {
    let note = Diagnostic::note("mjcf-actuator", "filters of actuators are left out: commands act at once");
    file.findings.once_attribute("filter", element, attribute, note);
}

/// A `<general>` actuator with a fixed gain and an affine bias.
fn general(view: &View<'_>, mass: &dyn Fn() -> f64, file: &ModelFile<'_>) -> Option<Law> {
    let kind = |name, default| view.text(name).unwrap_or(default);
    let is_read = matches!(kind("gaintype", "fixed"), "fixed")
        && matches!(kind("biastype", "none"), "none" | "affine")
        && matches!(kind("dyntype", "none"), "none" | "filter" | "filterexact");
    if !is_read {
        let warning = Diagnostic::warning(
            "mjcf-unsupported",
            "a `<general>` actuator is read with a fixed gain and an affine bias: another one is left out",
        );
        file.findings.once("general", view.element, warning.help("command efforts of the joints"));
        return None;
    }
    if kind("dyntype", "none") != "none" {
        note_filter(view.find("dyntype").map_or(view.element, |(element, _)| element), "dyntype", file);
    }
    let numbers = |name| view.numbers(name, 1, 20).unwrap_or_default();
    let gain = numbers("gainprm").first().copied().unwrap_or(1.0);
    let bias = numbers("biasprm");
    let entry = |index: usize| bias.get(index).copied().unwrap_or(0.0);
    let bias = if kind("biastype", "none") == "affine" { [entry(0), entry(1), entry(2)] } else { [0.0; 3] };
    // A positive factor of the velocity of a position servo is its damping ratio.
    let [constant, stiffness, damping] = bias;
    let is_ratio = damping > 0.0 && gain == -stiffness && gain > 0.0;
    let bias = if is_ratio { [constant, stiffness, -damping * 2.0 * (gain * mass()).sqrt()] } else { bias };
    Some(Law { gain, bias })
}

/// Efforts that an actuator can give; `None` if they are not limited.
fn effort_range(view: &View<'_>, gain: f64, is_servo: bool, gear: f64, file: &ModelFile<'_>) -> Option<Range> {
    let of_force = limits(view, "forcerange", "forcelimited", file);
    // Efforts of a motor follow its control.
    let of_control = limits(view, "ctrlrange", "ctrllimited", file).filter(|_| !is_servo);
    let scaled = |[lower, upper]: [f64; 2], factor: f64| {
        let (one, other) = (lower * factor, upper * factor);
        Range { lower: one.min(other), upper: one.max(other) }
    };
    let force = of_force.map(|limits| scaled(limits, gear));
    let control = of_control.map(|limits| scaled(limits, gear * gain));
    match (force, control) {
        (Some(force), Some(control)) => {
            Some(Range { lower: force.lower.max(control.lower), upper: force.upper.min(control.upper) })
        }
        (one, other) => one.or(other),
    }
}
