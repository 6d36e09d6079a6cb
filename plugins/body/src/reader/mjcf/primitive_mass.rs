//! Volumes and inertias of primitive geoms.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Vector3};

/// Volume of a solid, m³, and its inertia for a mass of 1 kg about its centre, m².
pub(super) struct Solid {
    pub(super) volume: f64,
    pub(super) moments: Vector3<f64>,
}

/// A box with these half edges.
pub(super) fn cuboid(half: &Vector3<f64>) -> Solid {
    let [x, y, z] = [half.x * half.x, half.y * half.y, half.z * half.z];
    Solid { volume: 8.0 * half.product(), moments: Vector3::new(y + z, x + z, x + y) / 3.0 }
}

/// An ellipsoid with these half axes.
pub(super) fn ellipsoid(half: &Vector3<f64>) -> Solid {
    let [x, y, z] = [half.x * half.x, half.y * half.y, half.z * half.z];
    Solid { volume: 4.0 / 3.0 * PI * half.product(), moments: Vector3::new(y + z, x + z, x + y) / 5.0 }
}

/// A cylinder along Z of this half length.
pub(super) fn cylinder(radius: f64, half: f64) -> Solid {
    let (square, height) = (radius * radius, 2.0 * half);
    let across = (3.0 * square + height * height) / 12.0;
    Solid { volume: PI * square * height, moments: Vector3::new(across, across, 0.5 * square) }
}

/// A capsule along Z whose cylinder has this half length.
pub(super) fn capsule(radius: f64, half: f64) -> Solid {
    let (square, height) = (radius * radius, 2.0 * half);
    // Shares of the mass in the two half balls together, and in the cylinder.
    let ball = 4.0 * radius / (4.0 * radius + 3.0 * height);
    let rest = 1.0 - ball;
    let of_cylinder = cylinder(radius, half);
    let own = 0.4 * square * ball;
    let across = own + ball * height * (3.0 * radius + 2.0 * height) / 8.0;
    Solid {
        volume: of_cylinder.volume + 4.0 / 3.0 * PI * square * radius,
        moments: of_cylinder.moments * rest + Vector3::new(across, across, own),
    }
}

/// Inertia matrix of principal moments.
pub(super) fn diagonal(moments: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::from_diagonal(moments)
}
