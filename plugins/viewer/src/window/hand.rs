//! Pulling of links with the pointer.

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, Drive};
use bunraku_scene::{HandAct, lay_hand};
use nalgebra::{Point3, Vector3};

use super::pointer::ray_at;
use crate::marks::{MarkLines, Picker};
use crate::panels::Pull;
use crate::timeline::change;

/// The link held by the pointer.
#[derive(Resource, Default)]
pub struct Grip {
    held: Option<Held>,
    /// Picker for the bodies that can be pulled; rays pass through others.
    picker: Picker,
}

#[derive(Clone, Debug)]
struct Held {
    body: Entity,
    link: String,
    link_place: usize,
    /// Point of application, link frame, m.
    point: Point3<f64>,
    /// Target, world frame, m.
    target: Point3<f64>,
    /// Normal of the plane in which the pointer moves: through the held point, facing the camera.
    normal: Vector3<f64>,
}

const HAND: Color = Color::srgb(0.2, 0.9, 0.3);

/// Follows the pointer; `None` releases the link.
pub fn follow(world: &mut World, pull: Option<Pull>, scale: f32) {
    let Some(pull) = pull else {
        if let Some(held) = world.resource_mut::<Grip>().held.take() {
            change(world, |world| lay_hand(world, held.body, HandAct::LetGo));
        }
        return;
    };
    let Some((origin, direction)) = ray_at(world, pull.pointer, scale) else { return };
    if pull.begins {
        let held = take_hold(world, origin, direction);
        world.resource_mut::<Grip>().held = held;
    }
    let Some(held) = &mut world.resource_mut::<Grip>().held else { return };
    let slope = direction.dot(&held.normal);
    if slope.abs() > 1e-6 {
        held.target = origin + direction * ((held.target - origin).dot(&held.normal) / slope);
    }
    let (body, link) = (held.body, held.link.clone());
    let (point, target) = (held.point.coords.into(), held.target.coords.into());
    change(world, |world| lay_hand(world, body, HandAct::Pull { link, point, target }));
}

fn take_hold(world: &mut World, origin: Point3<f64>, direction: Vector3<f64>) -> Option<Held> {
    let mut bodies = world.query::<(Entity, &BodyModel, &BodyState, &Drive)>();
    let mut picker = std::mem::take(&mut world.resource_mut::<Grip>().picker);
    let movable = bodies.iter(world).filter(|(.., drive)| **drive == Drive::Physics);
    let picked = picker.pick(movable.map(|(entity, model, state, _)| (entity, &model.0, state)), origin, direction);
    world.resource_mut::<Grip>().picker = picker;
    let picked = picked?;
    let (_, BodyModel(model), state, _) = bodies.get(world, picked.body).ok()?;
    let point = state.link_poses.get(picked.link.0)?.inverse() * picked.point;
    let link = model.link(picked.link).name.clone();
    Some(Held {
        body: picked.body,
        link,
        link_place: picked.link.0,
        point,
        target: picked.point,
        normal: direction.try_normalize(0.0)?,
    })
}

/// Draws the spring.
pub fn draw(mut lines: Gizmos<MarkLines>, grip: Res<Grip>, bodies: Query<&BodyState>) {
    let Some(held) = &grip.held else { return };
    let Some(pose) = bodies.get(held.body).ok().and_then(|state| state.link_poses.get(held.link_place)) else { return };
    let vec3 = |point: Point3<f64>| Vec3::from_array(point.coords.cast::<f32>().into());
    let (from, to) = (vec3(pose * held.point), vec3(held.target));
    lines.line(from, to, HAND);
    lines.sphere(Isometry3d::from_translation(to), 0.02, HAND);
}
