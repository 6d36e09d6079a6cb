//! The `Humanoid` node, and files without one.

use bunraku_body::{JointKind, LoadOptions, Property};

use super::{Files, PROTOS, clean, clean_base, load, one_finding, robot};
use crate::common::list;

#[test]
fn the_model_is_called_after_the_humanoid() {
    let body = clean("DEF SAMPLE Humanoid { name \"another\" humanoidBody DEF WAIST Joint { jointType \"free\" } }");
    assert_eq!((body.name.as_str(), body.root().name.as_str()), ("SAMPLE", "WAIST"));
    assert!(!body.is_fixed());
}

#[test]
fn a_humanoid_without_name_is_called_after_the_file() {
    let body = clean("Humanoid { humanoidBody [ DEF WAIST Joint { jointType \"free\" } ] }");
    assert_eq!(body.name, "model");
}

#[test]
fn info_is_kept_line_by_line() {
    let body = clean(
        "DEF R Humanoid { info [ \"a robot\" \"of two lines\" ] humanoidBody DEF B Joint { jointType \"fixed\" } }",
    );
    assert_eq!(body.info, [("info".to_owned(), Property::Text("a robot\nof two lines".to_owned()))]);
    assert!(clean_base("").info.is_empty());
}

#[test]
fn lists_of_joints_and_segments_and_other_nodes_make_no_links() {
    let body = clean(
        "DEF R Humanoid {
          humanoidBody [ DEF B Joint { jointType \"fixed\" children [ DEF J Joint { jointType \"rotate\" } ] } ]
          joints [ USE B USE J ] segments [ ] viewpoints [ Viewpoint { } ] sites [ ] version \"1.1\"
        }
        NavigationInfo { } Background { } Shape { geometry Box { } }",
    );
    assert_eq!(body.links().len(), 2);
    assert!(body.links().iter().all(|link| link.visual.is_empty()));
}

#[test]
fn two_humanoids_are_an_error() {
    let one = robot("DEF B Joint { jointType \"fixed\" }");
    let (body, finding) = one_finding(&format!("{one}{}", one.replace("ROBOT", "OTHER")));
    assert!(body.is_none());
    super::assert_finding(&finding, "error[several-humanoids]: OTHER: ", (4, 11));
}

#[test]
fn where_there_is_not_a_single_joint_the_humanoid_is_a_link() {
    let root = "DEF B Joint { jointType \"rotate\" }";
    let (body, finding) = one_finding(&robot(&format!("{root}\nDEF C Joint {{ jointType \"slide\" }}")));
    super::assert_finding(&finding, "warning[humanoid-link]: ROBOT: ", (1, 22));
    let body = body.unwrap();
    let names: Vec<_> = body.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!((names, body.is_fixed()), (vec!["ROBOT", "B", "C"], true));
    let (body, finding) = one_finding("DEF ROBOT Humanoid {\nhumanoidBody [ ] }");
    super::assert_finding(&finding, "warning[humanoid-link]: ROBOT: ", (2, 1));
    assert_eq!(body.unwrap().links().len(), 1);
    let (body, _) = one_finding(&robot("DEF S Segment { mass 1 }"));
    assert_eq!(body.unwrap().root().mass.mass, 1.0);
    // A joint may have the name of the model.
    let (body, findings) = load(&robot("DEF ROBOT Joint { jointType \"rotate\" } DEF C Joint { jointType \"slide\" }"));
    assert_eq!(
        findings.iter().map(|finding| finding.code).collect::<Vec<_>>(),
        ["humanoid-link", "duplicate-link-name"]
    );
    assert_eq!(body.unwrap().links().len(), 3);
}

#[test]
fn a_second_joint_in_a_group_at_the_top_is_an_error() {
    let joint = "Joint { jointType \"fixed\" }";
    let (body, finding) = one_finding(&robot(&format!("Group {{ children [ DEF B {joint}\nDEF C {joint} ] }}")));
    assert!(body.is_none());
    super::assert_finding(&finding, "error[several-roots]: ROBOT > C: ", (3, 7));
}

#[test]
fn the_humanoid_moves_the_model_and_does_not_scale_it() {
    let (body, findings) = load(
        "DEF R Humanoid { translation 1 2 3\nrotation 1 0 0 1.5707963267948966\nscale 2 2 2\nhumanoidBody DEF B Joint { jointType \"fixed\" translation 0 0 4 } }",
    );
    let place = body.unwrap().root().offset.translation.vector;
    assert!((place - nalgebra::Vector3::new(1.0, -2.0, 3.0)).norm() < 1e-12, "{place}");
    let places: Vec<_> = findings.iter().map(|finding| (finding.code, finding.position().unwrap().column)).collect();
    assert_eq!(places, [("no-effect", 1), ("manual-wins", 18)], "{}", list(&findings));
}

#[test]
fn a_file_without_humanoid_is_one_fixed_link_with_all_its_shapes() {
    let body = clean(
        "Transform { translation 0 0 1 children Shape { geometry Box { size 1 1 1 } } } Shape { geometry Sphere { } }",
    );
    assert_eq!((body.name.as_str(), body.links().len()), ("model", 1));
    let root = body.root();
    assert_eq!((root.name.as_str(), root.joint.kind), ("Root", JointKind::Fixed));
    assert_eq!((root.visual.len(), root.collision.len()), (2, 2));
    assert_eq!((root.mass.mass, root.mass.inertia[(2, 2)]), (1.0, 1.0));
}

#[test]
fn a_file_without_humanoid_and_shapes_is_an_invisible_link() {
    let (body, findings) = load("DirectionalLight { }");
    assert!(body.unwrap().root().visual.is_empty());
    let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["unsupported-node", "empty-scene"], "{}", list(&findings));
}

