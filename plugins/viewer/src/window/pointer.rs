//! Picking with the pointer.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::egui;
use bunraku_body::{BodyModel, BodyState};
use nalgebra::{Point3, Vector3};

use crate::camera::MainCamera;
use crate::marks::Picker;
use crate::view::{Selected, Selection};

/// Ray under a point of the window: origin, m, and direction.
pub fn ray_at(world: &mut World, point: egui::Pos2, scale: f32) -> Option<(Point3<f64>, Vector3<f64>)> {
    let factor = world.query_filtered::<&Window, With<PrimaryWindow>>().single(world).ok()?.scale_factor();
    let mut cameras = world.query_filtered::<(&Camera, &GlobalTransform), With<MainCamera>>();
    let (camera, transform) = cameras.single(world).ok()?;
    // Points of panels may be larger than those of the window.
    let position = Vec2::new(point.x, point.y) * scale / factor;
    let ray = camera.viewport_to_world(transform, position).ok()?;
    let vector = |vector: Vec3| Vector3::new(vector.x, vector.y, vector.z).cast::<f64>();
    Some((Point3::from(vector(ray.origin)), vector(*ray.direction)))
}

/// Selects the link under a point, or nothing.
pub fn select_at(world: &mut World, point: egui::Pos2, scale: f32) {
    let Some((origin, direction)) = ray_at(world, point, scale) else { return };
    let mut bodies = world.query::<(Entity, &BodyModel, &BodyState)>();
    let mut picker = world.remove_resource::<Picker>().unwrap_or_default();
    let bodies = bodies.iter(world).map(|(entity, model, state)| (entity, &model.0, state));
    let picked = picker.pick(bodies, origin, direction);
    world.insert_resource(picker);
    world.resource_mut::<Selected>().0 = picked.map(|picked| Selection::link(picked.body, picked.link));
}
