//! Bodies that are put elsewhere while the simulation goes on.

use bunraku_body::dynamics::Twist;
use bunraku_body::{BodyState, Drive};
use bunraku_control::PdController;
use bunraku_physics::{Gains, Teleport};
use bunraku_simulation::SimulationWarnings;
use nalgebra::{Isometry3, Vector3};

use crate::common::{World, arm, cube, for_both_solvers};

#[test]
fn a_body_that_is_set_down_moves_like_a_new_one() {
    for_both_solvers(|solver| {
        let root = Isometry3::translation(0.0, 0.0, 1.0);
        let twist = Twist { linear: Vector3::new(1.0, 0.0, 2.0), angular: Vector3::new(0.0, 3.0, 0.0) };
        let mut fresh = World::usual().with_joints(solver);
        let new = fresh.throw(&cube("default"), root, &[], twist);
        fresh.run(200);

        let mut world = World::usual().with_joints(solver);
        let body = world.add(&cube("default"), Isometry3::translation(3.0, 0.0, 9.0), &[], Drive::Physics);
        world.run(300);
        let there = Teleport::to_root(&cube("default"), &root).moving(twist);
        world.insert(body, there);
        world.run(200);
        assert_eq!(world.state(body), fresh.state(new));
        assert!(world.app.world().get::<Teleport>(body).is_none());
    });
}

#[test]
fn a_reset_arm_repeats_itself_with_its_controller() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let model = arm("");
        let body = world.add(&model, Isometry3::identity(), &[0.5], Drive::Physics);
        let gains = vec![Gains { proportional: 20.0, derivative: 1.0 }];
        world.insert(body, PdController::new(&model, gains, None).unwrap());
        let start = world.state(body).clone();
        world.run(150);
        let once = world.state(body).clone();
        assert!((once.displacements[0] - 0.5).abs() > 0.01, "gravity moves it");
        world.run(77);
        world.insert(body, Teleport::to(start));
        world.run(150);
        assert_eq!(world.state(body), &once);
    });
}

#[test]
fn a_fixed_body_may_be_put_elsewhere_before_the_first_step_and_later() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let model = arm("");
        let body = world.add(&model, Isometry3::identity(), &[0.0], Drive::Physics);
        for height in [1.0, 2.0] {
            let root = Isometry3::translation(0.0, 0.0, height);
            world.insert(body, Teleport::to_root(&model, &root));
            world.run(10);
            assert!((world.state(body).link_poses[0].translation.z - height).abs() < 1e-6);
        }
    });
}

#[test]
fn a_state_of_another_body_is_told() {
    let mut world = World::usual();
    let body = world.add(&cube("default"), Isometry3::identity(), &[], Drive::Physics);
    world.insert(body, Teleport::to(BodyState::initial(&arm(""))));
    world.run(1);
    let warnings = world.app.world().resource::<SimulationWarnings>().as_slice();
    assert!(warnings.len() == 1 && warnings[0].message.contains("one of another body"), "{warnings:?}");
}
