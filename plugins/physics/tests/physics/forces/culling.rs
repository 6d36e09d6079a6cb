//! Contact points that the material table leaves out.

use bunraku_body::Drive;
use nalgebra::Isometry3;

use super::support::contacts;
use crate::common::{World, cube, for_both_solvers};

/// A cube on a floor whose contacts are culled by `rule`, sunk in by `depth`, m.
fn on_floor(solver: bunraku_physics::JointSolver, rule: &str, depth: f64) -> (World, bevy::prelude::Entity) {
    let mut world = World::usual().with_joints(solver);
    let line = format!("  - {{ materials: [ Ground, Block ], friction: 0.5, {rule} }}\n");
    world.set_materials(&line);
    world.add_floor("Ground");
    let entity = world.add(&cube("Block"), Isometry3::translation(0.0, 0.0, 0.1 - depth), &[], Drive::Physics);
    (world, entity)
}

#[test]
fn what_is_too_deep_is_not_pushed_out() {
    for_both_solvers(|solver| {
        for (rule, stays) in [("cullingDepth: 0.05", true), ("cullingDepth: 0.02", false)] {
            let (mut world, entity) = on_floor(solver, rule, 0.03);
            world.run(200);
            let height = world.state(entity).link_poses[0].translation.z;
            println!("  {rule}: from 0.07 m to {height:.4} m");
            // It is pushed out, and a little thrown up, or it falls by g·t²/2 = 0.196 m.
            let expected = if stays { 0.1 } else { 0.07 - 0.196 };
            assert!((height - expected).abs() < 0.01, "{height} m instead of {expected} m");
        }
    });
}

#[test]
fn a_cube_stands_on_as_many_corners_as_are_left() {
    for_both_solvers(|solver| {
        for (rule, corners) in [
            ("max_num_contact_points: 0", 4),
            ("max_num_contact_points: 3", 3),
            ("max_num_contact_points: 2", 2),
            ("max_num_contact_points: 0, cullingDistance: 0.25", 2),
            ("max_num_contact_points: 0, cullingDistance: 0.15", 4),
        ] {
            let (mut world, entity) = on_floor(solver, rule, 1e-5);
            // Before it tips over.
            world.run(3);
            let found = contacts(&mut world, entity).len();
            println!("  {rule}: {found} corners");
            assert_eq!(found, corners, "{rule}");
        }
    });
}
