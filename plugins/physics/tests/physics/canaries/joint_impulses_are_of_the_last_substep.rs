//! Impulses of impulse joints are those of the last substep.

use bevy_rapier3d::rapier::prelude::{FixedJointBuilder, RigidBodyBuilder, Vector};

use super::raw::{G, Raw};

#[test]
fn a_hanging_body_reads_the_share_of_one_piece() {
    for substeps in [1, 2, 4, 8] {
        let mut raw = Raw::new(substeps);
        let ceiling = raw.bodies.insert(RigidBodyBuilder::fixed().build());
        let body = raw.body(Vector::ZERO);
        let joint = raw.impulse_joints.insert(ceiling, body, FixedJointBuilder::new(), true);
        raw.run(500);
        let impulses = raw.impulse_joints.get(joint).unwrap().impulses;
        let weights = impulses[2].abs() / raw.parameters.dt / G;
        let expected = 1.0 / substeps as f32;
        println!("n = {substeps}: {weights:.4} of the weight");
        assert!(
            (weights / expected - 1.0).abs() < 0.01,
            "rapier reads {weights} of the weight instead of {expected}: it is mended, so the factor in loop_forces.rs must go"
        );
    }
}
