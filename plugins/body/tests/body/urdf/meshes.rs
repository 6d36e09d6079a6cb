//! Shapes, their colours, and mesh files of packages.

use bunraku_body::{Geometry, LoadOptions, WriteOptions};
use bunraku_document::{Reporter, SearchRoots};
use bunraku_mesh::{Primitive, ShapeOrigin};
use nalgebra::{Point3, Vector3};

use super::{clean, read};
use crate::common::list;
use bunraku_test_support::assert_all_close;

#[test]
fn primitives_stand_on_z() {
    let body = clean(
        "<link name=\"A\">\
         <visual><origin xyz=\"0 0 1\"/><geometry><cylinder radius=\"0.1\" length=\"2\"/></geometry></visual>\
         <collision><geometry><box size=\"1 2 3\"/></geometry></collision>\
         <collision><geometry><sphere radius=\"0.5\"/></geometry></collision>\
         <collision><geometry><capsule radius=\"0.5\" length=\"1\"/></geometry></collision></link>",
    );
    let root = body.root();
    let bounds = root.visual[0].bounding_box().unwrap();
    assert!((bounds.min - Point3::new(-0.1, -0.1, 0.0)).norm() < 1e-6, "{bounds:?}");
    assert!((bounds.max - Point3::new(0.1, 0.1, 2.0)).norm() < 1e-6, "{bounds:?}");
    let primitives: Vec<_> = root.collision.iter().map(|shape| shape.geometry.clone()).collect();
    let expected = [
        Primitive::Box { size: Vector3::new(1.0, 2.0, 3.0) },
        Primitive::Sphere { radius: 0.5 },
        Primitive::Capsule { radius: 0.5, height: 1.0 },
    ];
    assert_eq!(primitives, expected.map(Geometry::primitive));
    let height = root.collision[2].bounding_box().unwrap();
    assert!((height.max.z - 1.0).abs() < 1e-6, "{height:?}");
}

#[test]
fn materials_are_found_by_name_wherever_they_are_defined() {
    let shape = "<geometry><sphere radius=\"1\"/></geometry>";
    let body = clean(&format!(
        "<material name=\"top\"><color rgba=\"1 0 0 1\"/></material>\
         <link name=\"A\"><visual>{shape}<material name=\"inner\"/></visual><visual>{shape}<material name=\"top\"/></visual>\
         <visual>{shape}<material name=\"inner\"><color rgba=\"0 0.5 1 0.25\"/></material></visual></link>"
    ));
    let looks: Vec<_> = body.root().visual.iter().map(|shape| &shape.appearance).collect();
    assert_eq!(looks[0].diffuse, Vector3::new(0.0, 0.5, 1.0));
    assert_eq!((looks[1].diffuse, looks[1].transparency), (Vector3::x(), 0.0));
    assert_eq!(looks[2].transparency, 0.75);
}

/// One triangle.
const STL: &str = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid t\n";

#[test]
fn meshes_are_found_in_packages_and_survive_conversion() {
    let top = tempfile::tempdir().unwrap();
    let package = top.path().join("arm_description");
    std::fs::create_dir_all(package.join("meshes")).unwrap();
    std::fs::create_dir_all(package.join("urdf")).unwrap();
    std::fs::write(package.join("package.xml"), "<package><name>arm_description</name></package>").unwrap();
    std::fs::write(package.join("meshes/t.stl"), STL).unwrap();
    let visual = |uri: &str, rest: &str| {
        format!("<visual><geometry><mesh filename=\"{uri}\" scale=\"2 1 -1\"/></geometry>{rest}</visual>")
    };
    let red = "<material name=\"red\"><color rgba=\"1 0 0 1\"/></material>";
    let uri = "package://arm_description/meshes/t.stl";
    let text = format!(
        "<robot name=\"R\"><link name=\"A\">{}{}{}</link></robot>",
        visual(uri, red),
        visual("model://arm_description/meshes/t.stl", ""),
        visual("../meshes/t.stl", "")
    );
    let path = package.join("urdf/arm.urdf");
    std::fs::write(&path, text).unwrap();
    let reporter = Reporter::new();
    let body = bunraku_body::load(&path, &LoadOptions::default(), &reporter);
    assert!(reporter.diagnostics().is_empty(), "{}", list(&reporter.diagnostics()));
    let body = body.unwrap();
    let visual = &body.root().visual;
    assert_eq!(visual.len(), 3);
    assert_eq!(visual[0].appearance.diffuse, Vector3::x());
    let bounds = visual[1].bounding_box().unwrap();
    assert_all_close(bounds.max.coords.as_slice(), [2.0, 1.0, 0.0]);
    let files: Vec<&ShapeOrigin> = visual.iter().filter_map(|shape| shape.origin.as_deref()).collect();
    assert_eq!(files.len(), 3, "the converted model refers to the files");

    let converted = package.join("urdf/arm.body");
    let written =
        bunraku_body::write(&body, &WriteOptions { path: &converted, roots: &SearchRoots::default() }, &reporter);
    std::fs::write(&converted, &written.text).unwrap();
    let again = bunraku_body::load(&converted, &LoadOptions::default(), &reporter);
    assert!(reporter.diagnostics().is_empty(), "{}", list(&reporter.diagnostics()));
    for (shape, again) in visual.iter().zip(&again.unwrap().root().visual) {
        assert_eq!(shape.bounding_box().unwrap().max, again.bounding_box().unwrap().max);
        assert_eq!(shape.appearance, again.appearance);
    }
}

#[test]
fn a_mesh_that_is_not_there_is_a_warning_at_its_name() {
    let (body, findings) = read(
        "<link name=\"A\">\n<visual><geometry><mesh filename=\"package://none/a.stl\"/></geometry></visual></link>",
    );
    assert!(body.is_some());
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!((finding.severity.as_str(), finding.code), ("warning", "file-not-found"));
    assert_eq!(finding.position().map(|position| (position.line, position.column)), Some((3, 35)));
}
