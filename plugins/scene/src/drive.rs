//! The `drive` of a body, the motion it plays, and the keys without effect under that drive.

use std::sync::Arc;

use bunraku_body::dynamics::Twist;
use bunraku_body::{Actuation, ActuationMode, Body, BodyState, Drive, JointIndex, JointKind, LinkIndex, kinematics};
use bunraku_document::{Mapping, Value};
use bunraku_motion::{BodyMotion, state_at};

use super::model::{ControllerKind, SceneController, SceneDrive};

/// The words for `drive` in a scene file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Whole(Drive),
    /// The root follows the motion, the joints are moved by forces.
    Root,
    /// The joints follow the motion, the root is moved by forces.
    Joints,
}

/// Reads `drive`; `motion` is the motion under the key `motion`, if it is given and valid.
pub(super) fn read_drive(mapping: &Mapping<'_, '_>, motion: Option<Arc<BodyMotion>>) -> SceneDrive {
    let word = match mapping.get(&["drive"]) {
        None => Some(Word::Whole(Drive::default())),
        Some(value) => read_word(value, mapping),
    };
    // After an error the other keys can still be checked.
    let Some(word) = word else { return SceneDrive::Physics };
    check_motion(mapping, word, motion.as_deref());
    match (word, motion) {
        (Word::Whole(Drive::Motion), Some(motion)) => SceneDrive::Motion(motion),
        (Word::Whole(Drive::Motion), None) | (Word::Whole(Drive::Static), _) => SceneDrive::Static,
        (Word::Root, Some(motion)) => SceneDrive::KinematicRoot(motion),
        (Word::Joints, Some(motion)) => SceneDrive::PrescribedJoints(motion),
        (Word::Root | Word::Joints, None) | (Word::Whole(Drive::Physics), _) => SceneDrive::Physics,
    }
}

fn read_word(value: Value<'_>, mapping: &Mapping<'_, '_>) -> Option<Word> {
    let reporter = mapping.reporter();
    if value.entries().is_none() {
        return match value.text() {
            Some("physics") => Some(Word::Whole(Drive::Physics)),
            Some("motion") => Some(Word::Whole(Drive::Motion)),
            Some("static") => Some(Word::Whole(Drive::Static)),
            _ => {
                let help = "or say it of each half: `{ root: motion, joints: physics }`";
                reporter.report(value.expected("`physics`, `motion` or `static`").help(help));
                None
            }
        };
    }
    let halves = Mapping::new(value, "`drive`", reporter)?;
    // Both are read first, so that errors in both are reported.
    let [root, joints] = ["root", "joints"].map(|key| read_half(&halves, key));
    halves.finish();
    Some(match (root?, joints?) {
        (Drive::Motion, Drive::Motion) => Word::Whole(Drive::Motion),
        (Drive::Motion, _) => Word::Root,
        (_, Drive::Motion) => Word::Joints,
        _ => Word::Whole(Drive::Physics),
    })
}

/// The value of one half; moved by forces if it is not given; `None` after an error.
fn read_half(halves: &Mapping<'_, '_>, key: &'static str) -> Option<Drive> {
    let Some(value) = halves.get(&[key]) else { return Some(Drive::Physics) };
    match value.text() {
        Some("physics") => Some(Drive::Physics),
        Some("motion") => Some(Drive::Motion),
        Some("static") => {
            let help = match key {
                "root" => "`fixed: true` holds the root where it is",
                _ => "a stiff `servo` without a motion holds joints where they are",
            };
            let message = format!("the {key} alone cannot be `static`");
            halves.reporter().report(value.error("static-half", message).help(help));
            None
        }
        _ => {
            halves.reporter().report(value.expected("`physics` or `motion`"));
            None
        }
    }
}

