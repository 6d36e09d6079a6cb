//! COLLADA 1.4 and 1.5.
//!
//! The XML is parsed by `roxmltree`, which provides line numbers, limits the number of nodes and ignores entities of a
//! DTD. The COLLADA crates panic on malformed files (`collada`), or refuse real files and report no locations
//! (`dae-parser`). None of them handles instances, transformations and bindings of materials, which are most of the
//! work.

mod geometry;
mod material;
mod transform;
mod xml;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Result, refuse_crowded_elements};
use nalgebra::{Affine3, Matrix4};
use roxmltree::{Document, NodeId, ParsingOptions};

use self::geometry::{GeometryReader, Part, TextureSets};
use self::material::MaterialReader;
use self::transform::{affine, node_transform};
use self::xml::{Element, Xml, child, children, descend, numbers_of};
use crate::mesh_file::{Budget, MeshFile, Tally};
use crate::{Geometry, LoadContext, MeshScene, SceneNode, Shape};

/// Reads the visual scene of a COLLADA file, in metres by the file's `unit`.
///
/// Like the original, this does not rotate a scene whose `up_axis` is not Z; a note reports it, since the model file
/// can rotate it. The name of a node is its `name`, or its `id` if it has none. Skinned meshes are shown in their bind
/// shape. The ambient colour is ignored: nearly every program writes black there.
pub(crate) fn read(path: &Path, bytes: &[u8], context: &LoadContext<'_>) -> Result<MeshScene> {
    let file = MeshFile::text(path, bytes, context);
    let source = file.source_text();
    refuse_crowded_elements(&source)?;
    let nodes_limit = u32::try_from(context.limits.nodes).unwrap_or(u32::MAX);
    let options = ParsingOptions { nodes_limit, ..ParsingOptions::default() };
    let document = Document::parse_with_options(source.text(), options).map_err(|error| {
        // An error without a position has line 1.
        file.error("collada-malformed", format!("this is not well-formed XML: {error}"), error.pos().row)
    })?;
    let xml = Xml::new(&document);
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        let message = format!("this is no COLLADA file: it begins with <{}>", root.tag_name().name());
        return Err(file.error("collada-malformed", message, xml.line(root)));
    }
    note_up_axis(root, &xml, &file);
    let unit = Affine3::from_matrix_unchecked(Matrix4::new_scaling(unit(root, &xml, &file)));
    let mut walk = Walk {
        xml: &xml,
        file: &file,
        geometries: GeometryReader::new(&xml, &file),
        materials: MaterialReader::new(&xml, &file),
        parts: HashMap::new(),
        transforms: HashMap::new(),
        instances: HashMap::new(),
        budget: Budget::default(),
        broken_links: Tally::default(),
    };
    let mut nodes = match visual_scene(root, &xml) {
        Some(scene) => children(scene, "node").map(|node| walk.node(node, 0)).collect::<Result<_>>()?,
        None => {
            file.warn("collada-no-scene", "the file has no visual scene; its geometries are shown as they are", None);
            walk.all_geometries(root)?
        }
    };
    for node in &mut nodes {
        node.transform = unit * node.transform;
    }
    walk.broken_links.warn(&file, "collada-broken-link", "references point to nothing in the file and are left out");
    walk.geometries.report();
    file.warn_if_empty(walk.budget.triangles);
    Ok(MeshScene { nodes })
}

/// Length unit of the file, metres.
fn unit(root: Element<'_>, xml: &Xml<'_>, file: &MeshFile<'_>) -> f64 {
    let Some(element) = descend(root, &["asset", "unit"]) else { return 1.0 };
    let Some(text) = element.attribute("meter") else { return 1.0 };
    match text.trim().parse::<f64>() {
        Ok(unit) if unit.is_finite() && unit > 0.0 => unit,
        _ => {
            let text: String = text.chars().take(40).collect();
            file.warn("collada-unit", format!("the unit `{text}` is no length; metres are used"), xml.line(element));
            1.0
        }
    }
}

fn note_up_axis(root: Element<'_>, xml: &Xml<'_>, file: &MeshFile<'_>) {
    let Some(element) = descend(root, &["asset", "up_axis"]) else { return };
    let axis = element.text().unwrap_or_default().trim();
    let help = match axis {
        "Y_UP" => "if it lies on its side, write `metadata: { upper_axis: Y }` beside its `uri`",
        "X_UP" => "if it lies on its side, rotate it by the `rotation` beside its `uri`",
        _ => return,
    };
    let message = format!("the file says {axis}; like Choreonoid, this uses its coordinates unchanged, with Z up");
    file.report(Diagnostic::note("collada-up-axis", message).help(help), xml.line(element));
}

/// Scene that `<scene>` refers to, or the first one.
fn visual_scene<'a>(root: Element<'a>, xml: &Xml<'a>) -> Option<Element<'a>> {
    let named = descend(root, &["scene", "instance_visual_scene"]).and_then(|instance| xml.target(instance, "url"));
    named.or_else(|| descend(root, &["library_visual_scenes", "visual_scene"]))
}

/// Converts COLLADA nodes to scene nodes.
struct Walk<'a, 'f> {
    xml: &'f Xml<'a>,
    file: &'f MeshFile<'f>,
    geometries: GeometryReader<'a, 'f>,
    materials: MaterialReader<'a, 'f>,
    /// Meshes of geometries, shared by their instances.
    parts: HashMap<(NodeId, TextureSets), Arc<[Part]>>,
    /// Cached transforms, as a node may be instanced many times.
    transforms: HashMap<NodeId, Affine3<f64>>,
    instances: HashMap<NodeId, Vec<Shape>>,
    budget: Budget,
    broken_links: Tally,
}

