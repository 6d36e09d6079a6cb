//! `Humanoid`, `Joint`, `Segment`, `Surface` and `ExtraJoint`.

use bunraku_body::{ActuationMode, Body, ExtraJointKind, JointId, JointKind, Property, Range};
use nalgebra::{Matrix3, Unit, Vector3};

use super::example::{Example, Place, all, arm, extra_joint, field, ignored, joint, motor, near};

const QUARTER: &str = "0 0 1 1.5707963267948966";
const NOTE: &[&str] = &["manual-wins"];
const SHAPE: &str = "Shape { geometry Box { } }";

pub fn examples() -> Vec<Example> {
    let mut examples = humanoid();
    examples.extend(joint_frame());
    examples.extend(joint_motion());
    examples.extend(joint_motor());
    examples.extend(segment());
    examples.extend(surface());
    examples.extend(extra_joint_fields());
    examples
}

fn humanoid() -> Vec<Example> {
    const ROOT: &str = "humanoidBody DEF BASE Joint { jointType \"fixed\" }";
    let nothing = |name, value| ignored("Humanoid", name, value, Place::Humanoid).beside(ROOT);
    vec![
        field("Humanoid", "humanoidBody", "[ DEF WAIST Joint { jointType \"free\" } ]", Place::Humanoid, |body| {
            body.root().name == "WAIST" && !body.is_fixed()
        }),
        field("Humanoid", "info", "[ \"made\" \"by hand\" ]", Place::Humanoid, |body| {
            body.info == [("info".to_owned(), Property::Text("made\nby hand".to_owned()))]
        })
        .beside(ROOT),
        nothing("bboxCenter", "1 2 3"),
        nothing("bboxSize", "1 2 3"),
        field("Humanoid", "center", "1 2 3", Place::Humanoid, |body| {
            all((body.root().offset * nalgebra::Point3::origin()).coords, [3.0, 1.0, 0.0])
        })
        .beside("humanoidBody DEF BASE Joint { jointType \"fixed\" } rotation 0 0 1 1.5707963267948966")
        .findings(NOTE),
        nothing("joints", "[ Joint { jointType \"rotate\" } ]"),
        // The `DEF` name has precedence.
        nothing("name", "\"another\""),
        nothing("scaleOrientation", QUARTER),
        nothing("segments", "[ Segment { mass 1 } ]"),
        nothing("sites", "[ Group { } ]"),
        nothing("version", "\"2.0\""),
        nothing("viewpoints", "[ Viewpoint { position 0 0 5 } ]"),
        field("Humanoid", "rotation", QUARTER, Place::Humanoid, |body| {
            all(body.root().offset * Vector3::x(), [0.0, 1.0, 0.0])
        })
        .beside(ROOT)
        .findings(NOTE),
        nothing("scale", "2 2 2").findings(&["no-effect"]),
        field("Humanoid", "translation", "1 2 3", Place::Humanoid, |body| {
            all(body.root().offset.translation.vector, [1.0, 2.0, 3.0])
        })
        .beside(ROOT)
        .findings(NOTE),
    ]
}

fn joint_frame() -> Vec<Example> {
    let nothing = |name, value| ignored("Joint", name, value, Place::Joint);
    vec![
        field("Joint", "translation", "1 2 3", Place::Joint, |body| {
            all(arm(body).offset.translation.vector, [1.0, 2.0, 3.0])
        }),
        field("Joint", "rotation", "0 0 5 1.5707963267948966", Place::Joint, |body| {
            all(arm(body).offset * Vector3::x(), [0.0, 1.0, 0.0])
        }),
        field("Joint", "children", "[ DEF HAND Joint { jointType \"rotate\" } ]", Place::Joint, |body| {
            body.find_link("HAND").is_some_and(|hand| body.link(hand).parent == body.find_link("ARM"))
        }),
        field("Joint", "children", "DEF PART Segment { mass 3 }", Place::Joint, |body| arm(body).mass.mass == 3.0),
        field("Joint", "center", "1 2 3", Place::Joint, |body| {
            all(arm(body).offset.translation.vector, [1.0, 2.0, 3.0])
        })
        .findings(NOTE),
        nothing("limitOrientation", QUARTER),
        nothing("name", "\"another\""),
        nothing("scale", "2 2 2").findings(&["no-effect"]),
        nothing("scaleOrientation", QUARTER),
        nothing("stiffness", "[ 1 1 1 ]"),
        // Added if a file does not declare it.
        nothing("jointValue", "1"),
    ]
}

