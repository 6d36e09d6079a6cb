use bevy::prelude::Component;
use bunraku_body::{Actuation, BodyState, Joint, JointActuation, JointEfforts, JointIndex, JointTargets, Range};
use bunraku_multibody::Drive;
use serde::{Deserialize, Serialize};

use crate::model::joint_losses::JointLosses;
use crate::model::velocity_limits::{is_limiting, limit_velocity, limited_approach};

/// Command of one joint for a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// The motor, or a prescribed velocity. All kinds of actuation reduce to it. Its displacement is the target at the end of the step.
    pub drive: Drive,
    /// For the next step.
    pub past: Past,
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
    /// Of a joint.
    pub fn of(losses: Option<&JointLosses>, JointIndex(index): JointIndex) -> Self {
        let Some(losses) = losses else { return Self::default() };
        // NaN counts as zero.
        Self {
            damping: value_at(&losses.damping, index, 0.0).max(0.0),
            friction: value_at(&losses.friction, index, 0.0).max(0.0),
        }
    }
}

/// Commands of a body.
#[derive(Clone, Copy)]
pub(crate) struct Commands<'a> {
    pub actuation: &'a JointActuation,
    pub efforts: &'a JointEfforts,
    pub targets: &'a JointTargets,
}

/// State of a joint's actuation from the previous step.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Past {
    /// Destination of a prescribed motion, rad or m.
    pub destination: Option<f64>,
    /// Reference of a servo, which a velocity range limits, rad or m.
    pub reference: Option<f64>,
}

/// State of the actuation of a body, by simulated joint.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct JointPast(Vec<Past>);

impl JointPast {
    /// The drive of the joint with this number for a step, with the state for the next one.
    pub fn drive(&mut self, number: usize, demand: impl FnOnce(Past) -> Demand) -> Drive {
        if self.0.len() <= number {
            self.0.resize(number + 1, Past::default());
        }
        let Demand { drive, past } = demand(self.0[number]);
        self.0[number] = past;
        drive
    }
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
        let given = destination.map(|destination| (destination - now) / time_step);
        let is_idle = actuation == Actuation::None || given.is_some();
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
        let is_bounded = actuation != Actuation::None && model.effort_range.lower <= model.effort_range.upper;
        let bounds = if is_bounded { model.effort_range } else { Range::UNLIMITED };
        let reference = (stiffness > 0.0).then_some(displacement);
        Self {
            drive: Drive { effort, stiffness, damping, displacement, velocity, bounds, given },
            past: Past { destination, reference },
        }
    }
}

fn value_at(values: &[f64], index: usize, otherwise: f64) -> f64 {
    values.get(index).copied().unwrap_or(otherwise)
}
