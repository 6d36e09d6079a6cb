//! Models as MJCF.

#![expect(clippy::indexing_slicing, reason = "indices are those of links of the body that is written")]

use std::collections::BTreeSet;

use bunraku_document::{Diagnostic, Reporter};
use nalgebra::{Isometry3, SymmetricEigen, Vector3};

use super::exported::{Exported, Exporter, Form, Supported, symmetric, unit_axis};
use super::exported_losses;
use super::exported_names::Names;
use super::xml::{self, Tag, number, numbers};
use super::{WriteOptions, WrittenModel};
use crate::kinematics::link_poses;
use crate::{
    Body, Device, DeviceKind, ExtraJointKind, JointKind, JointSlot, LensType, Link, LinkIndex, MassProperties,
    OpticalFrame, Range, SuggestedDynamics,
};

/// Reserved name of the world.
const WORLD: &str = "world";

/// Writes a body as MJCF text with STL files for its meshes; no file is created. What the format cannot hold is
/// reported as warnings.
///
/// Links without mass and shapes between two joints become joints of one body, as the format has it.
pub fn write_mjcf(body: &Body, options: &WriteOptions<'_>, reporter: &Reporter) -> WrittenModel {
    let mut writer = MjcfWriter::new(body, options, reporter);
    let mut world = Tag::new("worldbody");
    writer.tree(LinkIndex::ROOT, &mut world);
    // Free bodies belong to the world in this format.
    let poses = link_poses(body, &body.root().offset, &vec![0.0; body.num_joints()]);
    let loose = body.indexed_links().skip(1).filter(|(_, link)| link.joint.kind == JointKind::Free);
    for (index, _) in loose.collect::<Vec<_>>() {
        let tag = writer.body(&[index], &poses[index.0], true);
        world.push(tag);
    }
    let mut root = Tag::new("mujoco").with("model", &*body.name);
    let compiler = Tag::new("compiler").with("angle", "radian").with("inertiafromgeom", "false");
    let compiler = compiler.with("autolimits", "true");
    root.push(if writer.has_impossible_inertia() { compiler.with("balanceinertia", "true") } else { compiler });
    let mut assets = Tag::new("asset");
    for (index, file) in writer.exporter.files().enumerate() {
        // Open surfaces enclose no volume.
        assets.push(Tag::new("mesh").with("name", format!("mesh{index}")).with("file", file).with("inertia", "shell"));
    }
    let sections = [
        assets,
        world,
        writer.exclusions(),
        writer.equalities(),
        writer.actuators(),
        writer.sensors(),
        writer.keyframe(),
    ];
    sections.into_iter().filter(|section| !section.is_empty()).for_each(|section| root.push(section));
    writer.names.report_changes(reporter);
    writer.report_losses();
    WrittenModel { text: xml::document(&root), files: writer.exporter.into_files() }
}

struct MjcfWriter<'w> {
    body: &'w Body,
    reporter: &'w Reporter,
    exporter: Exporter<'w>,
    children: Vec<Vec<LinkIndex>>,
    /// Links with nothing but a joint, which becomes one of their child.
    hollow: Vec<bool>,
    disabled: BTreeSet<LinkIndex>,
    /// Joints in the order of configurations.
    order: Vec<LinkIndex>,
    names: Names,
    /// Flat meshes that should collide.
    num_flat: usize,
}

