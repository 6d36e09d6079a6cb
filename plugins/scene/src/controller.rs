//! The key `controller` of a body.

use std::sync::Arc;

use bunraku_body::{Actuation, Body, JointIndex, JointKind, Range};
use bunraku_document::{Mapping, Reporter, Result, Value, closest};
use bunraku_motion::BodyMotion;
use bunraku_physics::{Gains, LARGEST_GAIN};

use super::context::SceneContext;
use super::joint_values::{self, Forms};
use super::model::{ControllerKind, JointProfiles, SceneController};
use super::process;
use super::profiles::{self, Quantity};
use super::shared_files::SharedMotion;
use super::words::read_word;

const CONTROLLERS: &[&str] = &["pd", "servo", "velocity", "effort", "process", "none"];

/// A controller, and where the joints are when it starts.
pub(super) struct ReadController {
    pub(super) controller: SceneController,
    /// Whether the joints start where its motion begins (`start: motion`).
    pub(super) starts_with_motion: bool,
}

pub(super) fn read_controller(value: Value<'_>, body: &Body, context: &SceneContext<'_>) -> Option<ReadController> {
    let reporter = context.reporter;
    let mapping = Mapping::new(value, format!("the controller of `{}`", body.name), reporter)?;
    let kind = mapping.required(&["type"])?;
    let has_stiffness = match kind.text() {
        Some("pd" | "servo") => true,
        Some("velocity" | "effort") => false,
        Some("none") => {
            // A controller that is switched off keeps its keys.
            let keys = ["motion", "start", "kp", "kd", "velocity", "effort", "gravity_compensation"];
            mapping.finish_except(&[&keys[..], process::KEYS].concat());
            return None;
        }
        Some("process") => {
            let controller = process::read(mapping, body, context)?;
            return Some(ReadController { controller, starts_with_motion: false });
        }
        Some(word) => {
            let diagnostic = kind.error("unknown-controller", format!("`{word}` is not a controller"));
            reporter.report(match closest(word, CONTROLLERS.iter().copied()) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => {
                    diagnostic.help("the controllers are `pd`, `servo`, `velocity`, `effort`, `process` and `none`")
                }
            });
            return None;
        }
        None => {
            reporter.report(kind.expected("the name of a controller"));
            return None;
        }
    };
    let (motion, shared) = match mapping.get(&["motion"]) {
        None => (None, None),
        Some(value) => load_motion(value, body, context).map(|(motion, shared)| (Some(motion), Some(shared)))?,
    };
    let starts_with_motion = read_start(&mapping);
    let word = kind.text();
    // A body with only tracks needs no gains.
    let needs_gains = (0..body.num_joints())
        .any(|index| body.joint(JointIndex(index)).is_some_and(|joint| joint.kind.has_displacement()));
    let none = || Some(vec![0.0; body.num_joints()]);
    let read_gains = |key: &'static str| {
        let value = if needs_gains { mapping.required(&[key]) } else { mapping.get(&[key]) };
        match value {
            Some(value) => reporter.keep(gains(value, body, reporter)),
            None if needs_gains => None,
            None => none(),
        }
    };
    let stiffness = if has_stiffness { read_gains("kp") } else { none() };
    let damping = if word == Some("effort") { none() } else { read_gains("kd") };
    let profiles = |key: &'static str, quantity| match mapping.get(&[key]) {
        None => Some(None),
        Some(value) => profiles::read(value, body, quantity, context).map(Some),
    };
    let (velocities, efforts) = (profiles("velocity", Quantity::Velocity), profiles("effort", Quantity::Effort));
    let commanded = mapping.get(&["velocity"]);
    let gravity_compensation = mapping.bool(&["gravity_compensation"]).unwrap_or(false);
    mapping.finish();
    let (velocities, efforts) = (velocities?, efforts?);
    if let (Some(velocities), Some(value)) = (&velocities, commanded) {
        report_commands(value, velocities, body, word, context);
    }
    let gains = stiffness?.into_iter().zip(damping?);
    let gains = gains.map(|(proportional, derivative)| Gains { proportional, derivative });
    let kind = match word {
        Some("pd") => ControllerKind::Pd(gains.collect()),
        Some("servo") => ControllerKind::Servo(
            gains
                .map(|gains| Actuation::Displacement { stiffness: gains.proportional, damping: gains.derivative })
                .collect(),
        ),
        Some("effort") => ControllerKind::Servo(gains.map(|_| Actuation::Effort).collect()),
        _ => ControllerKind::Servo(gains.map(|gains| Actuation::Velocity { damping: gains.derivative }).collect()),
    };
    let reference = shared.filter(|_| matches!(kind, ControllerKind::Pd(_))).and_then(|shared| shared.reference());
    let controller = SceneController { kind, motion, reference, velocities, efforts, gravity_compensation };
    Some(ReadController { controller, starts_with_motion })
}

