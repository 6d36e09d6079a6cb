//! Commands of ROS 2 to the joints of bodies.

use bevy::prelude::*;
use bunraku_body::{Actuation, Body, JointActuation, JointEfforts, JointIndex, JointKind, JointTargets};
use bunraku_control::{FollowMotion, PdController, VelocityCommands};

use super::messages::{BaseVelocity, JointCommand};
use super::settings::{BaseDrive, Ros2Error};

/// Applies commands to the joints of a robot; returns why parts of them are ignored.
pub fn command_joints(robot: &mut EntityWorldMut<'_>, model: &Body, command: &JointCommand) -> Vec<String> {
    let mut ignored = Vec::new();
    let mut wanted = Vec::new();
    for (index, name) in command.names.iter().enumerate() {
        let Ok(joint) = model.joint_named(name) else {
            ignored.push(format!("the robot has no joint `{}`", plain(name)));
            continue;
        };
        let lists = [("position", &command.positions), ("velocity", &command.velocities), ("effort", &command.efforts)];
        let values = lists.map(|(what, list)| {
            let value = list.get(index).copied();
            if value.is_some_and(|value| !value.is_finite()) {
                ignored.push(format!("a {what} command to the joint `{name}` is NaN or infinite"));
            }
            value.filter(|value| value.is_finite())
        });
        wanted.push((joint, values));
    }
    take_over(robot);
    let has_pd = robot.contains::<PdController>();
    let actuations = robot.get::<JointActuation>().cloned();
    for (joint, [position, velocity, effort]) in wanted {
        let kind = model.joint(joint).map(|joint| joint.kind);
        let actuation = actuations.as_ref().and_then(|all| all.0.get(joint.0)).copied().unwrap_or_default();
        let follows = Follows::new(actuation, has_pd, kind);
        let name = model.joint_name(joint);
        let mut refuse = |what: &str| ignored.push(format!("the joint `{name}` does not follow {what} commands"));
        if let Some(mut targets) = robot.get_mut::<JointTargets>() {
            match (position, targets.displacements.get_mut(joint.0)) {
                (Some(position), Some(target)) if follows.positions => *target = position,
                (Some(_), _) => refuse("position"),
                _ => {}
            }
            match (velocity, targets.velocities.get_mut(joint.0)) {
                (Some(velocity), Some(target)) if follows.velocities => *target = velocity,
                // ROS's controllers of positions also send the velocity that leads there.
                (Some(_), _) if position.is_none() => refuse("velocity"),
                _ => {}
            }
        }
        if let Some(mut efforts) = robot.get_mut::<JointEfforts>() {
            match (effort, efforts.0.get_mut(joint.0)) {
                (Some(effort), Some(commanded)) if follows.efforts => *commanded = effort,
                (Some(_), _) if position.is_none() && velocity.is_none() => refuse("effort"),
                _ => {}
            }
        }
    }
    ignored
}

/// A name from the network, short enough for a message.
fn plain(name: &str) -> String {
    name.chars().take(60).map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

/// The commands that a joint follows.
struct Follows {
    positions: bool,
    velocities: bool,
    efforts: bool,
}

impl Follows {
    fn new(actuation: Actuation, has_pd: bool, kind: Option<JointKind>) -> Self {
        let is_track = kind == Some(JointKind::PseudoContinuousTrack);
        let positions = match actuation {
            Actuation::Displacement { .. } | Actuation::PrescribedDisplacement => true,
            Actuation::Effort => has_pd,
            Actuation::None | Actuation::Velocity { .. } | Actuation::PrescribedVelocity => false,
        };
        let velocities = is_track
            || matches!(
                actuation,
                Actuation::Displacement { .. } | Actuation::Velocity { .. } | Actuation::PrescribedVelocity
            );
        let efforts = match actuation {
            Actuation::Effort => !has_pd,
            Actuation::Displacement { .. } | Actuation::Velocity { .. } => true,
            Actuation::None | Actuation::PrescribedDisplacement | Actuation::PrescribedVelocity => false,
        };
        Self { positions: positions && !is_track, velocities, efforts: efforts && !is_track }
    }
}

/// The first command replaces the motion and the velocities that the scene gives the joints.
fn take_over(body: &mut EntityWorldMut<'_>) {
    if body.contains::<FollowMotion>() {
        body.remove::<FollowMotion>();
    }
    if body.contains::<VelocityCommands>() {
        body.remove::<VelocityCommands>();
    }
    // A controller that already follows targets keeps its state only if it is not inserted again.
    if !body.contains::<TakenOver>() {
        body.insert(TakenOver);
        if let Some(controller) = body.take::<PdController>() {
            body.insert(controller.following_targets());
        }
    }
}

/// Marks a body whose joints follow ROS 2.
#[derive(Component)]
pub struct TakenOver;

/// Checks that the wheels of a base follow velocities.
pub fn check_base(world: &World, model: &Body, name: &str, base: &BaseDrive) -> Result<(), Ros2Error> {
    let actuations = world.get::<JointActuation>(base.body);
    for joint in base.left.iter().chain(&base.right) {
        let actuation = actuations.and_then(|all| all.0.get(joint.0)).copied().unwrap_or_default();
        let kind = model.joint(*joint).map(|joint| joint.kind);
        let is_servo = matches!(actuation, Actuation::Displacement { .. });
        if is_servo || !Follows::new(actuation, false, kind).velocities {
            return Err(Ros2Error::Wheel { body: name.to_owned(), joint: model.joint_name(*joint).to_owned() });
        }
    }
    Ok(())
}

/// Drives a base: each side moves as the ground below it does in its frame.
pub fn drive_base(body: &mut EntityWorldMut<'_>, model: &Body, base: &BaseDrive, velocity: BaseVelocity) {
    take_over(body);
    let Some(mut targets) = body.get_mut::<JointTargets>() else { return };
    let turning = velocity.turning * base.track_width / 2.0;
    for (joints, speed) in [(&base.left, velocity.forwards - turning), (&base.right, velocity.forwards + turning)] {
        for joint in joints {
            if let Some(target) = targets.velocities.get_mut(joint.0) {
                *target = joint_velocity(model, *joint, speed, base.wheel_radius);
            }
        }
    }
}

/// rad/s of a wheel, m/s of a track, at a speed over the ground.
fn joint_velocity(model: &Body, joint: JointIndex, speed: f64, radius: f64) -> f64 {
    let kind = model.joint(joint).map(|joint| joint.kind);
    if kind == Some(JointKind::PseudoContinuousTrack) { speed } else { speed / radius }
}
