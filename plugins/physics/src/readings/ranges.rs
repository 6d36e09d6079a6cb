//! Joints that leave their displacement range.

use bevy::prelude::*;
use bunraku_body::{Actuation, BodyModel, BodyState, Drive, JointActuation, JointIndex};
use bunraku_simulation::SimulationClock;

use crate::model::joint_limits::{JointLimits, JointsBeyondRange};

type RangedBody<'a> = (Entity, &'a BodyModel, &'a BodyState, &'a Drive, &'a JointActuation, Option<&'a JointLimits>);

/// Adds joints that are outside their range after a step, of bodies with [`JointLimits::Report`]. Prescribed joints are not checked.
pub(crate) fn note_joints_beyond_range(
    bodies: Query<RangedBody<'_>>,
    clock: Res<SimulationClock>,
    mut beyond: ResMut<JointsBeyondRange>,
) {
    // The clock is at the beginning of the step.
    let time = clock.time() + clock.time_step();
    for (entity, BodyModel(body), state, drive, actuation, limits) in &bodies {
        if *drive != Drive::Physics || limits.copied().unwrap_or_default() != JointLimits::Report {
            continue;
        }
        for (index, &displacement) in state.displacements.iter().enumerate() {
            let is_prescribed = actuation.0.get(index).copied().is_some_and(Actuation::is_prescribed);
            let model = body.joint(JointIndex(index)).filter(|model| model.kind.has_displacement());
            if let (Some(model), false) = (model, is_prescribed) {
                beyond.add(entity, JointIndex(index), &model.displacement_range, displacement, time);
            }
        }
    }
}
