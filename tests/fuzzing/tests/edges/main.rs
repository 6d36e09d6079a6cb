//! Limits of the readers at their edge: the largest file that is read, and one more. The page `docs/reference/limits.md`
//! lists them.
// Tests panic and print on purpose when they cannot continue.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod expressions;
mod meshes;
#[cfg(feature = "scene")]
mod scenes;

use std::path::Path;

use bunraku_body::LoadOptions;
use bunraku_document::yaml::Document;
use bunraku_document::{Limits, Reporter, Severity, SourceFile};
use bunraku_mesh::MAX_LENGTH;
use bunraku_test_support::TestFolder;

/// The largest number that is accepted, up to `most`; what is accepted must be accepted for all smaller numbers.
fn edge(most: usize, accepts: impl Fn(usize) -> bool) -> usize {
    assert!(accepts(1) && !accepts(most), "there is no edge below {most}");
    let (mut good, mut bad) = (1, most);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if accepts(middle) { good = middle } else { bad = middle }
    }
    good
}

/// Whether a model is read. If not, its error has this code.
fn is_read(path: &Path, code: &str) -> bool {
    let reporter = Reporter::new();
    let body = bunraku_body::load(path, &LoadOptions::default(), &reporter);
    let errors = reporter.into_diagnostics().into_iter().filter(|finding| finding.severity == Severity::Error);
    let codes: Vec<_> = errors.map(|error| error.code).collect();
    assert!(body.is_some() || codes.contains(&code), "{codes:?}");
    body.is_some()
}

#[test]
fn yaml_nests_up_to_its_limit() {
    let accepts = |depth: usize| {
        let source = SourceFile::from_text("a.yaml", format!("{}1{}", "[".repeat(depth), "]".repeat(depth)));
        Document::parse(&source, &Limits::default(), &Reporter::new()).is_ok()
    };
    assert_eq!(edge(500, accepts), Limits::default().depth);
}

#[test]
fn yaml_has_as_many_nodes_as_its_limit() {
    let limits = Limits { nodes: 1000, ..Limits::default() };
    let accepts = |items: usize| {
        let source = SourceFile::from_text("a.yaml", format!("[{}]", "1,".repeat(items)));
        Document::parse(&source, &limits, &Reporter::new()).is_ok()
    };
    // The list is one itself.
    assert_eq!(edge(2000, accepts), 999);
}

#[test]
fn files_are_read_up_to_their_size_limit() {
    let folder = TestFolder::new();
    let limits = Limits { file_size: 1000, ..Limits::default() };
    let accepts = |size: usize| {
        let path = folder.write("a.txt", " ".repeat(size));
        SourceFile::read(&path, &limits, &Reporter::new()).is_ok()
    };
    assert_eq!(edge(2000, accepts), 1000);
}

#[test]
fn a_model_has_up_to_ten_thousand_links() {
    let folder = TestFolder::new();
    let accepts = |count: usize| {
        let links: String = (1..count)
            .map(|index| format!("<link name=\"l{index}\"/><joint name=\"j{index}\" type=\"fixed\"><parent link=\"l0\"/><child link=\"l{index}\"/></joint>"))
            .collect();
        let path = folder.write("a.urdf", format!("<robot name=\"a\"><link name=\"l0\"/>{links}</robot>"));
        is_read(&path, "limit-links")
    };
    assert!(accepts(10_000) && !accepts(10_001));
}

#[test]
fn a_model_of_xml_includes_up_to_two_hundred_files() {
    let folder = TestFolder::new();
    for number in 0..300 {
        folder.write(format!("part{number}.xml"), format!("<mujocoinclude><body name=\"b{number}\"/></mujocoinclude>"));
        folder.write(format!("part{number}.xacro"), "<robot/>");
    }
    let mjcf = |count: usize| {
        let parts: String = (0..count).map(|number| format!("<include file=\"part{number}.xml\"/>")).collect();
        is_read(&folder.write("a.xml", format!("<mujoco><worldbody>{parts}</worldbody></mujoco>")), "limit-files")
    };
    let xacro = |count: usize| {
        let parts: String =
            (0..count).map(|number| format!("<xacro:include filename=\"part{number}.xacro\"/>")).collect();
        let text = format!(
            "<robot name=\"a\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><link name=\"l\"/>{parts}</robot>"
        );
        is_read(&folder.write("a.urdf.xacro", text), "limit-files")
    };
    // The model itself is one of them.
    assert_eq!([edge(300, mjcf), edge(300, xacro)], [199, 199]);
}

#[test]
fn shapes_are_as_long_as_single_precision_allows() {
    let folder = TestFolder::new();
    for length in [MAX_LENGTH, MAX_LENGTH * 1.001] {
        let body = "format: ChoreonoidBody\nformat_version: 2.0\nname: A\nlinks:\n  - name: L\n    elements: [ { type: Shape, geometry: { type: Sphere, radius: SIZE } } ]\n";
        let urdf = "<robot name=\"a\"><link name=\"l\"><visual><geometry><sphere radius=\"SIZE\"/></geometry></visual></link></robot>";
        for (name, text) in [("a.body", body), ("a.urdf", urdf)] {
            let path = folder.write(name, text.replace("SIZE", &format!("{length:e}")));
            assert_eq!(is_read(&path, "too-large"), length == MAX_LENGTH, "{name} {length:e}");
        }
    }
}
