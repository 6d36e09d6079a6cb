//! Where links touch, and how hard.

use bevy::prelude::*;
use bunraku_body::BodyModel;
use bunraku_physics::{Contacts, PhysicsParameters};
use bunraku_simulation::SimulationStatus;

use super::draw::{MarkLines, vec3};
use crate::stage::ShownMarks;
use crate::view::Mark;

const POINT: Color = Color::srgb(0.95, 0.25, 0.15);
const FORCE: Color = Color::srgb(0.95, 0.35, 0.75);
/// Length of the arrow of a body's whole weight, m.
const LENGTH_OF_WEIGHT: f64 = 0.8;
/// Arrows are no longer than this, m.
const LONGEST: f64 = 3.0;
/// Size of a point, m.
const POINT_SIZE: f32 = 0.012;

/// Points and forces of the last step. An arrow as long as `LENGTH_OF_WEIGHT` carries the body it belongs to.
pub fn draw_contacts(
    mut lines: Gizmos<MarkLines>,
    marks: Res<ShownMarks>,
    status: Option<Res<SimulationStatus>>,
    parameters: Option<Res<PhysicsParameters>>,
    bodies: Query<(Entity, &BodyModel)>,
    contacts: Option<Contacts>,
) {
    let (points, forces) = (marks.marks.has(Mark::Contacts), marks.marks.has(Mark::ContactForces));
    let is_started = status.is_some_and(|status| *status != SimulationStatus::Ready);
    let (Some(contacts), Some(parameters)) = (contacts, parameters) else { return };
    if !is_started || !(points || forces) {
        return;
    }
    let gravity = parameters.gravity.norm();
    for (entity, BodyModel(body)) in &bodies {
        // What cannot move is not carried: its contacts are drawn with those who stand on it.
        if body.is_fixed() && body.num_joints() == 0 {
            continue;
        }
        let weight = body.mass() * if gravity > 0.0 { gravity } else { 1.0 };
        for contact in contacts.of_body(entity) {
            let from = vec3(contact.point);
            if points {
                lines.sphere(Isometry3d::from_translation(from), POINT_SIZE, POINT);
            }
            let arrow = contact.force * (LENGTH_OF_WEIGHT / weight);
            let length = arrow.norm();
            if forces && length > 1e-4 && length.is_finite() {
                let arrow = arrow * (length.min(LONGEST) / length);
                #[allow(clippy::cast_possible_truncation)]
                let tip = (0.15 * length.min(LONGEST)) as f32;
                lines.arrow(from, vec3(contact.point + arrow), FORCE).with_tip_length(tip.min(0.08));
            }
        }
    }
}
