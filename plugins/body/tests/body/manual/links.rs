//! Links, their joints and their mass.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use bunraku_body::{ActuationMode, Body, JointId, JointKind, Motor, Range};
use nalgebra::{Matrix3, Vector3};

use crate::manual::example::{Example, LINK, all, arm, key, near};

/// A second link in the list of the first.
const SECOND: &str = "{ % links: [ { name: BASE }, { @ } ] }";

fn is_range(range: Range, lower: f64, upper: f64) -> bool {
    near(range.lower, lower) && near(range.upper, upper)
}

fn turns_x_to_y(body: &Body) -> bool {
    all(arm(body).offset * Vector3::x(), [0.0, 1.0, 0.0])
}

pub fn examples() -> Vec<Example> {
    let mut examples = frame();
    examples.extend(motion());
    examples.extend(limits());
    examples.extend(mass());
    examples.extend(beyond());
    examples
}

fn frame() -> Vec<Example> {
    vec![
        key("Link", "type", "Link", LINK, |body| body.links().len() == 2).unlike("Skip"),
        key("Link", "name", "HAND", SECOND, |body| body.find_link("HAND").is_some()).beside("parent: BASE"),
        key("Link", "parent", "BASE", SECOND, |body| arm(body).parent.is_some()).beside("name: ARM"),
        key("Link", "translation", "[ 1, 2, 3 ]", LINK, |body| {
            all(arm(body).offset.translation.vector, [1.0, 2.0, 3.0])
        }),
        key("Link", "translation", "[ [ 1, 0, 3 ], [ 0, 2, 0 ] ]", LINK, |body| {
            all(arm(body).offset.translation.vector, [1.0, 2.0, 3.0])
        }),
        // The root has the given translation.
        key("Link", "translation", "[ 1, 2, 3 ]", "{ % links: [ { name: BASE, @ } ] }", |body| {
            all(body.root().offset.translation.vector, [1.0, 2.0, 3.0])
        }),
        key("Link", "rotation", "[ 0, 0, 1, 90 ]", LINK, turns_x_to_y).angle(),
        // The axis may have any length.
        key("Link", "rotation", "[ 0, 0, 5, 90 ]", LINK, turns_x_to_y).angle(),
        key("Link", "rotation", "[ [ 0, 0, 1, 30 ], [ 0, 0, 1, 60 ] ]", LINK, turns_x_to_y).angle(),
        key(
            "Link",
            "import",
            "*PART",
            "{ PART: &PART { mass: 7 }, % links: [ { name: BASE }, { name: ARM, parent: BASE, @ } ] }",
            |body| near(arm(body).mass.mass, 7.0),
        )
        .findings(&["manual-wins"]),
        key("Link", "elements", "[ { type: ForceSensor } ]", LINK, |body| body.devices.len() == 1),
        key("Link", "elements", "{ type: ForceSensor }", LINK, |body| body.devices.len() == 1),
        key("Link", "elements", "{ ForceSensor: { id: 0 } }", LINK, |body| body.devices.len() == 1),
    ]
}

