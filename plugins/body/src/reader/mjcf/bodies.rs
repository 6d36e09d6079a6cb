//! `<worldbody>`: the tree of bodies as links.

use std::collections::{BTreeSet, HashMap};

use bunraku_document::Diagnostic;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::super::allowance::MOST_LINKS;
use super::assets::Assets;
use super::element::Element;
use super::findings::short;
use super::geoms::{Geom, read_geom};
use super::inertia;
use super::joints::{JointEntry, MjcfJoint, read_joints};
use super::model::ModelFile;
use super::poses::pose;
use crate::{Body, Joint, JointKind, Link, LinkIndex, ModelFormat};

/// Name of the link that stands for the world.
const WORLD: &str = "world";

/// Something fixed to a link: a site, a camera, a light.
#[derive(Clone)]
pub(super) struct Mounted<'m> {
    pub(super) element: &'m Element,
    pub(super) link: LinkIndex,
    /// Frame around it, in that of the link.
    pub(super) frame: Isometry3<f64>,
    /// Class of the elements around it.
    pub(super) class: Option<&'m str>,
}

/// A body of the file in the model.
#[derive(Clone, Copy)]
pub(super) struct PlacedBody {
    pub(super) link: LinkIndex,
    /// Frame of the body in that of its link.
    pub(super) frame: Isometry3<f64>,
}

/// A joint of the file in the model.
#[derive(Clone, Copy)]
pub(super) struct PlacedJoint {
    pub(super) link: LinkIndex,
    pub(super) kind: MjcfJoint,
}

/// The links, and what other parts of the file refer to.
pub(super) struct Tree<'m> {
    pub(super) body: Body,
    /// By name.
    pub(super) bodies: HashMap<&'m str, PlacedBody>,
    pub(super) joints: HashMap<&'m str, PlacedJoint>,
    pub(super) geoms: HashMap<&'m str, LinkIndex>,
    /// Joints with their links, in the order of the file's configurations.
    pub(super) order: Vec<(JointEntry<'m>, LinkIndex)>,
    /// Sites, cameras and lights, in file order.
    pub(super) mounted: Vec<Mounted<'m>>,
    /// Elements of links: the body, and the joint above it.
    pub(super) elements: Vec<[Option<&'m Element>; 2]>,
    /// Whether link 0 stands for the world.
    pub(super) has_world: bool,
}

/// A body of the world with the frame around it.
struct Top<'m> {
    element: &'m Element,
    frame: Isometry3<f64>,
    class: Option<&'m str>,
}

/// Reads the tree; `None` after an error.
pub(super) fn read_tree<'m>(name: String, file: &'m ModelFile<'m>, assets: &Assets<'m>) -> Option<Tree<'m>> {
    let mut tops = Vec::new();
    let mut own = Vec::new();
    for world in file.root.all("worldbody") {
        let class = world.attribute("childclass");
        flatten(world, &Isometry3::identity(), class, file, &mut |top| {
            if top.element.tag == "body" { tops.push(top) } else { own.push(top) }
        });
    }
    if file.root.all("worldbody").next().is_none() {
        let error = Diagnostic::error("empty-model", "the model has no `<worldbody>`");
        file.findings.report(file.root, error.help("write `<worldbody><body>…</body></worldbody>`"));
        return None;
    }
    let has_joint = |element: &Element, free: bool| {
        let is_free = |joint: &Element| joint.tag == "freejoint" || joint.attribute("type") == Some("free");
        element
            .children
            .iter()
            .any(|child| matches!(child.tag.as_str(), "joint" | "freejoint") && is_free(child) == free)
    };
    // A single body that floats or is fixed is the root; otherwise the world is.
    let has_world = match tops.as_slice() {
        [only] => has_joint(only.element, false),
        _ => true,
    };
    let mut builder = Builder {
        file,
        assets,
        tree: Tree {
            body: Body::of_links(name, ModelFormat::Mjcf, Vec::new()),
            bodies: HashMap::new(),
            joints: HashMap::new(),
            geoms: HashMap::new(),
            order: Vec::new(),
            mounted: Vec::new(),
            elements: Vec::new(),
            has_world,
        },
        names: BTreeSet::new(),
        lines: HashMap::new(),
        num_bodies: 0,
    };
    builder.world(own, has_world);
    if let [_, second, ..] = tops.as_slice() {
        let message =
            format!("the world has {} bodies: they are trees of one model, whose root is the world", tops.len());
        let help = "for separate bodies, write one file for each and a scene";
        file.findings.report(second.element, Diagnostic::note("mjcf-bodies", message).help(help));
    }
    for top in &tops {
        builder.body(top, None)?;
    }
    Some(builder.tree)
}

