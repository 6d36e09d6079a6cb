//! Models that are written as URDF or MJCF and read again.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bunraku_body::kinematics::link_poses;
use bunraku_body::{
    Body, Geometry, JointIndex, JointKind, Link, LinkIndex, LoadOptions, Range, Shape, WriteOptions, WrittenModel,
};
use bunraku_document::{Reporter, SearchRoots};
use nalgebra::{Isometry3, Point3};

use crate::scratch::path_of;

/// Models with larger numbers are not compared: their products lose digits.
const LARGEST: f64 = 1e6;
/// Largest difference of poses and mass properties, as a share of the largest number.
const TOLERANCE: f64 = 1e-9;
/// Largest difference of boxes around meshes, as a share of their distance from the origin: mesh files have f32.
const MESHES: f64 = 1e-5;
/// Largest difference of boxes around primitives, as a share of their size: the facets of circles.
const FACETS: f64 = 0.02;

type Write = fn(&Body, &WriteOptions<'_>, &Reporter) -> WrittenModel;

/// A format for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// URDF.
    Urdf,
    /// MuJoCo's XML.
    Mjcf,
}

/// Writes a model for other programs. What is written is read without errors, and moves as the model does, except for
/// what the writer has reported.
///
/// # Panics
/// If it does not.
pub fn check_export(body: &Body, format: ExportFormat) {
    let (name, write) = match format {
        ExportFormat::Urdf => ("exported.urdf", bunraku_body::write_urdf as Write),
        ExportFormat::Mjcf => ("exported.xml", bunraku_body::write_mjcf as Write),
    };
    let path = path_of(name);
    let reporter = Reporter::new();
    let written = write(body, &WriteOptions { path: &path, roots: &SearchRoots::default() }, &reporter);
    let lost: BTreeSet<&str> = reporter.into_diagnostics().iter().map(|finding| finding.code).collect();
    for file in &written.files {
        std::fs::write(&file.path, &file.bytes).expect("a file in a temporary directory");
    }
    std::fs::write(&path, &written.text).expect("a file in a temporary directory");
    let reporter = Reporter::new();
    let again = bunraku_body::load(&path, &LoadOptions::default(), &reporter);
    let Some(again) = again else {
        panic!("what was written is rejected: {:?}\n{}", reporter.into_diagnostics(), written.text)
    };
    if numbers(body).all(|number| number.abs() < LARGEST) {
        let disabled = body.collision_filter().disabled_links;
        let (found, expected) = (Names::of(&again), Names::of(body));
        Comparison { found: &found, expected: &expected, lost, disabled, format, text: &written.text }.compare();
    }
}

/// Numbers of a model that are multiplied with each other.
fn numbers(body: &Body) -> impl Iterator<Item = f64> {
    body.links().iter().flat_map(|link| {
        let translation = link.offset.translation.vector;
        let mass = &link.mass;
        let of_mass = mass.center_of_mass.iter().chain(mass.inertia.iter()).chain([&mass.mass]);
        let of_joint = link.joint.axis.iter().chain([&link.joint.equivalent_rotor_inertia]);
        let shapes = link.visual.iter().chain(&link.collision);
        let of_shapes = shapes.flat_map(|shape| shape.transform.matrix().iter().copied().chain(extents(shape)));
        let numbers: Vec<f64> = translation.iter().chain(of_mass).chain(of_joint).copied().chain(of_shapes).collect();
        numbers
    })
}

fn extents(shape: &Shape) -> Vec<f64> {
    let mesh = shape.geometry.triangles();
    mesh.vertices.iter().flat_map(|vertex| vertex.iter()).map(|number| f64::from(*number)).collect()
}

/// A body whose links and joints are found by name. Searches as in [`Body::find_joint`] take too long for each of
/// thousands of joints.
struct Names<'b> {
    body: &'b Body,
    links: HashMap<&'b str, LinkIndex>,
    joints: HashMap<&'b str, JointIndex>,
}

impl<'b> Names<'b> {
    fn of(body: &'b Body) -> Self {
        let mut links = HashMap::new();
        for (index, link) in body.indexed_links() {
            links.entry(link.name.as_str()).or_insert(index);
        }
        let mut joints = HashMap::new();
        let moved =
            || (0..body.num_joints()).map(JointIndex).filter_map(|joint| Some((joint, body.joint_link(joint)?)));
        let own = moved().filter_map(|(joint, link)| Some((joint, body.link(link).joint.name.as_deref()?)));
        for (joint, name) in own.chain(moved().map(|(joint, link)| (joint, body.link(link).name.as_str()))) {
            joints.entry(name).or_insert(joint);
        }
        Self { body, links, joints }
    }
}

