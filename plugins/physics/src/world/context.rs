//! Rapier's context as the parameters have it.

use bevy_rapier3d::plugin::{RapierConfiguration, TimestepMode};
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::{IntegrationParameters, RigidBodyHandle};
use bunraku_simulation::SimulationClock;

use super::convert::to_vec3;
use crate::model::parameters::PhysicsParameters;

/// Natural frequency of the spring that stands for a contact, Hz.
///
/// With rapier's own 30 to 60 Hz a robot of 130 kg sinks into the floor by 0.8 mm. On its walk SR1 deviates from Choreonoid's recording
/// by 94 mm with 60 Hz, 25 mm with 120 Hz, 9 mm with 200 Hz and 6 mm with 1000 Hz. The damping ratio is rapier's 10.
const CONTACT_FREQUENCY: f32 = 1000.0;

/// Writes the parameters into rapier's context, together with what must differ from rapier's defaults.
pub(crate) fn apply(
    parameters: &PhysicsParameters,
    clock: &SimulationClock,
    integration: &mut IntegrationParameters,
    configuration: &mut RapierConfiguration,
) {
    #[allow(clippy::cast_possible_truncation)]
    {
        integration.dt = clock.time_step() as f32;
    }
    integration.num_solver_iterations = parameters.iterations.max(1);
    // With one substep a step SR1 falls on its walk without the warm start of joints.
    integration.warmstart_joints = true;
    integration.contact_softness.natural_frequency = CONTACT_FREQUENCY;
    integration.static_contact_softness.natural_frequency = CONTACT_FREQUENCY;
    // Divergence is found by our own check.
    integration.normalized_max_linear_velocity = f32::MAX;
    configuration.gravity = to_vec3(&parameters.gravity);
}

/// Time step mode of bevy_rapier's own systems, which never step.
pub(crate) fn timestep_mode(clock: &SimulationClock) -> TimestepMode {
    #[allow(clippy::cast_possible_truncation)]
    TimestepMode::Fixed { dt: clock.time_step() as f32, substeps: 1 }
}

/// Rapier's fastest turn is an eighth of a turn a step unless a body is allowed more; wheels and rotors need more.
pub(crate) fn allow_fast_rotation(bodies: &mut RapierRigidBodySet, handle: RigidBodyHandle) {
    if let Some(body) = bodies.bodies.get_mut(handle) {
        body.set_allow_fast_rotation(true);
    }
}
