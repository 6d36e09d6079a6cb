//! Construction of the tree from links and joints.

use bunraku_document::Diagnostic;
use nalgebra::{Isometry3, Matrix3, Unit, Vector3};

use super::super::per_entry::{EntryIndex, PerEntry};
use super::joints::{JointEntry, UrdfJoint};
use super::xml::{Element, Xml, short};
use crate::{Body, Joint, JointId, JointKind, Link, LinkIndex, MassProperties, ModelFormat};

/// Name of a link that represents the world, by ROS convention.
const WORLD: &str = "world";

/// A `<link>` as given in the file.
pub(super) struct LinkEntry<'a> {
    pub(super) element: Element<'a>,
    pub(super) link: Link,
}

/// Elements that a link of the body was read from.
#[derive(Default)]
pub(super) struct Elements<'a> {
    pub(super) link: Option<Element<'a>>,
    pub(super) joint: Option<Element<'a>>,
}

/// The body, and the elements of its links.
pub(super) fn build<'a>(
    name: String,
    links: PerEntry<LinkEntry<'a>>,
    joints: Vec<JointEntry<'a>>,
    xml: &Xml<'a>,
) -> Option<(Body, Vec<Elements<'a>>)> {
    let mut above: PerEntry<Option<JointEntry<'a>>> = links.map(|_, _| None);
    let mut below = links.map(|_, _| Vec::new());
    let mut failed = false;
    for joint in joints {
        let (parent, child) = (joint.parent, joint.child);
        if let Some(first) = &above[child] {
            let message = format!(
                "link `{}` is already the child of joint `{}`",
                short(&links[child].link.name),
                short(&first.name)
            );
            let error = Diagnostic::error("two-parents", message);
            xml.report(joint.element, error.help("a loop is closed by an `extra_joints` of a `.body` or of a scene"));
            failed = true;
            continue;
        }
        above[child] = Some(joint);
        below[parent].push(child);
    }
    let roots: Vec<EntryIndex> = above.iter().filter(|(_, joint)| joint.is_none()).map(|(link, _)| link).collect();
    let root = match roots.as_slice() {
        _ if failed => return None,
        [root] => *root,
        [] => {
            let error = Diagnostic::error("parent-cycle", "every link is the child of a joint: there is no root");
            xml.report_file(error.help("one link must be the child of no joint"));
            return None;
        }
        [first, second, ..] => {
            let message = format!(
                "link `{}` is the child of no joint, and `{}` is the root already",
                short(&links[*second].link.name),
                short(&links[*first].link.name)
            );
            let error = Diagnostic::error("several-roots", message);
            xml.report(links[*second].element, error.help("join the two by a `<joint>`, or remove one"));
            return None;
        }
    };
    let order = depth_first(&below, root);
    if order.len() < links.len() {
        if let Some((_, entry)) = links.iter().find(|(link, _)| !order.contains(link)) {
            let message = format!("the parents of link `{}` form a cycle", short(&entry.link.name));
            let error = Diagnostic::error("parent-cycle", message);
            xml.report(entry.element, error.help("attach one of its joints to a link nearer to the root"));
        }
        return None;
    }
    Some(Builder::new(name, links, above).build(&order, xml))
}

/// Links from the root down, children in the order of their joints.
fn depth_first(below: &PerEntry<Vec<EntryIndex>>, root: EntryIndex) -> Vec<EntryIndex> {
    let mut order = Vec::with_capacity(below.len());
    let mut pending = vec![root];
    while let Some(link) = pending.pop() {
        order.push(link);
        pending.extend(below[link].iter().rev());
    }
    order
}

struct Builder<'a> {
    body: Body,
    elements: Vec<Elements<'a>>,
    links: PerEntry<Option<LinkEntry<'a>>>,
    /// Joint between each link of the file and its parent.
    above: PerEntry<Option<JointEntry<'a>>>,
    /// Index in the body of each link of the file.
    placed: PerEntry<LinkIndex>,
}

impl<'a> Builder<'a> {
    fn new(name: String, links: PerEntry<LinkEntry<'a>>, above: PerEntry<Option<JointEntry<'a>>>) -> Self {
        Self {
            body: Body::of_links(name, ModelFormat::Urdf, Vec::new()),
            elements: Vec::new(),
            placed: links.map(|_, _| LinkIndex::ROOT),
            links: links.into_options(),
            above,
        }
    }

