//! Errors and irregularities described in `docs/reference/body-format.md`: errors and warnings where the original is silent or
//! crashes.

use bunraku_body::{Body, Geometry, LoadOptions};
use bunraku_document::{Reporter, SearchRoots, Severity, SourceFile};
use bunraku_mesh::Primitive;

use crate::manual::example::{ELEMENT, EXTRA_JOINT, FILE, Files, GEOMETRY, LINK, TOP};

const HEADER: &str = "format: ChoreonoidBody, format_version: 2.0,";
const PAIR: &str = "{ % links: [ { name: BASE }, { @ } ] }";

fn text(place: &str, keys: &str) -> String {
    place.replace('@', keys).replace('%', HEADER)
}

/// Codes of the findings in a model that does not load.
#[track_caller]
fn errors(place: &str, keys: &str) -> Vec<&'static str> {
    let (body, found) = Files::new().load(&text(place, keys));
    assert!(body.is_none(), "{keys} loads: {found:?}");
    found
}

/// A model that loads, and the codes of the findings.
#[track_caller]
fn loads(place: &str, keys: &str) -> (Body, Vec<&'static str>) {
    let (body, found) = Files::new().load(&text(place, keys));
    (body.unwrap_or_else(|| panic!("{keys} does not load: {found:?}")), found)
}

#[track_caller]
fn remarks(place: &str, keys: &str) -> Vec<&'static str> {
    loads(place, keys).1
}

#[test]
fn the_top_of_a_file() {
    assert_eq!(loads(FILE, "format: ChoreonoidBody, format_version: 1.0, links: [ { name: A } ]").0.name, "example");
    assert_eq!(
        errors(FILE, "format: ChoreonoidBody, format_version: 2.1, links: [ { name: A } ]"),
        ["unknown-version"]
    );
    let radian = "format: ChoreonoidBody, format_version: 2.0, angle_unit: radian, links: [ { name: A } ]";
    assert_eq!(remarks(FILE, radian), ["manual-wins"]);
    assert_eq!(errors(TOP, "root_link: a"), ["unknown-link"]);
    assert_eq!(errors(TOP, "extra_joints: 5"), ["wrong-type"]);
}

#[test]
fn links_and_joints() {
    assert_eq!(errors(PAIR, "name: A, parent: BASE }, { name: A, parent: BASE"), ["duplicate-link-name"]);
    assert_eq!(errors(PAIR, "name: A, parent: B }, { name: B, parent: A"), ["parent-cycle"]);
    assert_eq!(errors(LINK, "mass: -1"), ["negative-mass"]);
    assert_eq!(errors(LINK, "joint_id: 10000"), ["joint-id"]);
    assert_eq!(errors(LINK, "rotor_inertia: heavy"), ["not-a-number"]);
    assert_eq!(remarks(LINK, "joint_type: revolute, joint_id: 1"), ["unused-joint-id"]);
    let twice = "name: A, parent: BASE, joint_type: revolute, joint_id: 0 }, { name: B, parent: A, joint_type: revolute, joint_id: 0";
    assert_eq!(remarks(PAIR, twice), ["duplicate-joint-id"]);
    let (body, found) = loads(LINK, "joint_type: revolute, joint_id: -1");
    assert_eq!((body.num_joint_ids(), body.num_joints(), found.len()), (0, 1, 0));
    let names = "name: A, parent: BASE, joint_name: J }, { name: B, parent: BASE, joint_name: J";
    assert_eq!(errors(PAIR, names), ["duplicate-joint-name"]);
}

#[test]
fn an_unknown_key_is_a_warning_and_its_value_is_kept() {
    let (body, found) = loads(LINK, "flavour: salty");
    assert_eq!(found, ["unknown-key"]);
    assert_eq!(body.links()[1].info.len(), 1);
    let (body, found) = loads(ELEMENT, "type: ForceSensor, flavour: salty");
    assert_eq!((found, body.devices[0].info.len()), (vec!["unknown-key"], 1));
    let (body, found) = loads(LINK, "mass: 2, center_of_mass: [ 1, 0, 0 ], centerOfMass: [ 2, 0, 0 ]");
    assert_eq!((found, body.links()[1].mass.center_of_mass.x), (vec!["same-key-twice"], 1.0));
    // An unknown device is stored as data.
    let (body, found) = loads(ELEMENT, "type: Perfume");
    assert_eq!((found, body.devices.len()), (vec!["unknown-device"], 1));
}

