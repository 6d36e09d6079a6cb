//! States of bodies after a step, and in snapshots.

use bevy::prelude::*;
use bunraku_body::{Body, BodyModel, BodyState, Drive, JointKind, LinkIndex};
use bunraku_simulation::{
    SimulationClock, SimulationFault, SimulationStatus, SnapshotEntities, SnapshotError, StateStore,
};
use nalgebra::{Isometry3, UnitQuaternion};
use serde::{Deserialize, Serialize};

use super::MultibodyWorld;
use super::solver_body::SolverBody;
use crate::detection::reported_contact::ReportedContact;
use crate::model::simulated_body::SimulatedBody;
use crate::readings::acting::ActingOn;
use crate::readings::health::{FASTEST, LARGEST_TURN, Trouble};
use crate::readings::instability::{Diverged, Integration};
use crate::readings::words::in_digits;
use bunraku_multibody::State;

type ReadBody<'a> =
    (Option<&'a Name>, (&'a BodyModel, &'a SolverBody, &'a SimulatedBody), &'a Drive, &'a mut BodyState, ActingOn<'a>);

/// Writes link poses, joint displacements and velocities.
///
/// A state that is not finite or not plausible stops the simulation and is not written: the previous state remains.
pub(crate) fn read_states(
    mut bodies: Query<ReadBody<'_>>,
    clock: Res<SimulationClock>,
    world: Res<MultibodyWorld>,
    mut status: ResMut<SimulationStatus>,
    mut poses: Local<Vec<Isometry3<f64>>>,
) {
    if matches!(*status, SimulationStatus::Failed(_)) {
        return;
    }
    for (name, (BodyModel(body), solver_body, simulated), drive, mut state, acting) in &mut bodies {
        // A body that has just become dynamic is prepared at the beginning of the next step.
        if [*drive, simulated.terms.drive] != [Drive::Physics; 2] {
            continue;
        }
        let pose_of = |part| Some(world.solver.end_pose(world.part_of(part)?));
        if simulated.find_link_poses(pose_of, &mut poses).is_none() {
            continue;
        }
        if let Some(trouble) = world.trouble(body, (simulated, solver_body), &state, &poses, clock.time_step()) {
            let diverged = Diverged {
                body,
                name: name.map_or(body.name.as_str(), Name::as_str),
                simulated,
                state: &state,
                acting,
                time_step: clock.time_step(),
                integration: Integration::Exact,
            };
            let (time, message) = (clock.time() + clock.time_step(), diverged.describe(&trouble));
            *status = SimulationStatus::Failed(SimulationFault { time, message });
            return;
        }
        std::mem::swap(&mut state.link_poses, &mut poses);
        for joint in &solver_body.joints {
            state.displacements[joint.joint.0] = world.state.displacement(joint.coordinate);
            state.velocities[joint.joint.0] = world.state.velocity(joint.coordinate);
        }
    }
}

impl MultibodyWorld {
    /// The first implausible state of a body after a step. Joints are checked before the root.
    fn trouble(
        &self,
        body: &Body,
        (simulated, solver_body): (&SimulatedBody, &SolverBody),
        before: &BodyState,
        poses: &[Isometry3<f64>],
        time_step: f64,
    ) -> Option<Trouble> {
        let of_joint = solver_body.joints.iter().find_map(|joint| {
            let velocity = self.state.velocity(joint.coordinate);
            let displacement = self.state.displacement(joint.coordinate);
            if !(velocity.is_finite() && displacement.is_finite()) {
                return Some(Trouble { link: joint.link, what: "has a state that is not a number".to_owned() });
            }
            let turns = body.link(joint.link).joint.kind == JointKind::Revolute;
            (turns && velocity.abs() * time_step > LARGEST_TURN).then(|| {
                let what =
                    format!("turns at {} rad/s, more than half a turn in a time step", in_digits(velocity.abs(), 0));
                Trouble { link: joint.link, what }
            })
        });
        let of_link = || {
            let links = (1..poses.len()).chain([0]).map(LinkIndex).filter(|&link| simulated.links[link].is_carrier);
            links.into_iter().find_map(|link| {
                let pose = &poses[link.0];
                let rotation: &UnitQuaternion<f64> = &pose.rotation;
                if !(pose.translation.vector.sum() + rotation.coords.sum()).is_finite() {
                    let what = "has a state that is not a number".to_owned();
                    return Some(Trouble { link, what });
                }
                let speed = (pose.translation.vector - before.link_pose(link).translation.vector).norm() / time_step;
                (speed > FASTEST).then(|| Trouble { link, what: format!("moves at {} m/s", in_digits(speed, 0)) })
            })
        };
        of_joint.or_else(of_link)
    }
}

/// The [`MultibodyWorld`] as state of the simulation.
pub(crate) struct MultibodyState;

/// The state of [`MultibodyWorld`], with the contacts that controllers may read.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SavedMultibodies {
    state: State,
    reported: Vec<ReportedContact>,
}

impl StateStore for MultibodyState {
    type Saved = SavedMultibodies;

    fn take(world: &mut World) -> Result<SavedMultibodies, SnapshotError> {
        let world = world.resource::<MultibodyWorld>();
        Ok(SavedMultibodies { state: world.state.clone(), reported: world.detection.reported.clone() })
    }

    fn check(saved: &SavedMultibodies, _: &SnapshotEntities, world: &mut World) -> Result<(), SnapshotError> {
        let MultibodyWorld { state: now, .. } = world.resource::<MultibodyWorld>();
        if (saved.state.root_poses.len(), saved.state.displacements.len())
            != (now.root_poses.len(), now.displacements.len())
        {
            let message = "the bodies of the snapshot have other joints";
            return Err(SnapshotError::Unfit(message.to_owned()));
        }
        Ok(())
    }

    fn restore(saved: &SavedMultibodies, _: &SnapshotEntities, world: &mut World) {
        let world = &mut *world.resource_mut::<MultibodyWorld>();
        world.state.clone_from(&saved.state);
        world.detection.reported.clone_from(&saved.reported);
        world.detection.restart();
        world.solver.place(&world.system, &world.state);
    }
}
