//! Tendons, copies and springs; the numbers are those of MuJoCo 3.17.

use bunraku_body::kinematics::link_poses;
use bunraku_body::{ActuationMode, Range};

use super::{clean, codes, read};
use crate::common::link;

/// A palm that turns, with two fingers.
fn hand(more: &str) -> String {
    format!(
        "<compiler angle=\"radian\"/><worldbody><body name=\"palm\"><joint name=\"turn\" axis=\"0 0 1\" armature=\"0.1\"/>\
         <geom type=\"box\" size=\".1 .1 .1\" mass=\"2\"/>\
         <body name=\"left\" pos=\"0 0.2 0\"><joint name=\"left\" type=\"slide\" axis=\"0 1 0\"/><geom size=\"0.05\" mass=\"0.5\"/></body>\
         <body name=\"right\" pos=\"0 -0.2 0\"><joint name=\"right\" type=\"slide\" axis=\"0 -1 0\" ref=\"0.1\"/><geom size=\"0.05\" mass=\"0.25\"/></body>\
         </body></worldbody>{more}"
    )
}

const SPLIT: &str = "<tendon><fixed name=\"split\"><joint joint=\"left\" coef=\"0.5\"/><joint joint=\"right\" coef=\"0.25\"/></fixed></tendon>";

#[test]
fn an_actuator_of_a_tendon_drives_the_joint_that_leads_the_others() {
    let (body, findings) = read(&hand(&format!(
        "{SPLIT}<equality><joint joint1=\"right\" joint2=\"left\" polycoef=\"0 2\"/></equality><actuator>\
         <position joint=\"turn\" kp=\"50\" dampratio=\"0.7\" gear=\"3\"/>\
         <position tendon=\"split\" kp=\"100\" dampratio=\"1\" gear=\"2\" forcerange=\"-5 5\"/></actuator>"
    )));
    let body = body.unwrap();
    let left = &link(&body, "left").joint;
    assert_eq!(left.actuation_mode, Some(ActuationMode::JointDisplacement));
    // 2·(0.5 + 0.25·2) of the force of the actuator.
    assert_eq!(
        (left.effort_range, link(&body, "right").joint.effort_range),
        (Range::symmetric(10.0), Range::UNLIMITED)
    );
    assert_eq!(codes(&findings), ["mjcf-gains"]);
    let text = findings[0].to_string();
    let gains = |key: &str, joint: &str| {
        let (_, list) = text.split_once(&format!("{key}: {{")).unwrap();
        let (_, rest) = list.split_once(&format!(" {joint}: ")).unwrap();
        rest.split([',', ' ']).next().unwrap().parse::<f64>().unwrap()
    };
    for (key, joint, expected) in [
        ("kp", "turn", 450.0),
        ("kd", "turn", 11.273043067424165),
        ("kp", "left", 400.0),
        ("kd", "left", 46.18802153517006),
    ] {
        assert!((gains(key, joint) - expected).abs() < 1e-9 * expected, "{key} of {joint}: {text}");
    }
}

#[test]
fn a_ratio_in_a_general_actuator_is_that_of_a_position_servo() {
    let general =
        "<actuator><general joint=\"turn\" gainprm=\"8\" biastype=\"affine\" biasprm=\"0 -8 0.5\"/></actuator>";
    let (_, findings) = read(&hand(general));
    assert!(findings[0].to_string().contains("kd: { turn: 1.07362"), "{}", findings[0]);
}

#[test]
fn tendons_of_constant_length_couple_joints() {
    let coupled = |more: &str| {
        let body = clean(&hand(more));
        let [coupling] = body.joint_couplings() else { panic!("{:?}", body.joint_couplings()) };
        let names = [coupling.follower, coupling.leader].map(|index| body.link(index).name.clone());
        (names, coupling.as_linear().unwrap(), coupling.polynomial)
    };
    // 0.5·left + 0.25·(right − 0.1) = 0.05.
    let equality = "<equality><tendon tendon1=\"split\" polycoef=\"0.05\"/></equality>";
    let (names, (factor, offset), _) = coupled(&format!("{SPLIT}{equality}"));
    assert_eq!((names, factor), (["right", "left"].map(str::to_owned), -2.0));
    assert!((offset - 0.3).abs() < 1e-12, "{offset}");
    let single = |name: &str, coefficient: f64| {
        format!("<fixed name=\"{name}\"><joint joint=\"{name}\" coef=\"{coefficient}\"/></fixed>")
    };
    // 4·left = 1 + 3·2·(right − 0.1).
    let (names, (factor, offset), _) = coupled(&format!(
        "<tendon>{}{}</tendon><equality><tendon tendon1=\"left\" tendon2=\"right\" polycoef=\"1 3\"/></equality>",
        single("left", 4.0),
        single("right", 2.0)
    ));
    assert_eq!((names, factor), (["left", "right"].map(str::to_owned), 1.5));
    assert!((offset - 0.1).abs() < 1e-12, "{offset}");
}

