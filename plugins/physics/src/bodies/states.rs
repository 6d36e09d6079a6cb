//! States of bodies after a step, and in snapshots.

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, Drive};
use bunraku_simulation::{
    SimulationClock, SimulationFault, SimulationStatus, SnapshotEntities, SnapshotError, StateStore,
};
use nalgebra::Isometry3;

use super::MultibodyWorld;
use super::solver_body::SolverBody;
use crate::model::joint_solver::JointSolver;
use crate::model::simulated_body::SimulatedBody;
use crate::readings::acting::ActingOn;
use crate::readings::states::{JointState, NewState};
use bunraku_multibody::State;

type ReadBody<'a> =
    (Option<&'a Name>, (&'a BodyModel, &'a SolverBody, &'a SimulatedBody), &'a Drive, &'a mut BodyState, ActingOn<'a>);

/// Writes link poses, joint displacements and velocities.
pub(crate) fn read_states(
    mut bodies: Query<ReadBody<'_>>,
    clock: Res<SimulationClock>,
    world: Res<MultibodyWorld>,
    mut status: ResMut<SimulationStatus>,
    (mut poses, mut joints): (Local<Vec<Isometry3<f64>>>, Local<Vec<JointState>>),
) {
    if matches!(*status, SimulationStatus::Failed(_)) {
        return;
    }
    let time_step = clock.time_step();
    for (name, (BodyModel(body), solver_body, simulated), drive, mut state, acting) in &mut bodies {
        // A body that has just become dynamic is prepared at the beginning of the next step.
        if [*drive, simulated.terms.drive] != [Drive::Physics; 2] {
            continue;
        }
        let pose_of = |part| Some(world.solver.end_pose(world.part_of(part)?));
        if simulated.find_link_poses(pose_of, &mut poses).is_none() {
            continue;
        }
        joints.clear();
        joints.extend(solver_body.joints.iter().map(|joint| JointState {
            index: joint.joint,
            link: joint.link,
            displacement: world.state.displacement(joint.coordinate),
            velocity: world.state.velocity(joint.coordinate),
        }));
        let new = NewState { body, name, simulated, acting, time_step, solver: JointSolver::Multibody };
        if let Err(message) = new.write(None, (&mut poses, &joints), &mut state) {
            *status = SimulationStatus::Failed(SimulationFault { time: clock.time() + time_step, message });
            return;
        }
    }
}

/// The [`MultibodyWorld`] as state of the simulation.
pub(crate) struct MultibodyState;

impl StateStore for MultibodyState {
    type Saved = State;

    fn take(world: &mut World) -> Result<State, SnapshotError> {
        Ok(world.resource::<MultibodyWorld>().state.clone())
    }

    fn check(saved: &State, _: &SnapshotEntities, world: &mut World) -> Result<(), SnapshotError> {
        let MultibodyWorld { state: now, .. } = world.resource::<MultibodyWorld>();
        if (saved.root_poses.len(), saved.displacements.len()) != (now.root_poses.len(), now.displacements.len()) {
            let message = "the bodies of the snapshot have other joints";
            return Err(SnapshotError::Unfit(message.to_owned()));
        }
        Ok(())
    }

    fn restore(saved: &State, _: &SnapshotEntities, world: &mut World) {
        let world = &mut *world.resource_mut::<MultibodyWorld>();
        world.state.clone_from(saved);
        world.detection.restart();
        world.solver.place(&world.system, &world.state);
    }
}
