//! Geometry of shapes.

use std::collections::HashMap;
use std::sync::Arc;

use bunraku_document::Result;
use nalgebra::{Point2, Point3, Vector2, Vector3};

use super::convert::spend;
use super::{Converter, Node, NodeType, StandardNode, Value};
use crate::{
    Attribute, AttributeProblem, DEFAULT_DIVISIONS, ElevationGrid, Extrusion, FaceSet, FaceSetInput, Geometry,
    MAX_LENGTH, MeshError, Primitive, TriangleMesh, UnknownVertices, indexed_face_set,
};

impl Converter<'_> {
    /// Geometry of a node of a standard type; `None` if it is invalid, after a warning.
    pub(super) fn geometry(&mut self, node: &Arc<Node>) -> Result<Option<Geometry>> {
        if let Some((_, geometry)) = self.geometries.get(&Arc::as_ptr(node)) {
            return Ok(geometry.clone());
        }
        let Some(standard) = node.standard() else { return Ok(None) };
        let geometry = match standard.node_type {
            NodeType::Box | NodeType::Sphere | NodeType::Cylinder | NodeType::Cone => self.primitive(node, standard),
            NodeType::IndexedFaceSet => self.face_set(node, standard)?.map(mesh),
            NodeType::ElevationGrid => self.elevation_grid(node, standard)?.map(mesh),
            NodeType::Extrusion => self.extrusion(node, standard)?.map(mesh),
            NodeType::IndexedLineSet | NodeType::PointSet => {
                self.mention(node.location, standard.node_type, "lines and points are not shown");
                None
            }
            NodeType::Text => {
                self.mention(node.location, NodeType::Text, "written text is not shown");
                None
            }
            other => {
                let message = format!("a `{}` is no geometry; the shape is left out", other.name());
                let help = "put a `Box`, an `IndexedFaceSet` or another geometry there";
                self.warn(node.location, "misplaced-node", message, help);
                None
            }
        };
        self.geometries.insert(Arc::as_ptr(node), (Arc::clone(node), geometry.clone()));
        Ok(geometry)
    }

    fn primitive(&self, node: &Arc<Node>, standard: &StandardNode) -> Option<Geometry> {
        let number = |name, default| standard.number(name, default);
        let mut side = true;
        let (primitive, good) = match standard.node_type {
            NodeType::Box => {
                let size = Vector3::from(standard.vector("size", [2.0; 3]));
                (Primitive::Box { size }, size.iter().all(|&length| (0.0..=MAX_LENGTH).contains(&length)))
            }
            NodeType::Sphere => {
                let radius = number("radius", 1.0);
                (Primitive::Sphere { radius }, positive(radius))
            }
            NodeType::Cylinder => {
                let (radius, height) = (number("radius", 1.0), number("height", 2.0));
                let (top, bottom) = (standard.flag("top", true), standard.flag("bottom", true));
                side = standard.flag("side", true);
                (Primitive::Cylinder { radius, height, top, bottom }, positive(radius) && positive(height))
            }
            _ => {
                let (radius, height) = (number("bottomRadius", 1.0), number("height", 2.0));
                side = standard.flag("side", true);
                let bottom = standard.flag("bottom", true);
                (Primitive::Cone { radius, height, bottom }, positive(radius) && positive(height))
            }
        };
        if !good {
            let message = format!(
                "the size of this `{}` is not positive, or too large; it is left out",
                standard.node_type.name()
            );
            self.warn(node.location, "bad-size", message, "write lengths in metres, greater than 0");
            return None;
        }
        if side {
            return Some(Geometry::primitive(primitive));
        }
        let caps = caps(&primitive);
        (!caps.triangles.is_empty()).then(|| mesh(caps))
    }

    fn face_set(&mut self, node: &Arc<Node>, standard: &StandardNode) -> Result<Option<TriangleMesh>> {
        let coordinates = self.slot(standard, "coord", &[NodeType::Coordinate]).map(|(_, node)| node.vectors("point"));
        let points = coordinates.unwrap_or_default();
        let faces = standard.integers("coordIndex");
        if points.is_empty() || faces.is_empty() {
            let message = "the `IndexedFaceSet` has no points or no faces; it is left out";
            self.warn(node.location, "empty-mesh", message.to_owned(), "give it a `coord` and a `coordIndex`");
            return Ok(None);
        }
        let point_count = points.len();
        // Many face sets may share one large list of points.
        let used = used_points(points, faces);
        let (points, faces, old_faces) = match &used {
            Some((points, renumbered)) => (points.as_slice(), renumbered.as_slice(), Some(faces)),
            None => (points, faces, None),
        };
        self.copy(node, points.len() + faces.len())?;
        let indices = |name| Some(standard.integers(name)).filter(|list| !list.is_empty());
        let normals = self.slot(standard, "normal", &[NodeType::Normal]).map(|(_, node)| Attribute {
            values: node.vectors("vector"),
            indices: indices("normalIndex"),
            per_vertex: standard.flag("normalPerVertex", true),
        });
        let colors = self.slot(standard, "color", &[NodeType::Color]).map(|(_, node)| Attribute {
            values: node.colors("color"),
            indices: indices("colorIndex"),
            per_vertex: standard.flag("colorPerVertex", true),
        });
        let texture_coordinates = self.slot(standard, "texCoord", &[NodeType::TextureCoordinate]).map(|(_, node)| {
            Attribute { values: node.pairs("point"), indices: indices("texCoordIndex"), per_vertex: true }
        });
        let input = FaceSetInput {
            vertices: points.as_flattened(),
            faces,
            ccw: standard.flag("ccw", true),
            solid: standard.flag("solid", true),
            crease_angle: standard.number("creaseAngle", 0.0),
            unknown_vertices: UnknownVertices::Skip,
            normals: normals.and_then(|attribute| given(attribute, old_faces)),
            texture_coordinates: texture_coordinates.and_then(|attribute| given(attribute, old_faces)),
            colors: colors.and_then(|attribute| given(attribute, old_faces)),
        };
        let set = match indexed_face_set(&input) {
            Ok(set) => set,
            Err(error) => return Ok(self.no_mesh(node, &error)),
        };
        self.report_flaws(node, standard, &set, point_count);
        Ok(Some(set.mesh))
    }

    /// Reports the parts of a face set that are not shown as written.
    fn report_flaws(&mut self, node: &Arc<Node>, standard: &StandardNode, set: &FaceSet, point_count: usize) {
        let at = standard.location("coordIndex").unwrap_or(node.location);
        if set.unterminated && self.first("unterminated-face") {
            let message =
                "the last face has no −1 behind it; such faces are shown all the same (mentioned once a file)";
            self.warn(at, "unterminated-face", message.to_owned(), "write -1 at the end");
        }
        if set.unknown_vertices > 0 {
            let message = match set.unknown_vertices {
                1 => "a corner names a point that does not exist; it is left out".to_owned(),
                many => format!("{many} corners name points that do not exist; they are left out"),
            };
            let help = format!("the {point_count} points are numbered from 0");
            self.warn(at, "unknown-vertex", message, &help);
        }
        if set.skipped > 0 {
            let message = match set.skipped {
                1 => "a face has no area or fewer than three corners".to_owned(),
                many => format!("{many} faces have no area or fewer than three corners"),
            };
            self.warn(at, "degenerate-face", message, "remove them; a face has three corners or more, then -1");
        }
        self.attribute_problems(node, &set.problems);
    }

    fn elevation_grid(&mut self, node: &Arc<Node>, standard: &StandardNode) -> Result<Option<TriangleMesh>> {
        let dimension = |name| u32::try_from(standard.integer(name, 0)).unwrap_or(0);
        let height = standard.numbers("height");
        let colors = self.slot(standard, "color", &[NodeType::Color]).map(|(_, node)| node.colors("color"));
        let texture_coordinates =
            self.slot(standard, "texCoord", &[NodeType::TextureCoordinate]).map(|(_, node)| node.pairs("point"));
        let (colors, texture_coordinates) = (colors.unwrap_or_default(), texture_coordinates.unwrap_or_default());
        self.copy(node, height.len() + colors.len() + texture_coordinates.len())?;
        if let Some(at) = standard.location("normal") {
            let message = "the normals of an `ElevationGrid` are not used, as in the original";
            self.warn(at, "unused-field", message.to_owned(), "set creaseAngle instead");
        }
        let grid = ElevationGrid {
            x_dimension: dimension("xDimension"),
            z_dimension: dimension("zDimension"),
            x_spacing: standard.number("xSpacing", 1.0),
            z_spacing: standard.number("zSpacing", 1.0),
            height: height.to_vec(),
            ccw: standard.flag("ccw", true),
            crease_angle: standard.number("creaseAngle", 0.0),
            solid: standard.flag("solid", true),
            texture_coordinates: texture_coordinates.to_vec(),
            colors: colors.to_vec(),
            color_per_vertex: standard.flag("colorPerVertex", true),
        };
        match grid.face_set() {
            Ok(set) => {
                self.attribute_problems(node, &set.problems);
                Ok(Some(set.mesh))
            }
            Err(error) => Ok(self.no_mesh(node, &error)),
        }
    }

    fn extrusion(&mut self, node: &Arc<Node>, standard: &StandardNode) -> Result<Option<TriangleMesh>> {
        let usual = Extrusion::default();
        let mut extrusion = Extrusion {
            orientation: standard.rotations("orientation").to_vec(),
            scale: standard.pairs("scale").iter().map(|&pair| Vector2::from(pair)).collect(),
            begin_cap: standard.flag("beginCap", true),
            end_cap: standard.flag("endCap", true),
            crease_angle: standard.number("creaseAngle", 0.0),
            solid: standard.flag("solid", true),
            ..usual
        };
        if let Some(Value::MFVec2f(section)) = standard.value("crossSection") {
            extrusion.cross_section = section.iter().map(|&point| Point2::from(point)).collect();
        }
        if let Some(Value::MFVec3f(spine)) = standard.value("spine") {
            extrusion.spine = spine.iter().map(|&point| Point3::from(point)).collect();
        }
        let vertices = extrusion.cross_section.len().saturating_mul(extrusion.spine.len());
        if !spend(&mut self.budget.extruded, vertices) {
            return Err(self.limit(node.location, "extrusions have too many vertices"));
        }
        self.copy(node, extrusion.orientation.len() + extrusion.scale.len())?;
        let closed = extrusion.cross_section.first() == extrusion.cross_section.last();
        let mut mesh = match extrusion.tessellate() {
            Ok(mesh) => mesh,
            Err(error) => return Ok(self.no_mesh(node, &error)),
        };
        if !closed && !standard.flag("ccw", true) {
            // The front of a closed one is always outside.
            mesh.triangles.iter_mut().for_each(|triangle| triangle.reverse());
            mesh.texture_coordinates.iter_mut().for_each(|corners| corners.reverse());
        }
        Ok(Some(mesh))
    }

    fn attribute_problems(&self, node: &Arc<Node>, problems: &[AttributeProblem]) {
        for problem in problems {
            let help = "give each corner or face a value and an index within the list, or none at all";
            self.warn(node.location, "bad-attribute", problem.to_string(), help);
        }
    }

    fn no_mesh(&self, node: &Arc<Node>, error: &MeshError) -> Option<TriangleMesh> {
        let message = format!("the shape is left out: {error}");
        self.warn(node.location, "bad-mesh", message, "correct the lists of this node");
        None
    }

    /// Counts numbers that are copied into a mesh.
    fn copy(&mut self, node: &Arc<Node>, count: usize) -> Result<()> {
        if spend(&mut self.budget.numbers, count) {
            return Ok(());
        }
        Err(self.limit(node.location, "`USE` and `IS` repeat lists of numbers too often"))
    }
}

