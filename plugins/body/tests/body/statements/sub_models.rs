//! Included models, and continuous tracks.

use std::f64::consts::FRAC_PI_6;

use bunraku_body::{CollisionRule, JointId, LinkIndex, Property};
use nalgebra::{UnitQuaternion, Vector3};

use crate::statements::{Row, body, link, near};

/// A hand with all top-level keys.
const HAND: &str = "format: ChoreonoidBody\nformat_version: 2.0\nstandard_pose: [ 30 ]\nlink_group: [ { name: HAND, links: [ PALM ] } ]\ncollision_detection_rules: [ { disabled_links: [ THUMB ] } ]\nlinks:\n  - { name: PALM }\n  - { name: THUMB, parent: PALM, joint_type: revolute, joint_id: 0 }\n";

fn track(keys: &str) -> String {
    body(&format!(
        "links:\n  - {{ name: HULL }}\n  - {{ type: ContinuousTrack, name: SHOE, parent: HULL, numJoints: 4, joint_offset: [ 1, 0, 0 ], {keys} }}"
    ))
}

pub fn rows() -> Vec<Row> {
    vec![
        Row::loads(
            "hand_on_a_stand.body",
            "SubBody: keys at the top fill what is lacking",
            body("links: [ { name: STAND }, { type: SubBody, uri: hand.body, parent: STAND } ]"),
            &[],
            |body| {
                let pose = body.standard_pose.as_deref().unwrap_or_default();
                let rules = body.collision_rules.as_deref().unwrap_or_default();
                matches!(pose, [thumb] if (thumb - FRAC_PI_6).abs() < 1e-12)
                    && *rules == [CollisionRule::DisabledLinks(vec![LinkIndex(2)])]
                    && body.info.iter().any(|(key, value)| key == "link_group" && matches!(value, Property::List(_)))
            },
        )
        .beside("hand.body", HAND),
        Row::loads(
            "two_hands.body",
            "SubBody: poses and rules of several, renamed",
            body("links:\n  - { name: STAND, joint_type: fixed }\n  - { name: NECK, parent: STAND, joint_type: revolute, joint_id: 0, joint_angle: 45 }\n  - { type: SubBody, uri: hand.body, parent: STAND, prefix: L_, joint_id_offset: 1 }\n  - { type: SubBody, uri: hand.body, parent: STAND, prefix: R_, joint_id_offset: 2 }"),
            &[],
            |body| {
                let pose = body.standard_pose.as_deref().unwrap_or_default();
                let degrees: Vec<f64> = pose.iter().map(|angle| angle.to_degrees().round()).collect();
                let thumbs = ["L_THUMB", "R_THUMB"].map(|name| body.find_link(name).unwrap());
                let rules = thumbs.map(|thumb| CollisionRule::DisabledLinks(vec![thumb]));
                degrees == [45.0, 30.0, 30.0] && body.collision_rules.as_deref() == Some(&rules)
            },
        )
        .beside("hand.body", HAND),
        Row::loads(
            "own_rules.body",
            "SubBody: keys of the main file count",
            body("standard_pose: [ 60 ]\nlink_group: []\ncollision_detection_rules: [ { disabled_link_chain_level: 2 } ]\nlinks: [ { name: STAND }, { type: SubBody, uri: hand.body, parent: STAND } ]"),
            &["note rules-replaced"],
            |body| {
                body.collision_rules == Some(vec![CollisionRule::DisabledChainLevel(2)])
                    && (body.standard_displacements()[0] - 2.0 * FRAC_PI_6).abs() < 1e-12
                    && body.info == [("link_group".to_owned(), Property::List(vec![]))]
            },
        )
        .beside("hand.body", HAND),
        Row::loads(
            "turned_track.body",
            "ContinuousTrack: each link is turned",
            track("rotation: [ 0, 1, 0, 15 ]"),
            &["note inner-free-joint"],
            |body| {
                let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_6 / 2.0);
                let links = ["SHOE0", "SHOE1", "SHOE3"].map(|name| link(body, name).offset);
                links.iter().all(|offset| offset.rotation.angle_to(&turn) < 1e-9)
                    && near(links[1].translation.vector, [1.0, 0.0, 0.0])
            },
        ),
        Row::loads(
            "numbered_track.body",
            "ContinuousTrack: joint_id is that of the first link",
            track("joint_id: 0"),
            &["warning duplicate-joint-id", "note inner-free-joint"],
            |body| link(body, "SHOE0").joint.id == Some(JointId(0)) && link(body, "SHOE1").joint.id.is_none(),
        ),
    ]
}
