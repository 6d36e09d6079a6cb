use bevy::prelude::*;
use bunraku_mesh::BoundingBox;
use bunraku_render::{Viewpoint, axes};
use nalgebra::{Point3, Vector3};

use super::data::PictureSize;

/// Default vertical field of view of a camera, rad: 45°, similar to a 50 mm lens held upright.
pub const DEFAULT_FIELD_OF_VIEW: f64 = std::f64::consts::FRAC_PI_4;

/// Near and far distance, as multiples of the distance between eye and target.
const DEPTHS: [f64; 2] = [0.01, 1000.0];

/// Viewpoint of an image. +Z of the world is up in the image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureCamera {
    /// Position of the camera, m.
    pub eye: Point3<f64>,
    /// Point in the middle of the image, m.
    pub target: Point3<f64>,
    /// Angle between the lower and the upper border of the image, rad, less than π.
    pub field_of_view: f64,
}

impl PictureCamera {
    /// A camera with the default field of view.
    pub fn new(eye: Point3<f64>, target: Point3<f64>) -> Self {
        Self { eye, target, field_of_view: DEFAULT_FIELD_OF_VIEW }
    }

    /// A camera in a direction from which the box just fills an image of this size. A direction of zero length is
    /// replaced by +X.
    pub fn framing(bounds: &BoundingBox, direction: Vector3<f64>, size: PictureSize) -> Self {
        let size = [size.width, size.height];
        let Viewpoint { eye, target } = Viewpoint::framing(bounds, direction, DEFAULT_FIELD_OF_VIEW, size);
        Self::new(eye, target)
    }

    /// Pose, projection and the axes right, up and forward; `None` if the direction is undefined.
    pub(super) fn to_bevy(self, size: PictureSize) -> Option<(Transform, Projection)> {
        let line = self.target - self.eye;
        let distance = line.norm();
        let angle_makes_sense = self.field_of_view > 0.0 && self.field_of_view < std::f64::consts::PI;
        let numbers_make_sense = self.eye.iter().all(|number| number.is_finite()) && distance.is_finite();
        if !angle_makes_sense || !numbers_make_sense || distance <= 0.0 {
            return None;
        }
        let forward = line / distance;
        let [_, up] = axes(&forward);
        let vector = |vector: Vector3<f64>| {
            let vector = vector.cast::<f32>();
            Vec3::new(vector.x, vector.y, vector.z)
        };
        let transform = Transform::from_translation(vector(self.eye.coords)).looking_to(vector(forward), vector(up));
        let [near, far] = DEPTHS.map(|depth| (depth * distance) as f32);
        let projection = PerspectiveProjection {
            fov: self.field_of_view as f32,
            aspect_ratio: size.width as f32 / size.height as f32,
            near,
            far,
            ..default()
        };
        Some((transform, projection.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_framed_box_touches_the_margin_and_no_corner_is_cut_off() {
        let bounds = BoundingBox { min: Point3::new(-1.0, 0.0, 0.0), max: Point3::new(1.0, 0.5, 3.0) };
        let size = PictureSize { width: 200, height: 100 };
        for direction in [Vector3::new(-1.0, -1.0, -0.5), -Vector3::z(), Vector3::x(), Vector3::zeros()] {
            let camera = PictureCamera::framing(&bounds, direction, size);
            let forward = (camera.target - camera.eye).normalize();
            let [right, up] = axes(&forward);
            let vertical = (camera.field_of_view / 2.0).tan();
            let mut largest: f64 = 0.0;
            for corner in 0..8 {
                let pick = |axis: usize| if corner & (1 << axis) == 0 { bounds.min[axis] } else { bounds.max[axis] };
                let to_corner = Point3::new(pick(0), pick(1), pick(2)) - camera.eye;
                let depth = to_corner.dot(&forward);
                assert!(depth > 0.0);
                let across = to_corner.dot(&right).abs() / depth / (vertical * 2.0);
                let along = to_corner.dot(&up).abs() / depth / vertical;
                largest = largest.max(across).max(along);
            }
            assert!(largest < 1.0 && largest > 0.85, "{direction}: {largest}");
        }
    }

    #[test]
    fn up_in_the_picture_is_up_in_the_world() {
        let camera = PictureCamera::new(Point3::new(3.0, -3.0, 2.0), Point3::origin());
        let (transform, _) = camera.to_bevy(PictureSize { width: 4, height: 3 }).expect("it looks somewhere");
        assert!(transform.up().z > 0.8 && transform.right().z.abs() < 1e-6);
        // Viewed from −Y, +X is to the right.
        assert!(transform.right().x > 0.0);
    }

    #[test]
    fn cameras_that_look_nowhere_are_refused() {
        let size = PictureSize { width: 4, height: 3 };
        let origin = Point3::origin();
        assert!(PictureCamera::new(origin, origin).to_bevy(size).is_none());
        assert!(PictureCamera::new(Point3::new(f64::NAN, 0.0, 0.0), origin).to_bevy(size).is_none());
        let wide = PictureCamera { field_of_view: 4.0, ..PictureCamera::new(Point3::new(1.0, 0.0, 0.0), origin) };
        assert!(wide.to_bevy(size).is_none());
    }
}
