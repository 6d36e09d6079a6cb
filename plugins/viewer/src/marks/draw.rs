//! Overlay lines for bodies and links.

use bevy::prelude::*;
use bunraku_body::visuals::VisualShape;
use bunraku_body::{BodyModel, BodyState, JointKind, LinkIndex, ToBevy};
use nalgebra::{Isometry3, Point3};

use super::boxes::inertia_box;
use super::collision::CollisionLines;
use crate::stage::{AXIS_COLORS, ShownMarks};
use crate::view::{Mark, Selected};

/// Lines in front of all surfaces.
#[derive(Default, Reflect, GizmoConfigGroup)]
pub struct MarkLines;

const SELECTED: Color = Color::srgb(1.0, 0.62, 0.05);
const COLLISION: Color = Color::srgb(0.10, 0.75, 0.55);
const JOINT: Color = Color::srgb(0.85, 0.25, 0.85);
const MASS: Color = Color::srgb(0.95, 0.75, 0.10);
const INERTIA: Color = Color::srgb(0.90, 0.45, 0.20);

/// Overlay lines are visible through bodies.
pub fn mark_gizmos(mut store: ResMut<GizmoConfigStore>) {
    let (config, _) = store.config_mut::<MarkLines>();
    config.line.width = 2.0;
    config.depth_bias = -1.0;
}

/// Converts to f32.
pub(super) fn vec3(point: Point3<f64>) -> Vec3 {
    let point = point.cast::<f32>();
    Vec3::new(point.x, point.y, point.z)
}

/// Shows or hides the visual shapes of links.
pub fn show_visuals(marks: Res<ShownMarks>, mut shapes: Query<&mut Visibility, With<VisualShape>>) {
    let wanted = if marks.marks.has(Mark::Visual) { Visibility::Inherited } else { Visibility::Hidden };
    for mut visibility in &mut shapes {
        visibility.set_if_neq(wanted);
    }
}

/// Draws the selected overlays of each body.
pub fn draw_marks(
    mut lines: Gizmos<MarkLines>,
    marks: Res<ShownMarks>,
    selected: Res<Selected>,
    mut collision: ResMut<CollisionLines>,
    bodies: Query<(Entity, &BodyModel, &BodyState)>,
) {
    let has = |mark| marks.marks.has(mark);
    collision.forget(|entity| bodies.contains(entity));
    for (entity, BodyModel(body), state) in &bodies {
        let size = size_of(state);
        if has(Mark::CenterOfMass) {
            let center = vec3(body.center_of_mass(&state.link_poses));
            lines.sphere(Isometry3d::from_translation(center), 0.05 * size, MASS);
            lines.line(center, center.with_z(0.0), MASS);
            lines.circle(Isometry3d::from_translation(center.with_z(0.0)), 0.05 * size, MASS);
        }
        for ((index, link), pose) in body.indexed_links().zip(&state.link_poses) {
            if has(Mark::LinkAxes) {
                axes(&mut lines, pose, 0.12 * size);
            }
            if has(Mark::JointAxes) && link.joint.kind.has_displacement() {
                let (origin, axis) = (pose * Point3::origin(), pose * link.joint.axis);
                let half = axis.try_normalize(0.0).unwrap_or(axis) * f64::from(0.08 * size);
                let (from, to) = (vec3(origin - half), vec3(origin + half));
                lines.arrow(from, to, JOINT).with_tip_length(0.03 * size);
                if link.joint.kind == JointKind::Prismatic {
                    lines.sphere(Isometry3d::from_translation(vec3(origin)), 0.015 * size, JOINT);
                }
            }
            if has(Mark::Inertia)
                && let Some((frame, sides)) = inertia_box(&link.mass)
            {
                let sides = sides.cast::<f32>();
                let cube = (pose * frame).to_bevy().with_scale(Vec3::new(sides.x, sides.y, sides.z));
                lines.cube(cube, INERTIA);
            }
            if has(Mark::Collision) && !link.collision.is_empty() {
                let frame = pose.to_bevy();
                for [from, to] in collision.of(entity, body, index).iter() {
                    lines.line(frame * *from, frame * *to, COLLISION);
                }
            }
        }
    }
    outline_selection(&mut lines, &selected, &bodies);
}

/// Draws a box around the selection, along the axes of its link.
fn outline_selection(
    lines: &mut Gizmos<MarkLines>,
    selected: &Selected,
    bodies: &Query<(Entity, &BodyModel, &BodyState)>,
) {
    let Some(selection) = selected.0 else { return };
    let Ok((_, BodyModel(body), state)) = bodies.get(selection.body) else { return };
    let wanted = |index: LinkIndex| selection.link.is_none_or(|link| link == index);
    for ((_, link), pose) in body.indexed_links().zip(&state.link_poses).filter(|((index, _), _)| wanted(*index)) {
        let boxes = link.visual.iter().filter_map(bunraku_body::Shape::bounding_box);
        if let Some(bounds) = boxes.reduce(bunraku_mesh::BoundingBox::union) {
            let center = nalgebra::center(&bounds.min, &bounds.max);
            let frame = pose * Isometry3::from(center.coords);
            let sides = ((bounds.max - bounds.min) * 1.02).cast::<f32>();
            let cube = frame.to_bevy().with_scale(Vec3::new(sides.x, sides.y, sides.z));
            lines.cube(cube, SELECTED);
        } else if selection.link.is_some() {
            axes(lines, pose, 0.1);
        }
    }
    if let Some(device) = selection.device.and_then(|device| body.devices.get(device))
        && let Some(pose) = state.link_poses.get(device.link.0)
    {
        let origin = vec3(pose * (device.transform * Point3::origin()));
        let size = 0.05 * size_of(state);
        lines.sphere(Isometry3d::from_translation(origin), size, SELECTED);
    }
}

fn axes(lines: &mut Gizmos<MarkLines>, pose: &Isometry3<f64>, length: f32) {
    let frame = pose.to_bevy();
    for (axis, color) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(AXIS_COLORS) {
        lines.line(frame.translation, frame * (axis * length), color);
    }
}

/// Size of overlays for a body, m: about its own size.
pub(super) fn size_of(state: &BodyState) -> f32 {
    let points = state.link_poses.iter().map(|pose| Point3::from(pose.translation.vector));
    let size = bunraku_mesh::BoundingBox::around(points).map_or(1.0, |bounds| (bounds.max - bounds.min).norm());
    (size as f32).clamp(0.3, 3.0)
}