fn is_track(body: &Body) -> bool {
    let joint = joint(body);
    joint.kind == JointKind::PseudoContinuousTrack
        && joint.axis == Vector3::y()
        && joint.actuation_mode == Some(ActuationMode::JointVelocity)
}

fn joint_motion() -> Vec<Example> {
    let of_type = |word, holds| field("Joint", "jointType", word, Place::Typeless, holds);
    vec![
        of_type("\"free\"", |body| joint(body).kind == JointKind::Free).findings(&["inner-free-joint"]),
        of_type("\"slide\"", |body| joint(body).kind == JointKind::Prismatic),
        of_type("\"rotate\"", |body| joint(body).kind == JointKind::Revolute),
        of_type("\"fixed\"", |body| body.links().len() == 2 && joint(body).kind == JointKind::Fixed),
        of_type("\"crawler\"", is_track).beside("jointAxis 0 1 0").findings(&["manual-wins"]),
        of_type("\"pseudoContinuousTrack\"", is_track).beside("jointAxis 0 1 0").findings(&["manual-wins"]),
        field("Joint", "jointId", "0", Place::Joint, |body| {
            joint(body).id == Some(JointId(0)) && body.num_joint_ids() == 1
        }),
        field("Joint", "jointAxis", "0 0.6 -0.8", Place::Joint, |body| all(joint(body).axis, [0.0, 0.6, -0.8])),
        field("Joint", "jointAxis", "\"Y\"", Place::Joint, |body| joint(body).axis == Vector3::y())
            .declared("SFVec3f jointAxis 0 0 1", "SFString jointAxis \"Z\""),
        field("Joint", "ulimit", "1.5", Place::Joint, |body| {
            joint(body).displacement_range == Range { lower: f64::NEG_INFINITY, upper: 1.5 }
        }),
        field("Joint", "llimit", "[ -1.5 ]", Place::Joint, |body| {
            joint(body).displacement_range == Range { lower: -1.5, upper: f64::INFINITY }
        }),
        field("Joint", "uvlimit", "4", Place::Joint, |body| {
            joint(body).velocity_range == Range { lower: f64::NEG_INFINITY, upper: 4.0 }
        }),
        field("Joint", "lvlimit", "-4", Place::Joint, |body| {
            joint(body).velocity_range == Range { lower: -4.0, upper: f64::INFINITY }
        }),
        field("Joint", "ulimit", "[ 1 2 ]", Place::Joint, |body| joint(body).displacement_range.upper == 1.0)
            .findings(&["wrong-length"]),
    ]
}

fn joint_motor() -> Vec<Example> {
    vec![
        field("Joint", "gearRatio", "100", Place::Joint, |body| {
            motor(body, |motor| motor.gear_ratio == 100.0) && near(joint(body).equivalent_rotor_inertia, 0.2)
        })
        .beside("rotorInertia 0.00002"),
        field("Joint", "gearEfficiency", "0.6", Place::Joint, |body| motor(body, |motor| motor.gear_efficiency == 0.6)),
        field("Joint", "rotorInertia", "0.5", Place::Joint, |body| {
            motor(body, |motor| motor.rotor_inertia == 0.5) && joint(body).equivalent_rotor_inertia == 0.5
        }),
        field("Joint", "rotorResistor", "1.5", Place::Joint, |body| motor(body, |motor| motor.rotor_resistance == 1.5)),
        field("Joint", "torqueConst", "0.02", Place::Joint, |body| motor(body, |motor| motor.torque_constant == 0.02)),
        field("Joint", "encoderPulse", "500", Place::Joint, |body| motor(body, |motor| motor.encoder_pulses == 500.0)),
        field("Joint", "climit", "4", Place::Joint, |body| motor(body, |motor| motor.max_current == Some(4.0))),
        field("Joint", "equivalentInertia", "0.7", Place::Joint, |body| joint(body).equivalent_rotor_inertia == 0.7)
            .beside("rotorInertia 2")
            .declared("PROTO Joint [", "PROTO Joint [ field SFFloat equivalentInertia 0")
            .findings(&["older-field"]),
    ]
}

