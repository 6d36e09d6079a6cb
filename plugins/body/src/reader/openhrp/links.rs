//! Conversion of the tree of `Joint`s to links with their segments and devices.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Result};
use bunraku_mesh::vrml::{Converter, Document, MAX_HEIGHT, Node, NodeKind, NodeType};
use nalgebra::{Affine3, Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion};

use super::super::allowance::{MOST_LINKS, MOST_PROPERTIES};
use super::fields::Fields;
use super::place::{Findings, Place, shortened};
use super::{devices, humanoid, joints, mass};
use crate::{Device, JointKind, Link, LinkIndex, MassProperties, Shape};

/// Maximum number of nodes visited in search of joints, segments and devices; `USE` may repeat them without limit.
const MOST_VISITS: usize = 200_000;
/// Maximum length of the name of a link or device, characters. `USE` may repeat a name that is as long as the file.
const LONGEST_LINK_NAME: usize = 200;
/// Maximum deviation of each element of a matrix from a rotation.
const ROTATION_TOLERANCE: f64 = 1e-9;

/// Source nodes of a link.
pub(super) struct Origin {
    pub(super) joint: Rc<Place>,
    pub(super) segments: Vec<Rc<Place>>,
    /// Origin of the link in the frame of the joint's node.
    pub(super) center: Translation3<f64>,
}

/// A link under construction.
struct Draft {
    link: Link,
    origin: Origin,
    /// Mass properties of its `Segment`s.
    parts: Vec<MassProperties>,
    /// Collision shapes, if the link has a `Surface`.
    surface: Option<Vec<Shape>>,
}

impl Draft {
    fn finish(self) -> (Link, Origin) {
        let mass = mass::combine(&self.parts);
        // A single `Surface` determines the collision shapes of the whole link.
        let collision = self.surface.unwrap_or_else(|| self.link.visual.clone());
        (Link { mass, collision, ..self.link }, self.origin)
    }
}

/// Context of the visited nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Humanoid,
    Joint(LinkIndex),
    Segment(LinkIndex),
    Surface,
}

impl Level {
    fn link(self) -> Option<LinkIndex> {
        match self {
            Self::Joint(link) | Self::Segment(link) => Some(link),
            Self::Humanoid | Self::Surface => None,
        }
    }

    fn node_type(self) -> &'static str {
        match self {
            Self::Humanoid => "Humanoid",
            Self::Joint(_) => "Joint",
            Self::Segment(_) => "Segment",
            Self::Surface => "Surface",
        }
    }
}

/// Frame of the visited nodes.
#[derive(Clone, Copy)]
struct Frame<'f> {
    /// The enclosing node with a meaning in OpenHRP.
    place: &'f Rc<Place>,
    /// File that contains them.
    document: &'f Arc<Document>,
    level: Level,
    /// Transform from their frame to that of the link.
    transform: &'f Affine3<f64>,
    /// Value of `transform` without enclosing groups: the origin of the link is the centre of the joint.
    base: Isometry3<f64>,
    depth: u32,
}

/// Contents of a `Humanoid`.
pub(super) struct Parts {
    pub(super) links: Vec<Link>,
    /// Source nodes of the links, in link order.
    pub(super) origins: Vec<Origin>,
    /// Devices and their nodes.
    pub(super) devices: Vec<(Device, Rc<Place>)>,
}

/// Collects links and devices, depth first in file order.
pub(super) struct Walker<'w> {
    findings: &'w Findings<'w>,
    links: Vec<Draft>,
    devices: Vec<(Device, Rc<Place>)>,
    /// Names in use, with the next number for a similar name.
    names: HashMap<String, usize>,
    visits: usize,
    /// Number of values of unknown devices that may still be stored.
    properties: usize,
}

impl<'w> Walker<'w> {
    pub(super) fn new(findings: &'w Findings<'w>) -> Self {
        Self {
            findings,
            links: Vec::new(),
            devices: Vec::new(),
            names: HashMap::new(),
            visits: MOST_VISITS,
            properties: MOST_PROPERTIES,
        }
    }

