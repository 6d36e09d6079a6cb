//! NaN commands.

use bevy::prelude::*;
use bunraku_body::{Actuation, Body, BodyModel, JointIndex};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus, SimulationWarnings};

use super::demand::{Commands, CommandsItem};
use crate::model::simulated_body::SimulatedBody;
use crate::world::tracks::Tracks;

type Commanded<'a> = (Entity, &'a BodyModel, Option<&'a Name>, Commands, Option<&'a Tracks>);

/// Stops the simulation before a NaN command acts: clamping it to a limit would turn it into the largest command.
pub(crate) fn check(
    bodies: Query<Commanded<'_>, With<SimulatedBody>>,
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    mut warnings: ResMut<SimulationWarnings>,
) {
    for (entity, BodyModel(body), name, commands, tracks) in &bodies {
        warn_of_lengths(entity, body, name, &commands, &mut warnings);
        let Some((joint, what)) = faulty(&commands, tracks) else { continue };
        let (joint, name) = (body.joint_name(joint), name.map_or(body.name.as_str(), Name::as_str));
        let message = format!("the {what} commanded at joint `{joint}` of `{name}` is not a number");
        *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
        return;
    }
}

/// Warns of command vectors whose length is not the number of joints. Missing values are not commanded, additional ones are ignored.
fn warn_of_lengths(
    entity: Entity,
    body: &Body,
    name: Option<&Name>,
    CommandsItem { actuation, efforts, targets, .. }: &CommandsItem<'_, '_>,
    warnings: &mut SimulationWarnings,
) {
    let lengths = [
        ("JointActuation", actuation.0.len()),
        ("JointEfforts", efforts.0.len()),
        ("JointTargets", targets.displacements.len()),
        ("JointTargets", targets.velocities.len()),
    ];
    let expected = body.num_joints();
    for (component, length) in lengths.into_iter().filter(|(_, length)| *length != expected) {
        warnings.add(entity, component, || {
            let name = name.map_or(body.name.as_str(), Name::as_str);
            format!("the `{component}` of `{name}` has {length} values for {expected} joints: the common ones count")
        });
    }
}

/// The first NaN among the commands that the joint's actuation uses.
fn faulty(
    CommandsItem { actuation, efforts, targets, .. }: &CommandsItem<'_, '_>,
    tracks: Option<&Tracks>,
) -> Option<(JointIndex, &'static str)> {
    let is_nan = |values: &[f64], JointIndex(joint)| values.get(joint).is_some_and(|value| value.is_nan());
    let joint = actuation.0.iter().enumerate().find_map(|(joint, actuation)| {
        let joint = JointIndex(joint);
        let (by_effort, to_place, at_speed) = match actuation {
            Actuation::None => (false, false, false),
            Actuation::Effort => (true, false, false),
            Actuation::Displacement { .. } => (true, true, true),
            Actuation::Velocity { .. } => (true, false, true),
            Actuation::PrescribedDisplacement => (false, true, false),
            Actuation::PrescribedVelocity => (false, false, true),
        };
        let what = if by_effort && is_nan(&efforts.0, joint) {
            "effort"
        } else if to_place && is_nan(&targets.displacements, joint) {
            "displacement"
        } else if at_speed && is_nan(&targets.velocities, joint) {
            "velocity"
        } else {
            return None;
        };
        Some((joint, what))
    });
    // A track runs at the commanded velocity with any actuation.
    let track = || tracks?.joints().find(|joint| is_nan(&targets.velocities, *joint)).map(|joint| (joint, "velocity"));
    joint.or_else(track)
}