/// Gives the elements inside a body or the world, those of frames with these.
fn flatten<'m>(
    around: &'m Element,
    frame: &Isometry3<f64>,
    class: Option<&'m str>,
    file: &'m ModelFile<'m>,
    give: &mut dyn FnMut(Top<'m>),
) {
    for element in &around.children {
        match element.tag.as_str() {
            "frame" => {
                let view = file.view(element, None);
                let has_class = file.defaults.knows(element, "childclass", file.findings);
                let class = element.attribute("childclass").filter(|_| has_class).or(class);
                if let Some((element, _)) = view.find("scale") {
                    let warning = Diagnostic::warning("mjcf-unsupported", "scales of frames are not read");
                    file.findings.once_attribute("frame-scale", element, "scale", warning);
                }
                flatten(element, &(frame * pose(&view, &file.compiler)), class, file, give);
            }
            "attach" | "composite" | "flexcomp" => {
                let message = format!("`<{}>` is not read: what it makes is left out", element.tag);
                let help = "load and save the model with MuJoCo (`mujoco.mj_saveLastXML`), which writes it out";
                let warning = Diagnostic::warning("mjcf-unsupported", message).help(help);
                file.findings.once(&element.tag, element, warning);
            }
            _ => give(Top { element, frame: *frame, class }),
        }
    }
}

struct Builder<'m, 'a> {
    file: &'m ModelFile<'m>,
    assets: &'a Assets<'m>,
    tree: Tree<'m>,
    /// Names of links.
    names: BTreeSet<String>,
    /// Lines of names of bodies and joints in the file.
    lines: HashMap<(&'static str, &'m str), u32>,
    /// Bodies so far.
    num_bodies: usize,
}