    /// Reads the contents of the `Humanoid` node.
    ///
    /// # Errors
    /// If the model is too large, or an inlined file is invalid. Other errors are reported as findings.
    pub(super) fn humanoid(mut self, place: &Rc<Place>, converter: &mut Converter<'_>) -> Result<Parts> {
        let document = &place.document;
        let fields = self.fields(place);
        fields.expect(&["humanoidBody"]);
        let nodes = fields.nodes("humanoidBody");
        let pose = humanoid::pose(fields);
        let is_single = nodes.len() == 1 && nodes.iter().all(|node| node.type_name() != "Segment");
        if is_single {
            let transform = nalgebra::convert(pose);
            let level = Level::Humanoid;
            self.nodes(
                nodes,
                Frame { place, document, level, transform: &transform, base: pose, depth: 0 },
                converter,
            )?;
        }
        if self.links.is_empty() {
            self.own_link(place, pose, nodes.len());
            let nodes = if is_single { &[] } else { nodes };
            let (transform, base) = (Affine3::identity(), Isometry3::identity());
            let level = Level::Joint(LinkIndex::ROOT);
            self.nodes(nodes, Frame { place, document, level, transform: &transform, base, depth: 0 }, converter)?;
        }
        let (links, origins): (Vec<Link>, Vec<Origin>) =
            std::mem::take(&mut self.links).into_iter().map(Draft::finish).unzip();
        for (link, origin) in links.iter().zip(&origins) {
            let mass = &link.mass;
            let mut numbers = mass.center_of_mass.iter().chain(mass.inertia.iter()).chain([&mass.mass]);
            if !numbers.all(|number| number.is_finite()) {
                self.too_large(&origin.joint, "the masses of its segments");
            }
        }
        Ok(Parts { links, origins, devices: self.devices })
    }

    /// The frame of the `Humanoid` as the root link.
    fn own_link(&mut self, place: &Rc<Place>, offset: Isometry3<f64>, count: usize) {
        let fields = self.fields(place);
        let name = fields.name().chars().take(LONGEST_LINK_NAME).collect();
        let link = humanoid::link(fields, name, offset, count);
        self.names.insert(link.name.clone(), 2);
        let origin = Origin { joint: Rc::clone(place), segments: Vec::new(), center: Translation3::identity() };
        self.links.push(Draft { link, origin, parts: Vec::new(), surface: None });
    }

    /// Reports numbers that are finite in the file but overflow when combined.
    fn too_large(&self, place: &Place, what: &str) {
        let message = format!("{what} exceed the range of numbers");
        let error = Diagnostic::error("not-finite", message).help("write smaller numbers here and around it");
        self.findings.report(place, place.node.location(), error);
    }

