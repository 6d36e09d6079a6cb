//! Forces displayed as arrows: contact forces and joint forces.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, LinkIndex};
use bunraku_physics::{Contact, Contacts, JointReadings, PhysicsParameters};
use bunraku_simulation::SimulationStatus;
use nalgebra::{Point3, Vector3};

use super::draw::{MarkLines, vec3};
use crate::stage::ShownMarks;
use crate::view::Mark;

const POINT: Color = Color::srgb(0.95, 0.25, 0.15);
const CONTACT: Color = Color::srgb(0.95, 0.35, 0.75);
const JOINT: Color = Color::srgb(0.20, 0.60, 0.95);
/// Length of the arrow for a force of the body's weight, m.
const LENGTH_OF_WEIGHT: f64 = 0.8;
/// Maximum length of an arrow, m.
const LONGEST: f64 = 3.0;
/// Size of a point, m.
const POINT_SIZE: f32 = 0.012;

/// Marks a body whose joint forces are measured for display.
#[derive(Component)]
pub struct MeasuredToDraw;

/// Contact forces whose number is displayed: point, m, world frame, and magnitude, N.
#[derive(Resource, Clone, Debug, Default)]
pub struct ForceLabels(pub Vec<(Vec3, f64)>);

/// The resultant of the contact forces on each link, at the mean of their points weighted by force. Numbers at each
/// of the points of a foot would cover each other.
fn resultants(contacts: &[Contact]) -> Vec<(Point3<f64>, f64)> {
    let mut sums: BTreeMap<usize, (Vector3<f64>, Vector3<f64>, f64)> = BTreeMap::new();
    for contact in contacts {
        let size = contact.force.norm();
        let (force, moment, total) = sums.entry(contact.link.0).or_default();
        *force += contact.force;
        *moment += contact.point.coords * size;
        *total += size;
    }
    let loaded = sums.into_values().filter(|(.., total)| *total > 0.0);
    loaded.map(|(force, moment, total)| ((moment / total).into(), force.norm())).collect()
}

/// Weight of a mass, N; the unit of arrows.
fn weight(mass: f64, parameters: &PhysicsParameters) -> f64 {
    let gravity = parameters.gravity.norm();
    mass * if gravity > 0.0 { gravity } else { 1.0 }
}

/// Draws an arrow with the length [`LENGTH_OF_WEIGHT`] for a force of `weight`.
fn arrow(lines: &mut Gizmos<MarkLines>, from: Point3<f64>, force: Vector3<f64>, weight: f64, color: Color) {
    let arrow = force * (LENGTH_OF_WEIGHT / weight);
    let length = arrow.norm();
    if length > 1e-4 && length.is_finite() {
        let drawn = length.min(LONGEST);
        #[allow(clippy::cast_possible_truncation)]
        let tip = (0.15 * drawn) as f32;
        let to = from + arrow * (drawn / length);
        lines.arrow(vec3(from), vec3(to), color).with_tip_length(tip.min(0.08));
    }
}

/// Draws points and forces of the contacts of the last step.
pub fn draw_contacts(
    mut lines: Gizmos<MarkLines>,
    marks: Res<ShownMarks>,
    status: Option<Res<SimulationStatus>>,
    parameters: Option<Res<PhysicsParameters>>,
    bodies: Query<(Entity, &BodyModel)>,
    contacts: Option<Contacts>,
    mut labels: ResMut<ForceLabels>,
) {
    labels.0.clear();
    let (points, forces) = (marks.marks.has(Mark::Contacts), marks.marks.has(Mark::ContactForces));
    let is_started = status.is_some_and(|status| *status != SimulationStatus::Ready);
    let (Some(contacts), Some(parameters)) = (contacts, parameters) else { return };
    if !is_started || !(points || forces) {
        return;
    }
    for (entity, BodyModel(body)) in &bodies {
        // Contacts of static bodies are drawn with the other body.
        if body.is_fixed() && body.num_joints() == 0 {
            continue;
        }
        let weight = weight(body.mass(), &parameters);
        let contacts = contacts.of_body(entity);
        if forces {
            labels.0.extend(resultants(&contacts).into_iter().map(|(point, size)| (vec3(point), size)));
        }
        for contact in contacts {
            if points {
                lines.sphere(Isometry3d::from_translation(vec3(contact.point)), POINT_SIZE, POINT);
            }
            if forces {
                arrow(&mut lines, contact.point, contact.force, weight, CONTACT);
            }
        }
    }
}

/// Requests the measurement of joint forces while they are displayed.
pub fn measure_joints(
    mut commands: Commands,
    marks: Res<ShownMarks>,
    unmeasured: Query<Entity, (With<BodyModel>, Without<JointReadings>)>,
    measured: Query<Entity, With<MeasuredToDraw>>,
) {
    if marks.marks.has(Mark::JointForces) {
        for body in &unmeasured {
            commands.entity(body).insert((JointReadings::default(), MeasuredToDraw));
        }
    } else {
        for body in &measured {
            commands.entity(body).remove::<(JointReadings, MeasuredToDraw)>();
        }
    }
}

/// Draws the wrenches of parents on their links through the joints in the last step. The mass of a fixed base is not
/// supported by joints, and is excluded from the scale of arrows.
pub fn draw_joint_forces(
    mut lines: Gizmos<MarkLines>,
    marks: Res<ShownMarks>,
    parameters: Option<Res<PhysicsParameters>>,
    bodies: Query<(&BodyModel, &BodyState, &JointReadings)>,
) {
    let Some(parameters) = parameters.filter(|_| marks.marks.has(Mark::JointForces)) else { return };
    for (BodyModel(body), state, readings) in &bodies {
        let base = if body.is_fixed() { body.link(LinkIndex::ROOT).mass.mass } else { 0.0 };
        let weight = weight(body.mass() - base, &parameters);
        for (pose, reaction) in state.link_poses.iter().zip(readings.reactions()).skip(1) {
            arrow(&mut lines, pose.translation.vector.into(), reaction.force, weight, JOINT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forces_of_a_link_are_one_number() {
        let contact = |link: usize, x: f64, force: [f64; 3]| Contact {
            link: LinkIndex(link),
            other: None,
            point: Point3::new(x, 0.0, 0.0),
            normal: Vector3::z(),
            force: force.into(),
            depth: 0.0,
        };
        let contacts = [
            contact(1, 0.0, [1.0, 0.0, 3.0]),
            contact(2, 5.0, [0.0, 0.0, 7.0]),
            contact(1, 1.0, [-1.0, 0.0, 3.0]),
            contact(3, 9.0, [0.0; 3]),
        ];
        let found = resultants(&contacts);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!((found[0].0.x - 0.5).abs() < 1e-12 && (found[0].1 - 6.0).abs() < 1e-12, "{found:?}");
        assert_eq!(found[1], (Point3::new(5.0, 0.0, 0.0), 7.0));
    }
}