struct Comparison<'c> {
    found: &'c Names<'c>,
    expected: &'c Names<'c>,
    /// Codes of what the writer has reported.
    lost: BTreeSet<&'static str>,
    /// Links that collide with nothing.
    disabled: BTreeSet<LinkIndex>,
    format: ExportFormat,
    text: &'c str,
}

impl Comparison<'_> {
    fn check(&self, same: bool, what: impl FnOnce() -> String) {
        assert!(same, "{}\n{}", what(), self.text);
    }

    fn has_lost(&self, code: &str) -> bool {
        self.lost.contains(code)
    }

    fn compare(&self) {
        if self.has_lost("export-names") {
            return;
        }
        for (index, link) in self.expected.body.indexed_links() {
            self.joint(link);
            if let Some(found) = self.found.links.get(link.name.as_str()) {
                self.link(self.found.body.link(*found), link, !self.disabled.contains(&index));
            } else {
                // A link with nothing but a joint may become a joint of the next one.
                let is_hollow = link.visual.is_empty() && link.collision.is_empty() && link.mass.mass == 0.0;
                self.check(self.format == ExportFormat::Mjcf && (is_hollow || link.name == "world"), || {
                    format!("link {} is lost", link.name)
                });
            }
        }
        self.poses();
        self.couplings();
    }

    fn link(&self, found: &Link, expected: &Link, collides: bool) {
        let name = &expected.name;
        if expected.mass.mass > 0.0 {
            let numbers = |link: &Link| -> Vec<f64> {
                let mass = &link.mass;
                // Both formats have symmetric ones only.
                let inertia = (mass.inertia + mass.inertia.transpose()) * 0.5;
                [mass.mass].iter().chain(mass.center_of_mass.iter()).chain(inertia.iter()).copied().collect()
            };
            let (found, expected) = (numbers(found), numbers(expected));
            let same = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= TOLERANCE * b.abs().max(1.0));
            self.check(same || self.has_lost("export-inertia"), || {
                format!("mass of {name}: {found:?} instead of {expected:?}")
            });
        }
        for (what, found, expected) in
            [("visual", &found.visual, &expected.visual), ("collision", &found.collision, &expected.collision)]
        {
            // Round primitives may come back with their facets elsewhere.
            let is_round = |shape: &Shape| matches!(shape.geometry, Geometry::Primitive { .. });
            let tolerance = if expected.iter().any(is_round) { FACETS } else { MESHES };
            let (found, expected) = (bounds(found), bounds(expected));
            let same = match (&found, &expected) {
                (Some(found), Some(expected)) => {
                    let largest =
                        expected.iter().flat_map(|corner| corner.iter()).fold(1e-6, |a: f64, b| a.max(b.abs()));
                    let size = (expected[1] - expected[0]).amax();
                    let tolerance = (tolerance * size).max(MESHES * largest);
                    found.iter().zip(expected).all(|(a, b)| (a - b).amax() <= tolerance)
                }
                (None, None) => true,
                _ => false,
            };
            let lacks_collision = self.has_lost("export-flat") || !collides;
            let is_left_out = self.has_lost("export-shapes") || what == "collision" && lacks_collision;
            self.check(same || is_left_out, || format!("{what} shapes of {name}: {found:?} instead of {expected:?}"));
        }
    }

    /// The joint of the same name.
    fn joint(&self, link: &Link) {
        let expected = &link.joint;
        // A root is at its pose, whatever its joint.
        if !expected.kind.has_displacement() || link.parent.is_none() {
            return;
        }
        let name = link.joint_name();
        let found = self.found.joints.get(name).and_then(|joint| self.found.body.joint(*joint));
        let Some(found) = found else { panic!("joint {name} is lost\n{}", self.text) };
        self.check(found.kind == expected.kind, || format!("kind of {name}: {:?}", found.kind));
        // URDF needs a number for an end that is infinite.
        let end = |value: f64| if value.abs() >= 1e9 { f64::INFINITY.copysign(value) } else { value };
        let range = |range: &Range| [end(range.lower), end(range.upper)];
        let pairs = [
            ("displacement", found.displacement_range, expected.displacement_range),
            ("velocity", found.velocity_range, expected.velocity_range),
            ("effort", found.effort_range, expected.effort_range),
        ];
        for (what, found, expected) in pairs {
            let same = range(&found) == range(&expected);
            self.check(same || self.has_lost("export-limit"), || {
                format!("{what} range of {name}: {found:?} instead of {expected:?}")
            });
        }
        let numbers = |joint: &bunraku_body::Joint| {
            [joint.equivalent_rotor_inertia, joint.suggested.damping, joint.suggested.friction]
        };
        self.check(numbers(found) == numbers(expected) || self.has_lost("export-dynamics"), || {
            format!("rotor, damping, friction of {name}: {:?} instead of {:?}", numbers(found), numbers(expected))
        });
    }

    /// Poses of links of the same name for the same displacements.
    fn poses(&self) {
        // Free bodies below the root belong to the world of MJCF.
        let is_free = |link: &Link| link.joint.kind == JointKind::Free;
        if self.has_lost("export-axis") || self.expected.body.links().iter().skip(1).any(is_free) {
            return;
        }
        let floats = |body: &Body| !body.is_fixed();
        self.check(floats(self.found.body) == floats(self.expected.body), || "the root floats in one only".to_owned());
        for size in [0.0, 0.7] {
            // A joint without a place in joint vectors does not move.
            let displacement = |name: &str| {
                let joint = self.expected.joints.get(name).and_then(|JointIndex(joint)| u32::try_from(*joint).ok());
                joint.map_or(0.0, |joint| (f64::from(joint) * 1.3 + 0.4).sin() * size)
            };
            let poses = |body: &Body| {
                let joints = (0..body.num_joints()).map(|joint| displacement(body.joint_name(JointIndex(joint))));
                let joints: Vec<f64> = joints.collect();
                let root = if body.is_fixed() { body.root().offset } else { Isometry3::identity() };
                link_poses(body, &root, &joints)
            };
            let (found, expected) = (poses(self.found.body), poses(self.expected.body));
            let far = expected.iter().fold(1.0, |far: f64, pose| far.max(pose.translation.vector.amax()));
            for (LinkIndex(index), link) in self.expected.body.indexed_links() {
                let Some(LinkIndex(at)) = self.found.links.get(link.name.as_str()) else { continue };
                let (found, expected) = (found[*at].to_homogeneous(), expected[index].to_homogeneous());
                let same = (found - expected).amax() <= TOLERANCE * far;
                self.check(same, || format!("pose of {}: {found} instead of {expected}", link.name));
            }
        }
    }

    fn couplings(&self) {
        if self.has_lost("export-coupling") {
            return;
        }
        let list = |body: &Body| -> BTreeSet<String> {
            let couplings = body.joint_couplings().iter().map(|coupling| {
                let [follower, leader] =
                    [coupling.follower, coupling.leader].map(|link| body.link(link).joint_name().to_owned());
                // Text has two zeros; added to zero they are one.
                format!("{follower} follows {leader} by {:?}", coupling.polynomial.map(|factor| factor + 0.0))
            });
            couplings.collect()
        };
        let (found, expected) = (list(self.found.body), list(self.expected.body));
        self.check(found == expected, || format!("couplings {found:?} instead of {expected:?}"));
    }
}

/// Corners of the box around the triangles of shapes. Primitives of another fineness have their own as they come back.
fn bounds(shapes: &[Shape]) -> Option<[Point3<f64>; 2]> {
    let corners = shapes.iter().flat_map(|shape| {
        let geometry = match &shape.geometry {
            Geometry::Primitive { primitive, .. } => Geometry::primitive(*primitive),
            Geometry::Mesh(mesh) => Geometry::Mesh(Arc::clone(mesh)),
        };
        let mesh = geometry.triangles();
        let corner = |index: &u32| mesh.vertices.get(*index as usize).map(|vertex| shape.transform * vertex.cast());
        let corners: Vec<Point3<f64>> = mesh.triangles.iter().flatten().filter_map(corner).collect();
        corners
    });
    corners.map(|corner| [corner; 2]).reduce(|a, b| [a[0].inf(&b[0]), a[1].sup(&b[1])])
}
