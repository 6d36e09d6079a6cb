//! Elements of a link: shapes, rigid bodies and devices, in nested coordinate frames.
//!
//! Elements contain elements: the geometry of a shape may be that of the elements in another file. This file, `shapes`
//! and `resource_geometry` therefore depend on each other.

use std::sync::Arc;

use bunraku_document::yaml::Document;
use bunraku_document::{Mapping, Reporter, Value, ValueKind};
use nalgebra::{Affine3, Point3};

use super::allowance::{DEEPEST_ELEMENT, own_text};
use super::budget::Budget;
use super::mass_keys::MassKeys;
use super::pose::{AngleUnit, read_angle_unit, read_transform};
use super::property::read_unread;
use super::reading::Reading;
use super::resources::Resource;
use super::{devices, shapes};
use crate::{Device, MassProperties, Scenery, SceneryKind, Shape};

/// Keys of every node without meaning for the body.
const NODE_KEYS: &[&str] = &["is_meta_scene", "name", "type"];

/// Remedy for an element without a type.
const ELEMENT_TYPE: &str =
    "write what it is: `type: Shape`, `Visual`, `Collision`, `RigidBody`, `Resource`, `Group` or a device";

/// Purpose of the shapes below a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Both,
    Visual,
    Collision,
}

/// The contents of one link.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) visual: Vec<Shape>,
    pub(super) collision: Vec<Shape>,
    pub(super) rigid_bodies: Vec<MassProperties>,
    pub(super) devices: Vec<Device>,
    pub(super) scenery: Vec<Scenery>,
}

impl Contents {
    pub(super) fn append(&mut self, mut other: Self) {
        self.visual.append(&mut other.visual);
        self.collision.append(&mut other.collision);
        self.rigid_bodies.append(&mut other.rigid_bodies);
        self.devices.append(&mut other.devices);
        self.scenery.append(&mut other.scenery);
    }
}

/// Reads the contents of an `elements` key.
pub(super) fn read_elements(value: Value<'_>, reading: &Reading<'_>, budget: &mut Budget) -> Contents {
    let mut elements = Elements { contents: Contents::default(), reading: *reading, budget };
    elements.read_elements(value, Frame { transform: Affine3::identity(), purpose: Purpose::Both, depth: 0 });
    elements.contents
}

/// Collects the contents of one link.
struct Elements<'r> {
    contents: Contents,
    reading: Reading<'r>,
    budget: &'r mut Budget,
}

/// Position of a node in the nesting.
#[derive(Clone, Copy)]
struct Frame {
    transform: Affine3<f64>,
    purpose: Purpose,
    depth: usize,
}

