//! One field in a small model, and the expected property of the body.

use bunraku_body::{Body, Device, DeviceKind, ExtraJoint, Joint, Link, Motor};
use bunraku_document::Diagnostic;

use crate::openhrp::{Files, PROTOS, base};

/// Surrounding model of the node.
#[derive(Clone, Copy)]
pub enum Place {
    /// The node is the `Humanoid` itself.
    Humanoid,
    /// The joint ARM of the type `rotate` on the root BASE.
    Joint,
    /// The joint ARM without its type.
    Typeless,
    /// The only segment of the root.
    Segment,
    /// A `Surface` in the only segment of the root.
    Surface,
    /// The only device of the root.
    Device,
    /// The only device of the root, of an arbitrary type.
    AnyDevice,
    /// A connection between the links A and B.
    ExtraJoint,
}

/// Declarations of a light that the manual lacks, and of an unknown device.
const MORE: &str = "PROTO SpotLightDevice [
  field SFVec3f translation 0 0 0 field SFRotation rotation 0 0 1 0 field SFBool on TRUE field SFColor color 1 1 1
  field SFFloat intensity 1 field SFVec3f direction 0 0 -1 field SFFloat beamWidth 1.5 field SFFloat cutOffAngle 0.7
  field SFVec3f attenuation 1 0 0 field SFInt32 sensorId -1
] { }
PROTO PressureSensor [
  field SFFloat maxPressure -1 field SFVec3f translation 0 0 0 field SFRotation rotation 0 0 1 0
  field SFInt32 sensorId -1
] { }
";

/// Counter-check that the field was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Without {
    /// Without the field the property does not hold, or the model is invalid.
    Removed,
    /// With another value the property does not hold.
    Replaced(&'static str),
    /// The field has no effect, but a misspelling gives a finding.
    Ignored,
}

/// A field, a model that uses it, and its effect.
pub struct Example {
    pub node: &'static str,
    pub field: &'static str,
    value: &'static str,
    place: Place,
    /// Other fields of the same node.
    beside: &'static str,
    /// Replacement in the manual's declarations.
    declaration: Option<(&'static str, &'static str)>,
    without: Without,
    /// Codes of all findings.
    findings: &'static [&'static str],
    holds: fn(&Body) -> bool,
}

/// An example of a field of a node: a value, the surrounding model, and a property of the body that holds only with the
/// field.
pub fn field(
    node: &'static str,
    field: &'static str,
    value: &'static str,
    place: Place,
    holds: fn(&Body) -> bool,
) -> Example {
    let without = Without::Removed;
    Example { node, field, value, place, beside: "", declaration: None, without, findings: &[], holds }
}

/// A field that is known, but has no effect on the body.
pub fn ignored(node: &'static str, name: &'static str, value: &'static str, place: Place) -> Example {
    Example { without: Without::Ignored, ..field(node, name, value, place, |_| true) }
}

impl Example {
    /// Other fields of the same node.
    pub fn beside(self, beside: &'static str) -> Self {
        Self { beside, ..self }
    }

    /// Uses this value instead of removing the field for the counter-check.
    pub fn unlike(self, value: &'static str) -> Self {
        Self { without: Without::Replaced(value), ..self }
    }

    /// Replaces a part of the manual's declarations.
    pub fn declared(self, manual: &'static str, here: &'static str) -> Self {
        Self { declaration: Some((manual, here)), ..self }
    }

    pub fn findings(self, findings: &'static [&'static str]) -> Self {
        Self { findings, ..self }
    }

    /// The model with this text for the field.
    fn text(&self, words: &str) -> String {
        let fields = format!("{} {words}", self.beside);
        let device = |word: &str| base(&format!("children DEF SENSOR {word} {{ {fields} }}"));
        let model = match self.place {
            Place::Humanoid => format!("DEF ROBOT Humanoid {{ {fields} }}"),
            Place::Joint => base(&format!("children DEF ARM Joint {{ jointType \"rotate\" {fields} }}")),
            Place::Typeless => base(&format!("children DEF ARM Joint {{ {fields} }}")),
            Place::Segment => base(&format!("children DEF PART Segment {{ {fields} }}")),
            Place::Surface => base(&format!("children DEF PART Segment {{ children Surface {{ {fields} }} }}")),
            Place::Device => device(self.node),
            Place::AnyDevice => device("Gyro"),
            Place::ExtraJoint => {
                let links = "DEF A Joint { jointType \"rotate\" } DEF B Joint { jointType \"rotate\" }";
                format!("{}DEF LOOP ExtraJoint {{ {fields} }}", base(&format!("children [ {links} ]")))
            }
        };
        let head = format!("{PROTOS}{MORE}");
        let Some((manual, here)) = self.declaration else { return head + &model };
        assert!(head.contains(manual), "{manual}");
        head.replacen(manual, here, 1) + &model
    }

    /// Failures of the example, one message each.
    pub fn failures(&self, files: &Files) -> Vec<String> {
        let mut failures = Vec::new();
        let mut check = |good: bool, what: &str, words: &str| {
            if !good {
                failures.push(format!("{}.{}: {what}\n    {} {words}", self.node, self.field, self.beside));
            }
        };
        let load = |words: &str| {
            let (body, found) = files.write("example.wrl", &self.text(words)).load("example.wrl");
            (body, codes(&found))
        };
        let holds = |body: &Option<Body>| body.as_ref().is_some_and(self.holds);

        let words = format!("{} {}", self.field, self.value);
        let (body, found) = load(&words);
        check(found == self.findings, &format!("findings {found:?} rather than {:?}", self.findings), &words);
        check(holds(&body), "not the effect it should have", &words);
        match self.without {
            Without::Removed => check(!holds(&load("").0), "the same effect without it", ""),
            Without::Replaced(value) => {
                let words = format!("{} {value}", self.field);
                check(!holds(&load(&words).0), "the same effect with this value", &words);
            }
            Without::Ignored => {
                let (other, _) = load("");
                check(format!("{body:?}") == format!("{other:?}"), "it changes the body", &words);
                let words = format!("{}x {}", self.field, self.value);
                let (_, found) = load(&words);
                check(found == ["unknown-field"], &format!("misspelt, findings {found:?}"), &words);
            }
        }
        failures
    }
}

pub fn codes(findings: &[Diagnostic]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code).collect()
}

// Building blocks of properties. They are false instead of panicking if the object does not exist.

/// The link ARM, or the root.
pub fn arm(body: &Body) -> &Link {
    body.find_link("ARM").map_or(body.root(), |arm| body.link(arm))
}

pub fn joint(body: &Body) -> &Joint {
    &arm(body).joint
}

pub fn motor(body: &Body, holds: impl Fn(&Motor) -> bool) -> bool {
    joint(body).motor.as_ref().is_some_and(holds)
}

pub fn device(body: &Body, holds: impl Fn(&Device) -> bool) -> bool {
    body.devices.first().is_some_and(holds)
}

pub fn kind(body: &Body, holds: impl Fn(&DeviceKind) -> bool) -> bool {
    device(body, |device| holds(&device.kind))
}

pub fn extra_joint(body: &Body, holds: impl Fn(&ExtraJoint) -> bool) -> bool {
    body.extra_joints.first().is_some_and(holds)
}

/// Whether two numbers are equal up to some roundings.
pub fn near(found: f64, expected: f64) -> bool {
    found == expected || (found - expected).abs() < 1e-9 * expected.abs().max(1.0)
}

pub fn all<const N: usize>(found: impl Into<[f64; N]>, expected: [f64; N]) -> bool {
    found.into().iter().zip(&expected).all(|(&found, &expected)| near(found, expected))
}
