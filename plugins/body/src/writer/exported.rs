//! Shapes for formats of other programs: primitives where they have them, and STL files for all other surfaces.

use std::f64::consts::FRAC_PI_2;
use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter};
use bunraku_mesh::{Geometry, MAX_LENGTH, Primitive, Shape, TriangleMesh, unit_vector};
use nalgebra::{Isometry3, Matrix3, Point3, SymmetricEigen, Translation3, Unit, UnitQuaternion, Vector3};

use super::WrittenFile;
use super::placement::Placement;
use crate::Joint;

/// Most triangles of an STL file; MuJoCo refuses more.
const MOST_TRIANGLES: usize = 200_000;
/// Smallest area of a surface that is exported, m²: MuJoCo refuses less.
const SMALLEST_AREA: f64 = 1e-12;
/// Scales that differ by less, as a share of the largest, are the same.
const SAME_SCALE: f64 = 1e-12;

/// Form of an exported shape; the axis of round ones is Z.
pub(super) enum Form {
    /// Edge lengths, m.
    Box(Vector3<f64>),
    Sphere {
        radius: f64,
    },
    /// Half axes, m.
    Ellipsoid(Vector3<f64>),
    Cylinder {
        radius: f64,
        height: f64,
    },
    /// Length without the ends, m.
    Capsule {
        radius: f64,
        height: f64,
    },
    /// Index and name of its file.
    Mesh {
        index: usize,
        file: String,
        /// Whether all its points are in a plane.
        is_flat: bool,
    },
}

impl Form {
    /// Whether it has a volume; formats refuse others.
    fn is_solid(&self) -> bool {
        match *self {
            Self::Box(lengths) | Self::Ellipsoid(lengths) => lengths.min() > 0.0,
            Self::Sphere { radius } => radius > 0.0,
            Self::Cylinder { radius, height } | Self::Capsule { radius, height } => radius > 0.0 && height > 0.0,
            Self::Mesh { .. } => true,
        }
    }
}

/// A shape in the frame of its link.
pub(super) struct Exported {
    pub(super) form: Form,
    pub(super) pose: Isometry3<f64>,
    /// Red, green, blue and opacity.
    pub(super) color: [f64; 4],
}

/// A mesh file.
struct MeshFile {
    /// A surface, and which part of its triangles.
    content: (Surface, usize),
    linear: Matrix3<f64>,
    file: WrittenFile,
    is_flat: bool,
}

#[derive(Clone, PartialEq)]
enum Surface {
    /// With the divisions of its circles.
    Primitive(Primitive, u32),
    Mesh(Arc<TriangleMesh>),
}

/// Primitives of a format.
#[derive(Clone, Copy)]
pub(super) struct Supported {
    pub(super) ellipsoid: bool,
}

/// Exports shapes, and keeps the mesh files that they need.
pub(super) struct Exporter<'w> {
    path: &'w Path,
    reporter: &'w Reporter,
    supported: Supported,
    meshes: Vec<MeshFile>,
    has_textures: bool,
    /// Shapes that are too small or too large.
    num_left_out: usize,
}

impl<'w> Exporter<'w> {
    pub(super) fn new(path: &'w Path, reporter: &'w Reporter, supported: Supported) -> Self {
        Self { path, reporter, supported, meshes: Vec::new(), has_textures: false, num_left_out: 0 }
    }

    /// The mesh files.
    pub(super) fn into_files(self) -> Vec<WrittenFile> {
        if self.has_textures {
            let message = "images on surfaces are left out: shapes are written with plain colours";
            self.reporter.report(Diagnostic::warning("export-textures", message));
        }
        if self.num_left_out > 0 {
            let message = format!("{} shapes are left out: they have no area, or are too large", self.num_left_out);
            self.reporter.report(Diagnostic::note("export-shapes", message));
        }
        self.meshes.into_iter().map(|mesh| mesh.file).collect()
    }

    /// Names of the mesh files.
    pub(super) fn files(&self) -> impl Iterator<Item = String> {
        self.meshes.iter().map(|mesh| name_of(&mesh.file.path))
    }

