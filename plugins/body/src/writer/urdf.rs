//! Models as URDF.

use std::collections::BTreeSet;

use bunraku_document::{Diagnostic, Reporter};
use bunraku_mesh::Shape;
use nalgebra::Isometry3;

use super::exported::{Exported, Exporter, Form, Supported, symmetric, unit_axis};
use super::exported_losses;
use super::exported_names::Names;
use super::xml::{self, Tag, number, numbers};
use super::{WriteOptions, WrittenModel};
use crate::{Body, Joint, JointIndex, JointKind, JointSlot, Link, LinkIndex, Range, SuggestedDynamics};

/// Name of the link that a fixed robot stands on. A root of this name is fixed.
const WORLD: &str = "world";
/// Name of the joint between the two.
const WORLD_JOINT: &str = "world_joint";
/// End of a range that has none, rad or m: the format needs both.
const FAR: f64 = 1e9;

/// Writes a body as URDF text with STL files for its meshes; no file is created. What the format cannot hold is
/// reported as warnings.
///
/// A root that is fixed to the world is the child of a link `world`. Rotor inertias are written as `<transmission>`s.
pub fn write_urdf(body: &Body, options: &WriteOptions<'_>, reporter: &Reporter) -> WrittenModel {
    let exporter = Exporter::new(options.path, reporter, Supported { ellipsoid: false });
    let root = body.root();
    let stands = body.is_fixed() && (root.name != WORLD || root.offset != Isometry3::identity());
    let is_reserved = stands || root.name == WORLD && !body.is_fixed();
    let (links, joints): (&[&str], &[&str]) = if is_reserved { (&[WORLD], &[WORLD_JOINT]) } else { (&[], &[]) };
    let names = Names::new(body, links, joints);
    let mut writer = UrdfWriter { body, reporter, exporter, names };
    let mut robot = Tag::new("robot").with("name", &*body.name);
    if stands {
        robot.push(Tag::new("link").with("name", WORLD));
        let joint = Tag::new("joint").with("name", WORLD_JOINT).with("type", "fixed");
        let joint = joint.holding(origin(&root.offset)).holding(Tag::new("parent").with("link", WORLD));
        robot.push(joint.holding(Tag::new("child").with("link", writer.names.link(LinkIndex::ROOT))));
    }
    for (index, link) in body.indexed_links() {
        let link = writer.link(index, link);
        robot.push(link);
    }
    for link in writer.joint_order() {
        if let Some(joint) = writer.joint(link) {
            robot.push(joint);
        }
    }
    for (index, link) in body.indexed_links().skip(1) {
        if link.joint.equivalent_rotor_inertia != 0.0 {
            robot.push(rotor(writer.names.joint(index), link.joint.equivalent_rotor_inertia));
        }
    }
    writer.names.report_changes(reporter);
    writer.report_losses();
    WrittenModel { text: xml::document(&robot), files: writer.exporter.into_files() }
}

struct UrdfWriter<'w> {
    body: &'w Body,
    reporter: &'w Reporter,
    exporter: Exporter<'w>,
    names: Names,
}