fn motion() -> Vec<Example> {
    let mut examples: Vec<Example> = vec![
        key("Link", "joint_id", "0", LINK, |body| arm(body).joint.id == Some(JointId(0)) && body.num_joint_ids() == 1)
            .also(&["jointId"])
            .beside("joint_type: revolute"),
        key("Link", "joint_axis", "-Y", LINK, |body| arm(body).joint.axis == -Vector3::y())
            .also(&["jointAxis"])
            .beside("joint_type: revolute"),
        key("Link", "joint_axis", "[ 0, 0.6, 0.8 ]", LINK, |body| arm(body).joint.axis == Vector3::new(0.0, 0.6, 0.8))
            .also(&["jointAxis"])
            .beside("joint_type: revolute"),
        // The axis is not normalized.
        key("Link", "joint_axis", "[ 2, 0, 0 ]", LINK, |body| arm(body).joint.axis == Vector3::new(2.0, 0.0, 0.0))
            .also(&["jointAxis"])
            .beside("joint_type: revolute"),
        key("Link", "joint_angle", "90", LINK, |body| near(arm(body).joint.initial_displacement, FRAC_PI_2))
            .also(&["jointAngle"])
            .beside("joint_type: revolute")
            .angle(),
        // In radian; it has precedence over `joint_angle`.
        key("Link", "joint_displacement", "1.5", LINK, |body| near(arm(body).joint.initial_displacement, 1.5))
            .also(&["jointDisplacement"])
            .beside("joint_type: revolute, joint_angle: 10")
            .findings(&["manual-wins"]),
        key("Link", "joint_displacement", "0.25", LINK, |body| near(arm(body).joint.initial_displacement, 0.25))
            .also(&["jointDisplacement"])
            .beside("joint_type: prismatic"),
        key("Link", "rotor_inertia", "0.5", LINK, |body| near(arm(body).joint.equivalent_rotor_inertia, 0.5))
            .also(&["rotorInertia"])
            .beside("joint_type: revolute"),
        key("Link", "gear_ratio", "10", LINK, |body| near(arm(body).joint.equivalent_rotor_inertia, 50.0))
            .also(&["gearRatio"])
            .beside("joint_type: revolute, rotor_inertia: 0.5"),
    ];
    let joint_type = |word, holds| key("Link", "joint_type", word, LINK, holds).also(&["jointType"]);
    examples.extend([
        joint_type("fixed", |body| arm(body).joint.kind == JointKind::Fixed).unlike("revolute"),
        joint_type("free", |body| arm(body).joint.kind == JointKind::Free).findings(&["inner-free-joint"]),
        joint_type("revolute", |body| arm(body).joint.kind == JointKind::Revolute),
        joint_type("prismatic", |body| arm(body).joint.kind == JointKind::Prismatic),
        joint_type("slide", |body| arm(body).joint.kind == JointKind::Prismatic),
        joint_type("pseudo_continuous_track", |body| arm(body).joint.kind == JointKind::PseudoContinuousTrack),
        joint_type("pseudoContinuousTrack", |body| arm(body).joint.kind == JointKind::PseudoContinuousTrack),
        key("Link", "joint_type", "free", "{ % links: [ { name: BASE, @ } ] }", |body| !body.is_fixed())
            .also(&["jointType"]),
    ]);
    examples
}

fn limits() -> Vec<Example> {
    let range = |value, holds| key("Link", "joint_range", value, LINK, holds).also(&["jointRange"]);
    vec![
        range("[ -45, 90 ]", |body| is_range(arm(body).joint.displacement_range, -FRAC_PI_4, FRAC_PI_2))
            .beside("joint_type: revolute")
            .angle(),
        range("90", |body| is_range(arm(body).joint.displacement_range, -FRAC_PI_2, FRAC_PI_2))
            .beside("joint_type: revolute")
            .angle(),
        range("[ -45, unlimited ]", |body| is_range(arm(body).joint.displacement_range, -FRAC_PI_4, f64::INFINITY))
            .beside("joint_type: revolute")
            .angle(),
        range("unlimited", |body| arm(body).joint.displacement_range == Range::UNLIMITED)
            .beside("joint_type: revolute")
            .unlike("90"),
        range("[ -0.5, 1 ]", |body| is_range(arm(body).joint.displacement_range, -0.5, 1.0))
            .beside("joint_type: prismatic"),
        key("Link", "max_joint_velocity", "180", LINK, |body| is_range(arm(body).joint.velocity_range, -PI, PI))
            .also(&["maxJointVelocity"])
            .beside("joint_type: revolute")
            .angle(),
        key("Link", "max_joint_velocity", "2", LINK, |body| is_range(arm(body).joint.velocity_range, -2.0, 2.0))
            .also(&["maxJointVelocity"])
            .beside("joint_type: prismatic"),
        key("Link", "joint_velocity_range", "[ -90, 180 ]", LINK, |body| {
            is_range(arm(body).joint.velocity_range, -FRAC_PI_2, PI)
        })
        .also(&["jointVelocityRange"])
        .beside("joint_type: revolute")
        .angle(),
        key("Link", "joint_velocity_range", "[ -1, 2 ]", LINK, |body| {
            is_range(arm(body).joint.velocity_range, -1.0, 2.0)
        })
        .also(&["jointVelocityRange"])
        .beside("joint_type: prismatic, max_joint_velocity: 5")
        .findings(&["manual-wins"]),
    ]
}

