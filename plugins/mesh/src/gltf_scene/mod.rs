//! glTF 2.0: JSON with external buffers, and GLB.

mod buffers;
mod material;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Result};
use gltf::mesh::Mode;
use gltf::{Gltf, Node, Primitive, Semantic};
use nalgebra::{Affine3, Matrix3, Matrix4, Point2, Point3, Quaternion, UnitQuaternion, Vector3};

use self::buffers::{Buffers, Rows};
use self::material::{Material, MaterialReader, srgb};
use crate::mesh_builder::{Corner, MeshBuilder};
use crate::mesh_file::{Budget, MeshFile, Tally};
use crate::{Geometry, LoadContext, MeshScene, Normals, SceneNode, Shape, TriangleMesh};

/// Size of a GLB header, bytes.
const GLB_HEADER: u32 = 12;

/// Reads the default scene of a glTF or GLB file. By the standard, lengths are metres and up is +Y. The scene is
/// therefore rotated: (x, y, z) in the file is (x, −z, y) in the scene.
///
/// Skinned and morphed meshes are shown undeformed. Faces without normals are flat, as the standard requires.
pub(crate) fn read(path: &Path, bytes: &[u8], context: &LoadContext<'_>) -> Result<MeshScene> {
    let glb = bytes.starts_with(b"glTF");
    let file = if glb { MeshFile::binary(path, context) } else { MeshFile::text(path, bytes, context) };
    if glb {
        let length = bytes.get(8..12).and_then(|length| Some(u32::from_le_bytes(length.try_into().ok()?)));
        if length.is_none_or(|length| length < GLB_HEADER) {
            return Err(file.error("gltf-malformed", "the header of the file is incomplete", None));
        }
    }
    let malformed = |error: gltf::Error| {
        let line = match &error {
            gltf::Error::Deserialize(error) if !glb => u32::try_from(error.line()).ok().filter(|line| *line > 0),
            _ => None,
        };
        let message: String = error.to_string().trim().chars().take(400).collect();
        file.error("gltf-malformed", message, line)
    };
    let Gltf { document, blob } = Gltf::from_slice_without_validation(bytes).map_err(malformed)?;
    let mut root = document.into_json();
    prepare_positions(&mut root, &file)?;
    let document = gltf::Document::from_json(root).map_err(malformed)?;
    let mut walk = Walk {
        file: &file,
        buffers: Buffers::read(&document, blob, &file)?,
        materials: MaterialReader::new(&document, &file),
        meshes: HashMap::new(),
        budget: Budget::default(),
        lines: Tally::default(),
        bent: Tally::default(),
        broken_corners: Tally::default(),
    };
    let up = Affine3::from_matrix_unchecked(Matrix3::new(1., 0., 0., 0., 0., -1., 0., 1., 0.).to_homogeneous());
    let mut nodes = Vec::new();
    for node in top_nodes(&document) {
        let node = walk.node(&node, 0)?;
        nodes.push(SceneNode { transform: up * node.transform, ..node });
    }
    walk.report();
    Ok(MeshScene { nodes })
}

/// Lets valid files pass the validation of the crate. It panics on positions in an accessor that does not exist, and
/// requires the bounds of positions, which are not needed here and omitted by some programs.
fn prepare_positions(root: &mut gltf::json::Root, file: &MeshFile<'_>) -> Result<()> {
    let positions = gltf::json::validation::Checked::Valid(Semantic::Positions);
    let extent = gltf::json::serialize::to_value([0.0_f32; 3]).ok();
    for primitive in root.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let Some(index) = primitive.attributes.get(&positions) else { continue };
        let Some(accessor) = root.accessors.get_mut(index.value()) else {
            let message = format!("the positions are in accessor {}, which does not exist", index.value());
            return Err(file.error("gltf-malformed", message, None));
        };
        accessor.min.clone_from(&extent);
        accessor.max.clone_from(&extent);
    }
    Ok(())
}

/// Root nodes of the default scene. If there is no scene: nodes that no other node contains.
fn top_nodes(document: &gltf::Document) -> Vec<Node<'_>> {
    match document.default_scene().or_else(|| document.scenes().next()) {
        Some(scene) => scene.nodes().collect(),
        None => {
            let mut top = vec![true; document.nodes().count()];
            for child in document.nodes().flat_map(|node| node.children()) {
                if let Some(top) = top.get_mut(child.index()) {
                    *top = false;
                }
            }
            document.nodes().zip(top).filter(|(_, top)| *top).map(|(node, _)| node).collect()
        }
    }
}

