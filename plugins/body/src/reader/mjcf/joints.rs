//! `<joint>` and `<freejoint>`: the motions of a body against its parent.

use bunraku_document::Diagnostic;
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::element::Element;
use super::findings::{short, suggest};
use super::model::ModelFile;
use super::poses::direction;
use super::spring_dampers;
use super::view::View;
use crate::{Joint, JointKind, Range, SuggestedDynamics};

/// Kind of a joint in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MjcfJoint {
    Free,
    Ball,
    Slide,
    Hinge,
}

/// A joint as given in the file.
pub(super) struct JointEntry<'m> {
    pub(super) element: &'m Element,
    pub(super) kind: MjcfJoint,
    pub(super) name: Option<&'m str>,
    /// Point of the body at which it turns.
    pub(super) anchor: Vector3<f64>,
    pub(super) axis: Unit<Vector3<f64>>,
    /// Displacement in the pose of the file.
    pub(super) reference: f64,
    pub(super) range: Range,
    pub(super) effort_range: Range,
    pub(super) armature: f64,
    pub(super) damping: f64,
    pub(super) friction: f64,
    /// Stiffness of its spring, N·m/rad or N/m, and the displacement at which it is slack, rad or m.
    pub(super) spring: [f64; 2],
    /// Time constant, s, and damping ratio, which set stiffness and damping; both are positive.
    pub(super) spring_damper: Option<[f64; 2]>,
}

impl JointEntry<'_> {
    /// The joint of a link of the model; a ball joint is three of these.
    pub(super) fn joint(&self) -> Joint {
        Joint {
            name: self.name.map(str::to_owned),
            kind: match self.kind {
                MjcfJoint::Free => JointKind::Free,
                MjcfJoint::Ball | MjcfJoint::Hinge => JointKind::Revolute,
                MjcfJoint::Slide => JointKind::Prismatic,
            },
            axis: self.axis.into_inner(),
            initial_displacement: self.reference,
            displacement_range: self.range,
            effort_range: self.effort_range,
            equivalent_rotor_inertia: self.armature,
            suggested: SuggestedDynamics {
                damping: self.damping,
                friction: self.friction,
                stiffness: self.spring[0],
                rest: self.spring[1],
                servo: None,
            },
            ..Joint::default()
        }
    }

    /// Pose of the joint's frame, at displacement zero, in the frame of its body in the pose of the file.
    pub(super) fn zero_pose(&self) -> Isometry3<f64> {
        let at = Translation3::from(self.anchor);
        match self.kind {
            MjcfJoint::Hinge => Isometry3::from_parts(at, UnitQuaternion::from_axis_angle(&self.axis, -self.reference)),
            MjcfJoint::Slide => {
                at * Translation3::from(self.axis.into_inner() * -self.reference) * UnitQuaternion::identity()
            }
            MjcfJoint::Ball | MjcfJoint::Free => at * UnitQuaternion::identity(),
        }
    }
}

/// The joints of a body, in file order. `None` after an error.
pub(super) fn read_joints<'m>(
    body: &'m Element,
    around: Option<&str>,
    is_top: bool,
    file: &'m ModelFile<'m>,
) -> Option<Vec<JointEntry<'m>>> {
    let elements = body.children.iter().filter(|child| matches!(child.tag.as_str(), "joint" | "freejoint"));
    let mut joints = Vec::new();
    for element in elements {
        joints.push(read_joint(element, around, file)?);
    }
    if let Some(free) = joints.iter().find(|joint| joint.kind == MjcfJoint::Free) {
        if !is_top {
            let error = Diagnostic::error("free-joint", "only a body of the world may have a free joint");
            file.findings.report(free.element, error.help("move the body to `<worldbody>`, or give it other joints"));
            return None;
        }
        if joints.len() > 1 {
            let error = Diagnostic::error("free-joint", "a body with a free joint can have no other joint");
            file.findings.report(free.element, error.help("leave the other joints out"));
            return None;
        }
    }
    Some(joints)
}

