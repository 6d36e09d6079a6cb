//! Keys of `.body` files.

use bunraku_body::{ActuationMode, DeviceKind, Geometry, JointKind, Range};
use bunraku_mesh::Primitive;
use nalgebra::Vector3;

use crate::statements::{Row, arm, body, link, near, shape, trunk};

const NOTE: &[&str] = &["note manual-wins"];
const BEYOND: &[&str] = &["warning out-of-range"];

/// A box with this material.
fn material(keys: &str) -> String {
    trunk(&format!("{{ type: Shape, geometry: {{ type: Box }}, appearance: {{ material: {{ {keys} }} }} }}"))
}

pub fn rows() -> Vec<Row> {
    let mut rows = header_and_numbers();
    rows.extend(poses());
    rows.extend(joints());
    rows.extend(looks());
    rows.extend(malformed());
    rows.extend(malformed_devices_and_masses());
    rows
}

fn header_and_numbers() -> Vec<Row> {
    vec![
        Row::loads(
            "radian_in_2.body",
            "angle_unit: radian in version 2.0",
            body(
                "angle_unit: radian\nlinks: [ { name: STAND }, { name: ARM, parent: STAND, joint_type: revolute, joint_id: 0, joint_range: [ -0.5, 1.5 ] } ]",
            ),
            NOTE,
            |body| {
                let Range { lower, upper } = link(body, "ARM").joint.displacement_range;
                (lower + 0.5).abs() < 1e-12 && (upper - 1.5).abs() < 1e-12
            },
        ),
        Row::loads(
            "version_2_05.body",
            "format_version up to 2.1",
            "format: ChoreonoidBody\nformat_version: 2.05\nlinks: [ { name: STAND } ]\n",
            &[],
            |body| body.root().name == "STAND",
        ),
        Row::is_refused(
            "version_2_1.body",
            "format_version 2.1 is unknown",
            "format: ChoreonoidBody\nformat_version: 2.1\nlinks: [ { name: STAND } ]\n",
            &["error unknown-version"],
        ),
        Row::loads(
            "hexadecimal.body",
            "numbers of YAML 1.1",
            body("links: [ { name: STAND, mass: 0x1c } ]"),
            &[],
            |body| body.root().mass.mass == 28.0,
        ),
        Row::loads(
            "infinite_range.body",
            "an infinity in a range is unlimited",
            arm("joint_type: revolute, joint_id: 0, joint_range: [ -.inf, inf ], max_joint_velocity: +INF"),
            &[],
            |body| {
                let joint = &link(body, "ARM").joint;
                joint.displacement_range == Range::UNLIMITED && joint.velocity_range == Range::UNLIMITED
            },
        ),
        Row::is_refused(
            "range_from_infinity.body",
            "an infinity that leaves no room is a mistake",
            arm("joint_type: revolute, joint_id: 0, joint_range: [ inf, inf ]"),
            &["error not-finite"],
        ),
    ]
}

fn poses() -> Vec<Row> {
    vec![
        Row::loads(
            "nested_translations.body",
            "translation: lists of vectors, nested, are summed",
            body(
                "STEP: &STEP [ [ 1, 0, 0 ], [ 0, 2, 0 ] ]\nlinks: [ { name: STAND, translation: [ *STEP, [ 0, 0, 3 ], [ *STEP ] ] } ]",
            ),
            &[],
            |body| near(body.root().offset.translation.vector, [2.0, 4.0, 3.0]),
        ),
        Row::loads(
            "nested_rotations.body",
            "rotation: lists of rotations, nested, are multiplied",
            body("links: [ { name: STAND, rotation: [ [ [ 0, 0, 1, 90 ], [ 1, 0, 0, 90 ] ], [ 0, 0, 1, 90 ] ] } ]"),
            &[],
            |body| near(body.root().offset * Vector3::x(), [0.0, 0.0, 1.0]),
        ),
        Row::is_refused(
            "endless_translations.body",
            "translation: aliases of aliases come to an end",
            body(
                "A: &A [ [ 1, 0, 0 ], [ 1, 0, 0 ], [ 1, 0, 0 ], [ 1, 0, 0 ], [ 1, 0, 0 ], [ 1, 0, 0 ], [ 1, 0, 0 ] ]\nB: &B [ *A, *A, *A, *A, *A, *A, *A ]\nC: &C [ *B, *B, *B, *B, *B, *B, *B ]\nD: &D [ *C, *C, *C, *C, *C, *C, *C ]\nlinks: [ { name: STAND, translation: [ *D, *D, *D, *D, *D, *D, *D ] } ]",
            ),
            &["error limit-elements"],
        ),
        Row::loads(
            "empty_pose.body",
            "[] is no rotation and no translation",
            body("links: [ { name: STAND, rotation: [], translation: [] } ]"),
            &[],
            |body| body.root().offset == nalgebra::Isometry3::identity(),
        ),
        Row::loads(
            "import_of_a_shape.body",
            "import reads the node of an alias in its place",
            body(
                "links:\n  - name: STAND\n    elements:\n      - &PLATE { type: Shape, geometry: { type: Box, size: [ 4, 2, 1 ] } }\n  - { name: LID, parent: STAND, import: *PLATE }",
            ),
            NOTE,
            |body| link(body, "LID").visual.len() == 1 && link(body, "LID").collision == body.root().collision,
        ),
    ]
}

