//! Pulling of links with the pointer: dynamic bodies by a spring, static ones by inverse kinematics.

use bevy::prelude::*;
use bunraku_body::{Body, BodyModel, BodyState, Drive, LinkIndex, kinematics};
use bunraku_scene::{HandAct, lay_hand};
use bunraku_simulation::Pace;
use bunraku_task::inverse_kinematics::{Chain, Options, Solver};
use nalgebra::{Isometry3, Point3, Vector3};

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
    /// Moves the joints of a static body; a dynamic one is pulled by a spring.
    posing: Option<Solver>,
}

const HAND: Color = Color::srgb(0.2, 0.9, 0.3);

/// Follows the pointer; `None` releases the link.
pub fn follow(world: &mut World, pull: Option<Pull>, scale: f32) {
    let Some(pull) = pull else {
        if let Some(held) = world.resource_mut::<Grip>().held.take().filter(|held| held.posing.is_none()) {
            change(world, |world| lay_hand(world, held.body, HandAct::LetGo));
        }
        return;
    };
    if let Some((origin, direction)) = ray_at(world, pull.pointer, scale) {
        drag(world, pull.begins, origin, direction);
    }
}

/// Moves the held point to the ray of the pointer; at the beginning takes hold of what the ray hits.
fn drag(world: &mut World, begins: bool, origin: Point3<f64>, direction: Vector3<f64>) {
    if begins {
        let held = take_hold(world, origin, direction);
        world.resource_mut::<Grip>().held = held;
    }
    let mut grip = world.resource_mut::<Grip>();
    let Some(held) = &mut grip.held else { return };
    let slope = direction.dot(&held.normal);
    if slope.abs() > 1e-6 {
        held.target = origin + direction * ((held.target - origin).dot(&held.normal) / slope);
    }
    let (body, target) = (held.body, held.target);
    if let Some(mut solver) = held.posing.take() {
        pose(world, body, &mut solver, &target);
        if let Some(held) = &mut world.resource_mut::<Grip>().held {
            held.posing = Some(solver);
        }
        return;
    }
    let (link, point) = (held.link.clone(), held.point.coords.into());
    let target = target.coords.into();
    change(world, |world| lay_hand(world, body, HandAct::Pull { link, point, target }));
}

/// Moves the joints of a static body such that the held point is at the target, or as near as their ranges allow.
fn pose(world: &mut World, body: Entity, solver: &mut Solver, target: &Point3<f64>) {
    let Ok(mut entity) = world.get_entity_mut(body) else { return };
    let Some(BodyModel(model)) = entity.get::<BodyModel>().cloned() else { return };
    let Some(mut state) = entity.get_mut::<BodyState>() else { return };
    let Some(root) = state.link_poses.first().copied() else { return };
    let mut values = solver.chain().gather(&state.displacements);
    // A point out of reach is approached.
    let _ = solver.solve(&Isometry3::from(root.inverse() * target), &mut values);
    let BodyState { link_poses, displacements, .. } = &mut *state;
    solver.chain().scatter(&values, displacements);
    model.follow_leaders(displacements);
    kinematics::update_link_poses(&model, &root, displacements, link_poses);
}

/// Moves a point of a link, link frame, by the joints between it and the root; `None` if there are none.
fn posing(model: &Body, link: LinkIndex, point: &Point3<f64>) -> Option<Solver> {
    let chain = Chain::new(model, LinkIndex::ROOT, link, &Isometry3::from(*point)).ok()?;
    Some(Solver::new(chain, Options::continuous_position()))
}

