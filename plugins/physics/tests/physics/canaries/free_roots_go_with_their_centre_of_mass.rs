//! The origin of a multibody's free root is moved with the velocity of its centre of mass.

use std::f32::consts::PI;

use bevy_rapier3d::rapier::prelude::{RevoluteJointBuilder, Vector};

use super::raw::Raw;

#[test]
fn a_spinning_root_swings_its_centre_of_mass_around() {
    let mut raw = Raw::new(1);
    raw.gravity = Vector::ZERO;
    let center = Vector::new(0.1, 0.0, 0.0);
    let (root, child) = (raw.body(center), raw.body(Vector::ZERO));
    // Both centres of mass are at one point, which nothing moves.
    let joint = RevoluteJointBuilder::new(Vector::Z).local_anchor1(center).build();
    raw.multibody_joints.insert(root, child, joint, true).unwrap();
    let link = *raw.multibody_joints.rigid_body_link(root).unwrap();
    let multibody = raw.multibody_joints.get_multibody_mut(link.multibody).unwrap();
    multibody.forward_kinematics(&raw.bodies, true);
    multibody.damping_mut().fill(0.0);
    multibody.generalized_velocity_mut()[5] = PI;
    raw.run(1000);
    let swung = (raw.bodies[root].center_of_mass() - center).length();
    println!("the centre of mass has gone {swung:.4} m in half a turn");
    assert!(
        (swung - 0.2).abs() < 0.01,
        "the centre of mass went {swung} m instead of 0.2 m: rapier is mended, so joints/multibody_roots.rs must go"
    );
}