#[test]
fn what_tendons_cannot_do_is_a_warning() {
    let warned = |more: &str, expected: &str| {
        let (_, findings) = read(&hand(more));
        let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(texts.iter().any(|text| text.contains(expected)), "no {expected:?} in {texts:#?}");
    };
    let motor = "<actuator><motor tendon=\"split\"/></actuator>";
    warned(&format!("{SPLIT}{motor}"), "tendon whose joints move independently");
    warned(&SPLIT.replace("<fixed ", "<fixed stiffness=\"5\" "), "tendons have no `stiffness` here");
    warned(&SPLIT.replace("<fixed ", "<fixed range=\"0 1\" "), "tendons have no `range` here");
    warned(motor, "there is no tendon `split`");
    warned(&SPLIT.replace("\"left\"", "\"lefd\""), "did you mean `left`?");
    let spatial = "<tendon><spatial name=\"split\"><site site=\"a\"/></spatial></tendon>";
    warned(&format!("{spatial}{motor}"), "what acts on spatial tendons is left out");
    let triple = SPLIT.replace("</fixed>", "<joint joint=\"turn\" coef=\"1\"/></fixed>");
    let equality = "<equality><tendon tendon1=\"split\"/></equality>";
    warned(&format!("{triple}{equality}"), "if it couples two joints");
    // Neither a range that is switched off nor the looks of a tendon are a warning.
    clean(&hand(&SPLIT.replace("<fixed ", "<fixed range=\"0 1\" limited=\"false\" group=\"2\" ")));
}

#[test]
fn springs_are_noted_for_the_scene() {
    let (_, findings) = read(
        "<worldbody><body><joint name=\"h\" stiffness=\"5\" springref=\"30\" damping=\"1\"/><geom size=\"1\"/>\
         <body><joint name=\"s\" type=\"slide\" stiffness=\"7\" springref=\"0.25\"/><geom size=\"1\"/></body></body></worldbody>",
    );
    assert_eq!(codes(&findings), ["joint-losses"]);
    let text = findings[0].to_string();
    assert!(text.contains("damping, friction and springs of joints belong to the scene"), "{text}");
    let keys = "`joint_damping: { h: 1 }` and `joint_stiffness: { h: 5, s: 7 }` and `joint_rest: { h: 30, s: 0.25 }`";
    assert!(text.contains(keys), "{text}");
    let ball = "<worldbody><body><joint type=\"ball\" stiffness=\"5\"/><geom size=\"1\"/></body></worldbody>";
    assert!(read(ball).1.iter().any(|finding| finding.message.contains("springs of ball joints")));
}

#[test]
fn copies_are_placed_one_after_the_other() {
    let body = clean(
        "<worldbody><body name=\"base\"><geom size=\"0.1\"/><replicate count=\"3\" offset=\"1 0 0\" euler=\"0 0 90\" sep=\"-\">\
         <body name=\"a\" pos=\"0.5 0 0\"><joint name=\"j\" axis=\"0 0 1\"/><geom size=\"0.1\"/></body></replicate>\
         <replicate count=\"2\" offset=\"0 1 0\"><replicate count=\"11\" offset=\"0 0 1\">\
         <body name=\"n\"><geom size=\"0.1\"/></body></replicate></replicate></body></worldbody>",
    );
    let poses = link_poses(&body, &body.root().offset, &body.initial_displacements());
    let at = |name: &str| {
        let index = body.links().iter().position(|link| link.name == name).unwrap_or_else(|| panic!("no {name}"));
        poses[index]
    };
    for (name, place) in [
        ("a-0", [0.5, 0.0, 0.0]),
        ("a-1", [1.0, 0.5, 0.0]),
        ("a-2", [0.5, 1.0, 0.0]),
        ("n000", [0.0, 0.0, 0.0]),
        ("n100", [0.0, 0.0, 10.0]),
        ("n101", [0.0, 1.0, 10.0]),
    ] {
        let found = at(name).translation.vector;
        assert!((found - nalgebra::Vector3::from(place)).norm() < 1e-12, "{name}: {found}");
    }
    assert!((at("a-1").rotation.angle() - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    assert_eq!((body.links().len(), body.num_joints()), (26, 3));
    assert!(body.find_joint("j-2").is_some());
}

#[test]
fn wrong_and_too_many_copies_are_errors_with_their_place() {
    for (attributes, expected) in [
        ("offset=\"1 0 0\"", "model.xml:2:27: error[missing-key]: `<replicate>` needs the attribute `count`"),
        ("count=\"-1\" offset=\"1 0 0\"", "expected a number of copies, found `-1`"),
        ("count=\"2000000\" offset=\"1 0 0\"", "error[limit-elements]"),
        ("count=\"2\" offset=\"1 0\"", "expected 3 numbers, found `1 0`"),
    ] {
        let (_, findings) = read(&format!(
            "<worldbody><body name=\"A\"><replicate {attributes}><geom size=\"0.1\"/></replicate></body></worldbody>"
        ));
        let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(texts.iter().any(|text| text.contains(expected)), "no {expected:?} in {texts:#?}");
    }
}
