//! One time step of rapier.

use bevy::prelude::*;
use bevy_rapier3d::plugin::RapierConfiguration;
use bevy_rapier3d::prelude::*;
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus, StepPart, StepTimes};

use crate::impulse::impacts;
use crate::impulse::impacts::{Before, Outcome};
use crate::impulse::light_links::{ExtraSubsteps, ask_for_substeps};
use crate::model::simulated_body::SimulatedBody;
use crate::world::breakdown::unless_it_breaks_down;
use crate::world::contacts::ContactRules;
use crate::world::convert::from_vec3;

/// The parts of bevy_rapier's context that a step needs.
type Context<'a> = (
    &'a mut RapierContextSimulation,
    &'a mut RapierContextColliders,
    &'a mut RapierContextJoints,
    &'a mut RapierRigidBodySet,
    &'a RapierConfiguration,
);

/// Steps rapier's pipeline on bevy_rapier's context.
pub(crate) fn step(
    mut contexts: Query<Context<'_>>,
    simulated: Query<&SimulatedBody>,
    (mut rules, mut extra_substeps): (ResMut<ContactRules>, ResMut<ExtraSubsteps>),
    mut before: Local<Before>,
    (clock, mut status, mut times): (Res<SimulationClock>, ResMut<SimulationStatus>, Option<ResMut<StepTimes>>),
) -> Result {
    let mut lap = |part| times.iter_mut().for_each(|times| times.lap(part));
    lap(StepPart::Rest);
    let (mut simulation, mut colliders, mut joints, mut set, configuration) = contexts.single_mut()?;
    let simulation = &mut *simulation;
    let integration = &simulation.integration_parameters;
    rules.begin_step(configuration.gravity.length() * integration.dt, integration.num_solver_iterations);
    let of_models = simulated.iter().filter_map(|body| body.light_part);
    let is_ours = |part| simulated.iter().any(|body| body.parts.contains(&part));
    let base = integration.num_solver_iterations;
    ask_for_substeps(&mut set.bodies, &simulation.narrow_phase, &rules, of_models, is_ours, base);
    let joints = &mut *joints;
    before.remember(&rules, &set.bodies);
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
            &*rules,
            &(),
        );
    };
    if let Err(message) = unless_it_breaks_down(run) {
        *status = SimulationStatus::Failed(SimulationFault { time: clock.time() + clock.time_step(), message });
        return Ok(());
    }
    extra_substeps.find(&set.bodies, &simulation.narrow_phase, &joints.impulse_joints);
    if rules.had_impact() {
        let time_step = f64::from(simulation.integration_parameters.dt);
        let (narrow_phase, bodies) = (&simulation.narrow_phase, &mut set.bodies);
        let gravity = from_vec3(configuration.gravity);
        let Outcome { impulses, hit } = impacts::solve(narrow_phase, bodies, &rules, &before, &gravity, time_step);
        for (manifold, impulses) in impulses {
            rules.note_impulses(manifold, impulses);
        }
        rules.were_hit(&hit);
    }
    lap(StepPart::Solver);
    Ok(())
}