impl UrdfWriter<'_> {
    fn warn(&self, code: &'static str, message: impl Into<String>, help: &str) {
        self.reporter.report(Diagnostic::warning(code, message.into()).help(help));
    }

    fn link(&mut self, index: LinkIndex, link: &Link) -> Tag {
        let mut tag = Tag::new("link").with("name", self.names.link(index));
        let mass = &link.mass;
        if mass.mass != 0.0 {
            let inertia = symmetric(&mass.inertia);
            let center = Isometry3::translation(mass.center_of_mass.x, mass.center_of_mass.y, mass.center_of_mass.z);
            let moments = Tag::new("inertia")
                .with("ixx", number(inertia.m11))
                .with("ixy", number(inertia.m12))
                .with("ixz", number(inertia.m13))
                .with("iyy", number(inertia.m22))
                .with("iyz", number(inertia.m23))
                .with("izz", number(inertia.m33));
            let weight = Tag::new("mass").with("value", number(mass.mass));
            tag.push(Tag::new("inertial").holding(origin(&center)).holding(weight).holding(moments));
        }
        for (kind, shapes) in [("visual", &link.visual), ("collision", &link.collision)] {
            self.shapes(kind, shapes, &mut tag);
        }
        tag
    }

    fn shapes(&mut self, kind: &'static str, shapes: &[Shape], tag: &mut Tag) {
        for exported in shapes.iter().flat_map(|shape| self.exporter.shape(shape)).collect::<Vec<_>>() {
            let Exported { form, pose, color } = exported;
            let form = match form {
                Form::Box(edges) => Tag::new("box").with("size", numbers(edges.as_slice())),
                Form::Sphere { radius } => Tag::new("sphere").with("radius", number(radius)),
                Form::Cylinder { radius, height } => {
                    Tag::new("cylinder").with("radius", number(radius)).with("length", number(height))
                }
                Form::Capsule { radius, height } => {
                    Tag::new("capsule").with("radius", number(radius)).with("length", number(height))
                }
                Form::Mesh { file, .. } => Tag::new("mesh").with("filename", file),
                // Not among those asked for.
                Form::Ellipsoid(half) => Tag::new("box").with("size", numbers((half * 2.0).as_slice())),
            };
            let mut shape = Tag::new(kind).holding(origin(&pose)).holding(Tag::new("geometry").holding(form));
            if kind == "visual" {
                let color = Tag::new("color").with("rgba", numbers(&color));
                shape.push(Tag::new("material").with("name", "").holding(color));
            }
            tag.push(shape);
        }
    }

    /// Links below the root in the order of their joints: IDs first, then the others. Readers number joints so.
    fn joint_order(&self) -> Vec<LinkIndex> {
        let by_joint = (0..self.body.num_joints()).filter_map(|joint| self.body.joint_link(JointIndex(joint)));
        let mut order: Vec<LinkIndex> = by_joint.filter(|link| *link != LinkIndex::ROOT).collect();
        let known: BTreeSet<LinkIndex> = order.iter().copied().collect();
        let rest = self.body.indexed_links().skip(1).map(|(index, _)| index);
        order.extend(rest.filter(|index| !known.contains(index)));
        order
    }

    fn joint(&self, index: LinkIndex) -> Option<Tag> {
        let link = self.body.link(index);
        let joint = &link.joint;
        let parent = link.parent?;
        let (lower, upper) = (joint.displacement_range.lower, joint.displacement_range.upper);
        let is_unlimited = lower == f64::NEG_INFINITY && upper == f64::INFINITY;
        let kind = match joint.kind {
            JointKind::Fixed | JointKind::PseudoContinuousTrack => "fixed",
            JointKind::Free => "floating",
            JointKind::Revolute if is_unlimited => "continuous",
            JointKind::Revolute => "revolute",
            JointKind::Prismatic => "prismatic",
        };
        let mut tag = Tag::new("joint").with("name", self.names.joint(index)).with("type", kind);
        tag.push(origin(&link.offset));
        tag.push(Tag::new("parent").with("link", self.names.link(parent)));
        tag.push(Tag::new("child").with("link", self.names.link(index)));
        if joint.kind.has_displacement() {
            tag.push(Tag::new("axis").with("xyz", numbers(unit_axis(joint).as_slice())));
            self.limit(link, kind, &mut tag);
            let SuggestedDynamics { damping, friction, .. } = joint.suggested;
            if [damping, friction].iter().any(|value| *value != 0.0 && value.is_finite()) {
                tag.push(Tag::new("dynamics").with("damping", number(damping)).with("friction", number(friction)));
            }
        }
        let coupling = self.body.joint_couplings().iter().find(|coupling| coupling.follower == index);
        if let Some(coupling) = coupling {
            let leader = self.names.joint(coupling.leader);
            match coupling.as_linear() {
                Some((multiplier, offset)) => {
                    let mimic = Tag::new("mimic").with("joint", leader).with("multiplier", number(multiplier));
                    tag.push(mimic.with("offset", number(offset)));
                }
                None => self.warn(
                    "export-coupling",
                    format!("joint `{}` follows `{leader}` by a curve, which `<mimic>` cannot", link.joint_name()),
                    "it moves independently in the file that is written",
                ),
            }
        }
        Some(tag)
    }

    fn limit(&self, link: &Link, kind: &str, tag: &mut Tag) {
        let Joint { displacement_range, velocity_range, effort_range, .. } = &link.joint;
        let mut limit = Tag::new("limit");
        let mut is_needed = false;
        if kind != "continuous" {
            let end = |value: f64| number(if value.is_finite() { value } else { FAR.copysign(value) });
            limit = limit.with("lower", end(displacement_range.lower)).with("upper", end(displacement_range.upper));
            is_needed = true;
        }
        for (name, range) in [("effort", effort_range), ("velocity", velocity_range)] {
            let Range { lower, upper } = *range;
            if !upper.is_finite() && !lower.is_finite() {
                continue;
            }
            if lower != -upper || lower > upper {
                let problem = if lower > upper { "cross" } else { "are not symmetric" };
                let joint = link.joint_name();
                self.warn(
                    "export-limit",
                    format!("the {name} limits {lower} and {upper} of joint `{joint}` {problem}"),
                    "the larger one is written for both directions",
                );
            }
            let most =
                [lower, upper].into_iter().filter(|value| value.is_finite()).fold(0.0_f64, |a, b| a.max(b.abs()));
            limit = limit.with(if name == "effort" { "effort" } else { "velocity" }, number(most));
            is_needed = true;
        }
        if is_needed {
            tag.push(limit);
        }
    }

    /// Reports what the format has no place for.
    fn report_losses(&self) {
        let body = self.body;
        exported_losses::report_common(body, self.reporter);
        let lost = |code: &'static str, count: usize, what: &str, help: &str| {
            exported_losses::lost(self.reporter, code, count, &format!("{what}: URDF has no place for them"), help);
        };
        lost(
            "export-collisions",
            body.collision_rules.as_ref().map_or(0, Vec::len),
            "rules for self-collision are left out",
            "say in the program that reads the file which links do not collide",
        );
        lost(
            "export-devices",
            body.devices.len(),
            "devices are left out",
            "add them in the program that reads the file",
        );
        lost(
            "export-loops",
            body.extra_joints.len(),
            "extra joints are left out",
            "the loops of the mechanism are open in the file that is written",
        );
        let is_still = |slot: &&JointSlot| match **slot {
            JointSlot::Unused => true,
            JointSlot::Link(link) => body.link(link).joint.kind == JointKind::Fixed,
        };
        let still = body.joints().iter().filter(is_still).count();
        lost(
            "export-ids",
            still,
            "joint IDs of no joint, or of a fixed one, are left out",
            "joints after them have other numbers there",
        );
        let springs = body.links().iter().filter(|link| {
            let SuggestedDynamics { stiffness, servo, .. } = link.joint.suggested;
            stiffness != 0.0 || servo.is_some()
        });
        lost(
            "export-springs",
            springs.count(),
            "springs and servos of joints are left out",
            "give their gains to the program that reads the file",
        );
        let tracks = body.links().iter().filter(|link| link.joint.kind == JointKind::PseudoContinuousTrack);
        lost("export-tracks", tracks.count(), "tracks are fixed links", "their surfaces do not move there");
        let starts = body.initial_displacements();
        let starts = starts.iter().filter(|value| **value != 0.0).count();
        lost("export-pose", starts, "initial displacements are left out", "all joints begin at zero there");
        let stretched =
            |link: &&Link| link.joint.kind == JointKind::Prismatic && (link.joint.axis.norm() - 1.0).abs() > 1e-9;
        let count = body.links().iter().filter(stretched).count();
        lost(
            "export-axis",
            count,
            "axes of slides are not unit vectors",
            "their displacements count differently there",
        );
        let is_moved = !body.is_fixed() && body.root().offset != Isometry3::identity();
        if is_moved {
            let message = "the pose of the root is left out: a floating root has none in URDF";
            self.reporter
                .report(Diagnostic::note("export-pose", message).help("give it to the program that reads the file"));
        }
        let massless = body.links().iter().filter(|link| link.mass.is_massless_with_data());
        lost(
            "export-inertia",
            massless.count(),
            "centres of mass and inertias without mass are left out",
            "give these links a mass",
        );
    }
}

