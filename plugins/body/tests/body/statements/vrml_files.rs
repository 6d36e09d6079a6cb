//! OpenHRP models and VRML97.

use bunraku_body::{Body, JointKind, kinematics};
use nalgebra::Point3;

use crate::statements::{Row, link, near, spans};

const PROTOS: &str = include_str!("../openhrp/manual/declarations.wrl");
const WEIGHT: &str = "Segment { mass 2 momentsOfInertia [ 1 0 0 0 1 0 0 0 1 ] }";

fn robot(text: &str) -> String {
    format!("{PROTOS}\n{text}\n")
}

fn root(children: &str) -> String {
    robot(&format!(
        "DEF ROBOT Humanoid {{ humanoidBody DEF BASE Joint {{ jointType \"free\" children [ DEF TRUNK {WEIGHT} {children} ] }} }}"
    ))
}

fn vrml(text: &str) -> String {
    format!("#VRML V2.0 utf8\n{text}\n")
}

/// Position of a point of a link in the initial pose, with one joint changed.
fn place(body: &Body, name: &str, angle: f64, point: [f64; 3]) -> Point3<f64> {
    let mut displacements = body.initial_displacements();
    displacements[0] = angle;
    let poses = kinematics::link_poses(body, &body.root().offset, &displacements);
    poses[body.find_link(name).unwrap().0] * Point3::from(point)
}

pub fn rows() -> Vec<Row> {
    let mut rows = centers_and_names();
    rows.extend(segments_and_joints());
    rows.extend(sensors());
    rows.extend(files());
    rows
}

fn centers_and_names() -> Vec<Row> {
    vec![
        Row::loads(
            "center.wrl",
            "Joint: center is where it turns",
            root(&format!(
                "DEF ARM Joint {{ jointType \"rotate\" jointId 0 translation 0 0 1 center 0 3 0 children [ DEF BAR {WEIGHT} DEF HAND Joint {{ jointType \"fixed\" translation 0 5 0 }} ] }}"
            )),
            &["note manual-wins"],
            |body| {
                // A rotation by 90° about Z at (0, 3, 1): the hand, 2 m beyond the centre, moves to its −X side.
                let turned = place(body, "HAND", std::f64::consts::FRAC_PI_2, [0.0; 3]);
                let still = place(body, "HAND", 0.0, [0.0; 3]);
                let mass = link(body, "ARM").mass.center_of_mass;
                near(turned.coords, [-2.0, 3.0, 1.0])
                    && near(still.coords, [0.0, 5.0, 1.0])
                    && near(mass.coords, [0.0, -3.0, 0.0])
            },
        ),
        Row::loads(
            "loop_of_a_center.wrl",
            "Joint: center, and the note about its frame",
            format!(
                "{}ExtraJoint {{ link1Name \"ARM\" link2Name \"BASE\" jointType \"xyz\" link1LocalPos 0 5 0 link2LocalPos 0 5 1 }}\n",
                root(&format!(
                    "DEF ARM Joint {{ jointType \"rotate\" jointId 0 translation 0 0 1 center 0 3 0 children [ DEF BAR {WEIGHT} Transform {{ translation 0 1 0 children DEF TURN Gyro {{ sensorId 0 }} }} ] }}"
                ))
            ),
            &["note manual-wins"],
            |body| {
                let frames = body.extra_joints[0].frames;
                let sensor = body.devices[0].transform * Point3::origin();
                near(frames[0].translation.vector, [0.0, 2.0, 0.0])
                    && near(frames[1].translation.vector, [0.0, 5.0, 1.0])
                    && near(sensor.coords, [0.0, -2.0, 0.0])
            },
        ),
        Row::loads(
            "field_name.wrl",
            "field name, where there is no DEF",
            robot(&format!(
                "Humanoid {{ name \"DOLL\" humanoidBody Joint {{ name \"TRUNK\" jointType \"free\" children [ {WEIGHT} Joint {{ name \"ARM\" jointType \"rotate\" jointId 0 children [ {WEIGHT} VisionSensor {{ name \"EYE\" type \"COLOR\" sensorId 0 }} ] }} ] }} }}"
            )),
            &["note manual-wins"; 4],
            |body| {
                (body.name.as_str(), body.root().name.as_str()) == ("DOLL", "TRUNK")
                    && body.find_link("ARM").is_some()
                    && body.devices[0].name == "EYE"
            },
        ),
    ]
}

