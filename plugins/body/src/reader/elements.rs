//! What hangs on a link: shapes, rigid bodies and devices, in nested coordinate frames.

use bunraku_document::{Mapping, Reporter, Value, ValueKind};
use nalgebra::{Affine3, Point3};

use super::links::MassKeys;
use super::meshes::MeshCache;
use super::pose::{AngleUnit, read_transform};
use super::{devices, shapes};
use crate::{Device, MassProperties, Shape};

/// A model with more elements than this is an accident or an attack (aliases of aliases); real ones have thousands.
const MOST_NODES: usize = 200_000;
/// The deepest real nesting is 12.
const DEEPEST: usize = 200;

/// What the elements of all links together may still cost. Counted over the whole model, because a link may be
/// an alias too.
pub(super) struct Budget {
    /// Elements that may still be read.
    nodes: usize,
    /// Values of device keys that may still be kept.
    properties: usize,
    /// Meshes that were read already.
    meshes: MeshCache,
    /// A limit was hit and reported: nothing more is read.
    full: bool,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { nodes: MOST_NODES, properties: devices::MOST_PROPERTIES, meshes: MeshCache::new(), full: false }
    }
}

/// What shapes below a node are for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Both,
    Visual,
    Collision,
}

/// Collects the contents of one link.
pub(super) struct Elements<'r> {
    pub(super) visual: Vec<Shape>,
    pub(super) collision: Vec<Shape>,
    pub(super) rigid_bodies: Vec<MassProperties>,
    pub(super) devices: Vec<Device>,
    pub(super) unit: AngleUnit,
    reporter: &'r Reporter,
    budget: &'r mut Budget,
}

/// Where in the nesting a node is.
#[derive(Clone, Copy)]
struct Frame {
    transform: Affine3<f64>,
    purpose: Purpose,
    depth: usize,
}

impl<'r> Elements<'r> {
    pub(super) fn new(unit: AngleUnit, reporter: &'r Reporter, budget: &'r mut Budget) -> Self {
        Self { visual: vec![], collision: vec![], rigid_bodies: vec![], devices: vec![], unit, reporter, budget }
    }

    /// Reads the `elements` of a link.
    pub(super) fn read(&mut self, value: Value<'_>) {
        self.read_elements(value, Frame { transform: Affine3::identity(), purpose: Purpose::Both, depth: 0 });
    }