fn origin(pose: &Isometry3<f64>) -> Tag {
    let (roll, pitch, yaw) = pose.rotation.euler_angles();
    let tag = Tag::new("origin").with("xyz", numbers(pose.translation.vector.as_slice()));
    // Near a pitch of 90° these angles lose digits that a quaternion keeps.
    let angles = nalgebra::UnitQuaternion::from_euler_angles(roll, pitch, yaw);
    let lost = angles.angle_to(&pose.rotation) > 1e-12;
    let tag = tag.with("rpy", numbers(&[roll, pitch, yaw]));
    if !lost {
        return tag;
    }
    let turn = pose.rotation.quaternion();
    tag.with("quat_xyzw", numbers(&[turn.i, turn.j, turn.k, turn.w]))
}

/// A transmission with the rotor inertia of a joint, kg·m² (or kg), as seen at the joint.
fn rotor(joint: &str, inertia: f64) -> Tag {
    let actuator = Tag::new("actuator")
        .with("name", format!("{joint}_motor"))
        .holding(Tag::new("mechanicalReduction").text("1"))
        .holding(Tag::new("motorInertia").text(number(inertia)));
    Tag::new("transmission")
        .with("name", format!("{joint}_transmission"))
        .holding(Tag::new("type").text("transmission_interface/SimpleTransmission"))
        .holding(Tag::new("joint").with("name", joint))
        .holding(actuator)
}