fn mass() -> Vec<Example> {
    vec![
        key("Link", "mass", "2.5", LINK, |body| near(arm(body).mass.mass, 2.5)),
        // Default: 1 kg at the origin with 1 kg·m² about each axis.
        key("Link", "mass", "2.5", LINK, |body| arm(body).mass.inertia == Matrix3::identity()).unlike("0"),
        key("Link", "center_of_mass", "[ 1, 2, 3 ]", LINK, |body| all(arm(body).mass.center_of_mass, [1.0, 2.0, 3.0]))
            .also(&["centerOfMass"]),
        key("Link", "inertia", "[ 3, 0.1, 0.2, 0.1, 4, 0.3, 0.2, 0.3, 5 ]", LINK, |body| {
            arm(body).mass.inertia == Matrix3::new(3.0, 0.1, 0.2, 0.1, 4.0, 0.3, 0.2, 0.3, 5.0)
        }),
        key("Link", "inertia", "[ 3, 0.1, 0.2, 4, 0.3, 5 ]", LINK, |body| {
            arm(body).mass.inertia == Matrix3::new(3.0, 0.1, 0.2, 0.1, 4.0, 0.3, 0.2, 0.3, 5.0)
        }),
    ]
}

fn motor(body: &Body) -> Motor {
    arm(body).joint.motor.unwrap_or_default()
}

fn beyond() -> Vec<Example> {
    let mode = |word, holds| key("Link", "actuation_mode", word, LINK, holds).also(&["actuationMode"]);
    vec![
        key("Link", "joint_name", "ELBOW", LINK, |body| arm(body).joint_name() == "ELBOW"),
        mode("joint_effort", |body| arm(body).joint.actuation_mode == Some(ActuationMode::JointEffort)),
        mode("joint_displacement", |body| arm(body).joint.actuation_mode == Some(ActuationMode::JointDisplacement)),
        mode("joint_velocity", |body| arm(body).joint.actuation_mode == Some(ActuationMode::JointVelocity)),
        mode("link_position", |body| arm(body).joint.actuation_mode == Some(ActuationMode::LinkPosition)),
        mode("jointTorque", |body| arm(body).joint.actuation_mode == Some(ActuationMode::JointEffort)),
        key("Link", "max_joint_effort", "90", LINK, |body| is_range(arm(body).joint.effort_range, -90.0, 90.0))
            .beside("joint_type: revolute"),
        key("Link", "joint_axis_inertia", "7", LINK, |body| near(arm(body).joint.equivalent_rotor_inertia, 7.0))
            .beside("joint_type: revolute, rotor_inertia: 1, gear_ratio: 2"),
        key("Link", "gear_efficiency", "0.5", LINK, |body| motor(body).gear_efficiency == 0.5)
            .also(&["gearEfficiency"]),
        key("Link", "rotor_resistor", "0.5", LINK, |body| motor(body).rotor_resistance == 0.5).also(&["rotorResistor"]),
        key("Link", "torque_const", "0.5", LINK, |body| motor(body).torque_constant == 0.5).also(&["torqueConst"]),
        key("Link", "encoder_pulse", "0.5", LINK, |body| motor(body).encoder_pulses == 0.5).also(&["encoderPulse"]),
        key("Link", "max_current", "0.5", LINK, |body| motor(body).max_current == Some(0.5)),
        key("Link", "force_range", "[ -1, 1 ]", LINK, |body| arm(body).joint.effort_range == Range::UNLIMITED)
            .also(&["forceRange"])
            .findings(&["force-range"])
            .ignored(),
        key("Link", "material", "Rubber", LINK, |body| arm(body).material.as_deref() == Some("Rubber")),
        key("Link", "collision_shape", "parts", LINK, |body| {
            arm(body).collision_shape == Some(bunraku_body::CollisionShape::Parts)
        }),
        key("Link", "density", "1000", LINK, |body| arm(body).info.len() == 1),
        // One entry of every type; the type may also be given by the key.
        key("Skip", "type", "Skip", LINK, |body| body.links().len() == 1),
        key("Skip", "type", "Skip", "{ % links: [ { name: BASE, elements: [ { @, anything: at all } ] } ] }", |body| {
            body.links().len() == 1
        }),
    ]
}
