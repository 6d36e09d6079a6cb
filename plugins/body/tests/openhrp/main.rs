//! OpenHRP models: every field of the manual reaches the body, and mistakes are named with their place.
// A test that cannot go on should say so loudly.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../common/mod.rs"]
mod common;
mod extra_joints;
mod hostile;
mod humanoid;
mod inlined;
mod joints;
mod mistakes;
mod segments;
mod sensors;

use std::path::Path;

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Diagnostic, Reporter};
use common::list;
use tempfile::TempDir;

/// The declarations of the manual, field by field; they are the head of every model here.
const PROTOS: &str = r#"#VRML V2.0 utf8
PROTO Humanoid [
  field SFVec3f bboxCenter 0 0 0
  field SFVec3f bboxSize -1 -1 -1
  exposedField SFVec3f center 0 0 0
  exposedField MFNode humanoidBody [ ]
  exposedField MFString info [ ]
  exposedField MFNode joints [ ]
  exposedField SFString name ""
  exposedField SFRotation rotation 0 0 1 0
  exposedField SFVec3f scale 1 1 1
  exposedField SFRotation scaleOrientation 0 0 1 0
  exposedField MFNode segments [ ]
  exposedField MFNode sites [ ]
  exposedField SFVec3f translation 0 0 0
  exposedField SFString version "1.1"
  exposedField MFNode viewpoints [ ]
] { Transform { translation IS translation rotation IS rotation children [ Group { children IS humanoidBody } ] } }
PROTO Joint [
  exposedField SFVec3f center 0 0 0
  exposedField MFNode children [ ]
  exposedField MFFloat llimit [ ]
  exposedField MFFloat lvlimit [ ]
  exposedField SFRotation limitOrientation 0 0 1 0
  exposedField SFString name ""
  exposedField SFRotation rotation 0 0 1 0
  exposedField SFVec3f scale 1 1 1
  exposedField SFRotation scaleOrientation 0 0 1 0
  exposedField MFFloat stiffness [ 0 0 0 ]
  exposedField SFVec3f translation 0 0 0
  exposedField MFFloat ulimit [ ]
  exposedField MFFloat uvlimit [ ]
  exposedField SFString jointType ""
  exposedField SFInt32 jointId -1
  exposedField SFVec3f jointAxis 0 0 1
  exposedField SFFloat gearRatio 1
  exposedField SFFloat rotorInertia 0
  exposedField SFFloat rotorResistor 0
  exposedField SFFloat torqueConst 1
  exposedField SFFloat encoderPulse 1
] { Transform { center IS center children IS children rotation IS rotation translation IS translation } }
PROTO Segment [
  field SFVec3f bboxCenter 0 0 0
  field SFVec3f bboxSize -1 -1 -1
  exposedField SFVec3f centerOfMass 0 0 0
  exposedField MFNode children [ ]
  exposedField SFNode coord NULL
  exposedField MFNode displacers [ ]
  exposedField SFFloat mass 0
  exposedField MFFloat momentsOfInertia [ 0 0 0 0 0 0 0 0 0 ]
  exposedField SFString name ""
  eventIn MFNode addChildren
  eventIn MFNode removeChildren
] { Group { addChildren IS addChildren children IS children removeChildren IS removeChildren } }
PROTO Surface [ field MFNode visual [ ] field MFNode collision [ ] ] { Group { children IS visual } }
PROTO ExtraJoint [
  exposedField SFString link1Name ""
  exposedField SFString link2Name ""
  exposedField SFVec3f link1LocalPos 0 0 0
  exposedField SFVec3f link2LocalPos 0 0 0
  exposedField SFString jointType "xyz"
  exposedField SFVec3f jointAxis 1 0 0
] { }
PROTO AccelerationSensor [
  exposedField SFVec3f maxAcceleration -1 -1 -1
  exposedField SFVec3f translation 0 0 0
  exposedField SFRotation rotation 0 0 1 0
  exposedField SFInt32 sensorId -1
] { Transform { translation IS translation rotation IS rotation } }
PROTO Gyro [
  exposedField SFVec3f maxAngularVelocity -1 -1 -1
  exposedField SFVec3f translation 0 0 0
  exposedField SFRotation rotation 0 0 1 0
  exposedField SFInt32 sensorId -1
] { Transform { translation IS translation rotation IS rotation } }
PROTO VisionSensor [
  exposedField SFVec3f translation 0 0 0
  exposedField SFRotation rotation 0 0 1 0
  exposedField SFFloat fieldOfView 0.785398
  field SFString name ""
  exposedField SFFloat frontClipDistance 0.01
  exposedField SFFloat backClipDistance 10.0
  exposedField SFString type "NONE"
  exposedField SFInt32 sensorId -1
  exposedField SFInt32 width 320
  exposedField SFInt32 height 240
  exposedField SFFloat frameRate 30
] { Transform { translation IS translation rotation IS rotation } }
PROTO ForceSensor [
  exposedField SFVec3f maxForce -1 -1 -1
  exposedField SFVec3f maxTorque -1 -1 -1
  exposedField SFVec3f translation 0 0 0
  exposedField SFRotation rotation 0 0 1 0
  exposedField SFInt32 sensorId -1
] { Transform { translation IS translation rotation IS rotation } }
PROTO RangeSensor [
  exposedField SFVec3f translation 0 0 0
  exposedField SFRotation rotation 0 0 1 0
  exposedField MFNode children [ ]
  exposedField SFInt32 sensorId -1
  exposedField SFFloat scanAngle 3.14159
  exposedField SFFloat scanStep 0.1
  exposedField SFFloat scanRate 10
  exposedField SFFloat maxDistance 10
] { Transform { translation IS translation rotation IS rotation children IS children } }
"#;

