//! Features that the manual shows rather than lists, each as a file in `examples` beside this one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_body::{Body, DeviceKind, ExtraJointKind, Geometry, kinematics};
use bunraku_mesh::{Normals, TriangleMesh};
use nalgebra::{Matrix3, Point3, Vector3};

use crate::manual::example::{Files, all, extent, near};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/body/manual/examples").join(name)
}

/// Body of a file with exactly these findings.
#[track_caller]
fn load(name: &str, findings: &[&str]) -> Body {
    let (body, found) = Files::new().load_file(&path(name));
    assert_eq!(found, findings);
    body.unwrap()
}

#[track_caller]
fn only_mesh(body: &Body) -> Arc<TriangleMesh> {
    match &body.root().visual[0].geometry {
        Geometry::Mesh(mesh) => Arc::clone(mesh),
        Geometry::Primitive { .. } => panic!("no mesh"),
    }
}

#[test]
fn a_sensor_stands_below_its_link() {
    let body = load("waist_sensor.body", &[]);
    assert_eq!((body.name.as_str(), body.root().name.as_str()), ("WaistSensor", "WAIST"));
    let [sensor] = body.devices.as_slice() else { panic!("{:?}", body.devices) };
    assert_eq!(sensor.id, Some(0));
    assert!(matches!(sensor.kind, DeviceKind::AccelerationSensor(_)));
}

#[test]
fn a_group_with_an_alias_is_there_twice() {
    let body = load("subsystem.body", &[]);
    assert_eq!(body.links().len(), 2);
    for link in body.links() {
        assert_eq!((link.mass.mass, link.visual.len(), link.collision.len()), (2.0, 1, 1), "{}", link.name);
        assert_eq!(link.mass.center_of_mass, Point3::new(0.0, 0.0, 0.5));
    }
}

#[test]
fn an_imported_node_supplies_missing_keys() {
    let body = load("import.body", &["manual-wins"]);
    assert_eq!(body.root().mass.mass, 7.0);
    assert_eq!(body.root().mass.inertia, Matrix3::identity());
}

#[test]
fn an_extrusion_follows_its_spine() {
    let body = load("extrusion.body", &[]);
    let mesh = only_mesh(&body);
    // Two bends of six walls and one cap of four triangles; the other end is open.
    assert_eq!(mesh.triangles.len(), 2 * 6 * 2 + 4);
    assert!(matches!(mesh.normals, Normals::Crease(angle) if near(angle, 20_f64.to_radians())));
}

#[test]
fn polygons_end_with_minus_one() {
    let body = load("face_set.body", &[]);
    assert!(extent(&body, [2.0, 0.0, 3.0]));
    let mesh = only_mesh(&body);
    assert_eq!(mesh.triangles.len(), 3);
    // (0, 0) is the lower left corner of the image. Without indices, those of the faces are used.
    let corner = |vertex| {
        let corners = mesh.triangles.iter().flatten().zip(mesh.texture_coordinates.iter().flatten());
        corners.filter(move |(corner, _)| **corner == vertex).map(|(_, place)| [place.x, place.y]).next()
    };
    assert_eq!([corner(0), corner(2), corner(4)], [Some([0.0, 0.0]), Some([1.0, 0.7]), Some([0.5, 1.0])]);
}

#[test]
fn an_extra_joint_closes_a_loop() {
    let body = load("closed_loop.body", &[]);
    let joint = &body.extra_joints[0];
    assert_eq!(joint.kind, ExtraJointKind::Hinge { axis: Vector3::y_axis() });
    // The loop is closed in the initial pose.
    let poses = kinematics::link_poses(&body, &body.root().offset, &body.initial_displacements());
    let [first, second] = [0, 1].map(|end| poses[joint.links[end].0] * joint.frames[end] * Point3::origin());
    assert!(all(first, second.into()), "{first} {second}");
}

#[test]
fn rigid_bodies_are_the_mass_of_their_link() {
    let mass = load("rigid_body.body", &[]).root().mass;
    assert!(near(mass.mass, 2.0) && all(mass.center_of_mass, [0.0; 3]));
    assert!(all(mass.inertia.diagonal(), [0.02, 2.02, 2.02]), "{}", mass.inertia);
}

#[test]
fn every_example_file_is_read_here() {
    let source = include_str!("own_examples.rs");
    for entry in std::fs::read_dir(path("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(source.contains(&format!("load(\"{name}\"")), "{name}");
    }
}
