//! Bars and joints between them.

use std::sync::Arc;

use bevy::prelude::Entity;
use bunraku_body::{Body, ExtraJointForm, ExtraJointKind, LinkIndex};
use bunraku_physics::{ExtraJointBetween, JointEnd};
use nalgebra::{Isometry3, Point3, Unit, Vector3};

use crate::common::{World, body};

pub const HINGE: ExtraJointKind = ExtraJointKind::Hinge { axis: Unit::new_unchecked(Vector3::new(0.0, 0.0, 1.0)) };

/// A link of a body and a place in it, or in the world.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub end: JointEnd,
    pub frame: Isometry3<f64>,
}

pub fn on(body: Entity, link: usize, place: [f64; 3]) -> End {
    let [x, y, z] = place;
    End { end: JointEnd::Link { body, link: LinkIndex(link) }, frame: Isometry3::translation(x, y, z) }
}

pub fn on_world(frame: Isometry3<f64>) -> End {
    End { end: JointEnd::World, frame }
}

pub fn join(world: &mut World, kind: ExtraJointKind, first: End, second: End) -> Entity {
    let form = ExtraJointForm { kind, frames: [first.frame, second.frame] };
    world.app.world_mut().spawn(ExtraJointBetween { form, ends: [first.end, second.end] }).id()
}

/// Where a point of a link is in the world.
pub fn place(world: &World, body: Entity, link: usize, point: [f64; 3]) -> Point3<f64> {
    world.state(body).link_poses[link] * Point3::from(point)
}

/// Keys of a link that is a uniform bar of 1 kg/m along X, square of 0.06 m.
pub fn bar(length: f64) -> String {
    let (mass, square) = (length, 0.06 * 0.06);
    let (along, across) = (mass * square / 6.0, mass * (length * length + square) / 12.0);
    format!(
        "mass: {mass}, center_of_mass: [ {}, 0, 0 ], inertia: [ {along}, 0, 0, {across}, 0, {across} ]",
        length / 2.0
    )
}

/// A bar that floats.
pub fn free_bar(length: f64) -> Arc<Body> {
    body(&format!("  - {{ name: BAR, joint_type: free, {} }}\n", bar(length)))
}

/// A fixed base with bars on hinges about Z, one at the end of the other.
pub fn arm(lengths: &[f64]) -> Arc<Body> {
    let mut text = "  - { name: BASE, joint_type: fixed, mass: 10, inertia: [ 0.5, 0, 0, 0.5, 0, 0.5 ] }\n".to_owned();
    let (mut parent, mut reach) = ("BASE".to_owned(), 0.0);
    for (number, length) in lengths.iter().enumerate() {
        text += &format!(
            "  - {{ name: BAR{number}, parent: {parent}, translation: [ {reach}, 0, 0 ], joint_type: revolute, joint_axis: Z, joint_id: \
             {number}, {} }}\n",
            bar(*length)
        );
        (parent, reach) = (format!("BAR{number}"), *length);
    }
    body(&text)
}
