//! `inertia: from_shapes`: mass properties of a link from its shapes, with uniform density.

use std::f64::consts::PI;

use bunraku_document::{Mapping, Value};
use bunraku_mesh::{Geometry, Primitive, Shape};
use nalgebra::{Affine3, Matrix3, Point3, Vector3};

use crate::MassProperties;

/// Value of `inertia` that requests it.
const FROM_SHAPES: &str = "from_shapes";

/// The node with that value, if any.
pub(super) fn asked_for<'a>(link: &Mapping<'a, '_>) -> Option<Value<'a>> {
    link.get(&["inertia"]).filter(|inertia| inertia.text() == Some(FROM_SHAPES))
}

/// Mass, centre of mass and inertia of solid shapes, by the `mass` (kg) of all or their `density` (kg/m³). Overlaps
/// count for both shapes. `None` after an error at `node`.
pub(super) fn read(link: &Mapping<'_, '_>, node: Value<'_>, shapes: &[Shape]) -> Option<MassProperties> {
    let reporter = link.reporter();
    if let Some(center) = link.get(&["center_of_mass", "centerOfMass"]) {
        let warning = center.warning("idle-center-of-mass", "the centre of mass is that of the shapes");
        reporter.report(warning.help("leave it out, or write the inertia in numbers"));
    }
    let (mass, density) = (link.number(&["mass"]), link.number(&["density"]));
    let whole = shapes.iter().map(Integrals::of).fold(Integrals::ZERO, Integrals::plus);
    if whole.volume <= 0.0 || !whole.volume.is_finite() {
        let error = node.error("no-volume", "the shapes of the link have no volume");
        reporter.report(error.help("give it closed shapes, or write the inertia in numbers"));
        return None;
    }
    let density = match (mass, density) {
        (Some(mass), _) => mass / whole.volume,
        (None, Some(density)) => density,
        (None, None) => {
            let error =
                node.error("missing-key", "an inertia from shapes needs the `mass` of the link or its `density`");
            reporter.report(error.help("write `density: 1000` for water, or `mass:` in kg"));
            return None;
        }
    };
    if !(density > 0.0 && density.is_finite()) {
        reporter.report(node.error("not-positive", "a link with an inertia from shapes must have a positive mass"));
        return None;
    }
    Some(whole.mass_properties(density))
}

/// Integrals over the interior of a shape.
#[derive(Clone, Copy)]
struct Integrals {
    /// ∫ dV, m³.
    volume: f64,
    /// ∫ x dV, m⁴.
    first: Vector3<f64>,
    /// ∫ x·xᵀ dV, m⁵.
    second: Matrix3<f64>,
}

impl Integrals {
    const ZERO: Self = Self {
        volume: 0.0,
        first: Vector3::new(0.0, 0.0, 0.0),
        second: Matrix3::new(0., 0., 0., 0., 0., 0., 0., 0., 0.),
    };

    fn plus(self, other: Self) -> Self {
        Self { volume: self.volume + other.volume, first: self.first + other.first, second: self.second + other.second }
    }

    fn of(shape: &Shape) -> Self {
        let own = match &shape.geometry {
            Geometry::Primitive { primitive, .. } => Self::of_primitive(*primitive),
            Geometry::Mesh(mesh) => {
                let corner = |index: u32| {
                    let vertex = mesh.vertices.get(usize::try_from(index).unwrap_or(usize::MAX));
                    vertex.map_or_else(Vector3::zeros, |vertex| vertex.coords.cast::<f64>())
                };
                let tetrahedra = mesh.triangles.iter().map(|corners| Self::of_tetrahedron(corners.map(corner)));
                let whole = tetrahedra.fold(Self::ZERO, Self::plus);
                // A negative volume means that the triangles are oriented inwards.
                if whole.volume < 0.0 { whole.scaled(-1.0) } else { whole }
            }
        };
        own.transformed(&shape.transform)
    }

    fn scaled(self, factor: f64) -> Self {
        Self { volume: self.volume * factor, first: self.first * factor, second: self.second * factor }
    }

    /// Integrals over the tetrahedron of the origin and a triangle; negative if the origin is in front of the triangle.
    fn of_tetrahedron([a, b, c]: [Vector3<f64>; 3]) -> Self {
        let volume = a.dot(&b.cross(&c)) / 6.0;
        let sum = a + b + c;
        let second = a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose();
        Self { volume, first: sum * (volume / 4.0), second: second * (volume / 20.0) }
    }

    fn of_primitive(primitive: Primitive) -> Self {
        let about_center = |volume: f64, squares: Vector3<f64>| Self {
            volume,
            first: Vector3::zeros(),
            second: Matrix3::from_diagonal(&(squares * volume)),
        };
        match primitive {
            Primitive::Box { size } => about_center(size.product(), size.component_mul(&size) / 12.0),
            Primitive::Sphere { radius } => {
                about_center(4.0 / 3.0 * PI * radius.powi(3), Vector3::repeat(radius * radius / 5.0))
            }
            Primitive::Cylinder { radius, height, .. } => {
                let across = radius * radius / 4.0;
                about_center(PI * radius * radius * height, Vector3::new(across, height * height / 12.0, across))
            }
            Primitive::Cone { radius, height, .. } => {
                let across = 3.0 * radius * radius / 20.0;
                let cone = about_center(
                    PI * radius * radius * height / 3.0,
                    Vector3::new(across, 3.0 * height * height / 80.0, across),
                );
                // Its centre of mass is at a quarter of its height above its base.
                cone.transformed(&nalgebra::convert(nalgebra::Translation3::new(0.0, -height / 4.0, 0.0)))
            }
            Primitive::Capsule { radius, height } => {
                let ends = 4.0 / 3.0 * PI * radius.powi(3);
                let square = radius * radius;
                // Half spheres, moved outwards by half the height.
                let along = square / 5.0 + height * height / 4.0 + 3.0 * height * radius / 8.0;
                let middle = Self::of_primitive(Primitive::Cylinder { radius, height, top: true, bottom: true });
                middle.plus(about_center(ends, Vector3::new(square / 5.0, along, square / 5.0)))
            }
        }
    }

    /// Integrals of the transformed shape: x becomes A·x + t.
    fn transformed(self, transform: &Affine3<f64>) -> Self {
        let linear = transform.matrix().fixed_view::<3, 3>(0, 0).into_owned();
        let shift = transform.matrix().fixed_view::<3, 1>(0, 3).into_owned();
        let moved = linear * self.first;
        let mixed = moved * shift.transpose();
        let second = linear * self.second * linear.transpose()
            + mixed
            + mixed.transpose()
            + shift * shift.transpose() * self.volume;
        Self { volume: self.volume, first: moved + shift * self.volume, second }.scaled(linear.determinant().abs())
    }

    fn mass_properties(self, density: f64) -> MassProperties {
        let center = self.first / self.volume;
        let second = self.second - center * center.transpose() * self.volume;
        let inertia = (Matrix3::identity() * second.trace() - second) * density;
        MassProperties { mass: self.volume * density, center_of_mass: Point3::from(center), inertia }
    }
}
