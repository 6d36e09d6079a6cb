use nalgebra::{Isometry3, Point3, Vector3};

use crate::Sequence;

/// Trajectory of the zero moment point, m.
#[derive(Clone, Debug, PartialEq)]
pub struct Zmp {
    /// Whether the points are in the frame of the root link; otherwise in the world frame.
    pub root_relative: bool,
    /// One point for each frame.
    pub frames: Sequence<Vector3<f64>>,
}

impl Zmp {
    /// The point at `time` (s) in the world frame, m, with the root link at `root`; `None` without frames.
    pub fn in_world(&self, time: f64, root: &Isometry3<f64>) -> Option<Vector3<f64>> {
        let point = self.point(time)?;
        Some(if self.root_relative { to_world(&point, root) } else { point })
    }

    /// The point at `time` (s) in the frame of the root link, m, which is at `root`; `None` without frames.
    pub fn in_root(&self, time: f64, root: &Isometry3<f64>) -> Option<Vector3<f64>> {
        let point = self.point(time)?;
        Some(if self.root_relative { point } else { to_root(&point, root) })
    }

    /// The same trajectory in the world frame; `root` gives the pose of the root link at a time (s).
    #[must_use]
    pub fn to_world(&self, root: impl FnMut(f64) -> Isometry3<f64>) -> Self {
        if self.root_relative { self.moved(false, root, to_world) } else { self.clone() }
    }

    /// The same trajectory in the frame of the root link; `root` gives its pose at a time (s).
    #[must_use]
    pub fn to_root_relative(&self, root: impl FnMut(f64) -> Isometry3<f64>) -> Self {
        if self.root_relative { self.clone() } else { self.moved(true, root, to_root) }
    }

    fn point(&self, time: f64) -> Option<Vector3<f64>> {
        let mut point = *self.frames.frame(0).first()?;
        self.frames.sample(time, std::slice::from_mut(&mut point));
        Some(point)
    }

    fn moved(
        &self,
        root_relative: bool,
        mut root: impl FnMut(f64) -> Isometry3<f64>,
        convert: impl Fn(&Vector3<f64>, &Isometry3<f64>) -> Vector3<f64>,
    ) -> Self {
        let frames = self.frames.map(|time, point| convert(point, &root(time)));
        Self { root_relative, frames }
    }
}

fn to_world(point: &Vector3<f64>, root: &Isometry3<f64>) -> Vector3<f64> {
    root.transform_point(&Point3::from(*point)).coords
}

/// R⁻¹·(z − p), the inverse of the other conversion; the original lacks it.
fn to_root(point: &Vector3<f64>, root: &Isometry3<f64>) -> Vector3<f64> {
    root.inverse_transform_point(&Point3::from(*point)).coords
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    fn zmp(root_relative: bool) -> Zmp {
        let frames = vec![Vector3::new(1.0, 0.0, 0.0), Vector3::new(1.0, 2.0, 0.0)];
        Zmp { root_relative, frames: Sequence::new(10.0, 1, frames).unwrap() }
    }

    /// Rotated by 90° to the left, and moving forward with time.
    fn root(time: f64) -> Isometry3<f64> {
        Isometry3::new(Vector3::new(5.0 + time, 0.0, 0.7), Vector3::z() * FRAC_PI_2)
    }

    #[test]
    fn a_point_ahead_of_a_root_that_looks_left_is_to_the_left() {
        let world = zmp(true).in_world(0.0, &root(0.0)).unwrap();
        assert!((world - Vector3::new(5.0, 1.0, 0.7)).norm() < 1e-12);
        assert_eq!(zmp(false).in_world(0.05, &root(0.0)).unwrap(), Vector3::new(1.0, 1.0, 0.0));
        let relative = zmp(false).in_root(0.0, &root(0.0)).unwrap();
        assert!((relative - Vector3::new(0.0, 4.0, -0.7)).norm() < 1e-12);
    }

    #[test]
    fn to_the_world_and_back_is_the_same() {
        let world = zmp(true).to_world(root);
        assert!(!world.root_relative);
        assert!((world.frames.frame(1)[0] - Vector3::new(3.1, 1.0, 0.7)).norm() < 1e-12);
        let back = world.to_root_relative(root);
        assert!(back.root_relative);
        for (found, expected) in back.frames.values().iter().zip(zmp(true).frames.values()) {
            assert!((found - expected).norm() < 1e-12);
        }
        assert_eq!((zmp(true).to_root_relative(root), zmp(false).to_world(root)), (zmp(true), zmp(false)));
    }
}
