//! Top level of a file, and connections of links outside the tree.

use std::f64::consts::FRAC_PI_2;

use bunraku_body::{Body, CollisionRule, ExtraJointKind, JointId, JointKind, LinkIndex};
use nalgebra::{Point3, Vector3};

use crate::manual::example::{EXTRA_JOINT, Example, FILE, TOP, all, key, near, shape};

pub fn examples() -> Vec<Example> {
    let mut examples = header();
    examples.extend(top());
    examples.extend(collision_rules());
    examples.extend(extra_joints());
    examples.extend(tracks());
    examples.extend(sub_bodies());
    examples.extend(wrapper());
    examples
}

fn header() -> Vec<Example> {
    vec![
        key("Header", "format", "ChoreonoidBody", FILE, |body| body.links().len() == 1)
            .beside("format_version: 2.0, links: [ { name: BASE } ]"),
        key("Header", "format_version", "2.0", FILE, |body| body.links().len() == 1)
            .also(&["formatVersion"])
            .beside("format: ChoreonoidBody, links: [ { name: BASE } ]"),
        key("Header", "format_version", "1.0", FILE, |body| body.links().len() == 1)
            .also(&["formatVersion"])
            .beside("format: ChoreonoidBody, links: [ { name: BASE } ]")
            .unlike("2.1"),
        key("Header", "angle_unit", "radian", FILE, |body| near(body.root().joint.initial_displacement, 1.5))
            .also(&["angleUnit"])
            .beside("format: ChoreonoidBody, format_version: 1.0, links: [ { name: BASE, joint_type: revolute, joint_angle: 1.5 } ]"),
        key("Header", "angle_unit", "degree", FILE, |body| near(body.root().joint.initial_displacement, FRAC_PI_2))
            .also(&["angleUnit"])
            .beside("format: ChoreonoidBody, format_version: 2.0, links: [ { name: BASE, joint_type: revolute, joint_angle: 90 } ]")
            .unlike("radian"),
        key("Header", "name", "Robot", TOP, |body| body.name == "Robot"),
        key("Header", "root_link", "A", "{ % links: [ { name: B, parent: A }, { name: A } ], @ }", |body| {
            body.root().name == "A"
        })
        .also(&["rootLink"]),
    ]
}

fn top() -> Vec<Example> {
    const HEAD: &str = "format: ChoreonoidBody, format_version: 2.0";
    vec![
        key("Header", "links", "[ { name: BASE }, { name: ARM, parent: BASE } ]", FILE, |body| body.links().len() == 2)
            .beside(HEAD),
        key("Header", "links", "{ Link: { name: BASE } }", FILE, |body| body.links().len() == 1).beside(HEAD),
        key("Header", "extra_joints", "[ { link1_name: A, link2_name: B, joint_type: ball } ]", TOP, |body| {
            body.extra_joints.len() == 1
        })
        .also(&["extraJoints"]),
        key("Header", "standard_pose", "[ 90 ]", TOP, |body| near(body.standard_displacements()[0], FRAC_PI_2))
            .also(&["standardPose"])
            .angle(),
        // The value of a prismatic joint is converted, too, as in the original.
        key("Header", "standard_pose", "[ 0, 90 ]", TOP, |body| near(body.standard_displacements()[1], FRAC_PI_2))
            .also(&["standardPose"])
            .angle(),
        key("Header", "link_group", "[ A, B ]", TOP, |body| !body.info.is_empty()).also(&["linkGroup"]),
    ]
}

fn collision_rules() -> Vec<Example> {
    fn rules(body: &Body, expected: &[CollisionRule]) -> bool {
        body.collision_rules.as_deref() == Some(expected)
    }
    const RULES: &str = "{ % links: [ { name: A }, { name: B, parent: A }, { name: C, parent: B } ], collision_detection_rules: [ { @ } ] }";
    const LINKS: &str = "{ % links: [ { name: A }, { name: B, parent: A }, { name: C, parent: B } ], @ }";
    const NODE: &str = "Self-collision";
    fn a_and_b() -> Vec<LinkIndex> {
        vec![LinkIndex(0), LinkIndex(1)]
    }
    vec![
        // Without it, neighbours do not collide.
        key(NODE, "collision_detection_rules", "[]", LINKS, |body| body.collision_filter().ignored_pairs.is_empty()),
        key(NODE, "disabled_link_chain_level", "2", RULES, |body| body.collision_filter().ignored_pairs.len() == 3),
        key(NODE, "disabled_links", "[ A, B ]", RULES, |body| rules(body, &[CollisionRule::DisabledLinks(a_and_b())])),
        key(NODE, "disabled_links", "all", RULES, |body| body.collision_filter().disabled_links.len() == 3),
        key(NODE, "enabled_links", "[ A, B ]", RULES, |body| rules(body, &[CollisionRule::EnabledLinks(a_and_b())])),
        key(NODE, "disabled_link_group", "[ A, B ]", RULES, |body| {
            rules(body, &[CollisionRule::DisabledGroup(a_and_b())])
        }),
        key(NODE, "enabled_link_group", "[ A, B ]", RULES, |body| {
            rules(body, &[CollisionRule::EnabledGroup(a_and_b())])
        }),
        key(NODE, "collisionDetection", "{ excludeTreeDepth: 2, excludeLinks: [ A ] }", LINKS, |body| {
            let filter = body.collision_filter();
            filter.ignored_pairs.len() == 3 && filter.disabled_links.len() == 1
        }),
    ]
}