#[test]
fn implausible_values_are_reported() {
    let codes = |keys: &str| {
        let reporter = Reporter::new();
        let options = LoadOptions { check_plausibility: true, ..LoadOptions::default() };
        let text = text("{ % links: [ { name: BASE }, { name: ARM, parent: BASE, joint_type: revolute, @ } ] }", keys);
        assert!(bunraku_body::read(&SourceFile::from_text("x.body", text), &options, &reporter).is_some());
        reporter.into_diagnostics().iter().map(|finding| finding.code).collect::<Vec<_>>()
    };
    assert_eq!(codes("joint_range: [ -10, 10 ]"), [] as [&str; 0]);
    assert_eq!(codes("joint_range: [ 10, -10 ], joint_angle: 10"), ["crossing-limits"]);
    assert_eq!(codes("joint_range: [ -10, 10 ], joint_angle: 20"), ["outside-limits"]);
    assert_eq!(codes("joint_axis: [ 2, 0, 0 ]"), ["axis-length"]);
    assert_eq!(codes("inertia: [ 1, 0.5, 0, 0, 1, 0, 0, 0, 1 ]"), ["inertia-asymmetric"]);
    assert_eq!(codes("inertia: [ 1, 0, 0, 1, 0, 5 ]"), ["inertia-triangle"]);
}

#[test]
fn a_mapping_of_elements_is_read_alphabetically() {
    let (body, found) =
        loads("{ % links: [ { name: A, elements: { @ } } ] }", "ZmpDevice: { name: Z }, ForceSensor: { name: F }");
    let names: Vec<&str> = body.devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!((names, found.len()), (vec!["F", "Z"], 0));
}

#[test]
fn forms_that_cannot_be() {
    assert_eq!(errors(GEOMETRY, "type: Box, size: [ 1, -1, 1 ]"), ["negative-length"]);
    for keys in
        ["type: Sphere, radius: 0", "type: Cylinder, height: 0", "type: Cone, radius: 0", "type: Capsule, radius: 0"]
    {
        assert_eq!(errors(GEOMETRY, keys), ["not-positive"], "{keys}");
    }
    let (body, found) = loads(GEOMETRY, "type: Capsule, height: 0, division_number: 1001");
    assert_eq!(found.len(), 0);
    let expected = Geometry::Primitive { primitive: Primitive::Capsule { radius: 1.0, height: 0.0 }, divisions: 20 };
    assert_eq!(body.root().visual[0].geometry, expected);
    assert_eq!(errors(GEOMETRY, "type: Boxx"), ["unknown-geometry"]);
    assert_eq!(loads(ELEMENT, "type: Shape").0.root().visual.len(), 0);
    assert_eq!(errors(GEOMETRY, "type: Extrusion, spine: [ 0, 0, 0 ]"), ["bad-mesh"]);
    assert_eq!(remarks(GEOMETRY, "type: Extrusion, cross_section: [ 0, 0, 1, 0, 1, 1, 5 ]"), ["odd-numbers"]);
    assert_eq!(errors(GEOMETRY, "type: ElevationGrid, x_dimension: 2, z_dimension: 2, height: [ 0 ]"), ["bad-mesh"]);
    assert_eq!(
        errors(GEOMETRY, "type: ElevationGrid, x_dimension: 2, z_dimension: 2, x_spacing: 0, height: [ 0, 0, 0, 0 ]"),
        ["bad-mesh"]
    );
    assert_eq!(errors(GEOMETRY, "type: IndexedFaceSet, faces: [ 0, 1, 2, -1 ]"), ["bad-mesh"]);
    const CORNERS: &str = "vertices: [ 0, 0, 0, 1, 0, 0, 0, 1, 0 ]";
    let set = |rest: &str| format!("type: IndexedFaceSet, {CORNERS}, {rest}");
    assert_eq!(remarks(GEOMETRY, &set("faces: [ 0, 1, 2, -1, 0, 1, -1 ]")), ["empty-face"]);
    let (body, found) =
        loads(GEOMETRY, &set("faces: [ 0, 1, 2, -1 ], tex_coords: [ 0, 0, 1, 0, 0, 1 ], tex_coord_indices: [ 0 ]"));
    assert_eq!(found, ["bad-attribute"]);
    assert!(matches!(&body.root().visual[0].geometry, Geometry::Mesh(mesh) if mesh.texture_coordinates.is_empty()));
    assert_eq!(errors(GEOMETRY, &format!("type: TriangleMesh, {CORNERS}, faces: [ 0, 1, 2, -1 ]")), ["bad-mesh"]);
    let nested = "type: Visual, elements: [ { type: Collision } ]";
    assert_eq!(errors(ELEMENT, nested), ["nested-purpose"]);
}