fn segment() -> Vec<Example> {
    let nothing = |name, value| ignored("Segment", name, value, Place::Segment).beside("mass 1");
    vec![
        field("Segment", "mass", "3", Place::Segment, |body| body.root().mass.mass == 3.0),
        field("Segment", "centerOfMass", "0.1 0.2 0.3", Place::Segment, |body| {
            all(body.root().mass.center_of_mass, [0.1, 0.2, 0.3])
        })
        .beside("mass 2"),
        // Row by row, about the centre of mass.
        field("Segment", "momentsOfInertia", "[ 1 2 3 4 5 6 7 8 9 ]", Place::Segment, |body| {
            body.root().mass.inertia == Matrix3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
        })
        .beside("mass 2 centerOfMass 5 5 5"),
        field("Segment", "children", SHAPE, Place::Segment, |body| {
            body.root().visual.len() == 1 && body.root().collision.len() == 1
        }),
        nothing("bboxCenter", "1 2 3"),
        nothing("bboxSize", "1 2 3"),
        nothing("coord", "Coordinate { point [ 0 0 0 ] }"),
        nothing("displacers", "[ Group { } ]"),
        nothing("name", "\"another\""),
        // Events have no value in a file.
        nothing("addChildren", "[ Group { } ]").findings(&["unknown-field"]),
        nothing("removeChildren", "[ Group { } ]").findings(&["unknown-field"]),
    ]
}

fn surface() -> Vec<Example> {
    vec![
        field("Surface", "visual", SHAPE, Place::Surface, |body| {
            body.root().visual.len() == 1 && body.root().collision.is_empty()
        }),
        field("Surface", "collision", SHAPE, Place::Surface, |body| {
            body.root().visual.is_empty() && body.root().collision.len() == 1
        }),
    ]
}

fn axis(body: &Body) -> [f64; 3] {
    let axis = body.extra_joints.first().and_then(|joint| joint.kind.axis());
    axis.map(Unit::into_inner).unwrap_or_default().into()
}

fn extra_joint_fields() -> Vec<Example> {
    const LINKS: &str = "link1Name \"A\" link2Name \"B\"";
    let of_type = |word, holds| field("ExtraJoint", "jointType", word, Place::ExtraJoint, holds).beside(LINKS);
    let ball = |body: &Body| extra_joint(body, |joint| joint.kind == ExtraJointKind::Ball);
    let piston =
        |body: &Body| extra_joint(body, |joint| joint.kind == ExtraJointKind::Piston { axis: Vector3::x_axis() });
    vec![
        field("ExtraJoint", "link1Name", "\"A\"", Place::ExtraJoint, |body| {
            extra_joint(body, |joint| Some(joint.links[0]) == body.find_link("A"))
        })
        .beside("link2Name \"B\""),
        field("ExtraJoint", "link2Name", "\"B\"", Place::ExtraJoint, |body| {
            extra_joint(body, |joint| Some(joint.links[1]) == body.find_link("B"))
        })
        .beside("link1Name \"A\""),
        field("ExtraJoint", "link1LocalPos", "1 2 3", Place::ExtraJoint, |body| {
            extra_joint(body, |joint| all(joint.frames[0].translation.vector, [1.0, 2.0, 3.0]))
        })
        .beside(LINKS),
        field("ExtraJoint", "link2LocalPos", "1 2 3", Place::ExtraJoint, |body| {
            extra_joint(body, |joint| all(joint.frames[1].translation.vector, [1.0, 2.0, 3.0]))
        })
        .beside(LINKS),
        field("ExtraJoint", "jointAxis", "0 0 2", Place::ExtraJoint, |body| all(axis(body), [0.0, 0.0, 1.0]))
            .beside("link1Name \"A\" link2Name \"B\" jointType \"xy\""),
        // The manual's names, then Choreonoid's.
        of_type("\"xyz\"", ball).unlike("\"xy\""),
        of_type("\"xy\"", |body| {
            extra_joint(body, |joint| joint.kind == ExtraJointKind::PointOnLine { axis: Vector3::x_axis() })
        }),
        of_type("\"z\"", |body| {
            extra_joint(body, |joint| joint.kind == ExtraJointKind::PointOnPlane { axis: Vector3::x_axis() })
        }),
        of_type("\"ball\"", ball).unlike("\"piston\""),
        of_type("\"piston\"", piston),
        of_type("\"hinge\"", |body| {
            extra_joint(body, |joint| joint.kind == ExtraJointKind::Hinge { axis: Vector3::x_axis() })
        }),
        of_type("\"fixed\"", |body| extra_joint(body, |joint| joint.kind == ExtraJointKind::Fixed)),
    ]
}