/// Converts glTF nodes to scene nodes.
struct Walk<'a> {
    file: &'a MeshFile<'a>,
    buffers: Buffers<'a>,
    materials: MaterialReader<'a>,
    meshes: HashMap<usize, Vec<Shape>>,
    budget: Budget,
    lines: Tally,
    bent: Tally,
    broken_corners: Tally,
}

impl Walk<'_> {
    fn report(&self) {
        self.bent.warn(self.file, "gltf-bent", "skinned or morphed meshes are shown undeformed");
        let what =
            "corners have a normal, texture coordinate or colour that is not there or not finite; it is left out";
        self.broken_corners.warn(self.file, "gltf-index", what);
        if let Some((count, _)) = self.lines.found() {
            let note = Diagnostic::note("gltf-lines", format!("{count} sets of lines or points are not shown"));
            self.file.report(note, None);
        }
        self.file.warn_if_empty(self.budget.triangles);
    }

    fn node(&mut self, node: &Node<'_>, depth: usize) -> Result<SceneNode> {
        self.budget.spend_node(depth, None, self.file)?;
        let name = node.name().unwrap_or_default().to_owned();
        let mut made = SceneNode { name, transform: self.transform(node)?, ..SceneNode::default() };
        if let Some(mesh) = node.mesh() {
            if node.skin().is_some() {
                self.bent.add(None);
            }
            made.shapes = self.mesh(&mesh)?;
        }
        for child in node.children() {
            made.children.push(self.node(&child, depth + 1)?);
        }
        Ok(made)
    }

    fn transform(&self, node: &Node<'_>) -> Result<Affine3<f64>> {
        let mut matrix = match node.transform() {
            gltf::scene::Transform::Matrix { matrix } => Matrix4::from(matrix).cast::<f64>(),
            gltf::scene::Transform::Decomposed { translation, rotation, scale } => {
                let turn = UnitQuaternion::from_quaternion(Quaternion::from(rotation).cast::<f64>());
                Matrix4::new_translation(&Vector3::from(translation).cast::<f64>())
                    * turn.to_homogeneous()
                    * Matrix4::new_nonuniform_scaling(&Vector3::from(scale).cast::<f64>())
            }
        };
        matrix.set_row(3, &Vector3::zeros().push(1.0).transpose());
        if !matrix.iter().all(|value| value.is_finite()) {
            let message = format!("the transformation of node {} is not finite", node.index());
            return Err(self.file.error("not-finite", message, None));
        }
        Ok(Affine3::from_matrix_unchecked(matrix))
    }

    /// Shapes of a mesh, which several nodes may use.
    fn mesh(&mut self, mesh: &gltf::Mesh<'_>) -> Result<Vec<Shape>> {
        if let Some(shapes) = self.meshes.get(&mesh.index()) {
            for shape in shapes {
                self.budget.spend_step(self.file)?;
                self.budget.spend_triangles(shape.geometry.triangles().triangles.len(), self.file)?;
            }
            return Ok(shapes.clone());
        }
        let mut shapes = Vec::new();
        for primitive in mesh.primitives() {
            self.budget.spend_step(self.file)?;
            if primitive.morph_targets().next().is_some() {
                self.bent.add(None);
            }
            let material = self.materials.material(primitive.material(), &self.buffers)?;
            let Some(triangles) = self.primitive(&primitive, &material)? else { continue };
            let geometry = Geometry::Mesh(Arc::new(triangles));
            shapes.push(Shape::new(geometry, Affine3::identity(), material.appearance));
        }
        self.meshes.insert(mesh.index(), shapes.clone());
        Ok(shapes)
    }

    /// Triangles of a primitive; `None` if it has none.
    fn primitive(&mut self, primitive: &Primitive<'_>, material: &Material) -> Result<Option<TriangleMesh>> {
        let mode = primitive.mode();
        if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
            self.lines.add(None);
            return Ok(None);
        }
        let mut rows = |semantic: Semantic, width: usize| -> Result<Option<Rows>> {
            primitive.get(&semantic).map(|accessor| self.buffers.rows(&accessor, width)).transpose()
        };
        let Some(positions) = rows(Semantic::Positions, 3)? else { return Ok(None) };
        let texture = material.texture_set.map(|set| rows(Semantic::TexCoords(set), 2)).transpose()?.flatten();
        let mut attributes = Attributes {
            positions,
            normals: rows(Semantic::Normals, 3)?,
            texture,
            colors: rows(Semantic::Colors(0), 3)?,
            vertices: HashMap::new(),
        };
        let list = match primitive.indices() {
            Some(accessor) => self.buffers.indices(&accessor)?,
            None => (0..u32::try_from(attributes.positions.count()).unwrap_or(u32::MAX)).collect(),
        };
        let mut builder = MeshBuilder::default();
        let count = if mode == Mode::Triangles { list.len() / 3 } else { list.len().saturating_sub(2) };
        self.budget.spend_triangles(count, self.file)?;
        if mode == Mode::Triangles && !list.len().is_multiple_of(3) {
            self.file.warn("gltf-malformed", "the last triangle of a primitive is incomplete and left out", None);
        }
        for triangle in 0..count {
            let positions = match (mode, triangle % 2) {
                (Mode::Triangles, _) => [3 * triangle, 3 * triangle + 1, 3 * triangle + 2],
                (Mode::TriangleFan, _) => [0, triangle + 1, triangle + 2],
                (_, 0) => [triangle, triangle + 1, triangle + 2],
                _ => [triangle + 1, triangle, triangle + 2],
            };
            let mut corners = [None; 3];
            for (corner, position) in corners.iter_mut().zip(positions) {
                let index = list.get(position).copied().unwrap_or(u32::MAX);
                *corner =
                    Some(attributes.corner(index, material, &mut builder, &mut self.broken_corners, self.file)?);
            }
            if let [Some(a), Some(b), Some(c)] = corners {
                builder.triangle([a, b, c]);
            }
        }
        if builder.triangle_count() == 0 {
            return Ok(None);
        }
        let mut mesh = builder.finish();
        if matches!(mesh.normals, Normals::Crease(_)) {
            mesh.normals = Normals::Crease(0.0);
        }
        mesh.solid = material.solid;
        Ok(Some(mesh))
    }
}

