//! Commands as drives of joints, for both solvers.

use bevy::ecs::query::QueryData;
use bevy::prelude::Component;
use bunraku_body::{Actuation, BodyState, Joint, JointActuation, JointEfforts, JointIndex, JointTargets, Range};
use bunraku_multibody::Drive;
use serde::{Deserialize, Serialize};

use crate::model::velocity_limits::{is_limiting, limit_velocity, limited_approach};

/// Commands of a body.
#[derive(QueryData)]
pub(crate) struct Commands {
    pub actuation: &'static JointActuation,
    pub efforts: &'static JointEfforts,
    pub targets: &'static JointTargets,
}

/// State of a joint's actuation from the previous step.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Past {
    /// Destination of a prescribed motion, rad or m.
    destination: Option<f64>,
    /// Reference of a servo, which a velocity range limits, rad or m.
    reference: Option<f64>,
}

/// State of the actuation of a body, by simulated joint.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct JointPast(Vec<Past>);

impl JointPast {
    /// Of the joint with this number.
    pub fn of(&mut self, number: usize) -> &mut Past {
        if self.0.len() <= number {
            self.0.resize(number + 1, Past::default());
        }
        &mut self.0[number]
    }
}

impl CommandsItem<'_, '_> {
    /// The motor of a joint over a step of `time_step` seconds, or its prescribed velocity: all kinds of actuation reduce to it. Its
    /// displacement is the target at the end of the step.
    pub fn drive(
        &self,
        JointIndex(index): JointIndex,
        model: &Joint,
        state: &BodyState,
        past: &mut Past,
        time_step: f64,
    ) -> Drive {
        let CommandsItem { efforts, targets, .. } = self;
        let actuation = self.actuation.0.get(index).copied().unwrap_or_default();
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
        *past = Past { destination, reference: (stiffness > 0.0).then_some(displacement) };
        Drive { effort, stiffness, damping, displacement, velocity, bounds, given }
    }
}

fn value_at(values: &[f64], index: usize, otherwise: f64) -> f64 {
    values.get(index).copied().unwrap_or(otherwise)
}
