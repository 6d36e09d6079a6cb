//! Features that the manual shows rather than lists, each as a file in `examples` beside this one; the declarations are
//! prepended.

use std::path::Path;

use bunraku_body::{Body, DeviceKind, JointIndex, JointKind, Link, LoadOptions, WriteOptions, kinematics};
use bunraku_document::{Reporter, SearchRoots, SourceFile};
use nalgebra::{Point3, Vector3};

use super::example::{all, codes};

use crate::common::{link, list};
use crate::openhrp::{clean, clean_base};

fn parent<'b>(body: &'b Body, name: &str) -> Option<&'b str> {
    let parent: Option<&Link> = link(body, name).parent.map(|parent| body.link(parent));
    parent.map(|parent| parent.name.as_str())
}

#[test]
fn limbs_are_attached_to_waist_and_chest() {
    let body = clean(include_str!("examples/humanoid.wrl"));
    assert_eq!(body.name, "SAMPLE");
    assert_eq!((body.root().name.as_str(), body.root().joint.kind), ("WAIST", JointKind::Free));
    for (name, on) in [
        ("CHEST", "WAIST"),
        ("HEAD", "CHEST"),
        ("LARM", "CHEST"),
        ("RARM", "CHEST"),
        ("LLEG", "WAIST"),
        ("RLEG", "WAIST"),
    ] {
        assert_eq!(parent(&body, name), Some(on), "{name}");
    }
    // In the order of their IDs, not of the file.
    let names: Vec<_> = (0..body.num_joints()).map(|id| body.joint_name(JointIndex(id))).collect();
    assert_eq!(names, ["LLEG", "RLEG", "CHEST", "HEAD", "LARM", "RARM"]);
}

#[test]
fn a_joint_of_two_degrees_of_freedom_is_two_joints_in_one_place() {
    let body = clean(include_str!("examples/elbow.wrl"));
    assert_eq!(parent(&body, "肘1"), Some("肘0"));
    assert!(all(link(&body, "肘1").offset.translation.vector, [0.0; 3]));
    assert_eq!([link(&body, "肘0").joint.axis, link(&body, "肘1").joint.axis], [Vector3::y(), Vector3::z()]);
}

#[test]
fn one_joint_may_have_several_segments_and_one_in_a_transform() {
    let body = clean(include_str!("examples/segments.wrl"));
    let mass = body.root().mass;
    assert_eq!((mass.mass, body.root().visual.len()), (3.0, 2));
    // 1 kg at (0, 0, 0.2), and 2 kg at (0, 0.3, 0) rotated to z and moved by 0.5.
    assert!((mass.center_of_mass.z - (0.2 + 2.0 * 0.8) / 3.0).abs() < 1e-3, "{}", mass.center_of_mass);
    // 1.57 is not exactly 90°.
    assert!(mass.center_of_mass.y.abs() < 1e-3 && mass.center_of_mass.x == 0.0);
}

#[test]
fn the_upper_arm_belongs_to_the_shoulder() {
    let body = clean(include_str!("examples/arm.wrl"));
    assert_eq!(
        (parent(&body, "肘"), link(&body, "肩").visual.len(), link(&body, "肘").visual.len()),
        (Some("肩"), 1, 0)
    );
}

#[test]
fn a_sensor_stands_below_its_joint() {
    let body = clean(include_str!("examples/sensor.wrl"));
    let [sensor] = body.devices.as_slice() else { panic!("{:?}", body.devices) };
    assert_eq!((sensor.name.as_str(), sensor.id, body.link(sensor.link).name.as_str()), ("gsensor", Some(0), "WAIST"));
    assert!(matches!(sensor.kind, DeviceKind::AccelerationSensor(_)));
}

#[test]
fn an_extra_joint_closes_a_loop() {
    let body = clean(include_str!("examples/closed_loop.wrl"));
    let joint = &body.extra_joints[0];
    assert_eq!(joint.kind.axis(), Some(Vector3::y_axis()));
    // The loop is closed in the initial pose.
    let poses = kinematics::link_poses(&body, &body.root().offset, &body.initial_displacements());
    let [first, second] = [0, 1].map(|end| poses[joint.links[end].0] * joint.frames[end] * Point3::origin());
    assert!(all(first.coords, second.coords.into()), "{first} {second}");
}

/// Text of a model as a `.body` file, and the codes of what is lost.
fn as_body_file(body: &Body) -> (String, Vec<&'static str>) {
    let reporter = Reporter::new();
    let options = WriteOptions { path: Path::new("x.body"), roots: &SearchRoots::default() };
    let written = bunraku_body::write(body, &options, &reporter);
    (written.text, codes(&reporter.into_diagnostics()))
}

#[test]
fn openhrp_models_convert_to_body_files() {
    for text in [
        include_str!("examples/humanoid.wrl"),
        include_str!("examples/arm.wrl"),
        include_str!("examples/sensor.wrl"),
        include_str!("examples/closed_loop.wrl"),
    ] {
        let body = clean(text);
        let (written, lost) = as_body_file(&body);
        assert_eq!(lost, [] as [&str; 0]);
        let reporter = Reporter::new();
        let source = SourceFile::from_text("x.body", &written);
        let again = bunraku_body::read(&source, &LoadOptions::default(), &reporter).unwrap();
        let findings = reporter.into_diagnostics();
        assert!(findings.is_empty(), "{}\n{written}", list(&findings));
        let names = |body: &Body| body.links().iter().map(|link| link.name.clone()).collect::<Vec<_>>();
        assert_eq!((names(&again), &again.info), (names(&body), &body.info));
        assert_eq!((again.mass(), again.devices.len()), (body.mass(), body.devices.len()));
        let kinds = |body: &Body| body.extra_joints.iter().map(|joint| joint.kind).collect::<Vec<_>>();
        assert_eq!(kinds(&again), kinds(&body));
    }
}

#[test]
fn data_that_a_body_file_cannot_express_are_reported() {
    let lost = |fields: &str| as_body_file(&clean_base(fields)).1;
    assert_eq!(lost("rotorInertia 2"), [] as [&str; 0]);
    assert_eq!(lost("torqueConst 2 children DEF J Joint { jointType \"rotate\" gearRatio 9 }"), [] as [&str; 0]);
    assert_eq!(lost("children Segment { momentsOfInertia [ 1 0 0 0 1 0 0 0 1 ] }"), ["lost-inertia"]);
}