impl Elements<'_> {
    /// Reads a list of nodes with `type`, one such node, or a mapping from type to node.
    fn read_elements(&mut self, value: Value<'_>, frame: Frame) {
        let frame = Frame { depth: frame.depth + 1, ..frame };
        match value.kind() {
            ValueKind::Null => {}
            ValueKind::Scalar => self.reading.reporter.report(value.expected("a list of elements")),
            ValueKind::Sequence => {
                for item in value.items().into_iter().flatten() {
                    if !self.admit(item, frame) {
                        return;
                    }
                    if let Some(mapping) = Mapping::new(item, "an element", self.reading.reporter)
                        && let Some(kind) = mapping
                            .required_or(&["type"], ELEMENT_TYPE)
                            .and_then(|kind| self.reading.reporter.keep(kind.as_text()))
                    {
                        self.read_node(kind, mapping, frame);
                    }
                }
            }
            ValueKind::Mapping => match value.get("type").filter(|kind| kind.text().is_some()) {
                Some(_) => {
                    if self.admit(value, frame)
                        && let Some(mapping) = Mapping::new(value, "an element", self.reading.reporter)
                        && let Some(kind) = mapping.text(&["type"])
                    {
                        self.read_node(kind, mapping, frame);
                    }
                }
                None => {
                    // In the original a mapping is sorted alphabetically.
                    let mut entries: Vec<_> = value.entries().into_iter().flatten().collect();
                    entries.sort_by_key(|&(kind, ..)| kind);
                    for (kind, _, node) in entries {
                        if !self.admit(node, frame) {
                            return;
                        }
                        if let Some(mapping) = Mapping::new(node, format!("{kind} node"), self.reading.reporter) {
                            self.check_inner_type(kind, &mapping);
                            self.read_node(kind, mapping, frame);
                        }
                    }
                }
            },
        }
    }

    fn check_inner_type(&self, kind: &str, mapping: &Mapping<'_, '_>) {
        if let Some(value) = mapping.get(&["type"])
            && value.text() != Some(kind)
        {
            let diagnostic = value.error("type-mismatch", format!("the type differs from the key above it, `{kind}`"));
            self.reading.reporter.report(diagnostic.help("remove `type` here, or write the same"));
        }
    }

    /// Whether one more element may be read; reports the first that exceeds a limit.
    fn admit(&mut self, node: Value<'_>, frame: Frame) -> bool {
        let reporter = self.reading.reporter;
        if frame.depth > DEEPEST_ELEMENT {
            return self.budget.left.refuse_elements(node, reporter);
        }
        self.budget.left.take_elements(1, own_text(node), node, reporter)
    }

    fn read_node(&mut self, kind: &str, mut mapping: Mapping<'_, '_>, frame: Frame) {
        mapping.rename(format!("{kind} node"));
        if let Some(scenery) = SceneryKind::from_word(kind) {
            return self.read_scenery(scenery, &mapping, frame);
        }
        match kind {
            "Skip" => return,
            "Group" | "Node" => self.read_children(&mapping, frame),
            "Transform" => {
                let inner = Frame { transform: frame.transform * read_transform(&mapping, self.reading.unit), ..frame };
                self.read_children(&mapping, inner);
            }
            "RigidBody" => {
                let inner = Frame { transform: frame.transform * read_transform(&mapping, self.reading.unit), ..frame };
                self.contents.rigid_bodies.push(in_link_frame(MassKeys::read(&mapping).or_zero(), &inner.transform));
                self.read_children(&mapping, inner);
            }
            "Shape" => self.read_shape(&mapping, frame),
            "Visual" | "Collision" => {
                let purpose = if kind == "Visual" { Purpose::Visual } else { Purpose::Collision };
                if frame.purpose != Purpose::Both {
                    let message = "Visual and Collision nodes cannot be nested";
                    let help = "write them side by side: visual shapes in `Visual`, collision shapes in `Collision`";
                    self.reading.reporter.report(mapping.node().error("nested-purpose", message).help(help));
                }
                let transform = frame.transform * read_transform(&mapping, self.reading.unit);
                let inner = Frame { transform, purpose, ..frame };
                if let Some(resource) = mapping.get(&["resource"])
                    && let Some(resource) = Mapping::new(resource, "Resource node", self.reading.reporter)
                {
                    self.read_resource(&resource, inner);
                    resource.finish_except(NODE_KEYS);
                }
                if let Some(shape) = mapping.get(&["shape"])
                    && let Some(shape) = Mapping::new(shape, "Shape node", self.reading.reporter)
                {
                    self.read_shape(&shape, inner);
                    shape.finish_except(NODE_KEYS);
                }
                self.read_children(&mapping, inner);
            }
            "Resource" => self.read_resource(&mapping, frame),
            _ => {
                let transform = frame.transform * read_transform(&mapping, self.reading.unit);
                self.read_children(&mapping, Frame { transform, ..frame });
                if let Some(device) =
                    devices::read_device(kind, mapping, transform, self.reading.unit, &mut self.budget.left.properties)
                {
                    self.contents.devices.push(device);
                }
                return;
            }
        }
        mapping.finish_except(NODE_KEYS);
    }

    fn read_children(&mut self, mapping: &Mapping<'_, '_>, frame: Frame) {
        if let Some(elements) = mapping.get(&["elements"]) {
            self.read_elements(elements, frame);
        }
    }

    fn read_shape(&mut self, mapping: &Mapping<'_, '_>, frame: Frame) {
        if let Some(mut shape) = shapes::read_shape(mapping, &self.reading, self.budget) {
            if let Some(origin) = &mut shape.origin {
                let origin = Arc::make_mut(origin);
                origin.transform = frame.transform * origin.transform;
            }
            self.add_shape(shape, frame);
        }
    }

    fn add_shape(&mut self, mut shape: Shape, frame: Frame) {
        shape.transform = frame.transform * shape.transform;
        if frame.purpose != Purpose::Collision {
            self.contents.visual.push(shape.clone());
        }
        if frame.purpose != Purpose::Visual {
            self.contents.collision.push(shape);
        }
    }

    /// Reads the shapes of a mesh file, or the contents of a YAML file.
    fn read_resource(&mut self, mapping: &Mapping<'_, '_>, frame: Frame) {
        let frame = Frame { transform: frame.transform * read_transform(mapping, self.reading.unit), ..frame };
        if !self.budget.left.take_resource(mapping.node(), self.reading.reporter) {
            return;
        }
        let Some(resource) = Resource::read(mapping, &self.reading) else {
            return;
        };
        if resource.is_yaml() {
            let frame = Frame { transform: frame.transform * resource.conversion(), ..frame };
            self.read_yaml_resource(&resource, frame);
            return;
        }
        let Some(scene) = resource.scene(&self.reading) else {
            return;
        };
        let origin = resource.origin(frame.transform, false);
        let shapes = scene.shapes();
        if !self.budget.left.take_mesh_shapes(shapes.len(), mapping.node(), self.reading.reporter) {
            return;
        }
        for mut shape in shapes {
            shape.origin = Some(Arc::clone(&origin));
            self.add_shape(shape, frame);
        }
    }

    fn read_yaml_resource(&mut self, resource: &Resource<'_>, frame: Frame) {
        let reporter = self.reading.reporter;
        let place = resource.place();
        if self.budget.open.contains(&place) {
            let message = format!("{} contains itself", place.0.display());
            let help = "this Resource includes itself: remove it, or name a `fragment` that does not contain it";
            reporter.report(resource.uri().error("resource-cycle", message).help(help));
            return;
        }
        let Some(document) = resource.document(&mut self.budget.documents, &self.reading) else {
            return;
        };
        let unit = read_scene_unit(&document, reporter).unwrap_or(self.reading.unit);
        let Some(part) = resource.elements(&document, unit, reporter) else {
            return;
        };
        let frame = Frame { transform: frame.transform * part.frame, ..frame };
        self.budget.open.push(place);
        // Paths in the other file are relative to it.
        let directory = document.source().directory();
        let mut inner = Elements {
            contents: std::mem::take(&mut self.contents),
            reading: Reading { directory: &directory, unit, ..self.reading },
            budget: &mut *self.budget,
        };
        match part.kind {
            Some(kind) => inner.read_named(kind, part.value, frame),
            None => inner.read_elements(part.value, frame),
        }
        self.contents = inner.contents;
        self.budget.open.pop();
    }

    /// Reads a node whose type is given by its key.
    fn read_named(&mut self, kind: &str, node: Value<'_>, frame: Frame) {
        if self.admit(node, frame)
            && let Some(mapping) = Mapping::new(node, format!("{kind} node"), self.reading.reporter)
        {
            self.check_inner_type(kind, &mapping);
            self.read_node(kind, mapping, frame);
        }
    }

    /// Reads a node for rendering that is kept but not rendered.
    fn read_scenery(&mut self, kind: SceneryKind, mapping: &Mapping<'_, '_>, frame: Frame) {
        let transform = frame.transform * read_transform(mapping, self.reading.unit);
        let name = mapping.text(&["name"]).unwrap_or_default().to_owned();
        mapping.accept(&["type"]);
        let info = read_unread(mapping, &mut self.budget.left.properties);
        let message = format!("a {} node is kept, but not shown", kind.word());
        let help = "nothing needs to be done: only pictures lack it";
        self.reading.reporter.report(mapping.node().note("not-shown", message).help(help));
        self.contents.scenery.push(Scenery { kind, name, transform, info });
    }
}