impl<'a> Walk<'a, '_> {
    /// Converts a node and its descendants. Empty nodes are kept, because a model file may refer to them by name.
    fn node(&mut self, element: Element<'a>, depth: usize) -> Result<SceneNode> {
        let line = self.xml.line(element);
        self.budget.spend_node(depth, Some(line), self.file)?;
        let name = element.attribute("name").or_else(|| element.attribute("id")).unwrap_or_default().to_owned();
        let transform = match self.transforms.get(&element.id()) {
            Some(transform) => *transform,
            None => {
                let transform = node_transform(element, self.xml, self.file)?;
                self.transforms.insert(element.id(), transform);
                transform
            }
        };
        let mut node = SceneNode { name, transform, ..SceneNode::default() };
        for below in element.children().filter(|below| below.is_element()) {
            self.budget.spend_step(self.file)?;
            match below.tag_name().name() {
                "node" => node.children.push(self.node(below, depth + 1)?),
                "instance_node" => match self.target(below) {
                    Some(target) => node.children.push(self.node(target, depth + 1)?),
                    None => self.broken_links.add(self.xml.line(below)),
                },
                "instance_geometry" | "instance_controller" => node.shapes.extend(self.instance(below)?),
                // Cameras and lights are ignored, transformations are read above.
                _ => {}
            }
        }
        Ok(node)
    }

    /// Shapes of an instance of a geometry or a controller.
    fn instance(&mut self, instance: Element<'a>) -> Result<Vec<Shape>> {
        let shapes = match self.instances.get(&instance.id()) {
            Some(shapes) => {
                let shapes = shapes.clone();
                let triangles = shapes.iter().map(|shape| shape.geometry.triangles().triangles.len()).sum();
                self.budget.spend_triangles(triangles, self.file)?;
                shapes
            }
            None => {
                let shapes = self.controlled(instance)?;
                self.instances.insert(instance.id(), shapes.clone());
                shapes
            }
        };
        for _ in &shapes {
            self.budget.spend_step(self.file)?;
        }
        Ok(shapes)
    }

    fn target(&self, instance: Element<'a>) -> Option<Element<'a>> {
        self.xml.target(instance, "url")
    }

    /// Shapes of the geometry of a controller, without its deformation.
    fn controlled(&mut self, instance: Element<'a>) -> Result<Vec<Shape>> {
        let mut transform = Affine3::identity();
        let mut target = self.target(instance);
        // A skin may refer to a morph.
        for _ in 0..4 {
            let Some(element) = target else { break };
            if element.tag_name().name() == "geometry" {
                return self.shapes(element, Some(instance), transform);
            }
            let bent = child(element, "skin").or_else(|| child(element, "morph"));
            if let Some(matrix) = bent.and_then(|bent| child(bent, "bind_shape_matrix")) {
                let matrix = Matrix4::from_row_slice(&numbers_of::<16>(matrix, self.xml, self.file)?);
                transform *= affine(matrix, self.xml.line(element), self.file)?;
            }
            target = bent.and_then(|bent| self.xml.target(bent, "source"));
        }
        self.broken_links.add(self.xml.line(instance));
        Ok(Vec::new())
    }

    fn shapes(
        &mut self,
        geometry: Element<'a>,
        instance: Option<Element<'a>>,
        transform: Affine3<f64>,
    ) -> Result<Vec<Shape>> {
        let bindings = instance.map(|instance| self.materials.bindings(instance)).transpose()?.unwrap_or_default();
        let sets: TextureSets =
            bindings.iter().filter_map(|(symbol, bound)| Some(((*symbol).to_owned(), bound.texture_set?))).collect();
        let key = (geometry.id(), sets);
        let parts = match self.parts.get(&key) {
            Some(parts) => {
                let parts = Arc::clone(parts);
                self.budget.spend_triangles(parts.iter().map(|part| part.mesh.triangles.len()).sum(), self.file)?;
                parts
            }
            None => {
                let parts: Arc<[Part]> = self.geometries.read(geometry, &key.1, &mut self.budget)?.into();
                self.parts.insert(key, Arc::clone(&parts));
                parts
            }
        };
        let shape = |part: &Part| -> Result<Shape> {
            let appearance = match part.material.as_deref() {
                Some(symbol) => match bindings.get(symbol) {
                    Some(bound) => bound.appearance.clone(),
                    None => self.materials.unbound(symbol, self.xml.line(instance.unwrap_or(geometry)))?,
                },
                None => Default::default(),
            };
            Ok(Shape::new(Geometry::Mesh(Arc::clone(&part.mesh)), transform, appearance))
        };
        parts.iter().map(shape).collect()
    }

    /// One node for each geometry of a file without a scene.
    fn all_geometries(&mut self, root: Element<'a>) -> Result<Vec<SceneNode>> {
        let mut nodes = Vec::new();
        for library in children(root, "library_geometries") {
            for geometry in children(library, "geometry") {
                self.budget.spend_node(0, Some(self.xml.line(geometry)), self.file)?;
                let name = geometry.attribute("name").or_else(|| geometry.attribute("id")).unwrap_or_default();
                let shapes = self.shapes(geometry, None, Affine3::identity())?;
                nodes.push(SceneNode { name: name.to_owned(), shapes, ..SceneNode::default() });
            }
        }
        Ok(nodes)
    }
}