fn joints() -> Vec<Row> {
    vec![
        Row::loads(
            "surface_velocity.body",
            "actuation_mode: jointSurfaceVelocity makes a track",
            arm("joint_type: revolute, joint_id: 0, actuation_mode: jointSurfaceVelocity"),
            &["note older-word"],
            |body| {
                let joint = &link(body, "ARM").joint;
                (joint.kind, joint.actuation_mode)
                    == (JointKind::PseudoContinuousTrack, Some(ActuationMode::JointVelocity))
            },
        ),
        Row::loads(
            "negative_joint_id.body",
            "joint_id is 0 or more",
            arm("joint_type: revolute, joint_id: -7"),
            &["warning joint-id"],
            |body| link(body, "ARM").joint.id.is_none(),
        ),
        Row::loads(
            "no_joint_id.body",
            "joint_id -1 is no ID",
            arm("joint_type: revolute, joint_id: -1"),
            &[],
            |body| link(body, "ARM").joint.id.is_none(),
        ),
        Row::loads(
            "negative_rotor.body",
            "rotor inertia is 0 or more",
            arm("joint_type: revolute, joint_id: 0, rotor_inertia: -0.25, gear_ratio: 2"),
            &["warning rotor-inertia"],
            |body| link(body, "ARM").joint.equivalent_rotor_inertia == -1.0,
        ),
        Row::loads(
            "gear_of_perpetual_motion.body",
            "gear efficiency is 1 at most",
            arm("joint_type: revolute, joint_id: 0, gear_efficiency: 70"),
            &["warning gear-efficiency"],
            |body| link(body, "ARM").joint.motor.is_some_and(|motor| motor.gear_efficiency == 70.0),
        ),
    ]
}

fn looks() -> Vec<Row> {
    vec![
        Row::loads("diffuse.body", "diffuse from 0 to 1", material("diffuse: [ 3, 0.5, -2 ]"), BEYOND, |body| {
            near(shape(body).appearance.diffuse, [1.0, 0.5, 0.0])
        }),
        Row::loads("emissive.body", "emissive from 0 to 1", material("emissive: [ 0, 7, 0 ]"), BEYOND, |body| {
            near(shape(body).appearance.emissive, [0.0, 1.0, 0.0])
        }),
        Row::loads("specular.body", "specular from 0 to 1", material("specular: [ 0, 0, 7 ]"), BEYOND, |body| {
            near(shape(body).appearance.specular, [0.0, 0.0, 1.0])
        }),
        Row::loads("ambient.body", "ambient from 0 to 1", material("ambient: -0.5"), BEYOND, |body| {
            shape(body).appearance.ambient == 0.0
        }),
        Row::loads("shininess.body", "shininess from 0 to 1", material("shininess: 2.5"), BEYOND, |body| {
            shape(body).appearance.specular_exponent == 128.0
        }),
        Row::loads("transparency.body", "transparency from 0 to 1", material("transparency: 1.25"), BEYOND, |body| {
            shape(body).appearance.transparency == 1.0
        }),
        Row::loads(
            "bright_light.body",
            "intensity from 0 to 1; Choreonoid takes more",
            trunk("{ type: SpotLight, name: HEADLIGHT, intensity: 2.5 }"),
            &["note bright-light"],
            |body| matches!(&body.devices[0].kind, DeviceKind::SpotLight(light) if light.intensity == 2.5),
        ),
        Row::loads(
            "dark_light.body",
            "intensity is not negative",
            trunk("{ type: SpotLight, name: HEADLIGHT, intensity: -2 }"),
            BEYOND,
            |body| matches!(&body.devices[0].kind, DeviceKind::SpotLight(light) if light.intensity == 1.0),
        ),
    ]
}

