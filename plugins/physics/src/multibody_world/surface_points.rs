//! What is known of the points in which two colliders touch.

use bevy_rapier3d::rapier::geometry::Collider;
use nalgebra::{Isometry3, Vector3};

/// One of two colliders that touch.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub collider: &'a Collider,
    /// In the world; the collider's own is rounded.
    pub pose: Isometry3<f64>,
    pub moves: bool,
    /// What of the collider's contact skin is our own [margin](super::prediction), m.
    pub margin: f32,
    /// Whether it belongs to a tree that closed loops hold.
    pub is_in_loop: bool,
}

/// A point in which two colliders touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// m, in the world, in the middle of the gap.
    pub position: Vector3<f64>,
    /// m
    pub gap: f64,
    /// Which features of the two shapes meet.
    pub features: [u32; 2],
    /// For how much of the surfaces it stands beside the other points: see [`Contact::share`](bunraku_multibody::Contact::share).
    pub share: f64,
}
