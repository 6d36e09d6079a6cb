//! Models as URDF and MJCF.

use std::path::Path;

use bunraku_body::dynamics::Configuration;
use bunraku_body::{Body, LoadOptions, WriteOptions, WrittenModel, load, write_mjcf, write_urdf};
use bunraku_document::{Diagnostic, Reporter, SearchRoots, Severity};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::common::{list, read_clean};

type Write = fn(&Body, &WriteOptions<'_>, &Reporter) -> WrittenModel;

/// Writes a model and reads it again.
fn round(body: &Body, name: &str, write: Write) -> (Body, Vec<Diagnostic>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    let reporter = Reporter::new();
    let written = write(body, &WriteOptions { path: &path, roots: &SearchRoots::default() }, &reporter);
    for file in &written.files {
        assert_eq!(file.path.parent(), Some(directory.path()));
        std::fs::write(&file.path, &file.bytes).unwrap();
    }
    std::fs::write(&path, &written.text).unwrap();
    let findings = reporter.into_diagnostics();
    let reporter = Reporter::new();
    let again = load(&path, &LoadOptions::default(), &reporter);
    let again = again.unwrap_or_else(|| panic!("{}\n{}", list(&reporter.into_diagnostics()), written.text));
    (again, findings)
}

/// Largest difference of the mass matrices in some poses, as a share of the largest entry.
fn difference(one: &Body, other: &Body) -> f64 {
    let mut worst = 0.0_f64;
    for seed in [0.3, 1.7, 2.9] {
        let displacements: Vec<f64> = (0..one.num_joints()).map(|joint| (joint as f64 * 1.3 + seed).sin()).collect();
        let turn = UnitQuaternion::new(Vector3::new(seed, 0.5, -0.3));
        let root = Isometry3::from_parts(Translation3::new(0.3, seed, -1.0), turn);
        let matrix = |body| Configuration::new(body, &root, &displacements).mass_matrix();
        let (one, other) = (matrix(one), matrix(other));
        if one.shape() != other.shape() {
            return f64::INFINITY;
        }
        worst = worst.max((&one - other).amax() / one.amax().max(1.0));
    }
    worst
}

const ROBOT: &str = "format: ChoreonoidBody
format_version: 2.0
name: Robot
links:
  - { name: BASE, joint_type: free, mass: 3, inertia: [ 0.1, 0.01, 0, 0.2, 0, 0.25 ], elements: [ { type: Shape, geometry: { type: Cone, radius: 0.1, height: 0.2 } } ] }
  - { name: A, parent: BASE, joint_id: 1, joint_type: revolute, joint_axis: [ 1, 2, 0 ], translation: [ 0.1, 0.2, 0.3 ], rotation: [ 0, 1, 0, 90 ], joint_range: [ -30, 60 ], joint_axis_inertia: 0.05, mass: 1, center_of_mass: [ 0.1, 0, 0 ], inertia: [ 0.01, 0, 0, 0.02, 0.001, 0.02 ] }
  - { name: B, parent: A, joint_id: 0, joint_type: prismatic, joint_axis: Z, mass: 0.5, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ], elements: [ { type: Shape, rotation: [ 1, 0, 0, 30 ], geometry: { type: Cylinder, radius: 0.1, height: 0.2 } } ] }
  - { name: C, parent: BASE, joint_type: fixed, mass: 0.25, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ] }
  - { name: D, parent: C, joint_id: 2, joint_type: revolute, joint_axis: X, mass: 0.5, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ] }
joint_couplings:
  - { joint: D, leader: A, multiplier: -2, offset: 10 }
";

#[test]
fn a_robot_comes_back_from_urdf_and_mjcf() {
    let body = read_clean(ROBOT);
    for (name, write) in [("r.urdf", write_urdf as Write), ("r.xml", write_mjcf)] {
        let (again, findings) = round(&body, name, write);
        assert!(findings.iter().all(|finding| finding.severity != Severity::Error), "{}", list(&findings));
        let names = |body: &Body| body.links().iter().map(|link| link.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&again), names(&body), "{name}");
        let by_name = |body: &Body| {
            (0..3).map(|joint| body.joint_name(bunraku_body::JointIndex(joint)).to_owned()).collect::<Vec<_>>()
        };
        if name == "r.urdf" {
            assert_eq!(by_name(&again), by_name(&body));
            let off = difference(&body, &again);
            assert!(off < 1e-12, "{name}: {off:e}");
        }
        let [coupling] = again.joint_couplings() else { panic!("{name}") };
        let (multiplier, offset) = coupling.as_linear().unwrap();
        assert!((multiplier + 2.0).abs() < 1e-15 && (offset - 10_f64.to_radians()).abs() < 1e-15);
        let visual = |body: &Body| body.links().iter().map(|link| link.visual.len()).collect::<Vec<_>>();
        assert_eq!(visual(&again), visual(&body), "{name}");
        let boxes = |body: &Body| body.links()[2].visual[0].bounding_box().unwrap();
        assert!((boxes(&again).max - boxes(&body).max).norm() < 1e-9);
    }
}

