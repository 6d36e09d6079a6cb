//! The velocities of rigid bodies in a multibody are those before the last piece of a step.

use bevy_rapier3d::rapier::prelude::{PrismaticJointBuilder, RigidBodyBuilder, Vector};

use super::raw::{G, Raw};

#[test]
fn a_falling_slider_is_told_slower_than_it_is() {
    for pieces in [1, 4] {
        let mut raw = Raw::new(pieces);
        let base = raw.bodies.insert(RigidBodyBuilder::fixed().build());
        let slider = raw.body(Vector::ZERO);
        let joint = PrismaticJointBuilder::new(Vector::Z).build();
        raw.multibody_joints.insert(base, slider, joint, true).unwrap();
        raw.run(100);
        let missing = 0.1 * G + raw.bodies[slider].linvel().z;
        let expected = 0.001 * G / pieces as f32;
        println!("n = {pieces}: {missing:.5} m/s missing");
        assert!(
            (missing - expected).abs() < 0.1 * expected,
            "the velocity lacks {missing} m/s instead of {expected}: rapier is mended, so joints/multibody_velocities.rs must go"
        );
    }
}