/// Checks that a motion is given if one is needed, with the components needed, and none if it would have no effect.
fn check_motion(mapping: &Mapping<'_, '_>, word: Word, motion: Option<&BodyMotion>) {
    let reporter = mapping.reporter();
    match (word, mapping.get(&["motion"])) {
        (Word::Whole(Drive::Physics | Drive::Static), Some(node)) => {
            let help = "write `drive: motion` to play it, or put it into the `controller` to follow it";
            let message = "the motion does nothing: the body is not driven by it";
            reporter.report(node.warning("idle-motion", message).help(help));
        }
        (Word::Whole(Drive::Motion) | Word::Root | Word::Joints, None) => {
            let node = mapping.get(&["drive"]).unwrap_or_else(|| mapping.node());
            let message = match word {
                Word::Root => "a root that is driven by motion needs a `motion` to follow",
                Word::Joints => "joints that are driven by motion need a `motion` to follow",
                Word::Whole(_) => "`drive: motion` needs a `motion` to play",
            };
            reporter.report(node.error("missing-motion", message));
        }
        (Word::Root, Some(node)) if motion.is_some_and(|motion| motion.link_positions.is_none()) => {
            let message = "the motion has no poses of links, so that the root has nothing to follow";
            reporter.report(node.error("no-root-motion", message));
        }
        (Word::Joints, Some(node)) if motion.is_some_and(|motion| motion.joint_displacements.is_none()) => {
            let message = "the motion has no displacements of joints, so that the joints have nothing to follow";
            reporter.report(node.error("no-joint-motion", message));
        }
        _ => {}
    }
}

impl SceneDrive {
    /// Sets the state of a body to the start of its motion.
    pub(super) fn begin(&self, body: &Body, initial: &mut BodyState) {
        match self {
            Self::Motion(motion) => state_at(body, motion, motion.start(), initial),
            Self::KinematicRoot(motion) => {
                let mut root = [*initial.link_pose(LinkIndex::ROOT)];
                if let Some(links) = &motion.link_positions {
                    links.sample_smooth(0.0, &mut root);
                }
                *initial = BodyState::at_rest(body, &root[0], std::mem::take(&mut initial.displacements));
            }
            Self::PrescribedJoints(motion) => {
                if let Some(joints) = &motion.joint_displacements {
                    joints.sample_smooth(0.0, &mut initial.displacements);
                }
                let root = *initial.link_pose(LinkIndex::ROOT);
                kinematics::update_link_poses(body, &root, &initial.displacements, &mut initial.link_poses);
            }
            Self::Physics | Self::Static | Self::Task => {}
        }
    }

    /// Gives a root or joints that follow a motion the velocities of the motion over the step of `time_step` s before
    /// the first one, so that a motion that does not begin at rest begins without an impact. Returns the initial twist
    /// of the root.
    pub(super) fn begin_moving(&self, initial: &mut BodyState, time_step: f64, twist: Twist) -> Twist {
        match self {
            Self::KinematicRoot(motion) => {
                let Some(links) =
                    motion.link_positions.as_ref().filter(|links| links.start() <= 0.0 && links.end() > 0.0)
                else {
                    return Twist::ZERO;
                };
                let now = *initial.link_pose(LinkIndex::ROOT);
                let mut before = [now];
                links.sample_beyond(-time_step, &mut before);
                let turn = now.rotation * before[0].rotation.inverse();
                let linear = (now.translation.vector - before[0].translation.vector) / time_step;
                Twist { linear, angular: turn.scaled_axis() / time_step }
            }
            Self::PrescribedJoints(motion) => {
                if let Some(joints) =
                    motion.joint_displacements.as_ref().filter(|joints| joints.start() <= 0.0 && joints.end() > 0.0)
                {
                    let mut before = initial.displacements.clone();
                    joints.sample_beyond(-time_step, &mut before);
                    let steps =
                        initial.displacements.iter().zip(before).map(|(now, before)| (now - before) / time_step);
                    initial.velocities = steps.collect();
                }
                twist
            }
            _ => twist,
        }
    }