fn read_joint<'m>(element: &'m Element, around: Option<&str>, file: &'m ModelFile<'m>) -> Option<JointEntry<'m>> {
    let findings = file.findings;
    let name = element.attribute("name").filter(|name| !name.is_empty());
    if element.tag == "freejoint" {
        return Some(JointEntry { name, ..plain(element, MjcfJoint::Free) });
    }
    let view = file.view(element, around);
    let kind = match view.text("type").unwrap_or("hinge") {
        "free" => MjcfJoint::Free,
        "ball" => MjcfJoint::Ball,
        "slide" => MjcfJoint::Slide,
        "hinge" => MjcfJoint::Hinge,
        other => {
            let error = Diagnostic::error("unknown-joint-type", format!("`{}` is not a joint type", short(other)));
            view.report("type", suggest(error, other, ["free", "ball", "slide", "hinge"]));
            return None;
        }
    };
    if kind == MjcfJoint::Free {
        return Some(JointEntry { name, ..plain(element, kind) });
    }
    let axis = match view.array::<3>("axis") {
        Some(axis) if kind != MjcfJoint::Ball => direction(&view, "axis", Vector3::from(axis))?,
        _ => Vector3::z_axis(),
    };
    let angle = |value: f64| if kind == MjcfJoint::Slide { value } else { file.compiler.angle(value) };
    let range = limits(&view, "range", "limited", file)
        .map_or(Range::UNLIMITED, |[lower, upper]| Range { lower: angle(lower), upper: angle(upper) });
    let effort_range = limits(&view, "actuatorfrcrange", "actuatorfrclimited", file);
    let number = |name| view.number(name).unwrap_or(0.0);
    let is_ball = kind == MjcfJoint::Ball;
    if is_ball && range != Range::UNLIMITED {
        let note = Diagnostic::note("mjcf-ball", "the range of a ball joint is not used");
        findings.once("ball-range", element, note);
    }
    note_unused(&view, file);
    let first = |name: &str| view.numbers(name, 1, 3).and_then(|numbers| numbers.first().copied()).unwrap_or(0.0);
    Some(JointEntry {
        element,
        kind,
        name,
        anchor: view.array::<3>("pos").map_or_else(Vector3::zeros, Vector3::from),
        axis,
        reference: if is_ball { 0.0 } else { angle(number("ref")) },
        range: if is_ball { Range::UNLIMITED } else { range },
        effort_range: effort_range.map_or(Range::UNLIMITED, |[lower, upper]| Range { lower, upper }),
        armature: number("armature").max(0.0),
        damping: first("damping"),
        friction: number("frictionloss"),
        spring: if is_ball { [0.0; 2] } else { [first("stiffness"), angle(number("springref"))] },
        spring_damper: spring_dampers::of_joint(&view).filter(|_| !is_ball),
    })
}

fn plain(element: &Element, kind: MjcfJoint) -> JointEntry<'_> {
    JointEntry {
        element,
        kind,
        name: None,
        anchor: Vector3::zeros(),
        axis: Vector3::z_axis(),
        reference: 0.0,
        range: Range::UNLIMITED,
        effort_range: Range::UNLIMITED,
        armature: 0.0,
        damping: 0.0,
        friction: 0.0,
        spring: [0.0; 2],
        spring_damper: None,
    }
}

/// Limits of an attribute that another one switches on; `auto`, the default, does so where there are any.
pub(super) fn limits(view: &View<'_>, range: &str, limited: &str, file: &ModelFile<'_>) -> Option<[f64; 2]> {
    let is_limited = match view.flag(limited) {
        Some(flag) => flag,
        None => file.compiler.autolimits && view.find(range).is_some(),
    };
    if !is_limited {
        return None;
    }
    let limits = view.array::<2>(range)?;
    // An empty range, which `auto` takes for none.
    if limits == [0.0; 2] && view.flag(limited).is_none() {
        return None;
    }
    if limits[0] > limits[1] {
        let error = Diagnostic::error("crossing-limits", format!("the lower end of `{range}` is above the upper one"));
        view.report(range, error.help("write the smaller number first"));
        return None;
    }
    Some(limits)
}

/// Notes properties of a joint that a model does not have.
fn note_unused(view: &View<'_>, file: &ModelFile<'_>) {
    let findings = file.findings;
    let is_zero = |text: &str| text.split_ascii_whitespace().all(|word| word.parse() == Ok(0.0));
    if let Some((element, text)) = view.find("stiffness")
        && !is_zero(text)
    {
        let warning = |message: &str| Diagnostic::warning("mjcf-unsupported", message.to_owned());
        if view.text("type") == Some("ball") {
            let warning = warning("springs of ball joints are not simulated: `stiffness` is ignored");
            findings.once_attribute("stiffness", element, "stiffness", warning.help("use three hinges"));
        } else if text.split_ascii_whitespace().count() > 1 {
            let warning = warning("only the linear part of polynomial springs is read");
            findings.once_attribute("stiffness-polynomial", element, "stiffness", warning);
        }
    }
    if let (Some((element, _)), Some("ball")) = (view.find("springdamper"), view.text("type")) {
        spring_dampers::ignore(element, "springs of ball joints are not simulated", findings);
    }
    for name in ["solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin"] {
        let Some((element, text)) = view.find(name) else { continue };
        if name == "margin" && is_zero(text) {
            continue;
        }
        let message = format!("`{name}` of joints is not used: limits and friction of joints are rigid here");
        findings.once_attribute(&format!("joint-{name}"), element, name, Diagnostic::note("mjcf-contact", message));
    }
    if let Some((element, text)) = view.find("damping")
        && text.split_ascii_whitespace().count() > 1
    {
        let warning = Diagnostic::warning("mjcf-unsupported", "only the linear part of polynomial damping is read");
        findings.once_attribute("damping-polynomial", element, "damping", warning);
    }
    if let Some((element, _)) = view.find("actuatorgravcomp").filter(|(_, text)| *text == "true") {
        let warning = Diagnostic::warning("mjcf-unsupported", "actuators do not compensate gravity here");
        findings.once_attribute("actuatorgravcomp", element, "actuatorgravcomp", warning);
    }
}
