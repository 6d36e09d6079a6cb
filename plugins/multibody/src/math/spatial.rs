//! Velocities, forces and inertias of rigid bodies, all about one point and along world axes.

use bunraku_body::MassProperties;
pub use bunraku_body::dynamics::{Twist, Wrench};
use nalgebra::{Matrix3, Vector3};

/// Velocity of a point at `offset` from the reference point of the twist, m/s. Inlined, unlike the method of the twist.
#[inline]
pub fn velocity_at(twist: &Twist, offset: &Vector3<f64>) -> Vector3<f64> {
    twist.linear + twist.angular.cross(offset)
}

/// How a twist that moves along with `twist` changes ("motion cross product", Featherstone §2.9).
#[inline]
pub fn cross_motion(twist: &Twist, moved: &Twist) -> Twist {
    Twist {
        linear: twist.angular.cross(&moved.linear) + twist.linear.cross(&moved.angular),
        angular: twist.angular.cross(&moved.angular),
    }
}

/// Power of a wrench.
#[inline]
pub fn power(twist: &Twist, wrench: &Wrench) -> f64 {
    twist.linear.dot(&wrench.force) + twist.angular.dot(&wrench.torque)
}

/// Inertia about a point, along world axes.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpatialInertia {
    /// kg
    pub mass: f64,
    /// Mass × position of the centre of mass, kg·m.
    pub moment: Vector3<f64>,
    /// xx, yy, zz, xy, xz, yz, kg·m².
    pub inertia: [f64; 6],
}

impl SpatialInertia {
    /// Of a part whose frame is turned by `rotation` and away from the point by `offset`, m.
    pub fn of(mass: &MassProperties, rotation: &Matrix3<f64>, offset: &Vector3<f64>) -> Self {
        let center = offset + rotation * mass.center_of_mass.coords;
        let turned = rotation * mass.inertia;
        let entry = |row: usize, column: usize| {
            turned[(row, 0)] * rotation[(column, 0)]
                + turned[(row, 1)] * rotation[(column, 1)]
                + turned[(row, 2)] * rotation[(column, 2)]
        };
        let moment = center * mass.mass;
        let [xx, yy, zz] = [moment.x * center.x, moment.y * center.y, moment.z * center.z];
        Self {
            mass: mass.mass,
            moment,
            inertia: [
                entry(0, 0) + yy + zz,
                entry(1, 1) + xx + zz,
                entry(2, 2) + xx + yy,
                entry(0, 1) - moment.x * center.y,
                entry(0, 2) - moment.x * center.z,
                entry(1, 2) - moment.y * center.z,
            ],
        }
    }

    /// Linear momentum, and angular momentum about the point.
    #[inline]
    pub fn momentum(&self, twist: &Twist) -> Wrench {
        let [xx, yy, zz, xy, xz, yz] = self.inertia;
        let spin = &twist.angular;
        let turning = Vector3::new(
            xx * spin.x + xy * spin.y + xz * spin.z,
            xy * spin.x + yy * spin.y + yz * spin.z,
            xz * spin.x + yz * spin.y + zz * spin.z,
        );
        Wrench {
            force: twist.linear * self.mass + spin.cross(&self.moment),
            torque: self.moment.cross(&twist.linear) + turning,
        }
    }

    /// The momentum at unit velocity along and about each axis.
    pub fn columns(&self) -> [[f64; 6]; 6] {
        let (mass, [x, y, z]) = (self.mass, [self.moment.x, self.moment.y, self.moment.z]);
        let [xx, yy, zz, xy, xz, yz] = self.inertia;
        [
            [mass, 0.0, 0.0, 0.0, z, -y],
            [0.0, mass, 0.0, -z, 0.0, x],
            [0.0, 0.0, mass, y, -x, 0.0],
            [0.0, -z, y, xx, xy, xz],
            [z, 0.0, -x, xy, yy, yz],
            [-y, x, 0.0, xz, yz, zz],
        ]
    }

    /// Adds a part that moves along.
    pub fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.moment += other.moment;
        for (entry, more) in self.inertia.iter_mut().zip(&other.inertia) {
            *entry += more;
        }
    }

    /// About the point, kg·m².
    pub fn matrix(&self) -> Matrix3<f64> {
        let [xx, yy, zz, xy, xz, yz] = self.inertia;
        Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    }
}

/// Two unit vectors across a unit vector and each other.
pub fn across(axis: &Vector3<f64>) -> [Vector3<f64>; 2] {
    // Of the world's axes the one that is farthest from it.
    let first = axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize();
    [first, axis.cross(&first)]
}
