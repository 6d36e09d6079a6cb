//! Systems that execute tasks in a simulation step.

use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, Drive, JointTargets, kinematics};
use bunraku_motion::MotionPlayer;
use bunraku_simulation::{SimulationClock, SimulationWarnings};
use nalgebra::Isometry3;

use super::events::{TaskEnded, TaskEvent};
use super::joints::joint_of;
use super::robot::Seen;
use super::run::TaskRun;
use crate::execution::{Event, Status};

/// Advances tasks, which set joint targets for the end of the step.
pub(super) fn carry_out(
    clock: Res<SimulationClock>,
    mut runs: Query<(Entity, &mut TaskRun, &mut JointTargets)>,
    bodies: Query<(&BodyState, &Drive)>,
    mut warnings: ResMut<SimulationWarnings>,
    mut commands: Commands,
) {
    for (entity, mut run, mut targets) in &mut runs {
        let run = run.bypass_change_detection();
        if run.is_end_reported {
            continue;
        }
        let Ok((state, drive)) = bodies.get(entity) else { continue };
        let body = &run.robot.setup().body;
        if (state.displacements.len(), state.link_poses.len()) != (body.num_joints(), body.links().len()) {
            warnings.add(entity, "TaskRun", || {
                format!(
                    "the task does nothing: its robot is `{}`, which has other links and joints than the body",
                    body.name
                )
            });
            continue;
        }
        let models = run.robot.bodies.iter().filter_map(|(name, body)| {
            let (state, _) = bodies.get(*body).ok()?;
            Some((name.clone(), *state.link_poses.first()?))
        });
        let is_static = |body: &Entity| bodies.get(*body).is_ok_and(|(_, drive)| *drive == Drive::Static);
        let fixed = run.robot.bodies.iter().filter(|(_, body)| is_static(body)).map(|(name, _)| name.clone());
        run.robot.see(Seen {
            time: clock.time(),
            robot: Some(state.clone()),
            by_forces: *drive == Drive::Physics,
            models: models.collect(),
            fixed: fixed.collect(),
        });
        let mut events = Vec::new();
        run.advance(&mut events);
        run.robot.aim(clock.time_step());
        targets.displacements.clone_from(&run.robot.memory.targets);
        targets.velocities.clone_from(&run.robot.memory.velocities);
        for joint in run.robot.released.drain(..) {
            commands.entity(joint).try_despawn();
        }
        fix(run, entity, &bodies, &mut commands);
        for event in events {
            if let Event::Warned { state, message } = &event {
                warnings.add_each(
                    entity,
                    "TaskRun",
                    format!("task `{}`, state {state}: {message}", run.execution.task().name),
                );
            }
            commands.trigger(TaskEvent { entity, event });
        }
        let failure = match run.execution.status() {
            Status::Running => continue,
            Status::Finished => None,
            Status::Failed(error) => Some(error.message.clone()),
        };
        run.is_end_reported = true;
        commands.trigger(TaskEnded { entity, failure });
    }
}

/// Detaches everything that a task has attached when the task is removed or replaced.
pub(super) fn let_go(gone: On<Discard, TaskRun>, runs: Query<&TaskRun>, mut commands: Commands) {
    let Ok(run) = runs.get(gone.entity) else { return };
    for joint in run.robot.memory.attached.iter().filter_map(|attached| attached.joint) {
        commands.entity(joint).try_despawn();
    }
}

/// Creates joints for dynamic models that were attached in this step.
fn fix(run: &mut TaskRun, robot: Entity, bodies: &Query<(&BodyState, &Drive)>, commands: &mut Commands) {
    let setup = Arc::clone(run.robot.setup());
    for attached in run.robot.memory.attached.iter_mut().filter(|attached| attached.joint.is_none()) {
        let Some(&body) = run.robot.bodies.get(&attached.model) else { continue };
        if bodies.get(body).is_ok_and(|(_, drive)| *drive == Drive::Physics) {
            attached.joint = joint_of(attached, &setup, robot, body).map(|joint| commands.spawn(joint).id());
        }
    }
}

type Played<'a> = (&'a BodyModel, &'a mut BodyState);

/// Moves robots that are not dynamic to their planned state at the end of the step, with their attached models.
pub(super) fn play(
    mut runs: Query<(Entity, &mut TaskRun, &Drive)>,
    mut bodies: Query<Played<'_>, Without<MotionPlayer>>,
) {
    for (entity, mut run, drive) in &mut runs {
        let run = run.bypass_change_detection();
        if *drive == Drive::Physics || run.robot.memory.targets.is_empty() {
            continue;
        }
        let Ok((BodyModel(body), mut state)) = bodies.get_mut(entity) else { continue };
        let state = &mut *state;
        state.displacements.clone_from(&run.robot.memory.targets);
        state.velocities.clone_from(&run.robot.memory.velocities);
        let root = state.link_poses.first().copied().unwrap_or_else(Isometry3::identity);
        kinematics::update_link_poses(body, &root, &state.displacements, &mut state.link_poses);
        let state = state.clone();
        lead(run, &state, &mut bodies);
    }
}

/// Moves attached models that are not dynamic with their dynamic robot.
pub(super) fn follow(
    mut runs: Query<(Entity, &mut TaskRun, &Drive)>,
    mut bodies: Query<Played<'_>, Without<MotionPlayer>>,
) {
    for (entity, mut run, drive) in &mut runs {
        let run = run.bypass_change_detection();
        if *drive != Drive::Physics || run.robot.memory.attached.iter().all(|attached| attached.joint.is_some()) {
            continue;
        }
        let Ok((_, state)) = bodies.get(entity) else { continue };
        let state = state.clone();
        lead(run, &state, &mut bodies);
    }
}

/// Moves attached models without a joint to the pose given by their tool, for the state of the robot.
fn lead(run: &mut TaskRun, robot: &BodyState, bodies: &mut Query<Played<'_>, Without<MotionPlayer>>) {
    let attached = std::mem::take(&mut run.robot.memory.attached);
    for attached in attached.iter().filter(|attached| attached.joint.is_none()) {
        let Some(tool) = run.robot.tool_pose(attached.tool, robot) else { continue };
        let pose = tool * attached.relative;
        match run.robot.bodies.get(&attached.model) {
            Some(body) => {
                if let Ok((BodyModel(body), mut state)) = bodies.get_mut(*body) {
                    let BodyState { link_poses, displacements, .. } = &mut *state;
                    kinematics::update_link_poses(body, &pose, displacements, link_poses);
                }
            }
            None => {
                run.robot.memory.frames.insert(attached.model.clone(), pose);
            }
        }
    }
    run.robot.memory.attached = attached;
}
