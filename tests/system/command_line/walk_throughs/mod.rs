//! The first day of a new user: whole scripts with all output.

mod first_hour;
mod models;
mod runs;

use std::fmt::Write;

/// A valid crane of two links on a foot.
const CRANE: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Crane
links:
  - name: FOOT
    joint_type: fixed
    elements: [ { type: Shape, geometry: { type: Box, size: [ 0.4, 0.4, 0.1 ] } } ]
  - name: MAST
    parent: FOOT
    translation: [ 0, 0, 0.05 ]
    joint_type: revolute
    joint_axis: Z
    joint_id: 0
    mass: 4
    center_of_mass: [ 0, 0, 0.4 ]
    inertia: [ 0.22, 0, 0, 0.22, 0, 0.01 ]
    elements:
      - type: Shape
        translation: [ 0, 0, 0.4 ]
        geometry: { type: Box, size: [ 0.08, 0.08, 0.8 ] }
        appearance: { material: { diffuse: [ 0.9, 0.7, 0.1 ] } }
  - name: BOOM
    parent: MAST
    translation: [ 0, 0, 0.8 ]
    joint_type: revolute
    joint_axis: Y
    joint_id: 1
    joint_range: [ -80, 80 ]
    mass: 2
    inertia: from_shapes
    elements:
      - type: Shape
        translation: [ 0.4, 0, 0 ]
        geometry: { type: Box, size: [ 0.8, 0.06, 0.06 ] }
        appearance: { material: { diffuse: [ 0.2, 0.3, 0.8 ] } }
";

/// A scene with the crane.
const YARD: &str = "\
format: BunrakuScene
format_version: 1
simulation: { duration: 1 }
bodies:
  - name: Crane
    file: crane.body
    joint_displacements: { BOOM: -30 }
    controller: { type: pd, kp: 300, kd: 30 }
  - { name: Yard, shape: { type: plane, size: [ 6, 6 ], color: [ 0.6, 0.65, 0.6 ] }, translation: [ 0, 0, -0.05 ] }
";

/// A Choreonoid project with the crane, a program that moves it, and a lamp.
const PROJECT: &str = r#"
items:
  name: "RootItem"
  class: RootItem
  children:
    - name: "World"
      class: WorldItem
      children:
        - name: "Crane"
          class: BodyItem
          data: { file: "${PROJECT_DIR}/crane.body", joint_displacements: [ 0, -30 ] }
          children:
            - name: "Joystick"
              class: SimpleControllerItem
              data: { controller: "CraneJoystickController" }
        - name: "AISTSimulator"
          class: AISTSimulatorItem
          data: { time_step: 0.001, time_range_mode: specified, time_length: 0.4 }
        - name: "Lamp"
          class: LightingItem
"#;

/// A motion of the crane: it rotates by a radian in a second and lifts its boom.
fn swing() -> String {
    let mut text = String::from(
        "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: 20\ncomponents:\n  -\n    type: MultiValueSeq\n    \
         content: JointDisplacement\n    frameRate: 20\n    numParts: 2\n    frames:\n",
    );
    for frame in 0..=20 {
        let time = f64::from(frame) / 20.0;
        // Begins and ends at rest.
        let way = time * time * (3.0 - 2.0 * time);
        writeln!(text, "      - [ {way:.6}, {:.6} ]", -0.5 - 0.4 * way).unwrap();
    }
    text
}