    /// A shape of a link, as several where a file would be too large. Empty for one without triangles.
    pub(super) fn shape(&mut self, shape: &Shape) -> Vec<Exported> {
        // Too large for the numbers of mesh files, or not finite.
        let is_small = |number: &f64| number.abs() <= MAX_LENGTH;
        let bounds = shape.bounding_box();
        if bounds.is_some_and(|bounds| !bounds.min.iter().chain(bounds.max.iter()).all(is_small)) {
            self.num_left_out += 1;
            return Vec::new();
        }
        let look = &shape.appearance;
        self.has_textures |= look.texture.is_some();
        let color = [look.diffuse.x, look.diffuse.y, look.diffuse.z, 1.0 - look.transparency];
        let placement = Placement::new(&shape.transform);
        let pose = Isometry3::from_parts(Translation3::from(placement.translation), placement.rotation);
        let exported = |form, pose| Exported { form, pose, color };
        if let Geometry::Primitive { primitive, .. } = &shape.geometry
            && placement.inner.is_none()
            && let Some((form, turn)) = primitive_form(primitive, &placement.scale, self.supported)
        {
            return vec![exported(form, pose * turn)];
        }
        let inner = placement.inner.unwrap_or_else(UnitQuaternion::identity);
        let linear = Matrix3::from_diagonal(&placement.scale) * inner.to_rotation_matrix();
        let (mesh, key) = match &shape.geometry {
            Geometry::Primitive { primitive, divisions } => {
                (Arc::new(primitive.tessellate(*divisions)), Surface::Primitive(*primitive, *divisions))
            }
            Geometry::Mesh(mesh) => (Arc::clone(mesh), Surface::Mesh(Arc::clone(mesh))),
        };
        // Such as lines that a program has drawn as triangles.
        if area(&mesh, &linear) < SMALLEST_AREA {
            self.num_left_out += 1;
            return Vec::new();
        }
        let parts = 0..mesh.triangles.len().div_ceil(MOST_TRIANGLES);
        let forms = parts.map(|part| self.mesh((key.clone(), part), &linear, &mesh));
        forms.map(|form| exported(form, pose)).collect()
    }

    /// The file of a surface, which is written once.
    fn mesh(&mut self, content: (Surface, usize), linear: &Matrix3<f64>, mesh: &TriangleMesh) -> Form {
        let is_same = |known: &MeshFile| {
            let tolerance = SAME_SCALE * linear.amax();
            (known.linear - linear).amax() <= tolerance && known.content == content
        };
        let known = self.meshes.iter().position(is_same);
        let index = known.unwrap_or_else(|| {
            let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let path = self.path.with_file_name(format!("{stem}-mesh{}.stl", self.meshes.len() + 1));
            let triangles = mesh.triangles.chunks(MOST_TRIANGLES).nth(content.1).unwrap_or_default();
            let bytes = stl(mesh, triangles, linear);
            let is_flat = is_flat(mesh, triangles);
            self.meshes.push(MeshFile { content, linear: *linear, file: WrittenFile { path, bytes }, is_flat });
            self.meshes.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "the index is that of a known or of the new last mesh")]
        let mesh = &self.meshes[index];
        Form::Mesh { index, file: name_of(&mesh.file.path), is_flat: mesh.is_flat }
    }
}

/// The axis of a joint as a unit vector; Z for one without a direction, as in the kinematics.
pub(super) fn unit_axis(joint: &Joint) -> Vector3<f64> {
    unit_vector(joint.axis, 0.0).map_or_else(Vector3::z, Unit::into_inner)
}

