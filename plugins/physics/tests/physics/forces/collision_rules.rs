//! Collision rules of links.

use std::sync::Arc;

use bunraku_body::{Body, Drive};
use bunraku_physics::{BodyCollision, JointSolver};
use nalgebra::Isometry3;

use super::support::contacts;
use crate::common::{World, body, for_both_solvers};

/// A fixed base with two arms whose balls run into each other 60° from where the arms hang.
fn two_arms(rules: &str) -> Arc<Body> {
    let arm = |name: &str, id: usize, x: f64| {
        format!(
            "  - {{ name: {name}, parent: BASE, translation: [ {x}, 0, 0 ], joint_type: revolute, joint_axis: Y, joint_id: {id}, mass: 1, \
             center_of_mass: [ 0, 0, -0.5 ], inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ], elements: [ {{ type: Shape, translation: [ 0, 0, \
             -0.5 ], geometry: {{ type: Sphere, radius: 0.1 }} }} ] }}\n"
        )
    };
    body(&format!("  - name: BASE\n{}{}{rules}", arm("LEFT", 0, -0.15), arm("RIGHT", 1, 0.15)))
}

/// Whether the arms touch when the left one swings towards the right one.
fn touch(solver: JointSolver, rules: &str, collision: Option<BodyCollision>) -> bool {
    let mut world = World::usual().with_joints(solver);
    let entity = world.add(&two_arms(rules), Isometry3::identity(), &[0.6, 0.0], Drive::Physics);
    if let Some(collision) = collision {
        world.insert(entity, collision);
    }
    let mut touched = false;
    for _ in 0..1500 {
        world.run(1);
        touched |= contacts(&mut world, entity).iter().any(|contact| contact.force.norm() > 0.0);
    }
    touched
}

#[test]
fn a_body_touches_itself_only_if_told_to_and_as_its_rules_say() {
    let with_itself = Some(BodyCollision { enabled: true, with_itself: true });
    for_both_solvers(|solver| {
        assert!(!touch(solver, "", None));
        assert!(touch(solver, "", with_itself));
        let group = "collision_detection_rules: [ { disabled_link_group: [ LEFT, RIGHT ] } ]\n";
        assert!(!touch(solver, group, with_itself));
        // Both arms are attached to the base, two joints apart.
        let chain = "collision_detection_rules: [ { disabled_link_chain_level: 2 } ]\n";
        assert!(!touch(solver, chain, with_itself));
        assert!(!touch(solver, "", Some(BodyCollision { enabled: false, with_itself: true })));
    });
}

/// So many that some stand on each other beyond the 32 collision groups of rapier.
const CROWD: u32 = 80;

/// Rapier's contacts let a cube sink in by less, m.
const SUNK: f64 = 1e-3;

#[test]
fn in_a_crowd_everybody_touches_others_and_nobody_itself() {
    let mut world = World::usual();
    world.add_floor("default");
    let swing = |world: &mut World, y: f64| {
        world.add(&two_arms(""), Isometry3::translation(0.0, y, 2.0), &[0.6, 0.0], Drive::Physics)
    };
    let first = swing(&mut world, -5.0);
    let cubes: Vec<_> = (0..CROWD)
        .map(|number| {
            // Half of them stand on the floor, the others each on one of them.
            let (place, storey) = (f64::from(number % (CROWD / 2)), f64::from(number / (CROWD / 2)));
            let pose = Isometry3::translation(0.3 * place - 6.0, 0.0, 0.1 + 0.2 * storey);
            (world.add(&crate::common::cube("default"), pose, &[], Drive::Physics), pose.translation.z)
        })
        .collect();
    let last = swing(&mut world, 5.0);
    for _ in 0..800 {
        world.run(1);
        for entity in [first, last] {
            assert!(contacts(&mut world, entity).is_empty(), "an arm touches the other");
        }
    }
    for (cube, height) in cubes {
        let sunk = height - world.state(cube).link_poses[0].translation.z;
        assert!(sunk.abs() < SUNK, "sunk by {sunk} m");
    }
}