fn extra_joints() -> Vec<Example> {
    const BALL: &str = "link1_name: A, link2_name: B, joint_type: ball";
    fn anchor(body: &Body, end: usize, x: f64) -> bool {
        body.extra_joints.first().is_some_and(|joint| all(joint.frames[end] * Point3::origin(), [x, 0.0, 0.0]))
    }
    fn turned(body: &Body, end: usize) -> bool {
        body.extra_joints.first().is_some_and(|joint| all(joint.frames[end] * Vector3::x(), [0.0, 1.0, 0.0]))
    }
    fn is(body: &Body, holds: impl Fn(ExtraJointKind) -> bool) -> bool {
        body.extra_joints.first().is_some_and(|joint| holds(joint.kind))
    }
    let joint = |name, value, holds| key("ExtraJoint", name, value, EXTRA_JOINT, holds).beside(BALL);
    let kind = |word, holds| {
        key("ExtraJoint", "joint_type", word, EXTRA_JOINT, holds)
            .also(&["jointType"])
            .beside("link1_name: A, link2_name: B")
    };
    vec![
        key("ExtraJoint", "link1_name", "A", EXTRA_JOINT, |body| body.extra_joints[0].links[0] == LinkIndex(0))
            .also(&["link1Name"])
            .beside("link2_name: B, joint_type: ball"),
        key("ExtraJoint", "link2_name", "B", EXTRA_JOINT, |body| body.extra_joints[0].links[1] == LinkIndex(1))
            .also(&["link2Name"])
            .beside("link1_name: A, joint_type: ball"),
        joint("link1_local_pos", "[ 1, 0, 0 ]", |body| anchor(body, 0, 1.0))
            .also(&["translation_in_link1", "link1LocalPos"]),
        joint("link2_local_pos", "[ 2, 0, 0 ]", |body| anchor(body, 1, 2.0))
            .also(&["translation_in_link2", "link2LocalPos"]),
        kind("ball", |body| is(body, |kind| kind == ExtraJointKind::Ball)),
        kind("hinge", |body| is(body, |kind| kind == ExtraJointKind::Hinge { axis: Vector3::x_axis() })),
        kind("piston", |body| is(body, |kind| kind == ExtraJointKind::Piston { axis: Vector3::x_axis() })),
        kind("point_on_line", |body| is(body, |kind| kind == ExtraJointKind::PointOnLine { axis: Vector3::x_axis() })),
        kind("point_on_plane", |body| {
            is(body, |kind| kind == ExtraJointKind::PointOnPlane { axis: Vector3::x_axis() })
        }),
        kind("fixed", |body| is(body, |kind| kind == ExtraJointKind::Fixed)),
        joint("axis", "[ 0, 0, 5 ]", |body| is(body, |kind| kind.axis() == Some(Vector3::z_axis())))
            .also(&["joint_axis", "jointAxis"])
            .beside("link1_name: A, link2_name: B, joint_type: hinge"),
        joint("rotation_in_link1", "[ 0, 0, 1, 90 ]", |body| turned(body, 0)).angle(),
        joint("rotation_in_link2", "[ 0, 0, 1, 90 ]", |body| turned(body, 1)).angle(),
    ]
}