impl<'w> MjcfWriter<'w> {
    fn new(body: &'w Body, options: &WriteOptions<'w>, reporter: &'w Reporter) -> Self {
        let count = body.links().len();
        let mut children = vec![Vec::new(); count];
        for (index, link) in body.indexed_links() {
            if let Some(LinkIndex(parent)) = link.parent.filter(|_| link.joint.kind != JointKind::Free) {
                children[parent].push(index);
            }
        }
        let mut held: BTreeSet<LinkIndex> = body.extra_joints.iter().flat_map(|joint| joint.links).collect();
        held.extend(body.devices.iter().map(|device| device.link));
        let hollow = body.indexed_links().map(|(index, link)| {
            let only = match children[index.0].as_slice() {
                [only] => body.link(*only).joint.kind.has_displacement(),
                _ => false,
            };
            only && link.joint.kind.has_displacement()
                && link.parent.is_some()
                && link.mass == MassProperties::ZERO
                && link.visual.is_empty()
                && link.collision.is_empty()
                && !held.contains(&index)
        });
        let hollow = hollow.collect();
        let names = Names::new(body, if is_world(body) { &[] } else { &[WORLD] }, &[]);
        Self {
            body,
            reporter,
            exporter: Exporter::new(options.path, reporter, Supported { ellipsoid: true }),
            children,
            hollow,
            disabled: body.collision_filter().disabled_links,
            order: Vec::new(),
            names,
            num_flat: 0,
        }
    }

    fn warn(&self, code: &'static str, message: String, help: &str) {
        self.reporter.report(Diagnostic::warning(code, message).help(help));
    }

    /// Whether a principal moment of a link exceeds the sum of the others, which MuJoCo refuses; this is reported.
    fn has_impossible_inertia(&self) -> bool {
        let is_impossible = |link: &&Link| {
            let mut moments: Vec<f64> = SymmetricEigen::new(link.mass.inertia).eigenvalues.iter().copied().collect();
            moments.sort_by(f64::total_cmp);
            link.mass.mass > 0.0 && matches!(moments.as_slice(), [a, b, c] if a + b < *c)
        };
        let count = self.body.links().iter().filter(is_impossible).count();
        if count > 0 {
            let message =
                format!("{count} links have a principal moment above the sum of the others, which MuJoCo refuses");
            self.warn("export-inertia", message, "`balanceinertia` makes them equal in the file that is written");
        }
        count > 0
    }

    /// The tree of a root.
    fn tree(&mut self, root: LinkIndex, world: &mut Tag) {
        if is_world(self.body) {
            self.contents(root, world);
            return;
        }
        let tag = self.body(&[root], &self.body.root().offset, !self.body.is_fixed());
        world.push(tag);
    }

    /// A body of a chain of links, of which all but the last are hollow.
    fn body(&mut self, chain: &[LinkIndex], offset: &Isometry3<f64>, floats: bool) -> Tag {
        let [above @ .., last] = chain else { return Tag::new("body") };
        // The frame of the last link at zero displacement, in the parent of the first.
        let pose = chain.iter().skip(1).fold(*offset, |pose, link| pose * self.body.link(*link).offset);
        let mut tag = placed(Tag::new("body").with("name", self.names.link(*last)), &pose);
        if floats {
            tag.push(Tag::new("freejoint"));
            self.order.push(*last);
        }
        for (number, index) in above.iter().chain([last]).enumerate() {
            let link = self.body.link(*index);
            if floats || !link.joint.kind.has_displacement() || link.parent.is_none() {
                continue;
            }
            // Frame of this link in that of the last one.
            let rest = chain.iter().skip(number + 1);
            let between = rest.fold(Isometry3::identity(), |pose, link| pose * self.body.link(*link).offset);
            let joint = joint(self.names.joint(*index), link, &between.inverse());
            tag.push(joint);
            self.order.push(*index);
        }
        self.contents(*last, &mut tag);
        tag
    }

    /// Mass, shapes and bodies of a link.
    fn contents(&mut self, index: LinkIndex, tag: &mut Tag) {
        let link = self.body.link(index);
        if link.mass.mass != 0.0 {
            tag.push(inertial(&link.mass));
        }
        let collides = !self.disabled.contains(&index);
        for (shapes, is_visual) in [(&link.visual, true), (&link.collision, false)] {
            for exported in shapes.iter().flat_map(|shape| self.exporter.shape(shape)).collect::<Vec<_>>() {
                let is_flat = matches!(exported.form, Form::Mesh { is_flat: true, .. });
                self.num_flat += usize::from(is_flat && !is_visual && collides);
                tag.push(geom(&exported, is_visual, collides && !is_flat));
            }
        }
        let devices = self.body.devices.iter().enumerate().filter(|(_, device)| device.link == index);
        devices.filter_map(|(number, device)| mounted(number, device)).for_each(|device| tag.push(device));
        for child in self.children[index.0].clone() {
            let mut chain = vec![child];
            let mut at = child;
            while self.hollow[at.0]
                && let Some(next) = self.children[at.0].first()
            {
                at = *next;
                chain.push(at);
            }
            let offset = self.body.link(child).offset;
            let body = self.body(&chain, &offset, false);
            tag.push(body);
        }
    }