    /// A list of nodes with `type`, one such node, or a mapping from type to node.
    fn read_elements(&mut self, value: Value<'_>, frame: Frame) {
        let frame = Frame { depth: frame.depth + 1, ..frame };
        match value.kind() {
            ValueKind::Null => {}
            ValueKind::Scalar => self.reporter.report(value.expected("a list of elements")),
            ValueKind::Sequence => {
                for item in value.items().into_iter().flatten() {
                    if !self.admit(item, frame) {
                        return;
                    }
                    if let Some(mapping) = Mapping::new(item, "an element", self.reporter)
                        && let Some(kind) =
                            mapping.required(&["type"]).and_then(|kind| self.reporter.keep(kind.as_text()))
                    {
                        self.read_node(kind, mapping, frame);
                    }
                }
            }
            ValueKind::Mapping => match value.get("type").filter(|kind| kind.text().is_some()) {
                Some(_) => {
                    if self.admit(value, frame)
                        && let Some(mapping) = Mapping::new(value, "an element", self.reporter)
                        && let Some(kind) = mapping.text(&["type"])
                    {
                        self.read_node(kind, mapping, frame);
                    }
                }
                None => {
                    // In the original a mapping has no order but that of the alphabet.
                    let mut entries: Vec<_> = value.entries().into_iter().flatten().collect();
                    entries.sort_by_key(|&(kind, ..)| kind);
                    for (kind, _, node) in entries {
                        if !self.admit(node, frame) {
                            return;
                        }
                        if let Some(mapping) = Mapping::new(node, format!("{kind} node"), self.reporter) {
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
            self.reporter
                .report(value.error("type-mismatch", format!("the type differs from the key above it, `{kind}`")));
        }
    }

    /// Whether one more element may be read; the first that may not is reported.
    fn admit(&mut self, node: Value<'_>, frame: Frame) -> bool {
        if self.budget.full {
            return false;
        }
        if self.budget.nodes == 0 || frame.depth > DEEPEST {
            let message =
                format!("the links have more than {MOST_NODES} elements, or more than {DEEPEST} inside each other");
            self.reporter.report(node.error("limit-elements", message));
            self.budget.full = true;
            return false;
        }
        self.budget.nodes -= 1;
        true
    }

    fn read_node(&mut self, kind: &str, mut mapping: Mapping<'_, '_>, frame: Frame) {
        mapping.rename(format!("{kind} node"));
        match kind {
            "Skip" => return,
            "Group" => self.read_children(&mapping, frame),
            "Transform" => {
                let inner = Frame { transform: frame.transform * read_transform(&mapping, self.unit), ..frame };
                self.read_children(&mapping, inner);
            }
            "RigidBody" => {
                let inner = Frame { transform: frame.transform * read_transform(&mapping, self.unit), ..frame };
                self.rigid_bodies.push(in_link_frame(MassKeys::read(&mapping).or_zero(), &inner.transform));
                self.read_children(&mapping, inner);
            }
            "Shape" => self.read_shape(&mapping, frame),
            "Visual" | "Collision" => {
                let purpose = if kind == "Visual" { Purpose::Visual } else { Purpose::Collision };
                if frame.purpose != Purpose::Both {
                    let message = "Visual and Collision nodes cannot be inside each other";
                    self.reporter.report(mapping.node().error("nested-purpose", message));
                }
                let transform = frame.transform * read_transform(&mapping, self.unit);
                let inner = Frame { transform, purpose, ..frame };
                if let Some(resource) = mapping.get(&["resource"]) {
                    self.report_unread("Resource", resource);
                }
                if let Some(shape) = mapping.get(&["shape"])
                    && let Some(shape) = Mapping::new(shape, "Shape node", self.reporter)
                {
                    self.read_shape(&shape, inner);
                    shape.finish();
                }
                self.read_children(&mapping, inner);
            }
            "Resource" | "Text" | "LineSet" | "DirectionalLight" | "PerspectiveCamera" | "OrthographicCamera"
            | "Fog" | "Node" => {
                self.report_unread(kind, mapping.node());
                return;
            }
            _ => {
                let transform = frame.transform * read_transform(&mapping, self.unit);
                self.read_children(&mapping, Frame { transform, ..frame });
                if let Some(device) =
                    devices::read_device(kind, mapping, transform, self.unit, &mut self.budget.properties)
                {
                    self.devices.push(device);
                }
                return;
            }
        }
        mapping.finish_except(&["name", "type"]);
    }

    fn read_children(&mut self, mapping: &Mapping<'_, '_>, frame: Frame) {
        if let Some(elements) = mapping.get(&["elements"]) {
            self.read_elements(elements, frame);
        }
    }

    fn read_shape(&mut self, mapping: &Mapping<'_, '_>, frame: Frame) {
        let Some(mut shape) = shapes::read_shape(mapping, self.unit, &mut self.budget.meshes) else {
            return;
        };
        shape.transform = frame.transform * shape.transform;
        if frame.purpose != Purpose::Collision {
            self.visual.push(shape.clone());
        }
        if frame.purpose != Purpose::Visual {
            self.collision.push(shape);
        }
    }

    fn report_unread(&self, kind: &str, value: Value<'_>) {
        let message = format!("a {kind} node is not read by this version and left out");
        self.reporter.report(value.warning("unread-node", message));
    }
}

/// Mass properties given in a node's frame, in the link frame. As in the original an enclosing scale changes the
/// inertia but not the mass.
fn in_link_frame(part: MassProperties, transform: &Affine3<f64>) -> MassProperties {
    let linear = transform.matrix().fixed_view::<3, 3>(0, 0);
    MassProperties {
        mass: part.mass,
        center_of_mass: transform * Point3::from(part.center_of_mass.coords),
        inertia: linear * part.inertia * linear.transpose(),
    }
}