/// An inertia as formats have it that give six of its numbers: symmetric.
pub(super) fn symmetric(inertia: &Matrix3<f64>) -> Matrix3<f64> {
    (inertia + inertia.transpose()) * 0.5
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A primitive with a scale, and the rotation from Z to its own axis; `None` if the format does not have it.
fn primitive_form(
    primitive: &Primitive,
    scale: &Vector3<f64>,
    supported: Supported,
) -> Option<(Form, UnitQuaternion<f64>)> {
    let size = scale.abs();
    let is_close = |one: f64, other: f64| (one - other).abs() <= SAME_SCALE * size.amax();
    let is_uniform = is_close(size.x, size.y) && is_close(size.y, size.z);
    let stands = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -FRAC_PI_2);
    let none = UnitQuaternion::identity();
    let (form, turn) = match *primitive {
        Primitive::Box { size: edges } => Some((Form::Box(edges.component_mul(&size)), none)),
        Primitive::Sphere { radius } if is_uniform => Some((Form::Sphere { radius: radius * size.x }, none)),
        Primitive::Sphere { radius } if supported.ellipsoid => Some((Form::Ellipsoid(size * radius), none)),
        Primitive::Cylinder { radius, height, top: true, bottom: true } if is_close(size.x, size.z) => {
            Some((Form::Cylinder { radius: radius * size.x, height: height * size.y }, stands))
        }
        Primitive::Capsule { radius, height } if is_uniform => {
            Some((Form::Capsule { radius: radius * size.x, height: height * size.x }, stands))
        }
        _ => None,
    }?;
    form.is_solid().then_some((form, turn))
}

/// Area of the triangles after a linear map, m².
fn area(mesh: &TriangleMesh, linear: &Matrix3<f64>) -> f64 {
    let corner = |index: u32| mesh.vertices.get(usize::try_from(index).unwrap_or(usize::MAX));
    let of = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [corner(a)?, corner(b)?, corner(c)?].map(|corner| linear * corner.coords.cast::<f64>());
        Some(0.5 * (b - a).cross(&(c - a)).norm())
    };
    mesh.triangles.iter().filter_map(|triangle| of(*triangle)).sum()
}

/// Whether the corners of triangles are in a plane, in parts of their extent.
fn is_flat(mesh: &TriangleMesh, triangles: &[[u32; 3]]) -> bool {
    const THINNEST: f64 = 1e-5;
    let corner = |index: &u32| mesh.vertices.get(usize::try_from(*index).unwrap_or(usize::MAX));
    let corners: Vec<Vector3<f64>> =
        triangles.iter().flatten().filter_map(corner).map(|corner| corner.coords.cast::<f64>()).collect();
    let count = corners.len().max(1) as f64;
    let middle = corners.iter().sum::<Vector3<f64>>() / count;
    let spread: Matrix3<f64> =
        corners.iter().map(|corner| (corner - middle) * (corner - middle).transpose()).sum::<Matrix3<f64>>() / count;
    let spreads = SymmetricEigen::new(spread).eigenvalues;
    spreads.min() <= THINNEST * THINNEST * spreads.max()
}

/// A binary STL file.
fn stl(mesh: &TriangleMesh, triangles: &[[u32; 3]], linear: &Matrix3<f64>) -> Vec<u8> {
    let is_plain = *linear == Matrix3::identity();
    let mirrors = linear.determinant() < 0.0;
    // Single precision, as the format has it.
    #[allow(clippy::cast_possible_truncation)]
    let corner = |index: u32| {
        let vertex = mesh.vertices.get(usize::try_from(index).unwrap_or(usize::MAX)).copied();
        let vertex: Point3<f32> = vertex.unwrap_or_else(Point3::origin);
        if is_plain { vertex } else { Point3::from((linear * vertex.coords.cast::<f64>()).map(|part| part as f32)) }
    };
    let mut bytes = vec![0; 80];
    bytes.extend(u32::try_from(triangles.len()).unwrap_or(u32::MAX).to_le_bytes());
    for &[a, b, c] in triangles {
        let corners = if mirrors { [a, c, b] } else { [a, b, c] }.map(corner);
        let [one, two, three] = corners.map(|corner| corner.coords.cast::<f64>());
        let normal = (two - one).cross(&(three - one)).try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        #[allow(clippy::cast_possible_truncation)]
        let normal = normal.map(|part| part as f32);
        for vector in std::iter::once(normal).chain(corners.map(|corner| corner.coords)) {
            vector.iter().for_each(|part| bytes.extend(part.to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}
