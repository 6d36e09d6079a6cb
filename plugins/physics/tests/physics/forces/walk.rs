//! The walk of Choreonoid's SR1 with our own solver and rigid contacts.

use std::sync::Arc;

use bunraku_body::{ContactMaterials, Drive, LoadOptions};
use bunraku_control::PdController;
use bunraku_document::{Reporter, SearchRoots};
use bunraku_motion::BodyMotion;
use bunraku_physics::{ConstraintErrors, Gains, JointSolver, SurfaceMaterials};
use nalgebra::{Isometry3, Vector3};

use bunraku_test_support::{golden, share};

use crate::common::{G, World};

/// Steps of the walk: one for each frame of the pattern.
const STEPS: u32 = 6701;

#[test]
fn sr1_walks_near_what_choreonoid_recorded() {
    let (Some(share), Some(golden)) = (share(), golden()) else { return };
    let reporter = Reporter::new();
    let options = LoadOptions { roots: SearchRoots::new(Some(share.clone())), ..LoadOptions::default() };
    let load = |file: &str| Arc::new(bunraku_body::load(&share.join(file), &options, &reporter).unwrap());
    let (model, floor) = (load("model/SR1/SR1.body"), load("model/misc/floor.body"));
    let motion = BodyMotion::load(&share.join("motion/SR1/SR1WalkPattern1.seq"), &reporter).unwrap();
    let recorded = BodyMotion::load(&golden.join("runs/SR1Walk-SR1.seq"), &reporter).unwrap();
    let recorded = recorded.link_positions.unwrap();

    let mut world = World::new(0.002, Vector3::new(0.0, 0.0, -G), 1).with_joints(JointSolver::Multibody);
    let materials = ContactMaterials::load(&share.join("default/materials.yaml"), &options, &reporter).unwrap();
    world.app.insert_resource(SurfaceMaterials(materials));
    let leg = [0.0, -2.1, 0.0, 4.50001, -2.40001, 0.0];
    let arm = [10.0, -0.20002, 0.0, -90.0, 0.0, 0.0, 0.0];
    let start = [&leg[..], &arm[..], &leg[..], &arm[..], &[0.0; 3][..]].concat();
    let start: Vec<f64> = start.into_iter().map(f64::to_radians).collect();
    let robot = world.add(&model, Isometry3::translation(0.0, 0.0, 0.7135), &start, Drive::Physics);
    let gains = (0..29).map(|joint| {
        let is_arm = matches!(joint, 6..13 | 19..26);
        Gains { proportional: if is_arm { 3000.0 } else { 8000.0 }, derivative: 100.0 }
    });
    let controller = PdController::new(&model, gains.collect(), motion.joint_displacements.map(Arc::new)).unwrap();
    world.insert(robot, controller);
    world.add(&floor, floor.root().offset, &[], Drive::Static);

    let (mut worst, mut end, mut upright) = (0.0_f64, 0.0, 1.0_f64);
    for step in 0..=STEPS {
        if step % 5 == 0 {
            let root = &world.state(robot).link_poses[0];
            let expected = recorded.frame(step as usize / 5)[0].translation.vector;
            end = (root.translation.vector - expected).norm();
            worst = worst.max(end);
            upright = upright.min((root.rotation * Vector3::z()).z);
        }
        if step < STEPS {
            world.run(1);
        }
    }
    let errors = world.app.world().resource::<ConstraintErrors>();
    println!("root {:.2} mm off at most, {:.2} mm at the end; {errors:#?}", worst * 1e3, end * 1e3);
    assert!(worst < 0.015 && end < 0.01 && upright > 0.99, "{worst} m, {end} m");
}
