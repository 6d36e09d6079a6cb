//! Handles of the selected body, as seen in the window.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::egui;
use bunraku_body::{BodyModel, BodyState, LinkIndex};
use bunraku_simulation::Pace;

use crate::camera::{MainCamera, Through};
use crate::marks::seen_bounds;
use crate::panels::Handles;
use crate::view::Selected;

/// Points of a ring.
const POINTS: u8 = 48;
/// Radius of the rings as a fraction of the length of the arrows.
const RADIUS: f32 = 0.7;
/// Length of the arrows as a fraction of the body's diagonal, and at least, m.
const SHARE: f64 = 0.6;
const LEAST: f64 = 0.1;

/// The handles of a body that is selected as a whole, while the simulation is paused; `scale` is the number of pixels
/// of a point.
pub fn handles(world: &mut World, scale: f32) -> Option<Handles> {
    let selection = world.resource::<Selected>().0.filter(|selection| selection.device.is_none())?;
    if *world.resource::<Pace>() != Pace::Paused || world.resource::<Through>().0.is_some() {
        return None;
    }
    let BodyModel(model) = world.get::<BodyModel>(selection.body)?;
    // A body of one link is moved by it, too.
    if selection.link.is_some_and(|link| link != LinkIndex::ROOT || model.links().len() > 1) {
        return None;
    }
    let state = world.get::<BodyState>(selection.body)?;
    let pose = *state.link_poses.first()?;
    let size = seen_bounds(model, state, None).map_or(LEAST, |bounds| (bounds.max - bounds.min).norm());
    let length = (SHARE * size).max(LEAST);
    let factor = world.query_filtered::<&Window, With<PrimaryWindow>>().single(world).ok()?.scale_factor();
    let mut cameras = world.query_filtered::<(&Camera, &GlobalTransform), With<MainCamera>>();
    let (camera, transform) = cameras.single(world).ok()?;
    let project = |point: Vec3| {
        let place = camera.world_to_viewport(transform, point).ok()? * factor / scale;
        Some(egui::pos2(place.x, place.y))
    };
    let center = Vec3::from_array(pose.translation.vector.cast::<f32>().into());
    #[allow(clippy::cast_possible_truncation)]
    let reach = length as f32;
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    let [Some(x), Some(y), Some(z)] = axes.map(|axis| project(center + reach * axis)) else { return None };
    let ring = |axis: usize| {
        let (first, second) = (axes[(axis + 1) % 3], axes[(axis + 2) % 3]);
        let angles = (0..POINTS).map(|index| f32::from(index) / f32::from(POINTS) * std::f32::consts::TAU);
        let points =
            angles.map(|angle| project(center + RADIUS * reach * (first * angle.cos() + second * angle.sin())));
        points.collect::<Option<Vec<_>>>()
    };
    let to_camera = transform.translation() - center;
    Some(Handles {
        body: selection.body,
        pose,
        length,
        center: project(center)?,
        tips: [x, y, z],
        rings: [ring(0)?, ring(1)?, ring(2)?],
        facing: axes.map(|axis| if axis.dot(to_camera) >= 0.0 { 1.0 } else { -1.0 }),
    })
}
