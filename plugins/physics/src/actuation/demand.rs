use bunraku_body::{Actuation, BodyState, Joint, JointActuation, JointEfforts, JointIndex, JointTargets, Range};
use serde::{Deserialize, Serialize};

use crate::model::joint_losses::JointLosses;
use crate::model::velocity_limits::{VelocityLimits, is_limiting, limit_velocity, limited_approach};

/// What a joint's actuator is asked to do in a step: stiffness·(displacement − q) + damping·(velocity − q̇) + effort,
/// within bounds. All kinds of actuation come down to this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// N·m/rad or N/m
    pub stiffness: f64,
    /// N·m·s/rad or N·s/m
    pub damping: f64,
    /// Where the joint is to be at the end of the step, rad or m.
    pub displacement: f64,
    /// rad/s or m/s
    pub velocity: f64,
    /// N·m or N
    pub effort: f64,
    /// What the motor can do.
    pub bounds: Range,
    /// How fast the joint may be, rad/s or m/s; the motor brakes what is faster.
    pub speeds: Range,
    /// What brakes the joint beside the motor.
    pub loss: Loss,
    /// What the joint does whatever acts on it; nothing else counts then.
    pub prescribed: Option<Prescription>,
}

/// What brakes a joint by itself.
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
        // Not a number counts as zero.
        Self {
            damping: value_at(&losses.damping, index, 0.0).max(0.0),
            friction: value_at(&losses.friction, index, 0.0).max(0.0),
        }
    }
}

/// What a body is commanded, and what it keeps by itself.
#[derive(Clone, Copy)]
pub(crate) struct Commands<'a> {
    pub actuation: &'a JointActuation,
    pub efforts: &'a JointEfforts,
    pub targets: &'a JointTargets,
    pub limits: VelocityLimits,
    pub losses: Option<&'a JointLosses>,
}

/// What the actuation of a joint knows of the step before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Past {
    /// Where a joint whose motion is prescribed had to be by now.
    pub destination: Option<f64>,
    /// Where a servo's reference was, if it has to keep a velocity range.
    pub reference: Option<f64>,
}

/// A motion that is dictated.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Prescription {
    /// Throughout the step, rad/s or m/s.
    pub velocity: f64,
    /// Where the step is to end, rad or m.
    pub destination: f64,
}

impl Demand {
    /// Of a joint over a step of `time_step` seconds.
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
        // Not a number counts as zero.
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

    /// Where the servo's reference is at the end of the step, for the next one.
    pub fn reference(&self) -> Option<f64> {
        (self.stiffness > 0.0).then_some(self.displacement)
    }
}

fn value_at(values: &[f64], index: usize, otherwise: f64) -> f64 {
    values.get(index).copied().unwrap_or(otherwise)
}
