//! One time step of rapier, and the state read back from it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy::prelude::*;
use bevy_rapier3d::plugin::RapierConfiguration;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::simulation::{SimulationClock, SimulationFault, SimulationStatus};
use bunraku_body::{Body, BodyModel, BodyState, Drive, JointActuation, JointKind, kinematics};
use nalgebra::Isometry3;

use crate::contacts::ContactRules;
use crate::convert::{from_pose, from_vec3, to_pose, to_vec3};
use crate::impacts::{Before, Outcome};
use crate::instability::{Diverged, USUAL_CAUSES};
use crate::joint_gaps::{GapOf, WidestGap};
use crate::joints::between::{SimulatedExtraJoint, torn_joint};
use crate::joints::multibody_roots::FreeRoots;
use crate::joints::show_limits;
use crate::rigid_parts::PartOfLink;
use crate::{PdController, PhysicsParameters, SimulatedBody, health, impacts, joints};

/// The parts of bevy_rapier's context that a step needs.
type Context<'a> = (
    &'a mut RapierContextSimulation,
    &'a mut RapierContextColliders,
    &'a mut RapierContextJoints,
    &'a mut RapierRigidBodySet,
    &'a RapierConfiguration,
);

/// Moves bodies that play a motion to where the motion has them at the end of this step.
pub(crate) fn lead_driven_bodies(
    bodies: Query<(&SimulatedBody, &BodyModel, &BodyState, &Drive)>,
    mut contexts: Query<&mut RapierRigidBodySet>,
) -> Result {
    let set = &mut contexts.single_mut()?.bodies;
    for (simulated, BodyModel(body), state, drive) in &bodies {
        if *drive != Drive::Motion {
            continue;
        }
        for (index, _) in body.indexed_links() {
            let place = &simulated.links[index.0];
            if place.is_carrier
                && let Some(part) = set.get_mut(simulated.parts[place.part])
            {
                let pose = &state.link_poses[index.0];
                part.set_next_kinematic_position(to_pose(pose));
            }
        }
    }
    Ok(())
}

/// Runs a part of rapier.
///
/// # Errors
/// What to say if it panics. Rapier's world must not be looked at any more then: the run is over, with what was recorded.
pub(crate) fn unless_it_breaks_down(run: impl FnOnce()) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        format!(
            "the physics engine broke down ({}); positions, sizes or speeds far beyond those of a robot are the usual causes",
            text.unwrap_or("without a word")
        )
    })
}

/// Steps rapier's pipeline on bevy_rapier's context.
pub(crate) fn step(
    mut contexts: Query<Context<'_>>,
    mut rules: ResMut<ContactRules>,
    mut roots: Local<FreeRoots>,
    mut before: Local<Before>,
    (clock, mut status): (Res<SimulationClock>, ResMut<SimulationStatus>),
) -> Result {
    let (mut simulation, mut colliders, mut joints, mut set, configuration) = contexts.single_mut()?;
    let simulation = &mut *simulation;
    let integration = &simulation.integration_parameters;
    rules.begin_step(configuration.gravity.length() * integration.dt, integration.num_solver_iterations);
    let joints = &mut *joints;
    roots.remember(joints, &set.bodies);
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
    roots.correct(joints, &mut set.bodies);
    joints::multibody_velocities::refresh(joints, &mut set.bodies);
    Ok(())
}

type ReadBody<'a> = (
    (Entity, Option<&'a Name>),
    &'a BodyModel,
    &'a SimulatedBody,
    &'a Drive,
    &'a mut BodyState,
    (Option<&'a PdController>, Option<&'a JointActuation>),
);