    /// Pairs of links that do not collide, beside neighbours, which do not in MuJoCo.
    fn exclusions(&self) -> Tag {
        let mut tag = Tag::new("contact");
        for (first, second) in self.body.collision_filter().ignored_pairs {
            let is_near = self.body.link(second).parent == Some(first) || self.body.link(first).parent == Some(second);
            let collide = [first, second].iter().all(|link| !self.body.link(*link).collision.is_empty());
            if !is_near && collide {
                let [first, second] = [first, second].map(|link| self.names.link(link).to_owned());
                tag.push(Tag::new("exclude").with("body1", first).with("body2", second));
            }
        }
        tag
    }

    fn equalities(&self) -> Tag {
        let mut tag = Tag::new("equality");
        for coupling in self.body.joint_couplings() {
            let [follower, leader] = [coupling.follower, coupling.leader].map(|link| self.names.joint(link));
            let equality = Tag::new("joint").with("joint1", follower).with("joint2", leader);
            tag.push(equality.with("polycoef", numbers(&coupling.polynomial)));
        }
        let poses = link_poses(self.body, &self.body.root().offset, &vec![0.0; self.body.num_joints()]);
        for extra in &self.body.extra_joints {
            let [first, second] = [0, 1].map(|side| self.names.link(extra.links[side]).to_owned());
            let [one, other] = [0, 1].map(|side| poses[extra.links[side].0] * extra.frames[side]);
            if extra.kind.gap(&one, &other) > 1e-6 {
                let message =
                    format!("the extra joint between `{first}` and `{second}` is open while all joints are at zero");
                self.warn("export-loops", message, "it is left out: MuJoCo closes loops where they are in that pose");
                continue;
            }
            let anchors: Vec<Vector3<f64>> = match extra.kind {
                ExtraJointKind::Ball => vec![Vector3::zeros()],
                // Two points of the axis.
                ExtraJointKind::Hinge { axis } => vec![Vector3::zeros(), axis.into_inner() * 0.1],
                ExtraJointKind::Fixed => {
                    let relative = poses[extra.links[0].0].inverse() * poses[extra.links[1].0];
                    let turn = relative.rotation;
                    let [x, y, z] = [relative.translation.x, relative.translation.y, relative.translation.z];
                    let pose = numbers(&[x, y, z, turn.w, turn.i, turn.j, turn.k]);
                    tag.push(Tag::new("weld").with("body1", first).with("body2", second).with("relpose", pose));
                    continue;
                }
                _ => {
                    let message = format!("the extra joint between `{first}` and `{second}` is left out");
                    self.warn(
                        "export-loops",
                        message,
                        "MuJoCo has ball joints, hinges and fixed joints between bodies",
                    );
                    continue;
                }
            };
            for anchor in anchors {
                let point = extra.frames[0] * nalgebra::Point3::from(anchor);
                let connect = Tag::new("connect").with("body1", first.clone()).with("body2", second.clone());
                tag.push(connect.with("anchor", numbers(point.coords.as_slice())));
            }
        }
        tag
    }

    /// A servo or motor for each joint that does not follow another.
    fn actuators(&self) -> Tag {
        let mut tag = Tag::new("actuator");
        for slot in self.body.joints() {
            let JointSlot::Link(index) = *slot else { continue };
            let link = self.body.link(index);
            let follows = self.body.joint_couplings().iter().any(|coupling| coupling.follower == index);
            if follows || !link.joint.kind.has_displacement() || index == LinkIndex::ROOT {
                continue;
            }
            tag.push(actuator(self.names.joint(index), link));
        }
        tag
    }

