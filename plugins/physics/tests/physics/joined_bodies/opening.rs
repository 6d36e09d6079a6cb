//! Joints that are open at the start.

use bunraku_body::{Drive, ExtraJointKind};
use nalgebra::{Isometry3, Vector3};

use super::support::{HINGE, free_bar, join, on, on_world};
use crate::common::World;

/// Twice the mean speed at which joints close is more than a cosine ever has, m/s.
const SLOW: f64 = 0.2;

/// A box that a joint holds 50 mm from where it is: it is pulled there, not flung.
#[test]
fn a_joint_that_is_open_closes_without_flinging_what_it_holds() {
    for kind in [ExtraJointKind::Ball, HINGE, ExtraJointKind::Fixed] {
        let mut world = World::weightless();
        let bar = world.add(&free_bar(0.3), Isometry3::identity(), &[], Drive::Physics);
        let gap = Vector3::new(0.03, 0.03, 0.026);
        let held = Isometry3::new(gap, Vector3::new(0.1, 0.2, 0.0));
        join(&mut world, kind, on(bar, 0, [0.0; 3]), on_world(held));
        let (mut fastest, mut last) = (0.0_f64, world.state(bar).link_poses[0]);
        for _ in 0..1500 {
            world.run(1);
            let now = world.state(bar).link_poses[0];
            fastest = fastest.max((now.translation.vector - last.translation.vector).norm() / 0.001);
            last = now;
        }
        let apart = (last.translation.vector - gap).norm();
        println!("{}: fastest {fastest:.3} m/s, {apart:.1e} m apart in the end", kind.as_str());
        assert!(fastest < SLOW, "{fastest} m/s");
        assert!(apart < 1e-3, "{apart} m");
    }
}