/// Reads link poses, joint displacements and velocities from rapier's bodies.
///
/// A state that is not finite or not plausible stops the simulation and is not written: everyone keeps seeing the last
/// sound one.
pub(crate) fn read_states(
    mut bodies: Query<ReadBody<'_>>,
    mut contexts: Query<(&RapierRigidBodySet, &mut RapierContextJoints)>,
    (clock, parameters): (Res<SimulationClock>, Res<PhysicsParameters>),
    extra_joints: Query<(Entity, &SimulatedExtraJoint)>,
    (mut status, mut widest): (ResMut<SimulationStatus>, ResMut<WidestGap>),
    mut poses: Local<Vec<Isometry3<f64>>>,
) -> Result {
    let (set, mut joints) = contexts.single_mut()?;
    let set = &set.bodies;
    // Of the step that ends one time step from now.
    let time = clock.time() + clock.time_step();
    let see_gap = |gap, joint| widest.add(gap, time, GapOf::Between(joint));
    if let Some(message) = torn_joint(extra_joints.iter(), set, &joints, see_gap) {
        *status = SimulationStatus::Failed(SimulationFault { time, message: format!("{message}; {USUAL_CAUSES}") });
        return Ok(());
    }
    for ((entity, name), BodyModel(body), simulated, drive, mut state, (controller, actuation)) in &mut bodies {
        if *drive != Drive::Physics {
            continue;
        }
        read_link_poses(simulated, set, &mut poses);
        let see_gap = |gap, link| widest.add(gap, time, GapOf::Link { body: entity, link });
        if let Some(trouble) = health::trouble(body, simulated, set, &poses, clock.time_step(), see_gap) {
            let diverged = Diverged {
                body,
                name: name.map_or(body.name.as_str(), Name::as_str),
                simulated,
                state: &state,
                controller,
                actuation,
                time_step: clock.time_step(),
                iterations: parameters.iterations,
            };
            let message = diverged.describe(&trouble);
            *status = SimulationStatus::Failed(SimulationFault { time, message });
            return Ok(());
        }
        std::mem::swap(&mut state.link_poses, &mut poses);
        read_joints(body, simulated, set, &mut state);
        for joint in &simulated.joints {
            let model = &body.link(joint.link).joint;
            let motion = (state.displacements[joint.joint], state.velocities[joint.joint]);
            show_limits(joint, model, motion, clock.time_step(), joints.bypass_change_detection());
        }
    }
    Ok(())
}

fn read_link_poses(simulated: &SimulatedBody, set: &RigidBodySet, poses: &mut Vec<Isometry3<f64>>) {
    poses.clear();
    let read = |place: &PartOfLink| {
        let part = set.get(simulated.parts[place.part]).map(|part| from_pose(part.position()));
        let part = part.unwrap_or_else(Isometry3::identity);
        // Most links are their part alone.
        if place.is_carrier { part } else { part * place.pose }
    };
    poses.extend(simulated.links.iter().map(read));
}

fn read_joints(body: &Body, simulated: &SimulatedBody, set: &RigidBodySet, state: &mut BodyState) {
    for joint in &simulated.joints {
        let (pose, parent) = (&state.link_poses[joint.link.0], &state.link_poses[joint.parent.0]);
        let measured = kinematics::measured_displacement(body.link(joint.link), parent, pose);
        let displacement = match joint.kind {
            JointKind::Revolute => kinematics::unwrap_angle(measured, state.displacements[joint.joint]),
            _ => measured,
        };
        state.displacements[joint.joint] = displacement;
        let (Some(part), Some(parent_part)) = (
            set.get(simulated.parts[simulated.links[joint.link.0].part]),
            set.get(simulated.parts[simulated.links[joint.parent.0].part]),
        ) else {
            continue;
        };
        let relative = match joint.kind {
            JointKind::Revolute => part.angvel() - parent_part.angvel(),
            _ => {
                let point = to_vec3(&pose.translation.vector);
                part.velocity_at_point(point) - parent_part.velocity_at_point(point)
            }
        };
        state.velocities[joint.joint] = from_vec3(relative).dot(&(pose.rotation * joint.axis));
    }
}