fn take_hold(world: &mut World, origin: Point3<f64>, direction: Vector3<f64>) -> Option<Held> {
    let mut bodies = world.query::<(Entity, &BodyModel, &BodyState, &Drive)>();
    let mut picker = std::mem::take(&mut world.resource_mut::<Grip>().picker);
    let is_paused = *world.resource::<Pace>() == Pace::Paused;
    let movable = bodies.iter(world).filter(|(_, BodyModel(model), _, drive)| match drive {
        Drive::Physics => true,
        Drive::Static => is_paused && model.num_joints() > 0,
        Drive::Motion => false,
    });
    let picked = picker.pick(movable.map(|(entity, model, state, _)| (entity, &model.0, state)), origin, direction);
    world.resource_mut::<Grip>().picker = picker;
    let picked = picked?;
    let (_, BodyModel(model), state, drive) = bodies.get(world, picked.body).ok()?;
    let point = state.link_poses.get(picked.link.0)?.inverse() * picked.point;
    let posing = match drive {
        Drive::Static => Some(posing(model, picked.link, &point)?),
        _ => None,
    };
    Some(Held {
        body: picked.body,
        link: model.link(picked.link).name.clone(),
        link_place: picked.link.0,
        point,
        target: picked.point,
        normal: direction.try_normalize(0.0)?,
        posing,
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bunraku_body::LoadOptions;
    use bunraku_document::{Reporter, SourceFile};

    use super::*;

    const ARM: &str = "{ format: ChoreonoidBody, format_version: 2.0, links: [
        { name: BASE, joint_type: fixed },
        { name: UPPER, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0 },
        { name: LOWER, parent: UPPER, joint_type: revolute, joint_axis: Y, joint_id: 1, translation: [ 0, 0, 1 ],
          joint_range: [ -100, 100 ],
          elements: [ { type: Shape, geometry: { type: Sphere, radius: 0.1 }, translation: [ 0, 0, 1 ] } ] } ] }";

    fn world(drive: Drive, pace: Pace) -> (World, Entity) {
        let source = SourceFile::from_text("arm.body", ARM);
        let body = bunraku_body::read(&source, &LoadOptions::default(), &Reporter::new()).expect("a body");
        let state = BodyState::at_rest(&body, &Isometry3::identity(), vec![0.2, 0.4]);
        let mut world = World::new();
        world.init_resource::<Grip>();
        world.insert_resource(pace);
        let entity = world.spawn((BodyModel(Arc::new(body)), state, drive)).id();
        (world, entity)
    }

    /// Drags the tip, seen from −Y, by this much; returns how far it moves, and the displacements.
    fn dragged(drive: Drive, pace: Pace, by: Vector3<f64>) -> (Vector3<f64>, Vec<f64>) {
        let (mut world, entity) = world(drive, pace);
        let tip = |world: &World| {
            world.get::<BodyState>(entity).map(|state| state.link_poses[2] * Point3::new(0.0, 0.0, 1.0))
        };
        let before = tip(&world).expect("a tip");
        let eye = before - 5.0 * Vector3::y();
        drag(&mut world, true, eye, Vector3::y());
        for share in [0.25, 0.5, 0.75, 1.0] {
            drag(&mut world, false, eye + by * share, Vector3::y());
        }
        follow(&mut world, None, 1.0);
        assert!(world.resource::<Grip>().held.is_none());
        let displacements = world.get::<BodyState>(entity).map(|state| state.displacements.clone());
        (tip(&world).expect("a tip") - before, displacements.expect("a state"))
    }

    #[test]
    fn links_of_a_static_body_follow_the_pointer_within_their_limits() {
        let by = Vector3::new(0.3, 0.0, -0.5);
        let (moved, _) = dragged(Drive::Static, Pace::Paused, by);
        // The sphere is held at its surface, which turns with it.
        assert!((moved - by).norm() < 0.15 && moved.y.abs() < 1e-9, "{moved}");
        let (moved, displacements) = dragged(Drive::Static, Pace::Paused, Vector3::new(-0.8, 0.0, -2.5));
        assert!(moved.norm() > 1.0 && displacements[1].abs() <= 100_f64.to_radians(), "{moved} {displacements:?}");
    }

    #[test]
    fn a_running_or_moving_body_is_not_posed() {
        for (drive, pace) in [(Drive::Static, Pace::Unpaced), (Drive::Motion, Pace::Paused)] {
            let (moved, _) = dragged(drive, pace, Vector3::new(0.3, 0.0, -0.5));
            assert_eq!(moved, Vector3::zeros(), "{drive:?}");
        }
    }
}
