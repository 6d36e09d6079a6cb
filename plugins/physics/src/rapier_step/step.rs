//! One time step of rapier.

use bevy::prelude::*;
use bevy_rapier3d::plugin::RapierConfiguration;
use bevy_rapier3d::prelude::*;
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus, StepPart, StepTimes};

use super::contacts::StepHooks;
use crate::detection::reported_contact::ReportedContacts;
use crate::world::breakdown::unless_it_breaks_down;
use crate::world::contacts::ContactRules;

/// The parts of bevy_rapier's context that a step needs.
type Context<'a> = (
    &'a mut RapierContextSimulation,
    &'a mut RapierContextColliders,
    &'a mut RapierContextJoints,
    &'a mut RapierRigidBodySet,
    &'a RapierConfiguration,
);

/// Steps rapier's pipeline on bevy_rapier's context, and notes the contacts of the step.
pub(crate) fn step(
    mut contexts: Query<Context<'_>>,
    (rules, mut reported): (Res<ContactRules>, ResMut<ReportedContacts>),
    (clock, mut status, mut times): (Res<SimulationClock>, ResMut<SimulationStatus>, Option<ResMut<StepTimes>>),
) -> Result {
    let mut lap = |part| times.iter_mut().for_each(|times| times.lap(part));
    lap(StepPart::Rest);
    let (mut simulation, mut colliders, mut joints, mut set, configuration) = contexts.single_mut()?;
    let (simulation, joints) = (&mut *simulation, &mut *joints);
    let mut hooks = StepHooks::new(&rules, &simulation.integration_parameters, configuration.gravity);
    let run = || {
        simulation.pipeline.step(
            configuration.gravity,
            &simulation.integration_parameters,
            &mut simulation.islands,
            &mut simulation.broad_phase,
            &mut simulation.narrow_phase,
            &mut set.bodies,
            &mut colliders.colliders,
            &mut joints.impulse_joints,
            &mut joints.multibody_joints,
            &mut simulation.ccd_solver,
            &hooks,
            &(),
        );
    };
    if let Err(message) = unless_it_breaks_down(run) {
        *status = SimulationStatus::Failed(SimulationFault { time: clock.time() + clock.time_step(), message });
        return Ok(());
    }
    hooks.note_contacts(&simulation.narrow_phase, &set.bodies, clock.time_step(), &mut reported.0);
    lap(StepPart::Solver);
    Ok(())
}