/// Whether the joints start where the motion begins.
fn read_start(mapping: &Mapping<'_, '_>) -> bool {
    let words = [("joints", false), ("motion", true)];
    let start = mapping.read(&["start"], |value, _| read_word(value, "where the joints start", &words));
    let Some(start) = start else { return false };
    if let (true, None, Some(value)) = (start, mapping.get(&["motion"]), mapping.get(&["start"])) {
        let message = "`start: motion` needs a `motion` to start with";
        mapping.reporter().report(value.error("missing-motion", message));
    }
    start
}

/// Differences between the start of a joint and that of its motion up to this are small, rad: a controller catches up.
const NEAR_ANGLE: f64 = 0.2;
/// The same for prismatic joints, m.
const NEAR_LENGTH: f64 = 0.02;

impl ReadController {
    /// The displacements at the beginning of the motion that the joints follow; `None` if they follow none. Joints that
    /// the motion does not have keep `displacements`.
    fn first_frame(&self, displacements: &[f64]) -> Option<Vec<f64>> {
        let follows = match &self.controller.kind {
            ControllerKind::Pd(_) => true,
            ControllerKind::Process { .. } => false,
            ControllerKind::Servo(actuation) => {
                actuation.iter().any(|actuation| matches!(actuation, Actuation::Displacement { .. }))
            }
        };
        let joints = self.controller.motion.as_ref()?.joint_displacements.as_ref().filter(|_| follows)?;
        let mut first = displacements.to_vec();
        joints.sample(0.0, &mut first);
        Some(first)
    }

    /// Sets the displacements at the start of the run to those at the beginning of the motion, or warns if joints start
    /// far from there.
    pub(super) fn begin(
        &self,
        value: Value<'_>,
        name: &str,
        body: &Body,
        displacements: &mut [f64],
        reporter: &Reporter,
    ) {
        let Some(first) = self.first_frame(displacements) else { return };
        if self.starts_with_motion {
            displacements.copy_from_slice(&first);
            body.follow_leaders(displacements);
            return;
        }
        let commanded = |joint: usize| {
            self.controller.velocities.as_ref().is_some_and(|profiles| matches!(profiles.get(joint), Some(Some(_))))
        };
        let far = first.iter().zip(&*displacements).enumerate().filter_map(|(joint, (first, start))| {
            if commanded(joint) {
                return None;
            }
            let kind = body.joint(JointIndex(joint)).map(|joint| joint.kind)?;
            let near = match kind {
                JointKind::Revolute => NEAR_ANGLE,
                JointKind::Prismatic => NEAR_LENGTH,
                _ => return None,
            };
            let ratio = (first - start).abs() / near;
            (ratio > 1.0).then_some((ratio, joint, kind, *start, *first))
        });
        let far: Vec<_> = far.collect();
        let Some(&(_, joint, kind, start, first)) = far.iter().max_by(|(a, ..), (b, ..)| a.total_cmp(b)) else {
            return;
        };
        let (unit, scale) = match kind {
            JointKind::Revolute => ("°", 1_f64.to_degrees()),
            _ => (" m", 1.0),
        };
        let short = |value: f64| (value * scale * 1e4).round() / 1e4;
        let others = match far.len() - 1 {
            0 => String::new(),
            1 => ", and another joint likewise".to_owned(),
            many => format!(", and {many} more joints likewise"),
        };
        let message = format!(
            "joint `{}` of `{name}` starts at {}{unit}, but its motion begins at {}{unit}{others}",
            body.joint_name(JointIndex(joint)),
            short(start),
            short(first)
        );
        let help = "write `start: motion` in the controller to start where the motion begins, or change \
                    `joint_displacements`; else the joints jump there in the first steps";
        let place = value.get("motion").unwrap_or(value);
        reporter.report(place.warning("far-start", message).help(help));
    }
}

