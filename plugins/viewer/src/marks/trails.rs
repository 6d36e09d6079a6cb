//! Trails of bodies.

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState};
use bunraku_simulation::SimulationClock;

use super::draw::MarkLines;
use crate::curves::{Channel, CurveLog, Quantity};
use crate::stage::ShownMarks;
use crate::view::Mark;

/// Maximum number of points of a trail.
const MOST_POINTS: usize = 1000;

/// Draws the path of the root link of each body so far.
pub fn draw_trails(
    mut lines: Gizmos<MarkLines>,
    marks: Res<ShownMarks>,
    log: Res<CurveLog>,
    clock: Option<Res<SimulationClock>>,
    bodies: Query<(Entity, &BodyModel), With<BodyState>>,
) {
    let Some(clock) = clock.filter(|_| marks.marks.has(Mark::Trails)) else { return };
    for (entity, BodyModel(body)) in &bodies {
        let axis = |axis| {
            let channel = Channel { of: entity, quantity: Quantity::Root(axis) };
            log.every(channel, body.num_joints(), clock.step(), MOST_POINTS)
        };
        let [x, y, z] = [axis(0), axis(1), axis(2)];
        #[allow(clippy::cast_possible_truncation)]
        let points = x.iter().zip(&y).zip(&z).map(|((x, y), z)| Vec3::new(*x as f32, *y as f32, *z as f32));
        lines.linestrip(points, Color::srgb(0.15, 0.65, 0.85));
    }
}
