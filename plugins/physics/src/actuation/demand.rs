use bunraku_body::{Actuation, BodyState, Joint, JointActuation, JointEfforts, JointIndex, JointTargets, Range};
use serde::{Deserialize, Serialize};

use crate::model::joint_losses::JointLosses;
use crate::model::velocity_limits::{VelocityLimits, is_limiting, limit_velocity, limited_approach};

/// Command of one joint for a step: stiffness·(displacement − q) + damping·(velocity − q̇) + effort, within bounds. All kinds of
/// actuation reduce to this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// N·m/rad or N/m
    pub stiffness: f64,
    /// N·m·s/rad or N·s/m
    pub damping: f64,
    /// Target displacement at the end of the step, rad or m.
    pub displacement: f64,
    /// rad/s or m/s
    pub velocity: f64,
    /// N·m or N
    pub effort: f64,
    /// Effort range of the motor, N·m or N.
    pub bounds: Range,
    /// Hard velocity range, rad/s or m/s; the motor brakes a joint that is faster.
    pub speeds: Range,
    /// Losses of the joint, beside the motor.
    pub loss: Loss,
    /// Prescribed motion; all other fields are then ignored.
    pub prescribed: Option<Prescription>,
}

/// Losses of a joint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Loss {
    /// N·m·s/rad or N·s/m
    pub damping: f64,
    /// Largest effort of dry friction, N·m or N.
    pub friction: f64,
}

impl Loss {
    fn of(losses: Option<&JointLosses>, index: usize) -> Self {
        let Some(losses) = losses else { return Self::default() };
        // NaN counts as zero.
        Self {
            damping: value_at(&losses.damping, index, 0.0).max(0.0),
            friction: value_at(&losses.friction, index, 0.0).max(0.0),
        }
    }
}

/// Commands of a body, with its limits and losses.
#[derive(Clone, Copy)]
pub(crate) struct Commands<'a> {
    pub actuation: &'a JointActuation,
    pub efforts: &'a JointEfforts,
    pub targets: &'a JointTargets,
    pub limits: VelocityLimits,
    pub losses: Option<&'a JointLosses>,
}

/// State of a joint's actuation from the previous step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Past {
    /// Destination of a prescribed motion.
    pub destination: Option<f64>,
    /// Reference of a servo, which a velocity range limits.
    pub reference: Option<f64>,
}

/// Prescribed motion of a joint over a step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Prescription {
    /// Throughout the step, rad/s or m/s.
    pub velocity: f64,
    /// Displacement at the end of the step, rad or m.
    pub destination: f64,
}

impl Demand {
    /// The command of a joint over a step of `time_step` seconds.
    pub fn of(
        joint: JointIndex,
        model: &Joint,
        state: &BodyState,
        commands: Commands<'_>,
        past: Past,
        time_step: f64,
    ) -> Self {
        let Commands { efforts, targets, .. } = commands;
        let JointIndex(index) = joint;
        let actuation = commands.actuation.0.get(index).copied().unwrap_or_default();
        // NaN counts as zero.
        let (stiffness, damping) = match actuation {
            Actuation::None | Actuation::Effort => (0.0, 0.0),
            Actuation::Displacement { stiffness, damping } => (stiffness.max(0.0), damping.max(0.0)),
            Actuation::Velocity { damping } => (0.0, damping.max(0.0)),
            Actuation::PrescribedDisplacement | Actuation::PrescribedVelocity => (0.0, 0.0),
        };
        let now = state.displacements[index];
        let destination = match actuation {
            Actuation::PrescribedDisplacement => Some(value_at(&targets.displacements, index, now)),
            Actuation::PrescribedVelocity => {
                Some(past.destination.unwrap_or(now) + time_step * value_at(&targets.velocities, index, 0.0))
            }
            _ => None,
        };
        let prescribed =
            destination.map(|destination| Prescription { destination, velocity: (destination - now) / time_step });
        let is_idle = actuation == Actuation::None || prescribed.is_some();
        let effort = if is_idle { 0.0 } else { value_at(&efforts.0, index, 0.0) };
        let range = &model.velocity_range;
        let mut velocity = limit_velocity(range, value_at(&targets.velocities, index, 0.0));
        let target = value_at(&targets.displacements, index, now);
        let mut displacement = target;
        if stiffness > 0.0 && is_limiting(range) {
            let before = past.reference.unwrap_or(now);
            displacement = limited_approach(range, before, target, time_step);
            if displacement.to_bits() != target.to_bits() {
                velocity = (displacement - before) / time_step;
            }
        }
        let is_hard = commands.limits == VelocityLimits::Hard && is_limiting(range) && prescribed.is_none();
        Self {
            stiffness,
            damping,
            displacement,
            velocity,
            effort,
            bounds: if actuation == Actuation::None { Range::UNLIMITED } else { model.effort_range },
            speeds: if is_hard { *range } else { Range::UNLIMITED },
            loss: if prescribed.is_some() { Loss::default() } else { Loss::of(commands.losses, index) },
            prescribed,
        }
    }

    /// Reference of the servo at the end of the step, for the next one.
    pub fn reference(&self) -> Option<f64> {
        (self.stiffness > 0.0).then_some(self.displacement)
    }
}

fn value_at(values: &[f64], index: usize, otherwise: f64) -> f64 {
    values.get(index).copied().unwrap_or(otherwise)
}
