//! Servos as the implicit springs of a multibody.

use bevy_rapier3d::prelude::RapierContextJoints;
use bunraku_body::{BodyState, JointKind};

use super::demand::Demand;
use crate::SimulatedBody;
use crate::joints::JointHandle;

/// The springs that a body's joints have in rapier's world.
#[derive(Debug, Default)]
pub(super) struct Springs {
    /// Whether rapier holds any that must be overwritten.
    are_set: bool,
}

impl Springs {
    /// Gives the joints of a multibody springs and dampers. `efforts` come with the predicted effort of each servo, and
    /// leave with what must act besides the spring.
    ///
    /// A servo whose effort is out of bounds, at the beginning of the step or at its end, has no spring in this step: the
    /// bounded effort acts in its place.
    pub fn set(
        &mut self,
        simulated: &SimulatedBody,
        state: &BodyState,
        demands: &[Demand],
        efforts: &mut [f64],
        (time_step, iterations): (f64, usize),
        joints: &mut RapierContextJoints,
    ) {
        if !self.are_set && !demands.iter().any(Demand::is_servo) {
            return;
        }
        self.are_set = false;
        // Rapier cuts the step into as many pieces and has a target of its own for the end of each; one target for all is
        // ahead of them by this on average.
        #[allow(clippy::cast_precision_loss)]
        let ahead = 0.5 * time_step * (1.0 - 1.0 / iterations.max(1) as f64);
        for ((joint, demand), effort) in simulated.joints.iter().zip(demands).zip(efforts) {
            let JointHandle::Multibody(handle) = joint.handle else { continue };
            let Some(&link) = joints.multibody_joints.rigid_body_link(handle) else { continue };
            let Some(multibody) = joints.multibody_joints.get_multibody_mut(link.multibody) else { continue };
            let now = demand.effort_at(state.displacements[joint.joint], state.velocities[joint.joint]);
            let is_spring = demand.is_servo()
                && !(demand.is_limited() && (is_beyond(demand, now) || is_beyond(demand, *effort)));
            let (stiffness, damping) = if is_spring { (demand.stiffness, demand.damping) } else { (0.0, 0.0) };
            if is_spring {
                *effort = demand.effort + demand.damping * demand.velocity;
                self.are_set = true;
            }
            let axis = match joint.kind {
                JointKind::Prismatic => 0,
                _ => 3,
            };
            let Some(link) = multibody.link_mut(link.id) else { continue };
            let coordinate = link.assembly_id();
            #[allow(clippy::cast_possible_truncation)]
            {
                let rest = demand.displacement - demand.velocity * ahead;
                link.joint.set_spring(axis, stiffness as f32, rest as f32);
                multibody.damping_mut()[coordinate] = damping as f32;
            }
        }
    }
}

/// Whether an effort reaches a bound; efforts that were cut lie on it.
fn is_beyond(demand: &Demand, effort: f64) -> bool {
    effort >= demand.bounds.upper || effort <= demand.bounds.lower
}
