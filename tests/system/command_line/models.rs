//! Properties of models, as the program handles them.

use std::fs;

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;

use super::desk::{ARM, Desk, SCENE};
use crate::common::{bunraku, stderr, stdout};

/// A cube whose file disables its collisions.
const GHOST: &str = "\
format: ChoreonoidBody
format_version: 2.0
collision_detection_rules: [ { disabled_links: [ CUBE ] } ]
links:
  - { name: CUBE, joint_type: free, translation: [ 0, 0, 0.5 ], mass: 1, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ],
      elements: [ { type: Shape, geometry: { type: Box, size: [ 0.4, 0.4, 0.4 ] } } ] }
";

const FLOOR: &str = "\
format: ChoreonoidBody
format_version: 2.0
links:
  - { name: FLOOR, translation: [ 0, 0, -0.1 ], elements: [ { type: Shape, geometry: { type: Box, size: [ 9, 9, 0.2 ] } } ] }
";

#[test]
fn a_ghost_inside_another_model_falls_through_the_floor_as_it_does_alone() {
    let scene = "\
format: BunrakuScene
format_version: 1
simulation: { duration: 0.6 }
bodies:
  - { name: Ghost, file: ghost.body }
  - { name: Inside, file: inside.body }
  - { name: Solid, file: solid.body, translation: [ 3, 0, 0.5 ] }
  - { name: Floor, file: floor.body, drive: static }
";
    let desk = Desk::new(ARM, scene);
    desk.write("ghost.body", GHOST);
    desk.write(
        "inside.body",
        "format: ChoreonoidBody\nformat_version: 2.0\nlinks: [ { type: SubBody, uri: ghost.body } ]\n",
    );
    desk.write("solid.body", &GHOST.replace("disabled_links", "enabled_links"));
    desk.write("floor.body", FLOOR);
    let output = desk.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let height = |name: &str| {
        let motion = BodyMotion::load(&desk.path().join(format!("out/{name}.seq")), &Reporter::new()).unwrap();
        motion.link_positions.unwrap().frames().last().unwrap()[0].translation.vector.z
    };
    assert_eq!(height("Inside"), height("Ghost"));
    // The body with collisions comes to rest on the floor.
    assert!(height("Ghost") < -1.0 && height("Solid") > 0.15, "{} {}", height("Ghost"), height("Solid"));
}

#[test]
fn program_and_project_directories_are_those_of_the_options() {
    let desk = Desk::new(ARM, SCENE);
    fs::create_dir(desk.path().join("installed")).unwrap();
    desk.write("installed/cube.obj", "o cube\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for (variable, option) in [("PROGRAM_TOP", "--program-top"), ("PROJECT_DIR", "--project-dir")] {
        let shape = format!("    elements: [ {{ type: Resource, uri: '${{{variable}}}/cube.obj' }} ]\n");
        desk.write("arm.body", &format!("{ARM}{shape}"));
        let check = |arguments: &[&str]| {
            let mut program = bunraku();
            program.env_remove("BUNRAKU_PROGRAM_TOP").env_remove("BUNRAKU_PROJECT_DIR");
            program.current_dir(desk.path()).args(["check", "arm.body"]).args(arguments).output().unwrap()
        };
        let output = check(&[]);
        assert!(stdout(&output).contains("0 errors, 1 warning"), "{}", stdout(&output));
        assert!(stderr(&output).contains(&format!("pass `{option} DIR`")), "{}", stderr(&output));
        let output = check(&[option, "installed"]);
        assert!(stdout(&output).contains("0 errors, 0 warnings, 0 notes"), "{}{}", stdout(&output), stderr(&output));
    }
}

#[test]
fn a_model_runs_in_a_scene_that_is_made_around_it() {
    let desk = Desk::new(ARM, SCENE);
    // A cube in the air is put onto the ground and stays there; an arm stretched out is held.
    desk.write("cube.body", &GHOST.replace("collision_detection_rules: [ { disabled_links: [ CUBE ] } ]\n", ""));
    desk.write(
        "lever.urdf",
        "<robot name='lever'><link name='base'/><link name='rod'><inertial><origin xyz='0.5 0 0'/><mass value='2'/>\
         <inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link>\
         <joint name='hinge' type='continuous'><parent link='base'/><child link='rod'/><axis xyz='0 1 0'/></joint></robot>",
    );
    let run = |file: &str| {
        let output = desk.bunraku(&["run", file, "--duration", "1", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = stderr(&output);
        assert!(text.contains(&format!("note: {file} is a model: it runs in a scene made around it")), "{text}");
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let cube = run("cube.body");
    let z = cube["end"]["cube"]["translation"][2].as_f64();
    assert!((z.unwrap() - 0.2).abs() < 1e-3, "{cube}");
    let lever = run("lever.urdf");
    let sag = lever["end"]["lever"]["joints"]["hinge"].as_f64().unwrap();
    assert!(sag > 0.0 && sag < 0.02, "{sag}");
    // It can be changed and repeated like any other.
    let output = desk.bunraku(&["rerun", "out/lever"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let free =
        desk.bunraku(&["run", "lever.urdf", "--quiet", "--set", "bodies.lever.controller={ type: none }", "--json"]);
    let free: serde_json::Value = serde_json::from_slice(&free.stdout).unwrap();
    assert!(free["end"]["lever"]["joints"]["hinge"].as_f64().unwrap() > 0.5, "{free}");
}