impl<'m> Builder<'m, '_> {
    /// Elements of the world itself: parts of its link, or left out.
    fn world(&mut self, own: Vec<Top<'m>>, has_world: bool) {
        let file = self.file;
        if has_world {
            let name = self.name(WORLD.to_owned());
            self.push(link(name, None, Isometry3::identity(), Joint::default()), [None; 2]);
        }
        let (mut geoms, mut planes) = (Vec::new(), None);
        for top in own {
            match top.element.tag.as_str() {
                "geom" => {
                    let Some(geom) = read_geom(top.element, top.class, &top.frame, file, self.assets) else { continue };
                    if let Some(name) = top.element.attribute("name") {
                        self.tree.geoms.insert(name, LinkIndex::ROOT);
                    }
                    if geom.is_plane {
                        planes.get_or_insert(top.element);
                    } else {
                        geoms.push((top.element, geom));
                    }
                }
                "site" | "camera" | "light" if has_world => self.tree.mounted.push(Mounted {
                    element: top.element,
                    link: LinkIndex::ROOT,
                    frame: top.frame,
                    class: top.class,
                }),
                "site" | "camera" | "light" => {
                    let message = format!("a {} of the world is not a part of the robot", top.element.tag);
                    let note = Diagnostic::note("mjcf-world", message);
                    file.findings.once(&format!("world-{}", top.element.tag), top.element, note);
                }
                _ => {}
            }
        }
        if let Some(element) = planes {
            let note = Diagnostic::note("mjcf-world", "infinite planes are not parts of a model");
            let help = "give the scene a body with the shape of a floor";
            file.findings.report(element, note.help(help));
        }
        if has_world {
            let root = self.tree.body.link_mut(LinkIndex::ROOT);
            for (_, geom) in geoms {
                root.visual.extend(geom.visual);
                root.collision.extend(geom.collision);
            }
        } else if let Some((element, _)) = geoms.first() {
            let message =
                format!("{} geoms of the world are not parts of the robot, which is the only body", geoms.len());
            let help = "give the scene a body with these shapes";
            file.findings.report(element, Diagnostic::note("mjcf-world", message).help(help));
        }
    }

    /// A body with all below it. `parent` is the body around it.
    fn body(&mut self, top: &Top<'m>, parent: Option<PlacedBody>) -> Option<()> {
        let file = self.file;
        let findings = file.findings;
        let element = top.element;
        self.num_bodies += 1;
        let view = file.view(element, None);
        let has_class = file.defaults.knows(element, "childclass", findings);
        let class = element.attribute("childclass").filter(|_| has_class).or(top.class);
        let own = top.frame * pose(&view, &file.compiler);
        self.note_body(element);
        let name = element.attribute("name").filter(|name| !name.is_empty());
        self.claim("body", name, element)?;
        let link_name = name.map_or_else(|| format!("body{}", self.num_bodies), str::to_owned);
        let link_name = self.name(link_name);
        let joints = read_joints(element, class, parent.is_none(), file)?;
        for joint in &joints {
            self.claim("joint", joint.name, joint.element)?;
        }
        let placed = self.links(element, link_name, joints, own, parent)?;
        if let Some(name) = name {
            self.tree.bodies.insert(name, placed);
        }
        self.contents(element, class, placed)
    }

    /// The links of a body: one for each joint, the last of which carries it.
    fn links(
        &mut self,
        element: &'m Element,
        name: String,
        joints: Vec<JointEntry<'m>>,
        own: Isometry3<f64>,
        parent: Option<PlacedBody>,
    ) -> Option<PlacedBody> {
        let findings = self.file.findings;
        let above = parent.or_else(|| {
            let frame = Isometry3::identity();
            self.tree.has_world.then_some(PlacedBody { link: LinkIndex::ROOT, frame })
        });
        // The frame of the body at the displacements of the file, in the link before.
        let mut frame = above.map_or(own, |above| above.frame * own);
        let mut before = above.map(|above| above.link);
        let [.., last] = joints.as_slice() else {
            let link = self.push(link(name, before, frame, Joint::default()), [Some(element), None]);
            return self.placed(element, link, Isometry3::identity());
        };
        let last = last.kind;
        let count = joints.len();
        for (number, entry) in joints.into_iter().enumerate() {
            let is_last = number + 1 == count;
            if entry.kind == MjcfJoint::Ball {
                let note = Diagnostic::note(
                    "mjcf-ball",
                    "a ball joint becomes three hinges about X, Y and Z, which cannot turn by 90° about Y",
                );
                findings.once("ball", entry.element, note);
            }
            let zero = entry.zero_pose();
            // Axes of a ball joint with the suffixes of their names.
            let axes: &[Option<(Vector3<f64>, &str)>] = match entry.kind {
                MjcfJoint::Ball => &[
                    Some((Vector3::new(1.0, 0.0, 0.0), "x")),
                    Some((Vector3::new(0.0, 1.0, 0.0), "y")),
                    Some((Vector3::new(0.0, 0.0, 1.0), "z")),
                ],
                _ => &[None],
            };
            let mut first = None;
            for (part, axis) in axes.iter().enumerate() {
                let mut joint = entry.joint();
                if let Some((axis, suffix)) = axis {
                    joint.axis = *axis;
                    joint.name = entry.name.map(|name| format!("{name}_{suffix}"));
                }
                let carries = is_last && part + 1 == axes.len();
                let link_name = if carries {
                    name.clone()
                } else {
                    let suffix = joint.name.clone().unwrap_or_else(|| format!("joint{}", number + part + 1));
                    self.name(format!("{name}_{suffix}"))
                };
                joint.name = joint.name.filter(|joint| *joint != link_name);
                let offset = if part == 0 { frame * zero } else { Isometry3::identity() };
                let link = self.push(link(link_name, before, offset, joint), [Some(element), Some(entry.element)]);
                if link.is_none() {
                    return self.placed(element, None, frame);
                }
                first = first.or(link);
                before = link;
            }
            // The next joint turns in the body's frame, which this one has moved: back from its anchor.
            frame = Isometry3::from_parts(Translation3::from(-entry.anchor), UnitQuaternion::identity());
            let first = first?;
            if let Some(name) = entry.name {
                self.tree.joints.insert(name, PlacedJoint { link: first, kind: entry.kind });
            }
            self.tree.order.push((entry, first));
        }
        if last == MjcfJoint::Free {
            frame = Isometry3::identity();
        }
        self.placed(element, before, frame)
    }

    fn placed(&self, element: &Element, link: Option<LinkIndex>, frame: Isometry3<f64>) -> Option<PlacedBody> {
        if link.is_none() {
            let message = format!("the model has more than {MOST_LINKS} links");
            self.file
                .findings
                .report(element, Diagnostic::error("limit-links", message).help("is this the right file?"));
        }
        Some(PlacedBody { link: link?, frame })
    }

    /// Geoms, sites and bodies inside a body.
    fn contents(&mut self, element: &'m Element, class: Option<&'m str>, placed: PlacedBody) -> Option<()> {
        let file = self.file;
        let mut inside = Vec::new();
        flatten(element, &Isometry3::identity(), class, file, &mut |top| inside.push(top));
        let mut geoms: Vec<Geom> = Vec::new();
        for top in &inside {
            match top.element.tag.as_str() {
                "geom" => {
                    let frame = placed.frame * top.frame;
                    let Some(geom) = read_geom(top.element, top.class, &frame, file, self.assets) else { continue };
                    if let Some(name) = top.element.attribute("name") {
                        self.tree.geoms.insert(name, placed.link);
                    }
                    geoms.push(geom);
                }
                "site" | "camera" | "light" => self.tree.mounted.push(Mounted {
                    element: top.element,
                    link: placed.link,
                    frame: placed.frame * top.frame,
                    class: top.class,
                }),
                _ => {}
            }
        }
        let inertial = element.all("inertial").last();
        let target = self.tree.body.link_mut(placed.link);
        target.mass = inertia::of_body(inertial, &geoms, &placed.frame, file);
        for geom in geoms {
            target.visual.extend(geom.visual);
            target.collision.extend(geom.collision);
        }
        for top in inside.iter().filter(|top| top.element.tag == "body") {
            self.body(top, Some(placed))?;
        }
        Some(())
    }

    fn note_body(&self, element: &'m Element) {
        let findings = self.file.findings;
        if element.attribute("mocap") == Some("true") {
            let note = Diagnostic::note("mjcf-mocap", "a body of motion capture is fixed here");
            findings.once("mocap", element, note.help("give the scene a body with `drive: motion`"));
        }
        if element.attribute("gravcomp").is_some_and(|text| text.trim().parse() != Ok(0.0)) {
            let warning = Diagnostic::warning("mjcf-unsupported", "`gravcomp` is ignored: gravity acts on all bodies");
            findings.once_attribute("gravcomp", element, "gravcomp", warning);
        }
    }

    /// Reports a name that is taken.
    fn claim(&mut self, kind: &'static str, name: Option<&'m str>, element: &'m Element) -> Option<()> {
        let Some(name) = name else { return Some(()) };
        let line = self.file.findings.line(element);
        if let Some(first) = self.lines.insert((kind, name), line) {
            let message = format!("{kind} name `{}` is already taken on line {first}", short(name));
            let error = Diagnostic::error("duplicate-name", message);
            self.file.findings.report_attribute(element, "name", error.help("give one of the two another name"));
            return None;
        }
        Some(())
    }

    /// A name that no link has, as near as possible to the wanted one.
    fn name(&mut self, wanted: String) -> String {
        let mut name = wanted.clone();
        let mut number = 2;
        while !self.names.insert(name.clone()) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        name
    }

    /// Adds a link; `None` if there are too many.
    fn push(&mut self, link: Link, elements: [Option<&'m Element>; 2]) -> Option<LinkIndex> {
        let links = &mut self.tree.body.links;
        if links.len() >= MOST_LINKS {
            return None;
        }
        links.push(link);
        self.tree.elements.push(elements);
        Some(LinkIndex(links.len() - 1))
    }
}

fn link(name: String, parent: Option<LinkIndex>, offset: Isometry3<f64>, joint: Joint) -> Link {
    // A root is at its offset in the world, whether it floats or not.
    debug_assert!(parent.is_some() || matches!(joint.kind, JointKind::Fixed | JointKind::Free));
    Link::new(name, parent, offset, joint)
}
