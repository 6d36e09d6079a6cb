//! URDF robots: all supported elements are read, and errors are located.

mod corpus;
mod gazebo;
mod joints;
mod meshes;
mod mistakes;
mod xacro;

use crate::common::list;
use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Diagnostic, Reporter};

/// Reads a robot of these elements.
fn read(elements: &str) -> (Option<Body>, Vec<Diagnostic>) {
    read_file("robot.urdf", &format!("<robot name=\"R\">\n{elements}\n</robot>"))
}

/// Reads a text under a name.
fn read_file(name: &str, text: &str) -> (Option<Body>, Vec<Diagnostic>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    let reporter = Reporter::new();
    let body = bunraku_body::load(&path, &LoadOptions::default(), &reporter);
    (body, reporter.into_diagnostics())
}

/// Reads a robot without findings.
#[track_caller]
fn clean(elements: &str) -> Body {
    let (body, findings) = read(elements);
    assert!(findings.is_empty(), "{}", list(&findings));
    body.unwrap()
}

/// A link with a mass.
fn heavy(name: &str) -> String {
    format!(
        "<link name=\"{name}\"><inertial><mass value=\"2\"/>\
         <inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
    )
}

/// Two links A and B with this joint between them; `<parent>` and `<child>` are added.
fn jointed(kind: &str, elements: &str) -> String {
    let joint = format!("<joint name=\"J\" type=\"{kind}\"><parent link=\"A\"/><child link=\"B\"/>{elements}</joint>");
    format!("{}\n{}\n{joint}", heavy("A"), heavy("B"))
}