    fn fields<'f>(&self, place: &'f Place) -> Fields<'f>
    where
        'w: 'f,
    {
        Fields { place, findings: self.findings }
    }

    fn nodes(&mut self, nodes: &[Arc<Node>], frame: Frame<'_>, converter: &mut Converter<'_>) -> Result<()> {
        nodes.iter().try_for_each(|node| self.node(node, frame, converter))
    }

    fn node(&mut self, node: &Arc<Node>, frame: Frame<'_>, converter: &mut Converter<'_>) -> Result<()> {
        let frame = Frame { depth: frame.depth + 1, ..frame };
        self.visits = self.visits.saturating_sub(1);
        if self.visits == 0 || frame.depth > MAX_HEIGHT {
            let message = format!(
                "{}: the model has more than {MOST_VISITS} nodes, or more than {MAX_HEIGHT} nesting levels: `USE` and \
                 `Inline` repeat them too often",
                frame.place
            );
            let help = "look for nodes that contain themselves, or are doubled again and again";
            return Err(frame.document.error(node.location(), "limit-links", message, help));
        }
        match node.kind() {
            NodeKind::Instance(instance) => match node.type_name() {
                "Joint" => self.joint(node, frame, converter),
                "Segment" => self.segment(node, frame, converter),
                "Surface" => self.surface(node, frame, converter),
                "Humanoid" | "ExtraJoint" => {
                    self.misplaced(node, frame, "it stands at the top of the file");
                    Ok(())
                }
                _ if devices::is_device(self.fields(&Place::new(None, frame.document, node))) => {
                    self.device(node, frame, converter)
                }
                _ => match instance.actual() {
                    Some(actual) => self.node(actual, frame, converter),
                    None => Ok(()),
                },
            },
            NodeKind::Standard(standard) => match standard.members() {
                Some(members) if standard.node_type() == NodeType::Transform => {
                    let transform = frame.transform * converter.transform(node);
                    self.nodes(members, Frame { transform: &transform, ..frame }, converter)
                }
                Some(members) => self.nodes(members, frame, converter),
                None => self.leaf(node, standard.node_type(), frame, converter),
            },
        }
    }

    #[inline(never)]
    fn leaf(
        &mut self,
        node: &Arc<Node>,
        node_type: NodeType,
        frame: Frame<'_>,
        converter: &mut Converter<'_>,
    ) -> Result<()> {
        match (node_type, frame.level) {
            (NodeType::Inline, _) => {
                converter.set_way(frame.place.way());
                converter.visit_inlined(node, &mut |document, inner| {
                    self.nodes(document.nodes(), Frame { document, ..frame }, inner)
                })
            }
            (NodeType::Shape, Level::Humanoid | Level::Joint(_)) => {
                let message = "a shape outside a `Segment` is neither displayed nor used for collisions";
                let place = Place::new(Some(frame.place), frame.document, node);
                let warning = Diagnostic::warning("misplaced-node", message).help("put it into a `Segment`");
                self.findings.report(&place, node.location(), warning);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn misplaced(&self, node: &Arc<Node>, frame: Frame<'_>, help: &str) {
        let message = format!("a `{}` cannot stand in a `{}`", shortened(node.type_name()), frame.level.node_type());
        let place = Place::new(Some(frame.place), frame.document, node);
        self.findings.report(&place, node.location(), Diagnostic::error("misplaced-node", message).help(help));
    }

    #[inline(never)]
    fn joint(&mut self, node: &Arc<Node>, frame: Frame<'_>, converter: &mut Converter<'_>) -> Result<()> {
        let parent = match frame.level {
            Level::Humanoid if self.links.is_empty() => None,
            Level::Joint(link) => Some(link),
            Level::Humanoid => {
                let place = Place::new(Some(frame.place), frame.document, node);
                let message = "a model has one root joint, and this is another one";
                let error = Diagnostic::error("several-roots", message);
                self.findings.report(&place, node.location(), error.help("put it into the `children` of the first"));
                return Ok(());
            }
            Level::Segment(_) | Level::Surface => {
                self.misplaced(node, frame, "put it into the `children` of a `Joint`");
                return Ok(());
            }
        };
        if self.links.len() >= MOST_LINKS {
            let message = format!("{}: the model has more than {MOST_LINKS} links", frame.place);
            let help = "look for joints that `USE` doubles again and again";
            return Err(frame.document.error(node.location(), "limit-links", message, help));
        }
        let place = Place::new(Some(frame.place), frame.document, node);
        let index = LinkIndex(self.links.len());
        let (link, center) = self.read_link(&place, parent, frame, index);
        let origin = Origin { joint: Rc::clone(&place), segments: Vec::new(), center };
        self.links.push(Draft { link, origin, parts: Vec::new(), surface: None });
        // The contents of the joint are placed relative to the origin of its node.
        let base = Isometry3::from_parts(center.inverse(), UnitQuaternion::identity());
        let transform = nalgebra::convert(base);
        let inner = Frame { place: &place, level: Level::Joint(index), transform: &transform, base, ..frame };
        let children = self.fields(&place).nodes("children");
        self.nodes(children, inner, converter)
    }

    fn read_link(
        &mut self,
        place: &Rc<Place>,
        parent: Option<LinkIndex>,
        frame: Frame<'_>,
        index: LinkIndex,
    ) -> (Link, Translation3<f64>) {
        let fields = self.fields(place);
        let name = self.link_name(place, index);
        let joint = joints::read_joint(fields);
        if joint.kind == JointKind::Free && parent.is_some() {
            let message = format!("link `{name}` has a free joint: it moves independently of its parent");
            let note = Diagnostic::note("inner-free-joint", message);
            fields.report("jointType", note.help("a joint of another type connects it to its parent"));
        }
        let center = joints::read_center(fields, joint.kind);
        // The origin of the link frame is on the joint axis.
        let mut offset = self.frame_offset(place, frame) * fields.centered_pose() * center;
        if !offset.to_homogeneous().iter().all(|number| number.is_finite()) {
            self.too_large(place, "the motions of the joint and of the groups around it");
            offset = Isometry3::identity();
        }
        let link = Link::new(name, parent, offset, joint);
        (link, center)
    }

    /// `DEF` name of a link. Names must be unique, so a missing or duplicate one is generated.
    fn link_name(&mut self, place: &Rc<Place>, index: LinkIndex) -> String {
        let name = self.bounded_name(place);
        if !name.is_empty() && !self.names.contains_key(name) {
            self.names.insert(name.to_owned(), 2);
            return name.to_owned();
        }
        let stem = if name.is_empty() { "JOINT" } else { name };
        let mut number = if name.is_empty() { index.0 } else { self.names.get(name).copied().unwrap_or(2) };
        let made_up = loop {
            let made_up = format!("{stem}_{number}");
            number += 1;
            if !self.names.contains_key(&made_up) {
                break made_up;
            }
        };
        self.names.insert(stem.to_owned(), number);
        self.names.insert(made_up.clone(), 2);
        let short = shortened(&made_up);
        let warning = if name.is_empty() {
            let message = format!("the joint has no name; it is called `{short}`");
            Diagnostic::warning("no-link-name", message).help("write `DEF NAME` before `Joint`")
        } else {
            let message = format!("the name `{}` is already taken; this joint is called `{short}`", shortened(name));
            Diagnostic::warning("duplicate-link-name", message).help("give each joint a name of its own")
        };
        self.findings.report(place, place.node.location(), warning);
        made_up
    }

    /// The name, truncated if it is too long.
    fn bounded_name<'f>(&self, place: &'f Place) -> &'f str
    where
        'w: 'f,
    {
        let name = self.fields(place).noted_name();
        let Some((end, _)) = name.char_indices().nth(LONGEST_LINK_NAME) else { return name };
        let message = format!("the name has more than {LONGEST_LINK_NAME} characters; the others are left out");
        let warning = Diagnostic::warning("long-name", message).help("give it a shorter name");
        self.findings.report(place, place.node.location(), warning);
        name.get(..end).unwrap_or(name)
    }

    fn placed(&self, mut shapes: Vec<Shape>, transform: &Affine3<f64>, place: &Place) -> Vec<Shape> {
        for shape in &mut shapes {
            shape.transform = transform * shape.transform;
        }
        if !shapes.iter().all(|shape| is_finite(&shape.transform)) {
            self.too_large(place, "the motions of its shapes and of the groups around them");
        }
        shapes
    }

    /// Transform of the groups around a joint, which is added to its own pose.
    fn frame_offset(&self, place: &Rc<Place>, frame: Frame<'_>) -> Isometry3<f64> {
        let transform = frame.transform;
        if *transform == nalgebra::convert::<_, Affine3<f64>>(frame.base) {
            return frame.base;
        }
        let linear: Matrix3<f64> = transform.matrix().fixed_view::<3, 3>(0, 0).into_owned();
        let is_rotation = (linear * linear.transpose() - Matrix3::identity()).amax() < ROTATION_TOLERANCE
            && linear.determinant() > 0.0;
        let at = place.node.location();
        if !is_rotation {
            let error = Diagnostic::error("scaled-joint", "a joint cannot stand in a `Transform` that scales");
            self.findings.report(place, at, error.help("scale the shapes of its segments instead"));
            return Isometry3::identity();
        }
        let message = "the joint stands in a `Transform`, which moves it; Choreonoid refuses such a file";
        let note = Diagnostic::note("moved-joint", message);
        self.findings.report(place, at, note.help("add the motion to `translation` and `rotation` of the joint"));
        let rotation = Rotation3::from_matrix_unchecked(linear);
        let translation = transform.matrix().fixed_view::<3, 1>(0, 3).into_owned();
        Isometry3::from_parts(Translation3::from(translation), UnitQuaternion::from_rotation_matrix(&rotation))
    }

    #[inline(never)]
    fn segment(&mut self, node: &Arc<Node>, frame: Frame<'_>, converter: &mut Converter<'_>) -> Result<()> {
        let Level::Joint(link) = frame.level else {
            self.misplaced(node, frame, "put it into the `children` of a `Joint`");
            return Ok(());
        };
        let place = Place::new(Some(frame.place), frame.document, node);
        let fields = self.fields(&place);
        let part = mass::read_mass(fields, frame.transform);
        // The displayed content is given by its declaration. Inlined files must be examined before they are displayed.
        let inner = Frame { place: &place, level: Level::Segment(link), ..frame };
        self.nodes(fields.nodes("children"), inner, converter)?;
        converter.set_way(place.way_to());
        let shapes = self.placed(converter.shapes(node)?, frame.transform, &place);
        if let Some(draft) = self.links.get_mut(link.0) {
            draft.parts.push(part);
            draft.origin.segments.push(Rc::clone(&place));
            draft.link.visual.extend(shapes);
        }
        Ok(())
    }

    #[inline(never)]
    fn surface(&mut self, node: &Arc<Node>, frame: Frame<'_>, converter: &mut Converter<'_>) -> Result<()> {
        let Level::Segment(link) = frame.level else {
            self.misplaced(node, frame, "put it into the `children` of a `Segment`");
            return Ok(());
        };
        let place = Place::new(Some(frame.place), frame.document, node);
        let fields = self.fields(&place);
        fields.expect(&["visual", "collision"]);
        let mut shapes = Vec::new();
        converter.set_way(place.way());
        for node in fields.nodes("collision") {
            shapes.extend(self.placed(converter.shapes(node)?, frame.transform, &place));
        }
        if let Some(draft) = self.links.get_mut(link.0) {
            draft.surface.get_or_insert_default().extend(shapes);
        }
        let inner = Frame { place: &place, level: Level::Surface, ..frame };
        self.nodes(fields.nodes("visual"), inner, converter)?;
        self.nodes(fields.nodes("collision"), inner, converter)
    }

    #[inline(never)]
    fn device(&mut self, node: &Arc<Node>, frame: Frame<'_>, converter: &mut Converter<'_>) -> Result<()> {
        let Some(link) = frame.level.link() else {
            self.misplaced(node, frame, "put it into the `children` of a `Joint`");
            return Ok(());
        };
        let place = Place::new(Some(frame.place), frame.document, node);
        let name = self.bounded_name(&place).to_owned();
        let device = devices::read_device(self.fields(&place), frame.transform, &mut self.properties);
        if !is_finite(&device.transform) {
            self.too_large(&place, "the motions of the device and of the groups around it");
        }
        self.devices.push((Device { name, link, ..device }, Rc::clone(&place)));
        // Within a `Segment` it is displayed together with the segment.
        if let Level::Joint(_) = frame.level {
            converter.set_way(place.way_to());
            let shapes = self.placed(converter.shapes(node)?, frame.transform, &place);
            if let Some(draft) = self.links.get_mut(link.0) {
                draft.link.visual.extend(shapes);
            }
        }
        Ok(())
    }
}

fn is_finite(transform: &Affine3<f64>) -> bool {
    transform.matrix().iter().all(|number| number.is_finite())
}
