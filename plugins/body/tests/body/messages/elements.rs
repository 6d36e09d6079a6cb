//! Mistakes in shapes and devices.

use crate::messages::Mistake;

/// A model with a shape of this geometry.
fn geometry(geometry: &str) -> Mistake {
    Mistake::elements(&format!("      - type: Shape\n        geometry: {{ {geometry} }}\n"))
}

#[test]
fn unknown_node_type() {
    Mistake::elements("      - type: Shap\n").shows("unknown_node_type");
}

#[test]
fn node_type_like_no_other() {
    Mistake::elements("      - type: Hyperdrive\n").shows("node_type_like_no_other");
}

#[test]
fn unread_node_type() {
    Mistake::elements("      - type: LineSet\n").shows("unread_node_type");
}

#[test]
fn element_without_a_type() {
    Mistake::elements("      - geometry: { type: Box }\n").shows("element_without_a_type");
}

#[test]
fn elements_as_a_word() {
    Mistake::links("  - name: BASE\n    elements: Shape\n").shows("elements_as_a_word");
}

#[test]
fn type_against_the_key_above() {
    Mistake::elements("      Shape: { type: Group }\n").shows("type_against_the_key_above");
}

#[test]
fn collision_inside_visual() {
    Mistake::elements("      - type: Visual\n        elements:\n          - type: Collision\n")
        .shows("collision_inside_visual");
}

#[test]
fn unknown_geometry() {
    geometry("type: Cilinder, radius: 1").shows("unknown_geometry");
}

#[test]
fn geometry_like_no_other() {
    geometry("type: Teapot").shows("geometry_like_no_other");
}

#[test]
fn shape_without_a_geometry() {
    Mistake::elements("      - type: Shape\n        geometri: { type: Box }\n").shows("shape_without_a_geometry");
}

#[test]
fn negative_radius() {
    geometry("type: Sphere, radius: -0.1").shows("negative_radius");
}

#[test]
fn negative_box() {
    geometry("type: Box, size: [ 1, -1, 1 ]").shows("negative_box");
}

#[test]
fn negative_capsule() {
    geometry("type: Capsule, radius: 1, height: -1").shows("negative_capsule");
}

#[test]
fn bad_index_in_faces() {
    geometry("type: IndexedFaceSet, vertices: [ 0, 0, 0, 1, 0, 0, 0, 1, 0 ], faces: [ 0, 1, 3, -1 ]")
        .shows("bad_index_in_faces");
}

#[test]
fn unterminated_face() {
    geometry("type: IndexedFaceSet, vertices: [ 0, 0, 0, 1, 0, 0, 0, 1, 0 ], faces: [ 0, 1, 2 ]")
        .shows("unterminated_face");
}

#[test]
fn face_of_two_corners() {
    geometry("type: IndexedFaceSet, vertices: [ 0, 0, 0, 1, 0, 0, 0, 1, 0 ], faces: [ 0, 1, -1, 0, 1, 2, -1 ]")
        .shows("face_of_two_corners");
}

#[test]
fn incomplete_vertex() {
    geometry("type: TriangleMesh, vertices: [ 0, 0, 0, 1, 0, 0, 0, 1 ], faces: [ 0, 1, 2 ]").shows("incomplete_vertex");
}

#[test]
fn mesh_without_faces() {
    geometry("type: IndexedFaceSet, vertices: [ 0, 0, 0, 1, 0, 0, 0, 1, 0 ]").shows("mesh_without_faces");
}

#[test]
fn word_among_the_vertices() {
    geometry("type: TriangleMesh, vertices: [ 0, 0, o, 1, 0, 0, 0, 1, 0 ], faces: [ 0, 1, 2 ]")
        .shows("word_among_the_vertices");
}

#[test]
fn grid_with_missing_heights() {
    geometry("type: ElevationGrid, x_dimension: 2, z_dimension: 3, height: [ 0, 0, 0, 0, 0 ]")
        .shows("grid_with_missing_heights");
}

#[test]
fn extrusion_with_odd_numbers() {
    geometry("type: Extrusion, cross_section: [ 0, 0, 1, 0, 1, 1, 0, 0, 7 ], spine: [ 0, 0, 0, 0, 1, 0 ]")
        .shows("extrusion_with_odd_numbers");
}

#[test]
fn wrong_colour() {
    Mistake::elements(
        "      - type: Shape\n        geometry: { type: Box }\n        appearance: { material: { diffuse: red, difuse: [ 1, 0, 0 ] } }\n",
    )
    .shows("wrong_colour");
}

#[test]
fn unknown_device_key() {
    Mistake::elements("      - type: ForceSensor\n        max_forse: [ 1, 1, 1 ]\n").shows("unknown_device_key");
}

#[test]
fn unknown_camera_format() {
    Mistake::elements("      - type: Camera\n        format: COLOUR\n").shows("unknown_camera_format");
}

#[test]
fn camera_without_a_format() {
    Mistake::elements("      - type: Camera\n        name: EYE\n").shows("camera_without_a_format");
}

#[test]
fn camera_of_no_pixels() {
    Mistake::elements("      - { type: Camera, format: COLOR, width: 0, frame_rate: -1, field_of_view: 200, near_clip_distance: 2, far_clip_distance: 1 }\n")
        .shows("camera_of_no_pixels");
}

#[test]
fn range_sensor_that_ends_before_it_starts() {
    Mistake::elements(
        "      - { type: RangeSensor, min_yaw_angle: 90, max_yaw_angle: -90, yaw_step: 1, pitch_range: 180, pitch_step: 90, pitch_samples: 3 }\n",
    )
    .shows("range_sensor_that_ends_before_it_starts");
}

#[test]
fn range_sensor_of_too_many_rays() {
    Mistake::elements(
        "      - { type: RangeSensor, yaw_range: 360, yaw_step: 0.01, pitch_range: 90, pitch_step: 0.01 }\n",
    )
    .shows("range_sensor_of_too_many_rays");
}

#[test]
fn half_a_range() {
    Mistake::elements("      - { type: RangeSensor, min_yaw_angle: 90, yaw_step: 1 }\n").shows("half_a_range");
}

#[test]
fn signal_lines() {
    Mistake::elements(
        "      - { type: DigitalIO, num_signal_lines: -1, in_labels: { one: a, 5000: b }, out_labels: [ a ] }\n",
    )
    .shows("signal_lines");
}

#[test]
fn equipment() {
    Mistake::elements("      - { type: Holder, hold_condition: name, categories: { a: b } }\n      - { type: Conveyor, conveyor_type: liner, axis: [ 0, 0, 0 ] }\n      - { type: MarkerDevice, marker_type: dot, color: [ 2, 0, 0 ] }\n      - { type: ForceSensor, max_force: [ -1, 1, 1 ] }\n")
        .shows("equipment");
}