    fn sensors(&self) -> Tag {
        let mut tag = Tag::new("sensor");
        for (number, device) in self.body.devices.iter().enumerate() {
            let kinds: &[&'static str] = match &device.kind {
                DeviceKind::AccelerationSensor(_) => &["accelerometer"],
                DeviceKind::RateGyroSensor(_) => &["gyro"],
                DeviceKind::Imu(_) => &["accelerometer", "gyro"],
                DeviceKind::ForceSensor(_) => &["force", "torque"],
                _ => continue,
            };
            if mounted(number, device).is_none() {
                continue;
            }
            let site = site_name(number, device);
            for kind in kinds {
                tag.push(Tag::new(kind).with("name", format!("{site}_{kind}")).with("site", site.clone()));
            }
        }
        tag
    }

    /// The initial pose, unless it is that of the file.
    fn keyframe(&self) -> Tag {
        let mut tag = Tag::new("keyframe");
        let initial = self.body.initial_displacements();
        let displacement =
            |link: LinkIndex| self.body.joint_of(link).and_then(|joint| initial.get(joint.0).copied()).unwrap_or(0.0);
        if self.order.iter().all(|link| displacement(*link) == 0.0) {
            return tag;
        }
        let mut values = Vec::new();
        for index in &self.order {
            let link = self.body.link(*index);
            if link.parent.is_none() || link.joint.kind == JointKind::Free {
                let pose = link_poses(self.body, &self.body.root().offset, &initial)[index.0];
                let turn = pose.rotation;
                values.extend(pose.translation.vector.iter());
                values.extend([turn.w, turn.i, turn.j, turn.k]);
            } else {
                values.push(displacement(*index));
            }
        }
        tag.push(Tag::new("key").with("name", "initial").with("qpos", numbers(&values)));
        tag
    }

    /// Reports what the format has no place for.
    fn report_losses(&self) {
        exported_losses::report_common(self.body, self.reporter);
        let lost = |code: &'static str, count: usize, what: &str, help: &str| {
            exported_losses::lost(self.reporter, code, count, what, help);
        };
        let is_written = |(number, device): (usize, &Device)| mounted(number, device).is_some();
        lost(
            "export-flat",
            self.num_flat,
            "flat meshes do not collide",
            "give them a thickness, or boxes in their place",
        );
        let others = self.body.devices.iter().enumerate().filter(|entry| !is_written(*entry)).count();
        lost("export-devices", others, "devices are left out", "add them in the file that is written");
        let links = || self.body.links().iter();
        let tracks = links().filter(|link| link.joint.kind == JointKind::PseudoContinuousTrack).count();
        lost("export-tracks", tracks, "tracks are fixed links", "their surfaces do not move there");
        let limited = |link: &&Link| link.joint.velocity_range != Range::UNLIMITED;
        let count = links().filter(limited).count();
        lost("export-limit", count, "velocity limits are left out", "MuJoCo has none: bound the commands");
        let is_left_out = |range: &Range| *range != Range::UNLIMITED && finite(range).is_none();
        let moving = links().filter(|link| link.joint.kind.has_displacement());
        let ranges = moving.flat_map(|link| [&link.joint.displacement_range, &link.joint.effort_range]);
        lost(
            "export-limit",
            ranges.filter(|range| is_left_out(range)).count(),
            "ranges that have one end only, or no width, are left out",
            "give them two ends, the lower one first",
        );
        let is_unusable = |value: f64| value != 0.0 && !is_given(value);
        let losses = links().filter(|link| {
            let SuggestedDynamics { damping, friction, stiffness, .. } = link.joint.suggested;
            [damping, friction, stiffness, link.joint.equivalent_rotor_inertia].into_iter().any(is_unusable)
        });
        lost(
            "export-dynamics",
            losses.count(),
            "joints lose rotor inertia, damping, friction or stiffness that is negative or infinite",
            "give them positive numbers",
        );
        let massless = links().filter(|link| link.mass.is_massless_with_data());
        lost(
            "export-inertia",
            massless.count(),
            "centres of mass and inertias without mass are left out",
            "give these links a mass",
        );
        let filter = self.body.collision_filter();
        let neighbours = self.body.indexed_links().filter(|(index, link)| {
            let Some(parent) = link.parent.filter(|_| link.joint.kind != JointKind::Free) else { return false };
            let collides =
                |link: LinkIndex| !self.body.link(link).collision.is_empty() && !filter.disabled_links.contains(&link);
            collides(*index) && collides(parent) && !filter.ignored_pairs.contains(&(parent, *index))
        });
        lost(
            "export-collisions",
            neighbours.count(),
            "pairs of neighbouring links do not collide there",
            "MuJoCo excludes a body and its parent",
        );
        let stretched =
            |link: &&Link| link.joint.kind == JointKind::Prismatic && (link.joint.axis.norm() - 1.0).abs() > 1e-9;
        lost(
            "export-axis",
            links().filter(stretched).count(),
            "axes of slides are not unit vectors",
            "their displacements count differently there",
        );
    }
}

