//! One key in a small model, and the expected property of the body.

use std::path::Path;

use bunraku_body::{Body, Device, DeviceKind, Link, LoadOptions, Shape};
use bunraku_document::Reporter;
use bunraku_mesh::{Geometry, Primitive, TriangleMesh};
use tempfile::TempDir;

/// Beginning of the header; angles are in degrees.
const DEGREES: &str = "format: ChoreonoidBody, format_version: 2.0,";
/// Beginning of a header with angles in radian, which only version 1.0 may have.
const RADIANS: &str = "format: ChoreonoidBody, format_version: 1.0, angle_unit: radian,";

// Models around a mapping `{ @ }`; `%` is the header.

/// The keys of a file, all of them.
pub const FILE: &str = "{ @ }";
/// The top of a model with the joints A and B.
pub const TOP: &str = "{ % links: [ { name: BASE }, { name: A, parent: BASE, joint_type: revolute, joint_id: 0 }, { name: B, parent: A, \
                       joint_type: prismatic, joint_id: 1 } ], @ }";
/// The link ARM below the root BASE.
pub const LINK: &str = "{ % links: [ { name: BASE }, { name: ARM, parent: BASE, @ } ] }";
/// An element of the only link.
pub const ELEMENT: &str = "{ % links: [ { name: BASE, elements: [ { @ } ] } ] }";
/// The geometry of the only shape.
pub const GEOMETRY: &str = "{ % links: [ { name: BASE, elements: [ { type: Shape, geometry: { @ } } ] } ] }";
/// The appearance of a box.
pub const APPEARANCE: &str =
    "{ % links: [ { name: BASE, elements: [ { type: Shape, geometry: { type: Box }, appearance: { @ } } ] } ] }";
/// The connection of the links A and B.
pub const EXTRA_JOINT: &str = "{ % links: [ { name: A }, { name: B, parent: A } ], extra_joints: [ { @ } ] }";

/// Counter-check that the key was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Without {
    /// Without the key the property does not hold, or the model is invalid.
    Removed,
    /// With another value the property does not hold.
    Replaced(&'static str),
    /// The key has no effect, but a misspelling gives a finding.
    Misspelt,
}

/// A key, a model that uses it, and its effect.
pub struct Example {
    pub node: &'static str,
    pub key: &'static str,
    /// Alternative spellings.
    pub aliases: &'static [&'static str],
    /// Whether the value is in the file's angle unit.
    pub is_angle: bool,
    value: &'static str,
    /// The surrounding model.
    place: &'static str,
    /// Other keys of the same mapping.
    beside: &'static str,
    without: Without,
    /// Codes of all findings.
    findings: &'static [&'static str],
    holds: fn(&Body) -> bool,
}

/// An example of the key of a node: a value, the surrounding model, and a property of the body that holds only with the
/// key.
pub fn key(
    node: &'static str,
    key: &'static str,
    value: &'static str,
    place: &'static str,
    holds: fn(&Body) -> bool,
) -> Example {
    let without = Without::Removed;
    Example { node, key, aliases: &[], is_angle: false, value, place, beside: "", without, findings: &[], holds }
}

impl Example {
    pub fn also(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Other keys of the same mapping.
    pub fn beside(self, beside: &'static str) -> Self {
        Self { beside, ..self }
    }

    /// Marks its value, or one beside it, as being in the file's angle unit.
    pub fn angle(self) -> Self {
        Self { is_angle: true, ..self }
    }

    /// Uses this value instead of removing the key for the counter-check.
    pub fn unlike(self, value: &'static str) -> Self {
        Self { without: Without::Replaced(value), ..self }
    }

    /// Marks the key as known but without effect.
    pub fn ignored(self) -> Self {
        Self { without: Without::Misspelt, ..self }
    }

    pub fn findings(self, findings: &'static [&'static str]) -> Self {
        Self { findings, ..self }
    }

    fn text(&self, header: &str, key: &str, value: &str) -> String {
        let entry = format!("{key}: {value}");
        let keys: Vec<&str> = [self.beside, entry.as_str()].into_iter().filter(|keys| !keys.is_empty()).collect();
        self.place.replace('@', &keys.join(", ")).replace('%', header)
    }

