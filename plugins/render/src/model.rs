//! Visual model of a link for ray casting.

use std::sync::Arc;

use bunraku_body::{Appearance, Body, Geometry, Link, LinkIndex, Shape};
use bunraku_mesh::TriangleMesh;
use nalgebra::{Affine3, Matrix3, Point2, Point3, Vector3};

use crate::bvh::{Bounds, MeshTree, SolidTree};
use crate::color::Linear;
use crate::quadric::is_closed;
use crate::solid::Solid;
use crate::textures::{PlacedPicture, Textures};

/// Triangles and primitives with their materials and trees over them, in the frame of their owner (a link). Rays meet
/// the exact surface of a primitive, whatever the number of its segments when it is drawn.
///
/// It is created once and shared by all equal links; a [`Scene`](crate::Scene) places it.
#[derive(Debug, Default)]
pub struct Model {
    pub(crate) tree: MeshTree,
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) solids: SolidTree,
    pub(crate) materials: Vec<Material>,
}

/// Data of a triangle besides its tree.
#[derive(Clone, Debug)]
pub(crate) struct Triangle {
    pub corners: [Point3<f32>; 3],
    pub normals: [Vector3<f32>; 3],
    /// Texture coordinates: s to the right, t up.
    pub texture: [Point2<f32>; 3],
    /// Colours of the corners, multiplied with the colour of the material.
    pub colors: Option<[Linear; 3]>,
    pub material: u32,
    pub two_sided: bool,
}

/// Material of a surface.
#[derive(Clone, Debug)]
pub struct Material {
    /// Diffuse reflection.
    pub diffuse: Linear,
    /// Fraction of the ambient light that it reflects.
    pub ambient: f32,
    /// Emission.
    pub emissive: Linear,
    /// Specular reflection.
    pub specular: Linear,
    /// Exponent of the highlight in Blinn and Phong's formula.
    pub exponent: f32,
    /// 1 is opaque.
    pub opacity: f32,
    /// Image on it, multiplied with the diffuse colour.
    pub picture: Option<PlacedPicture>,
}

impl Model {
    /// The surfaces of some shapes. Invalid images, and shapes beyond the limit for all triangles, are left out and
    /// reported in `textures`. Triangles with coordinates that are not finite are left out. A primitive counts with the
    /// triangles that renderers need for it.
    pub fn new(shapes: &[Shape], textures: &mut Textures) -> Self {
        Self::named(shapes, "a shape", textures)
    }

    /// As [`new`](Self::new); in messages the shapes belong to `owner`.
    fn named(shapes: &[Shape], owner: &str, textures: &mut Textures) -> Self {
        let mut triangles = Vec::new();
        let mut solids = Vec::new();
        let mut materials = Vec::new();
        for shape in shapes {
            if !textures.take_triangles(shape.geometry.num_triangles(), owner) {
                continue;
            }
            let material = u32::try_from(materials.len()).unwrap_or(u32::MAX);
            materials.push(Material::new(&shape.appearance, textures));
            match Solid::new(shape, material) {
                Some(solid) => solids.push(solid),
                None => add(shape, material, &mut triangles),
            }
        }
        let corners: Vec<_> =
            triangles.iter().map(|triangle: &Triangle| (triangle.corners, triangle.two_sided)).collect();
        Self { tree: MeshTree::new(&corners), triangles, solids: SolidTree::new(solids), materials }
    }

    /// Visual model of each link of a body; `None` for a link without visual shapes.
    pub fn of_links(body: &Body, textures: &mut Textures) -> Vec<Option<Arc<Self>>> {
        let model = |index: usize| {
            let link = body.link(LinkIndex(index));
            let owner = Self::owner(body, link);
            let model = Self::named(&link.visual, &owner, textures);
            (!model.is_empty()).then(|| Arc::new(model))
        };
        (0..body.links().len()).map(model).collect()
    }

    /// Name of the shapes of a link in messages.
    pub fn owner(body: &Body, link: &Link) -> String {
        format!("a shape of link `{}` of `{}`", link.name, body.name)
    }

    /// Number of triangles of meshes.
    pub fn num_triangles(&self) -> usize {
        self.triangles.len()
    }

    /// Number of primitives.
    pub fn num_primitives(&self) -> usize {
        self.solids.solids().len()
    }

    /// Whether it has no surface.
    pub fn is_empty(&self) -> bool {
        self.num_triangles() + self.num_primitives() == 0
    }