/// Accessors of the vertex attributes of a primitive.
struct Attributes {
    positions: Rows,
    normals: Option<Rows>,
    texture: Option<Rows>,
    colors: Option<Rows>,
    /// Index in the mesh by index in the file. The mesh contains only vertices in use.
    vertices: HashMap<u32, u32>,
}

impl Attributes {
    fn corner(
        &mut self,
        index: u32,
        material: &Material,
        builder: &mut MeshBuilder,
        broken: &mut Tally,
        file: &MeshFile<'_>,
    ) -> Result<Corner> {
        let vertex = match self.vertices.get(&index) {
            Some(vertex) => *vertex,
            None => {
                let Some(position) = self.positions.row::<3>(index) else {
                    let count = self.positions.count();
                    let message = format!("vertex {index} does not exist; there are {count}");
                    return Err(file.error("gltf-index", message, None));
                };
                if !position.iter().all(|value| value.is_finite()) {
                    let message = format!("the position of vertex {index} is not finite");
                    return Err(file.error("not-finite", message, None));
                }
                let vertex = builder.vertex(Point3::from(position));
                self.vertices.insert(index, vertex);
                vertex
            }
        };
        let mut corner = Corner { vertex, normal: None, texture: None, color: None };
        let mut missing = false;
        if let Some(normals) = &self.normals {
            corner.normal = normals.finite_row(index).map(Vector3::from);
            missing |= corner.normal.is_none();
        }
        if let Some(texture) = &self.texture {
            // In the file the upper left corner of the image is (0, 0).
            let point = texture.finite_row::<2>(index).map(|point| material.texture_point(point));
            corner.texture = point.map(|[s, t]| Point2::new(s, 1.0 - t));
            missing |= corner.texture.is_none();
        }
        if let Some(colors) = &self.colors {
            let color = colors.finite_row::<3>(index);
            #[expect(clippy::cast_possible_truncation, reason = "colours are kept in single precision")]
            let encoded = |value: f32| srgb(f64::from(value)) as f32;
            corner.color = color.map(|color| Vector3::from(color.map(encoded)));
            missing |= corner.color.is_none();
        }
        if missing {
            broken.add(None);
        }
        Ok(corner)
    }
}