#[test]
fn an_empty_file_is_an_error() {
    let (body, finding) = one_finding("");
    assert!(body.is_none());
    assert_eq!(finding.code, "empty-model");
}

#[test]
fn joints_without_humanoid_are_worth_a_warning() {
    let (body, finding) = one_finding("DEF J Joint { jointType \"rotate\" children Shape { geometry Box { } } }");
    super::assert_finding(&finding, "warning[no-humanoid]: ", (1, 7));
    assert_eq!(body.unwrap().links().len(), 1);
}

#[test]
fn a_wrapper_adds_to_the_model_and_sets_how_round_shapes_are_divided() {
    let shape = "Segment { mass 1 children Shape { geometry Cylinder { } } }";
    let model = robot(&format!(
        "DEF WAIST Joint {{ jointType \"fixed\" children [ {shape} DEF J Joint {{ jointType \"rotate\" jointId 0 }} ] }}"
    ));
    let files = Files::new();
    files.write("robot.wrl", &format!("{PROTOS}{model}"));
    files.write(
        "robot.yaml",
        "modelFile: robot.wrl\nstandardPose: [ 90 ]\ngeometry: { divisionNumber: 6 }\nlinkInfo: { WAIST: { key: value } }\n",
    );
    let (body, findings) = files.load("robot.yaml");
    assert!(findings.is_empty(), "{}", list(&findings));
    let body = body.unwrap();
    assert_eq!(body.name, "ROBOT");
    assert_eq!(body.standard_pose, Some(vec![90f64.to_radians()]));
    assert_eq!(body.root().info, [("key".to_owned(), Property::Text("value".to_owned()))]);
    let triangles = |body: &bunraku_body::Body| body.root().visual[0].geometry.triangles().triangles.len();
    // Six segments: six triangles in each cap and two on each side.
    assert_eq!(triangles(&body), 24);
    assert_eq!(triangles(&files.load("robot.wrl").0.unwrap()), 80);
}

#[test]
fn capital_letters_in_the_extension_make_no_difference() {
    let files = Files::new();
    files.write("ROBOT.WRL", &format!("{PROTOS}{}", robot("DEF B Joint { jointType \"free\" }")));
    assert_eq!(files.load("ROBOT.WRL").0.unwrap().root().name, "B");
}

#[test]
fn numbers_that_cannot_be_meant_are_named_when_asked_for() {
    let model = robot(
        "DEF BASE Joint { jointType \"fixed\" children DEF J Joint { jointType \"rotate\"\nllimit 1 ulimit -1 children\nDEF S Segment { mass 1 momentsOfInertia [ 1 0 0 0 1 0 0 0 9 ] } } }",
    );
    let files = Files::new();
    files.write("model.wrl", &format!("{PROTOS}{model}"));
    assert!(files.load("model.wrl").1.is_empty());
    let (body, findings) =
        files.load_with("model.wrl", &LoadOptions { check_plausibility: true, ..LoadOptions::default() });
    assert!(body.is_some());
    assert_eq!(findings.len(), 2, "{}", list(&findings));
    super::assert_finding(&findings[0], "warning[inertia-triangle]: ROBOT > BASE > J > S: ", (4, 24));
    super::assert_finding(&findings[1], "warning[crossing-limits]: ROBOT > BASE > J: ", (3, 1));
}