#[test]
fn damping_friction_springs_and_servos_are_kept() {
    let (body, _) = super::read(
        r#"<compiler angle="radian"/><worldbody><body><geom size="0.1"/>
        <body pos="0 0 1"><joint name="a" damping="0.5" armature="0.75" frictionloss="0.25" stiffness="3" springref="0.125"/><geom size="0.1"/>
        <body pos="0 0 1"><joint name="b" type="slide" damping="2"/><geom size="0.1"/>
        <body pos="0 0 1"><joint name="c"/><geom size="0.1"/></body></body></body></body></worldbody>
        <actuator><position joint="a" kp="40" kv="5" forcerange="-7 7"/><velocity joint="b" kv="6"/><motor joint="c"/></actuator>"#,
    );
    let body = body.unwrap();
    let suggested = |body: &Body| {
        (0..3).map(|joint| body.joint(bunraku_body::JointIndex(joint)).unwrap().suggested).collect::<Vec<_>>()
    };
    let (again, findings) = round(&body, "r.xml", write_mjcf);
    assert_eq!(suggested(&again), suggested(&body), "{}", list(&findings));
    assert_eq!(suggested(&again)[0].servo, Some([40.0, 5.0]));
    assert_eq!(again.joint(bunraku_body::JointIndex(0)).unwrap().equivalent_rotor_inertia, 0.75);
    let range = |body: &Body| body.joint(bunraku_body::JointIndex(0)).unwrap().effort_range;
    assert_eq!((range(&again), range(&again).upper), (range(&body), 7.0));
    let (again, findings) = round(&body, "r.urdf", write_urdf);
    assert_eq!(suggested(&again)[0].damping, 0.5);
    assert_eq!((suggested(&again)[0].friction, suggested(&again)[1].damping), (0.25, 2.0));
    assert!(findings.iter().any(|finding| finding.code == "export-springs"), "{}", list(&findings));
}

#[test]
fn losses_are_reported() {
    let text = ROBOT.replace(
        "name: C, parent: BASE, joint_type: fixed",
        "name: C, parent: BASE, joint_type: pseudo_continuous_track",
    ) + "extra_joints:\n  - { link1_name: B, link2_name: D, joint_type: ball }\nstandard_pose: [ 1 ]\n";
    let body = read_clean(&text);
    let reporter = Reporter::new();
    let options = WriteOptions { path: Path::new("r.urdf"), roots: &SearchRoots::default() };
    write_urdf(&body, &options, &reporter);
    let found = reporter.into_diagnostics();
    for code in ["export-loops", "export-tracks"] {
        assert!(found.iter().any(|finding| finding.code == code), "{code}: {}", list(&found));
    }
}

#[test]
fn a_center_of_mass_without_mass_is_reported_as_lost() {
    let (body, _) = super::read(
        r#"<worldbody><body><geom size="0.1"/><body><joint/><inertial pos="0 1 0" mass="0"/></body></body></worldbody>"#,
    );
    let body = body.unwrap();
    assert_eq!((body.links()[1].mass.mass, body.links()[1].mass.center_of_mass.y), (0.0, 1.0));
    for (name, write, code) in [
        ("r.body", bunraku_body::write as Write, "lost-inertia"),
        ("r.urdf", write_urdf, "export-inertia"),
        ("r.xml", write_mjcf, "export-inertia"),
    ] {
        let (_, findings) = round(&body, name, write);
        let found = findings.iter().filter(|finding| finding.code == code).count();
        assert_eq!(found, 1, "{name}: {}", list(&findings));
    }
}

#[test]
fn names_are_escaped() {
    let mut body = read_clean(ROBOT);
    body.name = "<&\">\u{7}".to_owned();
    let (again, _) = round(&body, "r.urdf", write_urdf);
    assert_eq!(again.name, "<&\">_");
}