    fn build(mut self, order: &[EntryIndex], xml: &Xml<'a>) -> (Body, Vec<Elements<'a>>) {
        // The two slides of a planar joint get IDs after those of the file.
        let mut next_id = self.above.iter().filter_map(|(_, joint)| joint.as_ref()?.joint.id).count();
        for &file_index in order {
            let Some(LinkEntry { element, mut link }) = self.links[file_index].take() else { continue };
            let Some(joint) = self.above[file_index].take() else {
                link.joint.kind = if link.name == WORLD { JointKind::Fixed } else { JointKind::Free };
                self.push(file_index, link, Elements { link: Some(element), joint: None });
                continue;
            };
            link.parent = Some(self.placed[joint.parent]);
            link.offset = joint.origin;
            if joint.kind == UrdfJoint::Planar {
                let message = format!(
                    "the planar joint `{}` becomes two slides without mass, `{0}_x` and `{0}_y`, and a hinge",
                    short(&joint.name)
                );
                let help =
                    "`joints: impulse` needs a mass for each: give them one in the `.body` that it is converted to";
                xml.report(joint.element, Diagnostic::warning("planar-joint", message).help(help));
                self.slides(&joint, &mut link, &mut next_id);
            }
            let name = joint.name;
            link.joint = Joint { name: Some(name).filter(|name| *name != link.name), ..joint.joint };
            self.push(file_index, link, Elements { link: Some(element), joint: Some(joint.element) });
        }
        self.carry_massless_inertias(xml);
        (self.body, self.elements)
    }

    /// Moves the inertia of a link without mass to the link that it is fixed to. The rigid part keeps its mass
    /// properties, and formats without such inertias lose nothing.
    fn carry_massless_inertias(&mut self, xml: &Xml<'a>) {
        for index in (1..self.body.links.len()).rev().map(LinkIndex) {
            let link = self.body.link(index);
            let (mass, joint, offset) = (link.mass, link.joint.kind, link.offset);
            let Some(parent) = link.parent.filter(|_| joint == JointKind::Fixed) else { continue };
            if mass.mass > 0.0 || mass.inertia == Matrix3::zeros() {
                continue;
            }
            let rotation = offset.rotation.to_rotation_matrix();
            self.body.link_mut(parent).mass.inertia += rotation * mass.inertia * rotation.transpose();
            let message = format!(
                "link `{}` has an inertia and no mass: its inertia is added to `{}`, to which it is fixed",
                short(&self.body.link(index).name),
                short(&self.body.link(parent).name)
            );
            self.body.link_mut(index).mass = MassProperties::ZERO;
            if let Some(Elements { link: Some(element), .. }) = self.elements.get(index.0) {
                xml.report(*element, Diagnostic::note("massless-inertia", message));
            }
        }
    }

    fn push(&mut self, file_index: EntryIndex, link: Link, elements: Elements<'a>) {
        self.placed[file_index] = LinkIndex(self.body.links.len());
        self.body.links.push(link);
        self.elements.push(elements);
    }

    /// Inserts two prismatic joints in the plane between a link and its parent.
    fn slides(&mut self, joint: &JointEntry<'a>, link: &mut Link, next_id: &mut usize) {
        let normal = Unit::new_normalize(joint.joint.axis);
        // As close to X and Y as the normal permits; exactly these for a normal along Z.
        let helper = if normal.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() };
        let first = Unit::new_normalize(helper - normal.into_inner() * normal.dot(&helper));
        let second = normal.cross(&first);
        for (suffix, axis) in [("x", first.into_inner()), ("y", second)] {
            let slide = Joint { id: Some(JointId(*next_id)), kind: JointKind::Prismatic, axis, ..Joint::default() };
            *next_id += 1;
            let carrier = Link::new(format!("{}_{suffix}", joint.name), link.parent, link.offset, slide);
            link.parent = Some(LinkIndex(self.body.links.len()));
            link.offset = Isometry3::identity();
            self.body.links.push(carrier);
            self.elements.push(Elements { link: None, joint: Some(joint.element) });
        }
    }
}