fn malformed() -> Vec<Row> {
    let textured = |keys: &str| {
        trunk(&format!(
            "{{ type: Shape, geometry: {{ type: Box }}, appearance: {{ texture: {{ url: wood.png }}, {keys} }} }}"
        ))
    };
    let plain = |body: &bunraku_body::Body| shape(body).appearance == bunraku_body::Appearance::default();
    let turned = |body: &bunraku_body::Body| {
        let texture = shape(body).appearance.texture.as_ref();
        texture.is_some_and(|texture| texture.transform == bunraku_mesh::TextureTransform::default())
    };
    vec![
        Row::loads(
            "texture_turned_by_a_list.body",
            "a malformed rotation of a texture is ignored",
            textured("textureTransform: { rotation: [ 0, 0, 1, 90 ] }"),
            &["warning wrong-type"],
            turned,
        )
        .beside("wood.png", ""),
        Row::loads(
            "texture_scaled_by_a_number.body",
            "a malformed value of a texture keeps its default",
            textured("texture_transform: { scale: 3 }"),
            &["warning wrong-type"],
            turned,
        )
        .beside("wood.png", ""),
        Row::loads(
            "transparency_of_glass.body",
            "a malformed value of a material keeps its default",
            material("transparency: glass"),
            &["warning not-a-number"],
            plain,
        ),
        Row::loads(
            "material_of_wood.body",
            "a malformed material is ignored",
            trunk("{ type: Shape, geometry: { type: Box }, appearance: { material: wood } }"),
            &["warning wrong-type"],
            plain,
        ),
        Row::loads(
            "texture_without_keys.body",
            "a malformed texture is ignored",
            trunk("{ type: Shape, geometry: { type: Box }, appearance: { texture: wood.png } }"),
            &["warning wrong-type"],
            plain,
        ),
    ]
}

fn malformed_devices_and_masses() -> Vec<Row> {
    vec![
        Row::loads(
            "force_limit.body",
            "a malformed limit of a sensor keeps its default",
            trunk("{ type: ForceSensor, name: WRIST, max_force: 50 }"),
            &["warning wrong-type"],
            |body| matches!(&body.devices[0].kind, DeviceKind::ForceSensor(sensor) if sensor.max_force.is_none()),
        ),
        Row::loads(
            "camera_width.body",
            "a malformed value of a camera keeps its default",
            trunk("{ type: Camera, name: EYE, format: COLOR, width: wide, height: 200 }"),
            &["warning not-a-number"],
            |body| matches!(&body.devices[0].kind, DeviceKind::Camera(camera) if (camera.view.width, camera.view.height) == (640, 200)),
        ),
        Row::is_refused(
            "radius_of_a_word.body",
            "a malformed value of a form is an error",
            trunk("{ type: Shape, geometry: { type: Sphere, radius: large } }"),
            &["error not-a-number"],
        ),
        Row::is_refused(
            "centre_of_mass.body",
            "a malformed value of a mass is an error",
            trunk("{ type: RigidBody, mass: 2, center_of_mass: 0, inertia: [ 1, 0, 0, 1, 0, 1 ] }"),
            &["error wrong-type"],
        ),
        Row::loads(
            "meta_scene.body",
            "name and is_meta_scene of a Shape",
            trunk("{ type: Shape, name: PLATE, is_meta_scene: false, geometry: { type: Box, size: [ 1, 2, 3 ] } }"),
            &[],
            |body| {
                let size = Vector3::new(1.0, 2.0, 3.0);
                shape(body).geometry == Geometry::primitive(Primitive::Box { size })
            },
        ),
    ]
}