#[test]
fn files_that_are_not_there() {
    assert_eq!(remarks(ELEMENT, "type: Resource, uri: missing.stl"), ["file-not-found"]);
    assert_eq!(remarks(ELEMENT, "type: Resource, uri: parts.obj, node: PLAT"), ["unknown-fragment"]);
    assert_eq!(errors(ELEMENT, "type: Resource, uri: missing.yaml"), ["file-not-found"]);
    assert_eq!(errors(PAIR, "type: SubBody, uri: missing.body, parent: BASE"), ["file-not-found"]);
    let strict = Reporter::strict();
    let source = SourceFile::from_text("x.body", text(ELEMENT, "type: Resource, uri: missing.stl"));
    bunraku_body::read(&source, &LoadOptions::default(), &strict);
    assert_eq!(strict.into_diagnostics()[0].severity, Severity::Error);
}

#[test]
fn a_sub_body_may_be_in_the_share_directory() {
    let share = tempfile::tempdir().unwrap();
    let hand = "format: ChoreonoidBody\nformat_version: 2.0\nlinks: [ { name: PALM } ]\n";
    std::fs::write(share.path().join("hand.body"), hand).unwrap();
    let options = LoadOptions { roots: SearchRoots::new(Some(share.path().to_owned())), ..LoadOptions::default() };
    let text = text(PAIR, "type: SubBody, uri: '${SHARE}/hand.body', parent: BASE");
    let reporter = Reporter::new();
    let body = bunraku_body::read(&SourceFile::from_text("x.body", text), &options, &reporter);
    assert_eq!(body.map(|body| body.links().len()), Some(2), "{:?}", reporter.into_diagnostics());
}

#[test]
fn loops_tracks_and_rules() {
    const BALL: &str = "link1_name: A, link2_name: B, joint_type: hinge";
    assert_eq!(errors(EXTRA_JOINT, &format!("{BALL}, axis: X")), ["wrong-type"]);
    assert_eq!(errors(EXTRA_JOINT, "link1_name: A, link2_name: C, joint_type: ball"), ["unknown-link"]);
    for number in ["2", "1001"] {
        let track =
            format!("type: ContinuousTrack, name: T, parent: BASE, joint_offset: [ 1, 0, 0 ], numJoints: {number}");
        assert_eq!(errors(PAIR, &track), ["out-of-range"]);
    }
    assert_eq!(remarks(TOP, "collision_detection_rules: [ { enabled: A } ]"), ["unknown-collision-rule"]);
    assert_eq!(remarks(TOP, "collision_detection_rules: [ { enabled_links: [ C ] } ]"), ["unknown-link"]);
    // The newer key has precedence.
    let both = "collision_detection_rules: [], collisionDetection: { excludeTreeDepth: 2 }";
    assert!(loads(TOP, both).0.collision_filter().ignored_pairs.is_empty());
    let (_, found) = Files::new().load("{ model_file: hand.body, linkInfo: { THUMBB: {} } }");
    assert_eq!(found, ["unknown-link"]);
}

#[test]
fn merges_and_truth_values() {
    let merge = "{ PART: &PART { mass: 7, material: Rubber }, % links: [ { name: BASE, <<: *PART, @ } ] }";
    let (body, found) = loads(merge, "mass: 5");
    assert_eq!((body.root().mass.mass, body.root().material.as_deref(), found.len()), (5.0, Some("Rubber"), 0));
    for (word, truth) in
        [("true", true), ("yes", true), ("on", true), ("y", true), ("no", false), ("Off", false), ("n", false)]
    {
        let (body, _) = loads(ELEMENT, &format!("type: ForceSensor, on: {word}"));
        assert_eq!(body.devices[0].enabled, truth, "{word}");
    }
}
