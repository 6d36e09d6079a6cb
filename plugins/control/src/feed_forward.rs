use bevy::prelude::*;
use bunraku_body::JointEfforts;
use bunraku_motion::Sequence;
use bunraku_simulation::SimulationClock;

use crate::PdController;

/// Efforts over time that are added at some joints of a body to those of its controller.
///
/// They are commands like those of a controller: the effort range of the model limits the sum.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(opaque, Component)]
pub struct FeedForward {
    efforts: Vec<Option<Sequence<f64>>>,
}

impl FeedForward {
    /// One sequence for each entry of the joint vector, N·m or N over time (s); `None` for joints without feed-forward.
    /// Values are interpolated linearly between frames and constant outside. A step uses the value at its beginning.
    pub fn new(efforts: Vec<Option<Sequence<f64>>>) -> Self {
        Self { efforts }
    }

    /// Whether a joint has feed-forward.
    pub(crate) fn has(&self, joint: usize) -> bool {
        matches!(self.efforts.get(joint), Some(Some(_)))
    }
}

/// Adds the efforts to those of a [`PdController`], which were written in this step, or else to those of the servos.
pub(crate) fn feed_forward(
    clock: Res<SimulationClock>,
    mut bodies: Query<(&FeedForward, &mut JointEfforts, Has<PdController>)>,
) {
    for (FeedForward { efforts: given }, mut efforts, has_controller) in &mut bodies {
        for (given, effort) in given.iter().zip(&mut efforts.0) {
            let Some(given) = given else { continue };
            let mut now = [0.0];
            given.sample(clock.time(), &mut now);
            *effort = if has_controller { *effort + now[0] } else { now[0] };
        }
    }
}