fn segments_and_joints() -> Vec<Row> {
    vec![
        Row::loads(
            "moved_humanoid.wrl",
            "Humanoid: translation and rotation",
            robot(&format!(
                "DEF ROBOT Humanoid {{ translation 3 2 1 rotation 0 0 1 1.5707963267948966 humanoidBody DEF BASE Joint {{ jointType \"free\" translation 1 0 0 children {WEIGHT} }} }}"
            )),
            &["note manual-wins"],
            |body| near(body.root().offset.translation.vector, [3.0, 3.0, 1.0]),
        ),
        Row::loads(
            "two_joints.wrl",
            "Humanoid: several joints",
            robot(&format!(
                "DEF PAIR Humanoid {{ humanoidBody [ DEF A Joint {{ jointType \"rotate\" jointId 0 children {WEIGHT} }} DEF B Joint {{ jointType \"slide\" jointId 1 translation 1 0 0 children {WEIGHT} }} ] }}"
            )),
            &["warning humanoid-link"],
            |body| {
                body.root().name == "PAIR"
                    && body.is_fixed()
                    && link(body, "B").joint.kind == JointKind::Prismatic
                    && near(link(body, "B").offset.translation.vector, [1.0, 0.0, 0.0])
            },
        ),
        Row::loads(
            "own_segment.wrl",
            "Humanoid: a segment of its own",
            robot(&format!(
                "DEF STAND Humanoid {{ humanoidBody [ DEF FOOT {WEIGHT} DEF ARM Joint {{ jointType \"rotate\" jointId 0 children {WEIGHT} }} ] }}"
            )),
            &["warning humanoid-link"],
            |body| body.root().mass.mass == 2.0 && body.links().len() == 2,
        ),
        Row::loads(
            "no_joint.wrl",
            "Humanoid: no joint",
            robot("DEF NOBODY Humanoid { humanoidBody [ ] }"),
            &["warning humanoid-link"],
            |body| body.links().len() == 1 && body.root().name == "NOBODY" && body.mass() == 0.0,
        ),
        Row::loads(
            "gear_efficiency.wrl",
            "gear efficiency is 1 at most",
            root(&format!("DEF ARM Joint {{ jointType \"rotate\" jointId 0 gearEfficiency 70 children {WEIGHT} }}")),
            &["warning gear-efficiency"],
            |body| link(body, "ARM").joint.motor.is_some_and(|motor| motor.gear_efficiency == 70.0),
        ),
        Row::loads(
            "rotor_inertia.wrl",
            "rotor inertia is 0 or more",
            root(&format!("DEF ARM Joint {{ jointType \"rotate\" jointId 0 rotorInertia -1 children {WEIGHT} }}")),
            &["warning rotor-inertia"],
            |body| link(body, "ARM").joint.equivalent_rotor_inertia == -1.0,
        ),
    ]
}

fn sensors() -> Vec<Row> {
    vec![
        Row::loads(
            "sensor_number_twice.wrl",
            "sensorId without repeats",
            root(
                "DEF LEFT ForceSensor { sensorId 0 } DEF RIGHT ForceSensor { sensorId 0 } DEF TURN Gyro { sensorId 0 }",
            ),
            &["warning duplicate-sensor-id"],
            |body| body.devices.len() == 3,
        ),
        Row::loads(
            "sensor_numbers_with_a_gap.wrl",
            "sensorId without gaps",
            root("DEF LEFT ForceSensor { sensorId 0 } DEF RIGHT ForceSensor { sensorId 2 }"),
            &["warning unused-sensor-id"],
            |body| body.devices[1].id == Some(2),
        ),
    ]
}

fn files() -> Vec<Row> {
    let moved = |x: f64| format!("Transform {{ translation {x} 0 0 children Shape {{ geometry Box {{ }} }} }}");
    vec![
        Row::loads(
            "escaped_quote.wrl",
            "VRML97: an escaped quote in a string",
            vrml(
                "WorldInfo { title \"the \\\"small\\\" box\" info [ \"\\\"a\\\"\", \"b\" ] }\nShape { geometry Box { } }",
            ),
            &[],
            |body| spans(body, [-1.0; 3], [1.0; 3]),
        ),
        Row::loads(
            "odd_names.wrl",
            "VRML97: names of all letters",
            vrml(
                "WorldInfo { title \"\\\"x\\\"\" }\nDEF part.1-a+b Transform { children [ DEF 箱 Shape { geometry Box { } } ] }\nTransform { translation 4 0 0 children [ USE part.1-a+b] }",
            ),
            &[],
            |body| spans(body, [-1.0; 3], [5.0, 1.0, 1.0]),
        ),
        Row::loads(
            "use_of_the_last.wrl",
            "VRML97: USE means the latest DEF",
            vrml(&format!(
                "DEF PART {}\nDEF PART {}\nTransform {{ translation 0 50 0 children USE PART }}",
                moved(10.0),
                moved(20.0)
            )),
            &["note repeated-name"],
            |body| {
                spans(body, [9.0, -1.0, -1.0], [21.0, 51.0, 1.0]) && body.root().visual.len() == 3 && {
                    let last = body.root().visual[2].bounding_box().unwrap();
                    near(last.min.coords, [19.0, 49.0, -1.0])
                }
            },
        ),
        Row::loads(
            "switch.wrl",
            "VRML97: a Switch shows one choice; Choreonoid all",
            vrml(&format!("Switch {{ whichChoice 0 choice [ {} {} ] }}", moved(0.0), moved(8.0))),
            &["note switch"],
            |body| spans(body, [-1.0; 3], [9.0, 1.0, 1.0]),
        ),
        Row::loads(
            "bright_material.wrl",
            "VRML97: colours from 0 to 1",
            vrml("Shape { appearance Appearance { material Material { diffuseColor 2 0.5 -1 } } geometry Box { } }"),
            &["warning out-of-range"],
            |body| near(body.root().visual[0].appearance.diffuse, [1.0, 0.5, 0.0]),
        ),
    ]
}
