//! Viewpoint of an image.

use bunraku_body::Body;
use bunraku_mesh::BoundingBox;
use nalgebra::{Affine3, Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

/// Margin factor of an image, so that nothing touches its border.
const MARGIN: f64 = 1.08;

/// Eye and target. +Z of the world is up in the image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewpoint {
    /// Position of the camera, m.
    pub eye: Point3<f64>,
    /// Point in the middle of the image, m.
    pub target: Point3<f64>,
}

impl Viewpoint {
    /// Viewpoint in a direction from which a box just fills an image of this width and height under this vertical field
    /// of view (rad, less than π). A direction of zero length is replaced by +X.
    pub fn framing(
        bounds: &BoundingBox,
        direction: Vector3<f64>,
        field_of_view: f64,
        [width, height]: [u32; 2],
    ) -> Self {
        let forward = direction.try_normalize(0.0).unwrap_or_else(Vector3::x);
        let [right, up] = axes(&forward);
        let vertical = libm::tan(field_of_view / 2.0);
        let horizontal = vertical * f64::from(width.max(1)) / f64::from(height.max(1));
        let target = nalgebra::center(&bounds.min, &bounds.max);
        let half = (bounds.max - bounds.min) / 2.0;
        let corners = (0..8).map(|corner| {
            let side = |axis: usize| if corner & (1 << axis) == 0 { -half[axis] } else { half[axis] };
            Vector3::new(side(0), side(1), side(2))
        });
        // A corner is in the image if it lies within the view pyramid: |x| ≤ depth · tan of half the angle.
        let distance = corners
            .map(|corner| {
                let across = corner.dot(&right).abs() / horizontal;
                let along = corner.dot(&up).abs() / vertical;
                MARGIN * across.max(along) - corner.dot(&forward)
            })
            .fold(0.0, f64::max);
        // A box of zero size is viewed from a distance of 1 m.
        let distance = if distance > 0.0 { distance } else { 1.0 };
        Self { eye: target - forward * distance, target }
    }

    /// Optical frame in the world: looks along −Z, +Y up, +X right in the image. `None` if eye and target coincide or
    /// are not finite.
    pub fn optical_frame(&self) -> Option<Isometry3<f64>> {
        let forward = (self.target - self.eye).try_normalize(0.0)?;
        if !self.eye.iter().chain(forward.iter()).all(|number| number.is_finite()) {
            return None;
        }
        let [right, up] = axes(&forward);
        let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[right, up, -forward]));
        Some(Isometry3::from_parts(Translation3::from(self.eye), UnitQuaternion::from_rotation_matrix(&rotation)))
    }
}

/// Directions right and up in the image; for a camera that looks straight down or up, up is +Y.
pub fn axes(forward: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let right = forward.cross(&Vector3::z()).try_normalize(1e-9).unwrap_or_else(Vector3::x);
    [right, right.cross(forward)]
}

/// Bounding box of the visual shapes of a body whose links are at these poses; `None` without visual shapes.
pub fn seen_bounds(body: &Body, link_poses: &[Isometry3<f64>]) -> Option<BoundingBox> {
    let boxes = body.links().iter().zip(link_poses).flat_map(|(link, pose)| {
        link.visual.iter().filter_map(move |shape| {
            let transform = nalgebra::convert::<_, Affine3<f64>>(*pose) * shape.transform;
            shape.geometry.triangles().bounding_box(&transform)
        })
    });
    boxes.reduce(BoundingBox::union)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_optical_frame_looks_at_the_target_with_the_sky_above() {
        let viewpoint = Viewpoint { eye: Point3::new(3.0, -3.0, 2.0), target: Point3::origin() };
        let frame = viewpoint.optical_frame().unwrap();
        let ahead = frame * -Vector3::z();
        assert!((ahead - (Point3::origin() - viewpoint.eye).normalize()).norm() < 1e-12);
        assert!((frame * Vector3::y()).z > 0.8 && (frame * Vector3::x()).z.abs() < 1e-12);
        assert!(Viewpoint { target: viewpoint.eye, ..viewpoint }.optical_frame().is_none());
    }
}