fn tracks() -> Vec<Example> {
    const REST: &str = "type: ContinuousTrack, name: SHOE, parent: BASE, numJoints: 4";
    const ALL: &str = "type: ContinuousTrack, name: SHOE, parent: BASE, numJoints: 4, joint_offset: [ 0.1, 0, 0 ]";
    const PLACE: &str = "{ % links: [ { name: BASE }, { @ } ] }";
    const NOTE: &[&str] = &["inner-free-joint"];
    fn is_chain(body: &Body) -> bool {
        body.links().len() == 5
            && body.find_link("SHOE0").is_some_and(|first| body.link(first).joint.kind == JointKind::Free)
            && body.find_link("SHOE3").is_some_and(|last| {
                let last = body.link(last);
                last.joint.kind == JointKind::Revolute && all(last.offset.translation.vector, [0.1, 0.0, 0.0])
            })
    }
    let track =
        |name, value, beside| key("ContinuousTrack", name, value, PLACE, is_chain).beside(beside).findings(NOTE);
    vec![
        track("type", "ContinuousTrack", "name: SHOE, parent: BASE, numJoints: 4, joint_offset: [ 0.1, 0, 0 ]"),
        track("parent", "BASE", "type: ContinuousTrack, name: SHOE, numJoints: 4, joint_offset: [ 0.1, 0, 0 ]"),
        track("numJoints", "4", "type: ContinuousTrack, name: SHOE, parent: BASE, joint_offset: [ 0.1, 0, 0 ]")
            .also(&["num_joints"]),
        track("joint_offset", "[ 0.1, 0, 0 ]", REST).also(&["jointOffset"]),
        key("ContinuousTrack", "initialJointAngles", "[ 90, 45 ]", PLACE, |body| {
            body.find_link("SHOE1").is_some_and(|link| near(body.link(link).joint.initial_displacement, FRAC_PI_2))
        })
        .also(&["initial_joint_angles"])
        .beside(ALL)
        .findings(NOTE)
        .angle(),
    ]
}

fn sub_bodies() -> Vec<Example> {
    const PLACE: &str = "{ % links: [ { name: BASE }, { @ } ] }";
    const HAND: &str = "type: SubBody, uri: hand.body, parent: BASE";
    let sub = |name, value, holds| key("SubBody", name, value, PLACE, holds).beside(HAND);
    vec![
        sub("type", "SubBody", |body| body.find_link("THUMB").is_some()).beside("uri: hand.body, parent: BASE"),
        sub("uri", "hand.body", |body| body.find_link("THUMB").is_some()).beside("type: SubBody, parent: BASE"),
        sub("parent", "BASE", |body| body.links().len() == 3).beside("type: SubBody, uri: hand.body"),
        sub("prefix", "L_", |body| body.find_link("L_THUMB").is_some() && body.devices[0].name == "L_WRIST"),
        sub("suffix", "_L", |body| body.find_link("THUMB_L").is_some() && body.devices[0].name == "WRIST"),
        sub("device_prefix", "L_", |body| body.find_link("THUMB").is_some() && body.devices[0].name == "L_WRIST")
            .also(&["devicePrefix"]),
        sub("joint_id_offset", "4", |body| {
            body.find_link("THUMB").is_some_and(|thumb| body.link(thumb).joint.id == Some(JointId(4)))
        })
        .also(&["jointIdOffset"])
        .findings(&["unused-joint-id"]),
        // Keys for the root of the other model override its own.
        sub("translation", "[ 1, 2, 3 ]", |body| {
            body.find_link("PALM").is_some_and(|palm| all(body.link(palm).offset.translation.vector, [1.0, 2.0, 3.0]))
        }),
        sub("rotation", "[ 0, 0, 1, 90 ]", |body| {
            body.find_link("PALM").is_some_and(|palm| all(body.link(palm).offset * Vector3::x(), [0.0, 1.0, 0.0]))
        })
        .angle(),
        sub("joint_type", "revolute", |body| {
            body.find_link("PALM").is_some_and(|palm| body.link(palm).joint.kind == JointKind::Revolute)
        })
        .also(&["jointType"]),
        sub("material", "Rubber", |body| {
            body.find_link("PALM").is_some_and(|palm| body.link(palm).material.as_deref() == Some("Rubber"))
        }),
        sub("elements", "[ { type: ForceSensor } ]", |body| body.devices.len() == 2),
    ]
}

fn wrapper() -> Vec<Example> {
    const FILES: &str = "{ @ }";
    vec![
        key("Wrapper", "model_file", "hand.body", FILES, |body| body.links().len() == 2).also(&["modelFile"]),
        key("Wrapper", "linkInfo", "{ THUMB: { density: 2 } }", FILES, |body| {
            body.find_link("THUMB").is_some_and(|thumb| body.link(thumb).info.len() == 1)
        })
        .beside("model_file: hand.body"),
        key("Wrapper", "geometry", "{ divisionNumber: 8 }", FILES, |body| {
            shape(body, |shape| shape.geometry.triangles().triangles.len() == 4 * 8)
        })
        .beside("model_file: drum.body"),
        key("Wrapper", "standard_pose", "[ 90 ]", FILES, |body| near(body.standard_displacements()[0], FRAC_PI_2))
            .also(&["standardPose"])
            .beside("model_file: hand.body"),
    ]
}