fn mesh(mesh: TriangleMesh) -> Geometry {
    Geometry::Mesh(Arc::new(mesh))
}

fn positive(length: f64) -> bool {
    length > 0.0 && length <= MAX_LENGTH
}

/// Ends of a cylinder or base of a cone, without the side.
fn caps(primitive: &Primitive) -> TriangleMesh {
    let mut mesh = primitive.tessellate(DEFAULT_DIVISIONS);
    let is_cone = matches!(primitive, Primitive::Cone { .. });
    let vertices = &mesh.vertices;
    let is_centre = |&index: &u32| {
        let on_axis = |point: &Point3<f32>| point.x == 0.0 && point.z == 0.0 && !(is_cone && point.y > 0.0);
        vertices.get(index as usize).is_some_and(on_axis)
    };
    mesh.triangles.retain(|triangle| triangle.iter().any(is_centre));
    mesh
}

/// An attribute that has values. If points were renumbered, it keeps their old indices.
fn given<'a, const N: usize>(attribute: Attribute<'a, N>, old: Option<&'a [i32]>) -> Option<Attribute<'a, N>> {
    let indices = attribute.indices.or(old.filter(|_| attribute.per_vertex));
    (!attribute.values.is_empty()).then_some(Attribute { indices, ..attribute })
}

/// The points used by faces, and the faces with renumbered points, if only few of many points are used.
fn used_points(points: &[[f64; 3]], faces: &[i32]) -> Option<(Vec<[f64; 3]>, Vec<i32>)> {
    const FEW: usize = 4;
    const MANY: usize = 1000;
    if points.len() < MANY || points.len() / FEW < faces.len() {
        return None;
    }
    let mut numbers = HashMap::new();
    let mut used = Vec::new();
    let renumber = |&index: &i32| {
        let Ok(old) = usize::try_from(index) else { return index };
        let Some(point) = points.get(old) else { return i32::MAX };
        *numbers.entry(old).or_insert_with(|| {
            used.push(*point);
            i32::try_from(used.len() - 1).unwrap_or(i32::MAX)
        })
    };
    let faces = faces.iter().map(renumber).collect();
    (!used.is_empty()).then_some((used, faces))
}
