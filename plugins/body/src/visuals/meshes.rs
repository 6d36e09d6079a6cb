//! Conversion of geometries to Bevy meshes.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bunraku_mesh::{DrawMesh, Geometry, Primitive, Shape};
use nalgebra::{Affine3, Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

use super::cache::{FormKey, Identity, MeshKey};
use super::drawing::Drawing;
use crate::ToBevy;

/// Largest cosine of the angle between two axes that count as orthogonal. Rotations written with six digits stay far
/// below it, and such a small shear is invisible.
const LARGEST_SHEAR: f64 = 1e-4;

/// Smallest scale factor of a transform; below it normals lose their precision.
const SMALLEST_SCALE: f64 = 1e-12;

/// Mesh of a shape and its pose on the link; `None` if it has no triangles.
pub fn draw(shape: &Shape, drawing: &mut Drawing) -> Option<(Handle<Mesh>, Transform)> {
    let (transform, baked) = match split(&shape.transform) {
        Some(transform) => (transform, None),
        None => (Transform::IDENTITY, Some(&shape.transform)),
    };
    let textured = shape.appearance.texture.is_some();
    let key = MeshKey { form: form_key(&shape.geometry), baked: baked.map(bits), textured };
    let known = drawing.cache.meshes.get(&key).and_then(|id| drawing.meshes.get_strong_handle(*id));
    if let Some(mesh) = known {
        return Some((mesh, transform));
    }
    let mut mesh = shape.geometry.draw_mesh(textured);
    if let Some(baked) = baked {
        bake(&mut mesh, baked);
    }
    if mesh.indices.is_empty() {
        return None;
    }
    let mesh = drawing.meshes.add(to_bevy(mesh));
    drawing.cache.meshes.insert(key, mesh.id());
    Some((mesh, transform))
}

fn form_key(geometry: &Geometry) -> FormKey {
    match geometry {
        Geometry::Mesh(mesh) => FormKey::Mesh(Identity::of(mesh)),
        Geometry::Primitive { primitive, divisions } => {
            let closed = |top: bool, bottom: bool| f64::from(u8::from(top) * 2 + u8::from(bottom));
            let (kind, numbers) = match *primitive {
                Primitive::Box { size } => (0, [size.x, size.y, size.z, 0.0]),
                Primitive::Sphere { radius } => (1, [radius, 0.0, 0.0, 0.0]),
                Primitive::Cylinder { radius, height, top, bottom } => (2, [radius, height, closed(top, bottom), 0.0]),
                Primitive::Cone { radius, height, bottom } => (3, [radius, height, closed(false, bottom), 0.0]),
                Primitive::Capsule { radius, height } => (4, [radius, height, 0.0, 0.0]),
            };
            let [a, b, c, d] = numbers.map(f64::to_bits);
            FormKey::Primitive([kind, a, b, c, d, u64::from(*divisions)])
        }
    }
}

fn bits(transform: &Affine3<f64>) -> [u64; 12] {
    let matrix = transform.matrix();
    std::array::from_fn(|entry| matrix[(entry / 4, entry % 4)].to_bits())
}

/// Decomposes the transform into rotation after scale. `None` if it is sheared, flat or mirrored (a Bevy transform
/// supports mirroring, but triangles would show their backs).
fn split(transform: &Affine3<f64>) -> Option<Transform> {
    let linear: Matrix3<f64> = transform.matrix().fixed_view::<3, 3>(0, 0).into_owned();
    let scale = Vector3::from_fn(|axis, _| linear.column(axis).norm());
    if scale.iter().any(|factor| factor.is_nan() || *factor < SMALLEST_SCALE) {
        return None;
    }
    #[expect(clippy::indexing_slicing, reason = "axes are 0, 1 and 2")]
    let axes = Matrix3::from_fn(|row, column| linear[(row, column)] / scale[column]);
    let sheared = [(0, 1), (1, 2), (2, 0)].into_iter().any(|(a, b)| {
        let cosine = axes.column(a).dot(&axes.column(b)).abs();
        cosine.is_nan() || cosine > LARGEST_SHEAR
    });
    if sheared || axes.determinant() < 0.0 {
        return None;
    }
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    let translation = Translation3::from(transform.matrix().fixed_view::<3, 1>(0, 3).into_owned());
    let transform = Isometry3::from_parts(translation, rotation).to_bevy();
    let scale = scale.cast::<f32>();
    Some(transform.with_scale(Vec3::new(scale.x, scale.y, scale.z)))
}

/// Transforms the vertices. For a mirroring transform the triangles are reversed, so that their front stays outside.
fn bake(mesh: &mut DrawMesh, transform: &Affine3<f64>) {
    let linear: Matrix3<f64> = transform.matrix().fixed_view::<3, 3>(0, 0).into_owned();
    let mirrored = linear.determinant() < 0.0;
    // Normals transform with the inverse transpose. Up to a factor that is the cofactor matrix, which also exists for
    // flat transforms. The factor is the determinant, which is negative for a mirroring.
    let (x, y, z) = (linear.column(0), linear.column(1), linear.column(2));
    let sign = if mirrored { -1.0 } else { 1.0 };
    let cofactors = Matrix3::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)]) * sign;
    for position in &mut mesh.positions {
        *position = (transform * Point3::from(*position).cast::<f64>()).cast::<f32>().into();
    }
    for normal in &mut mesh.normals {
        let turned = cofactors * Vector3::from(*normal).cast::<f64>();
        if let Some(turned) = turned.try_normalize(0.0) {
            *normal = turned.cast::<f32>().into();
        }
    }
    if mirrored {
        for triangle in mesh.indices.chunks_exact_mut(3) {
            triangle.swap(1, 2);
        }
    }
}

