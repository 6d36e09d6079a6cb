//! Reactions in closed loops: a platform below two arms, the second of which an extra joint connects to it.

use std::sync::Arc;

use bunraku_body::{Body, Drive};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::reactions::{measure, measured};
use crate::common::{G, World, body};

/// Arms of 1 kg and 2 kg, 1 m long and 1 m apart; a platform of 4 kg between their ends, its centre of mass `center` m from
/// the first arm.
fn swing(joint: &str, center: f64) -> Arc<Body> {
    body(&format!(
        "  - name: BASE\n  - {{ name: FIRST, parent: BASE, translation: [ -0.5, 0, 0 ], joint_type: revolute, joint_axis: Y, joint_id: 0, \
         mass: 1, center_of_mass: [ 0, 0, -0.5 ], inertia: [ 0.1, 0, 0, 0.1, 0, 0.01 ] }}\n  - {{ name: SECOND, parent: BASE, translation: [ \
         0.5, 0, 0 ], joint_type: revolute, joint_axis: Y, joint_id: 1, mass: 2, center_of_mass: [ 0, 0, -0.5 ], inertia: [ 0.2, 0, 0, \
         0.2, 0, 0.02 ] }}\n  - {{ name: PLATFORM, parent: FIRST, translation: [ 0, 0, -1 ], joint_type: revolute, joint_axis: Y, joint_id: \
         2, mass: 4, center_of_mass: [ {center}, 0, 0 ], inertia: [ 0.1, 0, 0, 0.4, 0, 0.4 ] }}\nextra_joints: [ {{ link1_name: PLATFORM, \
         link2_name: SECOND, joint_type: {joint}, translation_in_link1: [ 1, 0, 0 ], translation_in_link2: [ 0, 0, -1 ] }} ]\n"
    ))
}

/// Of the largest force, after two seconds in which it comes to rest.
const HANGING: f64 = 0.005;

#[test]
fn both_arms_of_a_hanging_platform_carry_their_share() {
    for joint in ["ball", "hinge, axis: [ 0, 1, 0 ]"] {
        // The whole world is turned, so that no axis is special, and gravity leans along the arms.
        let lean = 0.6;
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.4, -1.1, 0.7));
        let up = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), lean) * Vector3::z();
        let mut world = World::new(0.001, turn * up * -G, 1);
        let root = Isometry3::from_parts(Translation3::identity(), turn);
        let entity = world.add(&swing(joint, 0.3), root, &[lean, lean, -lean], Drive::Physics);
        measure(&mut world, entity);
        world.run(2000);
        let reactions = measured(&world, entity).reactions();
        // Links are in depth-first order. By the law of the lever 0.7 and 0.3 of the platform, and each arm itself.
        for (link, expected) in [(1, 1.0 + 2.8), (3, 2.0 + 1.2), (2, 2.8)] {
            let off = (turn.inverse() * reactions[link].force / G - up * expected).norm();
            println!("{joint}, link {link}: {off:.1e} of {expected} kg off");
            assert!(off < HANGING * 4.0);
        }
    }
}