    /// Least and largest coordinates, m, at most 10⁻⁵ of the largest beyond the surfaces; `None` if it is empty.
    pub fn bounding_box(&self) -> Option<[Vector3<f64>; 2]> {
        self.bounds().map(|bounds| [bounds.min.cast(), bounds.max.cast()])
    }

    /// Bounding box; `None` if it is empty.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        let [triangles, solids] = [self.tree.bounds(), self.solids.bounds()];
        triangles.into_iter().chain(solids).reduce(|all, next| all.union(&next))
    }
}

impl Material {
    fn new(appearance: &Appearance, textures: &mut Textures) -> Self {
        let picture = appearance.texture.as_ref().and_then(|texture| {
            Some(PlacedPicture {
                picture: textures.read(&texture.image)?,
                repeat: texture.repeat,
                transform: texture.transform.matrix().cast(),
            })
        });
        Self {
            diffuse: Linear::from_file(&appearance.diffuse),
            ambient: appearance.ambient.max(0.0).clamp(0.0, 1.0) as f32,
            emissive: Linear::from_file(&appearance.emissive),
            specular: Linear::from_file(&appearance.specular),
            // `max` first: it turns NaN into 0.
            exponent: appearance.specular_exponent.max(0.0).clamp(0.0, 1e4) as f32,
            opacity: (1.0 - appearance.transparency.max(0.0).clamp(0.0, 1.0)) as f32,
            picture,
        }
    }
}

/// Adds the triangles of a shape.
pub(crate) fn add(shape: &Shape, material: u32, triangles: &mut Vec<Triangle>) {
    let mesh = shape.geometry.triangles();
    let two_sided = !is_solid(&shape.geometry);
    let normals = mesh.corner_normals();
    let textured = shape.appearance.texture.is_some().then(|| shape.geometry.texture_coordinates());
    let colors = Some(mesh.colors.as_slice()).filter(|colors| colors.len() == mesh.triangles.len());
    let linear: Matrix3<f64> = shape.transform.matrix().fixed_view::<3, 3>(0, 0).into_owned();
    let mirrored = linear.determinant() < 0.0;
    let cofactors = cofactors(&linear) * if mirrored { -1.0 } else { 1.0 };
    // A mirroring transform reverses the orientation of triangles.
    let order = if mirrored { [0, 2, 1] } else { [0, 1, 2] };
    for (index, vertices) in mesh.triangles.iter().enumerate() {
        let Some(corners) = corners(&mesh, *vertices, &shape.transform) else { continue };
        let given = normals.get(index).copied().unwrap_or([Vector3::z(); 3]);
        let turned = given.map(|normal| {
            (cofactors * normal.cast::<f64>()).try_normalize(0.0).map_or(normal, |normal| normal.cast::<f32>())
        });
        let texture = textured.as_ref().and_then(|all| all.get(index)).copied().unwrap_or([Point2::origin(); 3]);
        let colors = colors
            .and_then(|all| all.get(index))
            .map(|colors| order.map(|corner| Linear::from_file(&colors[corner].cast::<f64>())));
        triangles.push(Triangle {
            corners: order.map(|corner| corners[corner]),
            normals: order.map(|corner| turned[corner]),
            texture: order.map(|corner| texture[corner]),
            colors,
            material,
            two_sided,
        });
    }
}

/// Corners of a triangle after `transform`; `None` if a vertex does not exist or is not finite.
fn corners(mesh: &TriangleMesh, vertices: [u32; 3], transform: &Affine3<f64>) -> Option<[Point3<f32>; 3]> {
    let mut corners = [Point3::origin(); 3];
    for (corner, vertex) in corners.iter_mut().zip(vertices) {
        *corner = (transform * mesh.vertices.get(vertex as usize)?.cast::<f64>()).cast::<f32>();
        if !corner.iter().all(|value| value.is_finite()) {
            return None;
        }
    }
    Some(corners)
}

/// The inverse transpose times the determinant: it transforms normals, and also exists for flat transforms.
fn cofactors(linear: &Matrix3<f64>) -> Matrix3<f64> {
    let (x, y, z) = (linear.column(0), linear.column(1), linear.column(2));
    Matrix3::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)])
}

/// Whether the back face is culled.
fn is_solid(geometry: &Geometry) -> bool {
    match geometry {
        Geometry::Mesh(mesh) => mesh.solid,
        Geometry::Primitive { primitive, .. } => is_closed(primitive),
    }
}
