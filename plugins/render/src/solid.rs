//! Primitives with exact surfaces.

use bunraku_body::{Geometry, Shape};
use bunraku_mesh::Primitive;
use nalgebra::{Matrix3, Point2, Point3, Vector3};

use crate::bvh::Bounds;
use crate::quadric::{Face, Line, first_hit, normal};

/// Fraction of the largest coordinate by which bounding boxes are enlarged: rays are rounded to f32 where they meet
/// boxes, but not where they meet the surfaces.
const MARGIN: f64 = 1e-5;

/// A primitive of a model. It may be scaled unequally, which makes a sphere an ellipsoid.
#[derive(Clone, Debug)]
pub struct Solid {
    primitive: Primitive,
    /// Linear part of the transform from the model frame to that of the primitive.
    into: Matrix3<f64>,
    /// Centre in the model frame, m.
    center: Vector3<f64>,
    bounds: Bounds,
    /// Index of the material.
    pub material: u32,
    /// The shape, for renderers of triangles.
    pub shape: Shape,
}

/// Appearance of a solid at a point of its surface.
#[derive(Clone, Copy, Debug)]
pub struct SolidPoint {
    /// Outward unit normal in the model frame.
    pub normal: Vector3<f64>,
    /// Texture coordinates: s to the right, t up.
    pub texture: Point2<f64>,
}

impl Solid {
    /// The primitive of a shape; `None` for meshes, and for primitives without a volume or finite coordinates, whose
    /// triangles are used instead.
    pub fn new(shape: &Shape, material: u32) -> Option<Self> {
        let Geometry::Primitive { primitive, .. } = shape.geometry else { return None };
        let matrix = shape.transform.matrix();
        let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let center: Vector3<f64> = matrix.fixed_view::<3, 1>(0, 3).into_owned();
        let into = linear.try_inverse()?;
        let bounds = bounds(&primitive, &linear, &center);
        let is_finite = into.iter().chain(bounds.iter().flat_map(Vector3::iter)).all(|value| value.is_finite());
        let [min, max] = bounds.map(|corner| corner.cast::<f32>());
        is_finite.then(|| Self { primitive, into, center, bounds: Bounds { min, max }, material, shape: shape.clone() })
    }

    /// Bounding box in the model frame, slightly enlarged.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Distance, m, and face of the first hit at a distance of at least `start` of a ray in the model frame.
    pub fn hit(&self, origin: &Vector3<f64>, direction: &Vector3<f64>, start: f32) -> Option<(f64, Face)> {
        self.hit_from(&self.own(origin), direction, start)
    }

    /// As [`hit`](Self::hit) for an origin in the frame of the primitive, see [`own`](Self::own).
    pub fn hit_from(&self, own_origin: &Vector3<f64>, direction: &Vector3<f64>, start: f32) -> Option<(f64, Face)> {
        let line = Line { origin: *own_origin, direction: self.into * direction };
        first_hit(&self.primitive, &line, f64::from(start))
    }

    /// A point of the model frame in the frame of the primitive.
    pub fn own(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.into * (point - self.center)
    }

    /// Data of the surface at a point of a face in the model frame.
    pub fn point(&self, face: Face, point: &Point3<f64>) -> SolidPoint {
        let own = self.own(&point.coords);
        let normal = normal(&self.primitive, face, &own);
        SolidPoint {
            normal: (self.into.transpose() * normal).try_normalize(0.0).unwrap_or_else(Vector3::z),
            texture: self.primitive.texture_coordinate_at(&own.into(), &normal),
        }
    }
}

/// Least and largest coordinates of a transformed primitive.
fn bounds(primitive: &Primitive, linear: &Matrix3<f64>, center: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let axis = linear.column(1).into_owned();
    let ring = |radius: f64| Vector3::from_fn(|row, _| libm::hypot(linear[(row, 0)], linear[(row, 2)]) * radius);
    let ball = |radius: f64| Vector3::from_fn(|row, _| linear.row(row).norm() * radius);
    let round = |half: Vector3<f64>| (-half, half);
    let (least, largest) = match *primitive {
        Primitive::Box { size } => round(linear.abs() * (size / 2.0)),
        Primitive::Sphere { radius } => round(ball(radius)),
        Primitive::Cylinder { radius, height, .. } => round(axis.abs() * (height / 2.0) + ring(radius)),
        Primitive::Cone { radius, height, .. } => {
            let (apex, ring) = (axis * (height / 2.0), ring(radius));
            (apex.inf(&(-apex - ring)), apex.sup(&(-apex + ring)))
        }
        Primitive::Capsule { radius, height } => round(axis.abs() * (height / 2.0) + ball(radius)),
    };
    let margin = Vector3::repeat(MARGIN * (center.abs() + least.abs().sup(&largest)).max());
    [center + least - margin, center + largest + margin]
}
