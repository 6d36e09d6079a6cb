//! Every angle of a multibody is braked with 0.1 N·m·s/rad unless told otherwise.

use bevy_rapier3d::rapier::prelude::{RevoluteJointBuilder, RigidBodyBuilder, Vector};

use super::raw::Raw;

#[test]
fn a_free_wheel_slows_down_by_itself() {
    let mut raw = Raw::new(1);
    raw.gravity = Vector::ZERO;
    let base = raw.bodies.insert(RigidBodyBuilder::fixed().build());
    let wheel = raw.body(Vector::ZERO);
    let joint = RevoluteJointBuilder::new(Vector::Z).build();
    let handle = raw.multibody_joints.insert(base, wheel, joint, true).unwrap();
    raw.run(1);
    raw.multibody_joints.get_mut(handle).unwrap().0.generalized_velocity_mut()[0] = 1.0;
    raw.run(1000);
    let speed = raw.multibody_joints.get(handle).unwrap().0.generalized_velocity()[0];
    // exp(−0.1 / 0.05 · 1 s)
    println!("left after a second: {speed:.3} of the speed");
    assert!(
        (speed - (-2.0_f32).exp()).abs() < 0.01,
        "a free wheel keeps {speed} of its speed: rapier is mended, so `damping_mut().fill(0.0)` in joints/multibody.rs can go"
    );
}