    /// Warns of keys that have no effect with this drive.
    pub(super) fn report_idle_keys(&self, mapping: &Mapping<'_, '_>, body: &Body) {
        let (keys, why): (&[&'static str], _) = match self {
            Self::KinematicRoot(motion) if motion.link_positions.is_some() => {
                (&["translation", "rotation"], "the root starts where its motion has it")
            }
            Self::PrescribedJoints(motion)
                if motion
                    .joint_displacements
                    .as_ref()
                    .is_some_and(|joints| joints.num_parts() >= body.num_joints()) =>
            {
                (&["joint_displacements"], "the joints start where their motion has them")
            }
            _ => return,
        };
        for &key in keys {
            if let Some(node) = mapping.get(&[key]) {
                let message = format!("`{key}` does nothing: {why}");
                mapping.reporter().report(node.warning("idle-pose", message));
            }
        }
    }

    /// Why a controller has no effect; `None` if it has one.
    pub(super) fn idles_controllers(&self) -> Option<&'static str> {
        match self {
            Self::PrescribedJoints(_) => Some("the joints follow the motion of the body"),
            Self::Motion(_) | Self::Static | Self::Task => Some("the body is not driven by physics"),
            Self::Physics | Self::KinematicRoot(_) => None,
        }
    }

    /// Notes joints for which the model's `actuation_mode` differs from the actuation in the scene.
    pub(super) fn report_other_modes(
        &self,
        mapping: &Mapping<'_, '_>,
        place: Value<'_>,
        body: &Body,
        controller: Option<&SceneController>,
    ) {
        if self.of_body() != Drive::Physics {
            return;
        }
        let is_guided = matches!(self, Self::KinematicRoot(_));
        if body.root().joint.actuation_mode == Some(ActuationMode::LinkPosition) && !is_guided {
            let message =
                format!("the model `{}` has a root that is to follow given poses, but nothing gives them", body.name);
            let help = "`drive: { root: motion, joints: physics }` with a `motion` does";
            mapping.reporter().report(place.note("actuation-mode", message).help(help));
        }
        let other = (0..body.num_joints()).map(JointIndex).find_map(|index| {
            let joint = body.joint(index)?;
            let (asked, given) = (joint.actuation_mode?, self.mode(index, controller)?);
            let differs = asked != given && joint.kind != JointKind::PseudoContinuousTrack;
            differs.then(|| (body.joint_name(index), asked, given))
        });
        if let Some((name, asked, given)) = other {
            let message = format!(
                "joint `{name}` of the model `{}` is to be actuated by {}, but the scene actuates it by {}",
                body.name,
                word_of(asked),
                word_of(given)
            );
            mapping.reporter().report(place.note("actuation-mode", message).help("the scene has the last word"));
        }
    }

    /// The mode in which the scene actuates a joint; `None` if it does not actuate it.
    fn mode(&self, joint: JointIndex, controller: Option<&SceneController>) -> Option<ActuationMode> {
        if matches!(self, Self::PrescribedJoints(_)) {
            return Some(ActuationMode::JointDisplacement);
        }
        match &controller?.kind {
            ControllerKind::Pd(_) => Some(ActuationMode::JointEffort),
            ControllerKind::Servo(actuation) | ControllerKind::Process { actuation, .. } => {
                match actuation.get(joint.0)? {
                    Actuation::Displacement { .. } | Actuation::PrescribedDisplacement => {
                        Some(ActuationMode::JointDisplacement)
                    }
                    Actuation::Velocity { .. } | Actuation::PrescribedVelocity => Some(ActuationMode::JointVelocity),
                    Actuation::None | Actuation::Effort => Some(ActuationMode::JointEffort),
                }
            }
        }
    }
}

fn word_of(mode: ActuationMode) -> &'static str {
    match mode {
        ActuationMode::JointEffort => "effort",
        ActuationMode::JointDisplacement => "displacement",
        ActuationMode::JointVelocity => "velocity",
        ActuationMode::LinkPosition => "the pose of its link",
    }
}
