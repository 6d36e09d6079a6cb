//! Support polygons and zero moment points.

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, Drive};
use bunraku_physics::{Contacts, Support};
use bunraku_simulation::SimulationStatus;

use super::draw::{MarkLines, size_of, vec3};
use crate::stage::ShownMarks;
use crate::view::Mark;

const POLYGON: Color = Color::srgb(0.05, 0.65, 0.70);
const ZMP: Color = Color::srgb(0.80, 0.10, 0.75);

/// Draws the support polygon of each dynamic body, and its zero moment point as a cross, together with centres of mass.
pub fn draw_support(
    mut lines: Gizmos<MarkLines>,
    marks: Res<ShownMarks>,
    status: Option<Res<SimulationStatus>>,
    bodies: Query<(Entity, &BodyModel, &BodyState, &Drive)>,
    contacts: Option<Contacts>,
) {
    let is_started = status.is_some_and(|status| *status != SimulationStatus::Ready);
    let (true, Some(contacts)) = (is_started && marks.marks.has(Mark::CenterOfMass), contacts) else { return };
    for (entity, BodyModel(body), state, drive) in &bodies {
        if *drive != Drive::Physics || body.is_fixed() {
            continue;
        }
        let support = Support::of_contacts(entity, &contacts.of_body(entity));
        let corners: Vec<Vec3> = support.polygon.iter().copied().map(vec3).collect();
        for (index, corner) in corners.iter().enumerate() {
            lines.line(*corner, corners[(index + 1) % corners.len()], POLYGON);
        }
        if let Some(zmp) = support.zmp {
            // Its arms stand out of the circle of the centre of mass, which may lie above it.
            let (point, half) = (vec3(zmp), 0.075 * size_of(state));
            lines.line(point - half * Vec3::X, point + half * Vec3::X, ZMP);
            lines.line(point - half * Vec3::Y, point + half * Vec3::Y, ZMP);
        }
    }
}
