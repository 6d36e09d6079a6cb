use bevy::prelude::*;
use bunraku_body::JointEfforts;
use bunraku_motion::Sequence;
use bunraku_simulation::SimulationClock;

use crate::PdController;

/// Efforts over time that act at some joints of a body beside those of its controller.
///
/// They are commands like those of a controller: the effort range of the model limits the sum.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(opaque, Component)]
pub struct FeedForward {
    efforts: Vec<Option<Sequence<f64>>>,
}

impl FeedForward {
    /// One for each place of the joint vector, N·m or N over time (s); `None` where there is none. Between two frames it is on
    /// the line between them, and outside it is the first or the last. A step takes the value at its beginning.
    pub fn new(efforts: Vec<Option<Sequence<f64>>>) -> Self {
        Self { efforts }
    }
}

/// Adds the efforts to those of a [`PdController`], which were written in this step, or else gives them to the servos.
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
