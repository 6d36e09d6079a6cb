//! One time step of the multibody solver.

use std::num::NonZero;
use std::sync::LazyLock;

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextColliders, RapierContextSimulation, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::{BodyModel, BodyState, Drive as DrivenBy};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus, SimulationWarnings, StepPart, StepTimes};
use nalgebra::Vector3;

use super::MultibodyWorld;
use super::solver_body::SolverBody;
use crate::actuation::demand::{Commands, JointPast};
use crate::actuation::external_forces::ExternalForces;
use crate::detection::reported_contact::ReportedContacts;
use crate::detection::state::Poses;
use crate::detection::tunnelling;
use crate::model::contact_law::ContactLaw;
use crate::model::contact_residuals::ContactResiduals;
use crate::model::kinematic_root::KinematicRoot;
use crate::model::parameters::PhysicsParameters;
use crate::model::rapier_poses::RapierPoses;
use crate::model::simulated_body::SimulatedBody;
use crate::world::breakdown::unless_it_breaks_down;
use crate::world::contacts::ContactRules;
use bunraku_multibody::{Drive, Parameters, Sinking, StepInput, Wrench};

type SteppedBody<'a> = (
    (&'a BodyModel, &'a SimulatedBody, &'a SolverBody, &'a DrivenBy, &'a BodyState),
    Commands,
    (Option<&'a KinematicRoot>, Option<&'a ExternalForces>),
    &'a mut JointPast,
);

type Context<'a> = (&'a mut RapierContextSimulation, &'a mut RapierContextColliders, &'a mut RapierRigidBodySet);

type Reports<'w, 's> = (
    ResMut<'w, SimulationWarnings>,
    Option<ResMut<'w, ContactResiduals>>,
    Query<'w, 's, (&'static BodyModel, Option<&'static Name>)>,
);

/// Number of threads that the process may run in parallel.
static THREADS: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, NonZero::get));

/// Maximum velocity at which open loops close, m/s or rad/s: slow enough not to throw anything.
const CLOSING_SPEED: f64 = 0.1;
/// Minimum approach velocity for restitution, m/s: Choreonoid's.
const SLOWEST_BOUNCE: f64 = 1e-4;

/// Steps all bodies.
pub(crate) fn step(
    mut bodies: Query<SteppedBody<'_>>,
    mut contexts: Query<Context<'_>>,
    rules: Res<ContactRules>,
    (parameters, shown_poses, clock): (Res<PhysicsParameters>, Res<RapierPoses>, Res<SimulationClock>),
    (mut world, mut reported): (ResMut<MultibodyWorld>, ResMut<ReportedContacts>),
    (mut status, mut times): (ResMut<SimulationStatus>, Option<ResMut<StepTimes>>),
    (mut warnings, residuals, models): Reports<'_, '_>,
) -> Result {
    let mut lap = |part| times.iter_mut().for_each(|times| times.lap(part));
    lap(StepPart::Rest);
    let (mut simulation, mut colliders, mut set) = contexts.single_mut()?;
    let world = &mut *world;
    // Changes that this system made are not visible as changes to it.
    let is_untouched = !(simulation.is_changed() || colliders.is_changed() || set.is_changed() || rules.is_changed());
    let time_step = clock.time_step();
    world.take_commands(&mut bodies, &set.bodies, &parameters.gravity, time_step);
    let law = parameters.contacts;
    let parameters = parameters_of_step(&parameters, time_step);
    world.solver.begin(&world.system, &mut world.state, &world.drives.raw, &parameters);
    lap(StepPart::Solver);
    let run = || {
        let poses = Poses { system: &world.system, solver: &world.solver };
        let when = (is_untouched, time_step);
        world.detection.find_candidates(poses, when, &mut simulation, &mut set.bodies, &mut colliders, &rules);
        world.detection.find_contacts(poses, &set.bodies, &rules, law);
    };
    if let Err(message) = unless_it_breaks_down(run) {
        *status = SimulationStatus::Failed(SimulationFault { time: clock.time() + time_step, message });
        return Ok(());
    }
    lap(StepPart::Detection);
    let input = StepInput { drives: &world.drives.raw, contacts: &world.detection.contacts, wrenches: &world.wrenches };
    world.outcome = world.solver.finish(&world.system, &mut world.state, &input, &parameters);
    lap(StepPart::Solver);
    world.detection.report(world.solver.impulses(), time_step, &mut reported.0);
    if let Some(mut residuals) = residuals {
        let MultibodyWorld { solver, system, state, detection, .. } = &*world;
        solver.law_residuals(system, state, &detection.contacts, &parameters, &mut residuals.0);
    }
    let poses = Poses { system: &world.system, solver: &world.solver };
    for passage in world.detection.passages(
        (poses, &reported.0),
        &simulation.broad_phase,
        &set.bodies,
        &colliders.colliders,
        &rules,
    ) {
        let time = clock.time() + time_step;
        let name = |link| tunnelling::name_of(link, &models);
        warnings.add(passage.moving.body, "Tunnelling", || tunnelling::describe(&passage, time, time_step, name));
    }
    match *shown_poses {
        RapierPoses::EveryStep => world.detection.show(poses, &mut set.bodies, &mut colliders.colliders),
        RapierPoses::EveryUpdate | RapierPoses::Never => world.detection.show_users_bodies(poses, &mut set.bodies),
    }
    world.tell_users_bodies(&mut set.bodies);
    Ok(())
}