/// Lines of [`PROTOS`].
fn head_lines() -> u32 {
    u32::try_from(PROTOS.lines().count()).unwrap()
}

/// Files of a test, and a model among them.
struct Files {
    directory: TempDir,
}

impl Files {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    fn write(&self, name: &str, text: &str) -> &Self {
        std::fs::write(self.directory.path().join(name), text).unwrap();
        self
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn load_with(&self, name: &str, options: &LoadOptions) -> (Option<Body>, Vec<Diagnostic>) {
        let reporter = Reporter::new();
        let body = bunraku_body::load(&self.path().join(name), options, &reporter);
        (body, reporter.into_diagnostics())
    }

    fn load(&self, name: &str) -> (Option<Body>, Vec<Diagnostic>) {
        self.load_with(name, &LoadOptions::default())
    }
}

/// Loads a model: the declarations and what follows them.
fn load(text: &str) -> (Option<Body>, Vec<Diagnostic>) {
    load_whole(&format!("{PROTOS}{text}"))
}

/// Loads a file that declares what it needs itself.
fn load_whole(text: &str) -> (Option<Body>, Vec<Diagnostic>) {
    Files::new().write("model.wrl", text).load("model.wrl")
}

/// A model that there is nothing to complain about.
#[track_caller]
fn clean(text: &str) -> Body {
    let (body, findings) = load(text);
    assert!(findings.is_empty(), "{}", list(&findings));
    body.unwrap()
}

/// A `Humanoid` called `ROBOT` around its root joint.
fn robot(root: &str) -> String {
    format!("DEF ROBOT Humanoid {{ humanoidBody [\n{root}\n] }}\n")
}

/// A robot that there is nothing to complain about, with a fixed root `BASE` that has these fields.
#[track_caller]
fn clean_base(fields: &str) -> Body {
    clean(&base(fields))
}

/// A robot with a fixed root `BASE` that has these fields; they begin on line 2.
fn base(fields: &str) -> String {
    robot(&format!("DEF BASE Joint {{ jointType \"fixed\" {fields} }}"))
}

/// Asserts a finding: severity and code in its short form, the line (counted from the end of the declarations) and
/// column, and the message.
#[track_caller]
fn assert_finding(finding: &Diagnostic, start: &str, (line, column): (u32, u32)) {
    let found = format!("{}[{}]: {}", finding.severity, finding.code, finding.message);
    assert!(found.starts_with(start), "found {found}\nwanted {start}");
    let position = finding.position().unwrap();
    assert_eq!((position.line.wrapping_sub(head_lines()), position.column), (line, column), "{finding}");
}

/// The only finding about a model, and the model.
#[track_caller]
fn one_finding(text: &str) -> (Option<Body>, Diagnostic) {
    let (body, mut findings) = load(text);
    assert_eq!(findings.len(), 1, "{}", list(&findings));
    (body, findings.remove(0))
}

/// Fewer declarations or other ones.
fn without(declaration_line: &str) -> String {
    assert!(PROTOS.contains(declaration_line));
    PROTOS.replace(declaration_line, "")
}