/// Whether the root of a body is the world of the file.
fn is_world(body: &Body) -> bool {
    let root = body.root();
    let is_at_origin = body.is_fixed() && root.offset == Isometry3::identity();
    is_at_origin && root.name == WORLD && root.mass == MassProperties::ZERO
}

/// Attributes for a pose.
fn placed(tag: Tag, pose: &Isometry3<f64>) -> Tag {
    let turn = pose.rotation;
    let tag = if pose.translation.vector == Vector3::zeros() {
        tag
    } else {
        tag.with("pos", numbers(pose.translation.vector.as_slice()))
    };
    if turn == nalgebra::UnitQuaternion::identity() {
        return tag;
    }
    tag.with("quat", numbers(&[turn.w, turn.i, turn.j, turn.k]))
}

/// Both ends of a range, if it has two.
fn finite(range: &Range) -> Option<String> {
    let Range { lower, upper } = *range;
    (lower.is_finite() && upper.is_finite() && lower < upper).then(|| numbers(&[lower, upper]))
}

/// A joint of a link; `frame` is the frame of the link in that of its body.
fn joint(name: &str, link: &Link, frame: &Isometry3<f64>) -> Tag {
    let joint = &link.joint;
    let kind = if joint.kind == JointKind::Prismatic { "slide" } else { "hinge" };
    let axis = frame.rotation * unit_axis(joint);
    let mut tag = Tag::new("joint").with("name", name).with("type", kind);
    if frame.translation.vector != Vector3::zeros() {
        tag = tag.with("pos", numbers(frame.translation.vector.as_slice()));
    }
    tag = tag.with("axis", numbers(axis.as_slice()));
    if let Some(range) = finite(&joint.displacement_range) {
        tag = tag.with("range", range);
    }
    if let Some(range) = finite(&joint.effort_range) {
        tag = tag.with("actuatorfrcrange", range);
    }
    let SuggestedDynamics { damping, friction, stiffness, rest, .. } = joint.suggested;
    for (name, value) in [
        ("armature", joint.equivalent_rotor_inertia),
        ("damping", damping),
        ("frictionloss", friction),
        ("stiffness", stiffness),
    ] {
        if is_given(value) {
            tag = tag.with(name, number(value));
        }
    }
    if is_given(stiffness) && rest != 0.0 && rest.is_finite() { tag.with("springref", number(rest)) } else { tag }
}

/// Whether a coefficient has an effect.
fn is_given(value: f64) -> bool {
    value > 0.0 && value.is_finite()
}

