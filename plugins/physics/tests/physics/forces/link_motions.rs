//! Motions of links, measured with and without the loads of joints.

use bunraku_body::Drive;
use bunraku_physics::{JointReadings, LinkMotions};
use nalgebra::{Isometry3, Vector3};

use crate::common::{World, arm, for_both_solvers};

#[test]
fn links_move_as_they_do_whether_loads_of_joints_are_measured_or_not() {
    for_both_solvers(|solver| {
        // Fast enough that our solver divides steps.
        let speed = 50.0;
        let [alone, beside] = [false, true].map(|has_loads| {
            let mut world = World::usual().with_joints(solver);
            let entity = world.add(&arm(""), Isometry3::identity(), &[1.0], Drive::Physics);
            world.app.world_mut().get_mut::<bunraku_body::BodyState>(entity).unwrap().velocities[0] = speed;
            world.insert(entity, LinkMotions::default());
            if has_loads {
                world.insert(entity, JointReadings::default());
            }
            let mut motions = Vec::new();
            for _ in 0..20 {
                world.run(1);
                let measured = world.app.world().get::<LinkMotions>(entity).unwrap();
                motions.push((measured.twists().to_vec(), measured.accelerations().to_vec()));
                let rate = measured.twists()[1].angular.dot(&Vector3::y());
                let velocity = world.state(entity).velocities[0];
                assert!(velocity > 0.8 * speed && (rate - velocity).abs() < 1e-4 * speed, "{rate} {velocity}");
            }
            motions
        });
        assert_eq!(alone, beside);
    });
}