fn to_bevy(draw: DrawMesh) -> Mesh {
    let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default());
    if !draw.texture_coordinates.is_empty() {
        // Bevy counts the rows of an image from the top.
        let coordinates: Vec<_> = draw.texture_coordinates.iter().map(|[s, t]| [*s, 1.0 - t]).collect();
        mesh.insert_attribute(Mesh::ATTRIBUTE_UV_0, coordinates);
    }
    if !draw.colors.is_empty() {
        let colors: Vec<_> = draw
            .colors
            .iter()
            .map(|[red, green, blue]| Color::srgb(*red, *green, *blue).to_linear().to_f32_array())
            .collect();
        mesh.insert_attribute(Mesh::ATTRIBUTE_COLOR, colors);
    }
    mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, draw.positions);
    mesh.insert_attribute(Mesh::ATTRIBUTE_NORMAL, draw.normals);
    mesh.insert_indices(Indices::U32(draw.indices));
    mesh
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix4, Rotation3, Vector4};

    use super::*;

    fn affine(linear: Matrix3<f64>, translation: Vector3<f64>) -> Affine3<f64> {
        let mut matrix = Matrix4::identity();
        matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&linear);
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&translation);
        Affine3::from_matrix_unchecked(matrix)
    }

    #[test]
    fn a_rotation_after_a_scale_fits_a_transform() {
        let rotation = Rotation3::from_euler_angles(0.3, -0.8, 2.0);
        let scale = Matrix3::from_diagonal(&Vector3::new(0.5, 2.0, 3.0));
        let transform = affine(rotation.matrix() * scale, Vector3::new(1.0, -2.0, 3.0));
        let split = split(&transform).expect("neither sheared nor mirrored");
        let found = split.to_matrix();
        for corner in [Vector4::new(1.0, 0.0, 0.0, 1.0), Vector4::new(0.3, -0.7, 0.9, 1.0)] {
            let expected = transform.matrix() * corner;
            let corner = corner.cast::<f32>();
            let found = found * Vec4::new(corner.x, corner.y, corner.z, 1.0);
            for axis in 0..3 {
                assert!((f64::from(found[axis]) - expected[axis]).abs() < 1e-5, "{found} {expected}");
            }
        }
    }

    #[test]
    fn shears_mirrorings_and_flattenings_do_not_fit_a_transform() {
        let shear = Matrix3::new(1.0, 0.01, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
        let mirror = Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, 1.0));
        let flat = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 0.0));
        for linear in [shear, mirror, flat] {
            assert_eq!(split(&affine(linear, Vector3::zeros())), None, "{linear}");
        }
    }

    /// Each normal must point to the side from which its triangle is counter-clockwise.
    fn assert_faces_outwards(mesh: &DrawMesh) {
        for triangle in mesh.indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|corner| Vector3::from(mesh.positions[triangle[corner] as usize]));
            let winding = (b - a).cross(&(c - a));
            let normal = Vector3::from(mesh.normals[triangle[0] as usize]);
            assert!(winding.normalize().dot(&normal) > 0.999, "{winding} {normal}");
        }
        // A closed surface with triangles facing outwards has a positive volume.
        let volume: f32 = mesh
            .indices
            .chunks_exact(3)
            .map(|triangle| {
                let [a, b, c] = [0, 1, 2].map(|corner| Vector3::from(mesh.positions[triangle[corner] as usize]));
                a.dot(&b.cross(&c)) / 6.0
            })
            .sum();
        assert!(volume > 0.0, "{volume}");
    }

    #[test]
    fn normals_and_windings_go_with_shears_and_mirrorings() {
        let size = Vector3::new(1.0, 2.0, 3.0);
        let shear = Matrix3::new(1.0, 0.7, 0.0, 0.0, 1.0, -0.4, 0.2, 0.0, 1.0);
        let mirror = Matrix3::from_diagonal(&Vector3::new(1.0, -2.0, 0.5));
        for linear in [Matrix3::identity(), shear, mirror, mirror * shear] {
            let mut mesh = Geometry::primitive(Primitive::Box { size }).draw_mesh(false);
            bake(&mut mesh, &affine(linear, Vector3::new(0.1, 0.2, 0.3)));
            assert_faces_outwards(&mesh);
        }
    }
}