/// The solver's parameters for a step of this length, s.
fn parameters_of_step(parameters: &PhysicsParameters, time_step: f64) -> Parameters {
    let fall = parameters.gravity.norm() * time_step;
    let sinking = match parameters.contacts {
        ContactLaw::Rigid => None,
        ContactLaw::Choreonoid { correction_depth: depth, correction_velocity_ratio: rate } => {
            Some(Sinking { depth, rate })
        }
    };
    Parameters {
        time_step,
        gravity: parameters.gravity,
        closing_speed: CLOSING_SPEED,
        // A body at rest reaches this velocity within two steps of gravity, and must not bounce for it.
        bounce_speed: (2.0 * fall).max(SLOWEST_BOUNCE),
        sinking,
        threads: *THREADS,
        ..Parameters::default()
    }
}

/// Shows rapier's world where the parts are, after the steps of an update.
pub(crate) fn show(
    world: Res<MultibodyWorld>,
    mut contexts: Query<(&mut RapierRigidBodySet, &mut RapierContextColliders)>,
) -> Result {
    let (mut set, mut colliders) = contexts.single_mut()?;
    let poses = Poses { system: &world.system, solver: &world.solver };
    world.detection.show(poses, &mut set.bodies, &mut colliders.colliders);
    Ok(())
}

impl MultibodyWorld {
    /// Finds what drives each coordinate in this step, and the forces on the parts.
    fn take_commands(
        &mut self,
        bodies: &mut Query<SteppedBody<'_>>,
        users: &RigidBodySet,
        gravity: &Vector3<f64>,
        time_step: f64,
    ) {
        self.drives.clear();
        self.drives.resize(self.system.num_coordinates(), Drive::NONE);
        self.wrenches.clear();
        for (body, commands, (guided, external), mut past) in bodies {
            let (BodyModel(body), simulated, solver_body, drive, state) = body;
            match drive {
                // A body with another drive is prepared at the beginning of the next step.
                _ if simulated.terms.drive != *drive => continue,
                DrivenBy::Static => continue,
                DrivenBy::Motion => self.move_links(simulated, state, time_step),
                DrivenBy::Physics => {
                    self.drive_joints(solver_body, (body, state), &commands, &mut past, time_step);
                    self.move_root(simulated, guided, time_step);
                    self.push(simulated, state, external);
                }
            }
        }
        self.push_users_bodies(users, gravity, time_step);
    }

    /// Adds the external forces of a body.
    fn push(&mut self, simulated: &SimulatedBody, state: &BodyState, external: Option<&ExternalForces>) {
        for &(link, wrench) in external.iter().flat_map(|external| external.acting()) {
            let (rigid_body, pose) = simulated.rigid_body(link);
            let Some(part) = self.part_of(rigid_body) else { continue };
            // From the origin of the part to that of the link.
            let lever = state.link_pose(link).rotation * (pose.rotation.inverse() * pose.translation.vector);
            let torque = wrench.torque + lever.cross(&wrench.force);
            self.wrenches.push((part, Wrench { force: wrench.force, torque }));
        }
    }
}