#[test]
fn models_of_the_corpus_come_back_from_urdf() {
    let Some(share) = bunraku_test_support::share() else { return };
    let roots = SearchRoots::new(Some(share.clone())).allow_outside(true);
    let options = LoadOptions { roots, ..LoadOptions::default() };
    let mut count = 0;
    for path in bunraku_test_support::files_below(&share.join("model"), &["body"]) {
        let Some(body) = load(&path, &options, &Reporter::new()) else { continue };
        let (again, findings) = round(&body, "model.urdf", write_urdf);
        // A track has an entry in joint vectors, which a fixed joint has not.
        if findings.iter().any(|finding| matches!(finding.code, "export-tracks" | "export-axis" | "export-ids")) {
            continue;
        }
        // Trees below free joints come later in joint vectors.
        if body.links().iter().skip(1).any(|link| link.joint.kind == bunraku_body::JointKind::Free) {
            continue;
        }
        let off = difference(&body, &again);
        assert!(off < 1e-9, "{}: {off:e}", path.display());
        count += 1;
    }
    println!("{count} models");
    assert!(count > 20);
}

/// A model with these links, written in both formats and read again, with the codes of what was reported.
fn round_both(links: &str) -> [(Body, Vec<&'static str>); 2] {
    let body = read_clean(&bunraku_test_support::model_text(links));
    [("r.urdf", write_urdf as Write), ("r.xml", write_mjcf)].map(|(name, write)| {
        let (again, findings) = round(&body, name, write);
        (again, findings.iter().map(|finding| finding.code).collect())
    })
}

#[test]
fn names_that_are_empty_or_twice_there_are_replaced() {
    let links = "  - { name: A, joint_type: free }\n  - { name: '', parent: A, joint_name: C, joint_type: revolute, joint_id: 0 }\n  - { name: C, parent: '', joint_type: revolute, joint_id: 1 }\n";
    for (again, codes) in round_both(links) {
        assert!(codes.contains(&"export-names"), "{codes:?}");
        let names = |name: fn(&bunraku_body::Link) -> &str| again.links().iter().map(name).collect::<Vec<_>>();
        assert_eq!(names(|link| &link.name), ["A", "link1", "C"]);
        assert_eq!(names(|link| link.joint_name())[1..], ["C", "C_1"]);
    }
}

#[test]
fn a_fixed_robot_with_a_link_named_world_stays_fixed() {
    let links = "  - { name: A, joint_type: fixed, translation: [ 0, 0, 1 ] }\n  - { name: world, parent: A, joint_type: revolute, joint_id: 0 }\n";
    for (again, codes) in round_both(links) {
        assert!(again.is_fixed() && codes.contains(&"export-names"), "{codes:?}");
        assert!(again.find_link("world_1").is_some());
    }
    let [(urdf, codes), _] = round_both("  - { name: world, joint_type: free }\n");
    assert!(!urdf.is_fixed() && codes.contains(&"export-names"), "{codes:?}");
}

#[test]
fn a_loop_at_the_world_is_written() {
    let body = read_clean(
        &(bunraku_test_support::model_text(
            "  - { name: world, joint_type: fixed, mass: 0 }\n  - { name: A, parent: world, joint_type: revolute, joint_id: 0 }\n  - { name: B, parent: world, joint_type: revolute, joint_id: 1 }\n",
        ) + "extra_joints:\n  - { link1_name: world, link2_name: B, joint_type: ball }\n"),
    );
    let (again, findings) = round(&body, "r.xml", write_mjcf);
    assert_eq!(again.extra_joints.len(), 1, "{}", list(&findings));
    assert_eq!(again.link(again.extra_joints[0].links[0]).name, "world");
}

#[test]
fn a_mirrored_sensor_is_written() {
    let links = "  - name: A\n    elements:\n      - { type: Transform, scale: [ -1, 1, 1 ], elements: [ { type: AccelerationSensor, name: S, rotation: [ 1, 0, 0, 90 ] } ] }\n      - { type: Transform, scale: [ 1, 0, 1 ], elements: [ { type: RateGyroSensor, name: FLAT } ] }\n";
    let [_, (again, codes)] = round_both(links);
    let [device] = again.devices.as_slice() else { panic!("{:?}", again.devices) };
    // The nearest rotation of a mirrored frame is not unique; Y and Z need no change.
    let y = device.mounting().unwrap() * Vector3::y();
    assert!((y - Vector3::z()).norm() < 1e-12, "{y}");
    assert!(codes.contains(&"export-devices"), "{codes:?}");
}

#[test]
fn flat_primitives_are_meshes_and_specks_are_reported() {
    let sphere = |scale: &str| {
        format!("{{ type: Transform, scale: {scale}, elements: [ {{ type: Shape, geometry: {{ type: Sphere }} }} ] }}")
    };
    let links = format!(
        "  - {{ name: A, joint_type: free, elements: [ {}, {} ] }}\n",
        sphere("[ 1, 0, 2 ]"),
        sphere("[ 0, 0, 1 ]")
    );
    for (again, codes) in round_both(&links) {
        let [shape] = again.root().visual.as_slice() else { panic!("{:?}", again.root().visual) };
        let bounds = shape.bounding_box().unwrap();
        assert!((bounds.max - bounds.min - Vector3::new(2.0, 0.0, 4.0)).amax() < 1e-6, "{bounds:?}");
        assert!(codes.contains(&"export-shapes"), "{codes:?}");
    }
}

#[test]
fn a_disc_is_a_mesh() {
    let links = "  - { name: A, joint_type: free, elements: [ { type: Transform, scale: [ 1, 0, 1 ], elements: [ { type: Shape, geometry: { type: Cylinder, radius: 1, height: 1 } } ] } ] }\n";
    for (again, _) in round_both(links) {
        let bounds = again.root().visual[0].bounding_box().unwrap();
        assert!((bounds.max.coords - Vector3::new(1.0, 0.0, 1.0)).amax() < 1e-6, "{bounds:?}");
    }
}

#[test]
fn the_symmetric_part_of_an_inertia_is_written() {
    let text = bunraku_test_support::model_text(
        "  - { name: A, joint_type: free, mass: 1, inertia: [ 1, 0.2, 0, 0, 1, 0, 0, 0, 1 ] }\n",
    );
    let body = bunraku_test_support::read_model(&text).0.unwrap();
    for (name, write) in [("r.urdf", write_urdf as Write), ("r.xml", write_mjcf)] {
        let (again, _) = round(&body, name, write);
        let inertia = again.root().mass.inertia;
        assert_eq!((inertia.m12, inertia.m21), (0.1, 0.1), "{name}");
    }
}

#[test]
fn materials_rules_poses_keys_and_ranges_that_are_lost_are_reported() {
    let text = bunraku_test_support::model_text(
        "  - { name: A, joint_type: free, material: Ice, elements: [ { type: Shape, geometry: { type: Box } } ] }\n  - { name: B, parent: A, joint_type: revolute, joint_id: 0, joint_range: [ unlimited, 90 ], note: 1, elements: [ { type: Shape, geometry: { type: Box } } ] }\n",
    ) + "collision_detection_rules: [ { disabled_link_chain_level: 0 } ]\nstandard_pose: [ 10 ]\n";
    let body = bunraku_test_support::read_model(&text).0.unwrap();
    let lost = |name: &str, write: Write| -> Vec<&'static str> {
        round(&body, name, write).1.iter().map(|finding| finding.code).collect()
    };
    for (codes, limit) in [(lost("r.urdf", write_urdf), false), (lost("r.xml", write_mjcf), true)] {
        for code in ["export-materials", "export-collisions", "export-pose", "export-keys"] {
            assert!(codes.contains(&code), "{code}: {codes:?}");
        }
        assert_eq!(codes.contains(&"export-limit"), limit, "{codes:?}");
    }
}

#[test]
fn negative_damping_is_reported_where_it_is_lost() {
    let text = "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><dynamics damping=\"-1\"/></joint></robot>";
    let folder = bunraku_test_support::TestFolder::new();
    let body = load(&folder.write("a.urdf", text), &LoadOptions::default(), &Reporter::new()).unwrap();
    let (_, findings) = round(&body, "r.xml", write_mjcf);
    assert!(findings.iter().any(|finding| finding.code == "export-dynamics"), "{}", list(&findings));
}

#[test]
fn an_initial_displacement_of_no_joint_needs_no_keyframe() {
    let text = bunraku_test_support::model_text(
        "  - { name: A, joint_type: fixed }\n  - { name: B, parent: A, joint_type: fixed, joint_id: 0, joint_displacement: 1 }\n",
    );
    let body = bunraku_test_support::read_model(&text).0.unwrap();
    round(&body, "r.xml", write_mjcf);
}