    /// Failures of the example, one message each.
    pub fn failures(&self, files: &Files) -> Vec<String> {
        let mut failures = Vec::new();
        let mut check = |name: &str, good: bool, what: &str, text: &str| {
            if !good {
                failures.push(format!("{}.{} as `{name}`: {what}\n    {text}", self.node, self.key));
            }
        };
        for name in [self.key].iter().chain(self.aliases) {
            let text = self.text(DEGREES, name, self.value);
            let (body, found) = files.load(&text);
            check(name, found == self.findings, &format!("findings {found:?} rather than {:?}", self.findings), &text);
            let holds = |body: Option<Body>| body.is_some_and(|body| (self.holds)(&body));
            check(name, holds(body), "not the effect it should have", &text);

            let text = match self.without {
                Without::Removed => self.place.replace('@', self.beside).replace('%', DEGREES),
                Without::Replaced(value) => self.text(DEGREES, name, value),
                Without::Misspelt => self.text(DEGREES, &format!("{name}x"), self.value),
            };
            let (body, found) = files.load(&text);
            if self.without == Without::Misspelt {
                check(name, found == ["unknown-key"], &format!("misspelt, findings {found:?}"), &text);
            } else {
                check(name, !holds(body), "the same effect without it", &text);
            }

            if self.place.contains('%') {
                let text = self.text(RADIANS, name, self.value);
                let same = holds(files.load(&text).0);
                check(name, same != self.is_angle, "the unit of angles counts, or does not", &text);
            }
        }
        failures
    }
}

/// A directory with the files that examples refer to.
pub struct Files(TempDir);

impl Files {
    pub fn new() -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        files.write("picture.png", "not looked into");
        // A square of 2 m at z = 0 and a triangle of 1 m at z = 5.
        files.write(
            "parts.obj",
            "o PLATE\nv -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3 4\no PEG\nv 0 0 5\nv 1 0 5\nv 0 1 5\nf 5 6 7\n",
        );
        files.write(
            "parts.wrl",
            "#VRML V2.0 utf8\nDEF LIFTED Transform { translation 0 0 5 scale 1 1 2 children Shape { geometry Box { size 1 1 1 } } }\n",
        );
        files.write("part.yaml", "PLATE: &PLATE { type: RigidBody, mass: 3 }\n");
        files.write(
            "hand.body",
            "format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n  - { name: PALM, elements: [ { type: ForceSensor, name: WRIST } ] }\n  \
             - { name: THUMB, parent: PALM, joint_type: revolute, joint_id: 0 }\n",
        );
        files.write(
            "drum.body",
            "format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n  - { name: DRUM, elements: [ { type: Shape, geometry: { type: \
             Cylinder } } ] }\n",
        );
        files
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    /// Body of a text in that directory, and the codes of the findings.
    pub fn load(&self, text: &str) -> (Option<Body>, Vec<&'static str>) {
        self.write("example.yaml", text);
        self.load_file(&self.0.path().join("example.yaml"))
    }

    pub fn load_file(&self, path: &Path) -> (Option<Body>, Vec<&'static str>) {
        let reporter = Reporter::new();
        let body = bunraku_body::load(path, &LoadOptions::default(), &reporter);
        (body, reporter.into_diagnostics().iter().map(|finding| finding.code).collect())
    }
}

// Building blocks of properties. They are false instead of panicking if the object does not exist.

/// The link ARM, or the root.
pub fn arm(body: &Body) -> &Link {
    body.find_link("ARM").map_or(body.root(), |arm| body.link(arm))
}

pub fn shape(body: &Body, holds: impl Fn(&Shape) -> bool) -> bool {
    body.root().visual.first().is_some_and(holds)
}

pub fn primitive(body: &Body, holds: impl Fn(Primitive) -> bool) -> bool {
    shape(body, |shape| matches!(shape.geometry, Geometry::Primitive { primitive, .. } if holds(primitive)))
}

pub fn mesh(body: &Body, holds: impl Fn(&TriangleMesh) -> bool) -> bool {
    shape(body, |shape| matches!(&shape.geometry, Geometry::Mesh(mesh) if holds(mesh)))
}

pub fn device(body: &Body, holds: impl Fn(&Device) -> bool) -> bool {
    body.devices.first().is_some_and(holds)
}

pub fn kind(body: &Body, holds: impl Fn(&DeviceKind) -> bool) -> bool {
    device(body, |device| holds(&device.kind))
}

/// Whether the bounding box of the first shape has these edge lengths, m.
pub fn extent(body: &Body, edges: [f64; 3]) -> bool {
    bounds(body, |min, max| all([max[0] - min[0], max[1] - min[1], max[2] - min[2]], edges))
}

/// Whether the corners of the bounding box of the first shape satisfy `holds`, m.
pub fn bounds(body: &Body, holds: impl Fn([f64; 3], [f64; 3]) -> bool) -> bool {
    shape(body, |shape| {
        shape.bounding_box().is_some_and(|bounds| holds(bounds.min.coords.into(), bounds.max.coords.into()))
    })
}

/// Whether two numbers are equal up to some roundings in single precision.
pub fn near(found: f64, expected: f64) -> bool {
    found == expected || (found - expected).abs() < 1e-6 * expected.abs().max(1.0)
}

pub fn all<const N: usize>(found: impl Into<[f64; N]>, expected: [f64; N]) -> bool {
    found.into().iter().zip(&expected).all(|(&found, &expected)| near(found, expected))
}