/// Warns of commanded velocities that have no effect.
fn report_commands(
    value: Value<'_>,
    velocities: &JointProfiles,
    body: &Body,
    word: Option<&str>,
    context: &SceneContext<'_>,
) {
    for (index, command) in velocities.iter().enumerate() {
        let (Some(command), Some(joint)) = (command, body.joint(JointIndex(index))) else { continue };
        let name = body.joint_name(JointIndex(index));
        if word == Some("effort") && joint.kind.has_displacement() {
            let message = format!("`velocity` does nothing at joint `{name}`, which moves by efforts");
            let help = "`type: velocity` with a `kd` follows velocities";
            context.reporter.report(value.warning("idle-velocity", message).help(help));
            continue;
        }
        let Range { lower, upper } = joint.velocity_range;
        let is_outside = |velocity: &f64| lower <= upper && (*velocity < lower || *velocity > upper);
        if let Some(velocity) = command.frames().flatten().find(|velocity| is_outside(velocity)) {
            let (scale, unit) = match joint.kind {
                JointKind::Revolute => (1_f64.to_degrees(), "°/s"),
                _ => (1.0, " m/s"),
            };
            let short = |value: f64| (value * scale * 1e4).round() / 1e4;
            let message = format!(
                "joint `{name}` is commanded {}{unit}, outside its velocity range from {}{unit} to {}{unit}",
                short(*velocity),
                short(lower),
                short(upper)
            );
            context.reporter.report(value.warning("outside-limits", message).help("the command is kept within it"));
        }
    }
}

pub(super) fn gains(value: Value<'_>, body: &Body, reporter: &Reporter) -> Result<Vec<f64>> {
    let mut values = vec![0.0; body.num_joints()];
    joint_values::read(value, body, Forms::WithScalar, &mut values, reporter)?;
    if let Some(negative) = values.iter().find(|value| **value < 0.0) {
        return Err(Box::new(value.error("negative-gain", format!("the gain {negative} is negative"))));
    }
    if let Some(large) = values.iter().find(|value| **value > LARGEST_GAIN) {
        let message = format!("the gain {large:e} is beyond {LARGEST_GAIN:e}, the largest that can be calculated with");
        let help = "`drive: { root: physics, joints: motion }` has joints where a motion has them, with any effort";
        return Err(Box::new(value.error("gain-range", message).help(help)));
    }
    Ok(values)
}

/// Loads a motion for a body, whose first frame becomes that of the run. If the motion is of another body, the common
/// joints and links follow it, as in Choreonoid, with a warning.
pub(super) fn load_motion(
    value: Value<'_>,
    body: &Body,
    context: &SceneContext<'_>,
) -> Option<(Arc<BodyMotion>, Arc<SharedMotion>)> {
    let file = context.file(value)?;
    let shared = context.motion(&file, body)?;
    let motion = match &shared.motion {
        Ok(motion) => motion,
        Err(error) => {
            let help = format!("let its times begin at 0: {}", file.display());
            context
                .reporter
                .report(value.error("motion-times", format!("the motion cannot be played: {error}")).help(help));
            return None;
        }
    };
    if let Some(joints) = &motion.joint_displacements
        && joints.num_parts() != body.num_joints()
    {
        let message =
            format!("the motion has {} joints, but `{}` has {}", joints.num_parts(), body.name, body.num_joints());
        let common = joints.num_parts().min(body.num_joints());
        let help = format!("the first {common} are moved; the motion is {}", file.display());
        context.reporter.report(value.warning("joint-count", message).help(help));
    }
    if let Some(links) = &motion.link_positions
        && links.num_parts() > body.links().len()
    {
        let message =
            format!("the motion has {} links, but `{}` has {}", links.num_parts(), body.name, body.links().len());
        context.reporter.report(value.warning("link-count", message).help("the links beyond are left out"));
    }
    Some((Arc::clone(motion), shared))
}
