//! A kinematic body that goes to a pose whose quaternion has the other sign gets the velocity of a whole turn.

use bevy_rapier3d::rapier::prelude::*;

use super::raw::Raw;

#[test]
fn quaternions_of_different_signs_are_a_turn_apart() {
    let mut raw = Raw::new(1);
    let body = raw.bodies.insert(RigidBodyBuilder::kinematic_position_based().build());
    let mut next = Pose::from_parts(Vector::ZERO, Rotation::from_rotation_z(1e-3));
    next.rotation = -next.rotation;
    raw.bodies[body].set_next_kinematic_position(next);
    raw.run(1);
    let speed = raw.bodies[body].angvel().length();
    println!("{speed} rad/s, of a body that turns by 1 rad/s");
    assert!(speed > 100.0, "rapier takes the nearer way: it is mended, so driven_bodies.rs need not choose the sign");
}