/// Shapes of a YAML file that is used as a geometry, in the frame of the shape.
pub(super) fn read_shapes_of(resource: &Resource<'_>, reading: &Reading<'_>, budget: &mut Budget) -> Vec<Shape> {
    if !budget.left.take_resource(resource.uri(), reading.reporter) {
        return Vec::new();
    }
    let mut elements = Elements { contents: Contents::default(), reading: *reading, budget };
    let frame = Frame { transform: resource.conversion(), purpose: Purpose::Visual, depth: 0 };
    elements.read_yaml_resource(resource, frame);
    elements.contents.visual
}

/// Angle unit of a scene file, which has its own header.
fn read_scene_unit(document: &Document, reporter: &Reporter) -> Option<AngleUnit> {
    document.root().get("format")?;
    Some(read_angle_unit(&Mapping::new(document.root(), "the scene", reporter)?, 1.0))
}

/// Transforms mass properties from a node's frame to the link frame. As in the original, an enclosing scale changes the
/// inertia but not the mass.
fn in_link_frame(part: MassProperties, transform: &Affine3<f64>) -> MassProperties {
    let linear = transform.matrix().fixed_view::<3, 3>(0, 0);
    MassProperties {
        mass: part.mass,
        center_of_mass: transform * Point3::from(part.center_of_mass.coords),
        inertia: linear * part.inertia * linear.transpose(),
    }
}
