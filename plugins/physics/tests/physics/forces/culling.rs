//! Contact points that the material table leaves out.

use std::sync::Arc;

use bunraku_body::{Body, Drive, LinkIndex};
use bunraku_physics::{Contacts, SurfaceMaterials};
use nalgebra::Isometry3;

use crate::common::{World, body, for_both_solvers, table};

/// A cube of 0.2 m, with a small wheel in its middle, so that both joint solvers have something to do.
fn cube() -> Arc<Body> {
    body(
        "  - { name: CUBE, joint_type: free, material: Block, mass: 2, inertia: [ 0.013, 0, 0, 0.013, 0, 0.013 ], elements: [ { type: \
         Shape, geometry: { type: Box, size: [ 0.2, 0.2, 0.2 ] } } ] }\n  - { name: WHEEL, parent: CUBE, joint_type: revolute, \
         joint_axis: Z, joint_id: 0, mass: 0.1, inertia: [ 1e-4, 0, 0, 1e-4, 0, 1e-4 ] }\n",
    )
}

/// A cube on a floor whose contacts are culled by `rule`, sunk in by `depth`, m.
fn on_floor(solver: bunraku_physics::JointSolver, rule: &str, depth: f64) -> (World, bevy::prelude::Entity) {
    let mut world = World::usual().with_joints(solver);
    let line = format!("  - {{ materials: [ Ground, Block ], friction: 0.5, {rule} }}\n");
    world.app.insert_resource(SurfaceMaterials(table(&line)));
    world.add_floor("Ground");
    let entity = world.add(&cube(), Isometry3::translation(0.0, 0.0, 0.1 - depth), &[0.0], Drive::Physics);
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
            let mut found = 0;
            world
                .app
                .world_mut()
                .run_system_cached_with(
                    |bevy::prelude::In(entity): bevy::prelude::In<bevy::prelude::Entity>, contacts: Contacts| {
                        contacts.of_link(entity, LinkIndex::ROOT).len()
                    },
                    entity,
                )
                .map(|number| found = number)
                .unwrap();
            println!("  {rule}: {found} corners");
            assert_eq!(found, corners, "{rule}");
        }
    });
}