/// The servo of a joint, or a motor if it has none.
fn actuator(name: &str, link: &Link) -> Tag {
    let [stiffness, damping] = link.joint.suggested.servo.unwrap_or_default();
    let (kind, gains, range) = match (is_given(stiffness), is_given(damping)) {
        (true, true) => ("position", vec![("kp", stiffness), ("kv", damping)], "forcerange"),
        (true, false) => ("position", vec![("kp", stiffness)], "forcerange"),
        (false, true) => ("velocity", vec![("kv", damping)], "forcerange"),
        (false, false) => ("motor", Vec::new(), "ctrlrange"),
    };
    let tag = Tag::new(kind).with("name", name).with("joint", name);
    let tag = gains.into_iter().fold(tag, |tag, (key, gain)| tag.with(key, number(gain)));
    match finite(&link.joint.effort_range) {
        Some(efforts) => tag.with(range, efforts),
        None => tag,
    }
}

fn inertial(mass: &MassProperties) -> Tag {
    let inertia = symmetric(&mass.inertia);
    let tag = Tag::new("inertial").with("pos", numbers(mass.center_of_mass.coords.as_slice()));
    let tag = tag.with("mass", number(mass.mass));
    let is_diagonal = inertia.m12 == 0.0 && inertia.m13 == 0.0 && inertia.m23 == 0.0;
    if is_diagonal {
        return tag.with("diaginertia", numbers(&[inertia.m11, inertia.m22, inertia.m33]));
    }
    let values = [inertia.m11, inertia.m22, inertia.m33, inertia.m12, inertia.m13, inertia.m23];
    tag.with("fullinertia", numbers(&values))
}

fn geom(exported: &Exported, is_visual: bool, collides: bool) -> Tag {
    let tag = Tag::new("geom");
    let tag = match &exported.form {
        Form::Box(edges) => tag.with("type", "box").with("size", numbers((edges * 0.5).as_slice())),
        Form::Sphere { radius } => tag.with("type", "sphere").with("size", number(*radius)),
        Form::Ellipsoid(half) => tag.with("type", "ellipsoid").with("size", numbers(half.as_slice())),
        Form::Cylinder { radius, height } => {
            tag.with("type", "cylinder").with("size", numbers(&[*radius, 0.5 * height]))
        }
        Form::Capsule { radius, height } => tag.with("type", "capsule").with("size", numbers(&[*radius, 0.5 * height])),
        Form::Mesh { index, .. } => tag.with("type", "mesh").with("mesh", format!("mesh{index}")),
    };
    let tag = placed(tag, &exported.pose).with("rgba", numbers(&exported.color));
    if is_visual || !collides {
        let group = if is_visual { "2" } else { "3" };
        return tag.with("contype", "0").with("conaffinity", "0").with("group", group);
    }
    tag.with("group", "3")
}

fn site_name(number: usize, device: &Device) -> String {
    if device.name.is_empty() { format!("device{number}") } else { format!("{}_{number}", device.name) }
}

/// Site or camera of a device; `None` if the format has none, or the device has no pose.
fn mounted(place: usize, device: &Device) -> Option<Tag> {
    let pose = device.mounting()?;
    let name = site_name(place, device);
    match &device.kind {
        DeviceKind::AccelerationSensor(_)
        | DeviceKind::RateGyroSensor(_)
        | DeviceKind::Imu(_)
        | DeviceKind::ForceSensor(_) => Some(placed(Tag::new("site").with("name", name), &pose)),
        DeviceKind::Camera(camera)
            if camera.view.optical_frame == OpticalFrame::Gl && camera.lens == LensType::Normal =>
        {
            let view = &camera.view;
            let turn = pose * view.optical_rotation;
            let ratio = f64::from(view.width) / f64::from(view.height.max(1));
            // The angle over the height, in degrees.
            let half = 0.5 * view.field_of_view;
            let half = if ratio < 1.0 { libm::atan(libm::tan(half) / ratio) } else { half };
            let tag =
                placed(Tag::new("camera").with("name", name), &turn).with("fovy", number((2.0 * half).to_degrees()));
            Some(tag.with("resolution", format!("{} {}", view.width, view.height)))
        }
        _ => None,
    }
}
