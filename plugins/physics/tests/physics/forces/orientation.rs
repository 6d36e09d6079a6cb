//! Joints that turn about more than one axis: a body model has them as chains of hinges or as ball joints beyond the tree.

use std::sync::Arc;

use bunraku_body::{Body, BodyState, Drive, LinkIndex, spawn_body};
use bunraku_physics::massless_links;
use bunraku_test_support::{model_text, read_model};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::common::{World, body, for_both_solvers};

/// A model with a link that is free of its parent, which the reader notes.
fn noted_body(links: &str) -> Arc<Body> {
    let (body, findings) = read_model(&model_text(links));
    let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["inner-free-joint"]);
    Arc::new(body.unwrap())
}

/// Single precision over a thousand steps.
const EXACT: f64 = 1e-6;
/// Gap of a joint under load, m.
const GAP: f64 = 1e-3;

/// A base and a 1 kg rod hung on it by hinges about the given axes, with links of `mass` between them.
fn chain(axes: &[&str], mass: f64) -> Arc<Body> {
    let mut links = String::from("  - name: L0\n");
    for (place, axis) in axes.iter().enumerate() {
        let mass = if place + 1 == axes.len() { 1.0 } else { mass };
        let inertia = 0.02 * mass;
        links += &format!(
            "  - {{ name: L{}, parent: L{place}, joint_type: revolute, joint_axis: {axis}, joint_id: {place}, mass: {mass}, inertia: [ \
             {inertia}, 0, 0, {inertia}, 0, {inertia} ] }}\n",
            place + 1
        );
    }
    body(&links)
}

#[test]
fn two_and_three_hinges_in_one_point_turn_as_the_product_of_their_rotations() {
    for_both_solvers(|solver| {
        for axes in [vec!["X", "Y"], vec!["Z", "Y", "X"]] {
            let mut world = World::weightless().with_joints(solver);
            let displacements = vec![1.2; axes.len()];
            let entity = world.add(&chain(&axes, 0.1), Isometry3::identity(), &displacements, Drive::Physics);
            let expected = axes.iter().fold(UnitQuaternion::identity(), |turned, axis| {
                let axis = match *axis {
                    "X" => Vector3::x_axis(),
                    "Y" => Vector3::y_axis(),
                    _ => Vector3::z_axis(),
                };
                turned * UnitQuaternion::from_axis_angle(&axis, 1.2)
            });
            world.run(1000);
            let off = world.state(entity).link_poses[axes.len()].rotation.angle_to(&expected);
            println!("{axes:?}: {off:.1e} rad off");
            assert!(off < EXACT);
        }
    });
}

#[test]
fn a_cross_without_mass_between_two_hinges_is_named() {
    assert_eq!(massless_links(&chain(&["X", "Y"], 0.0)), [LinkIndex(1)]);
}

#[test]
fn a_ball_joint_holds_its_place_at_any_orientation() {
    // A free link below the root that an extra joint holds by a point of its own.
    let ball = noted_body(
        "  - name: BASE\n  - { name: ROD, parent: BASE, joint_type: free, mass: 1, inertia: [ 0.02, 0, 0, 0.03, 0, 0.04 ] }\n\
         extra_joints: [ { link1_name: BASE, link2_name: ROD, joint_type: ball, translation_in_link1: [ 0, 0, 1 ], \
         translation_in_link2: [ 0.1, 0.2, 0.3 ] } ]\n",
    );
    for_both_solvers(|solver| {
        for turn in [[1.2, 0.0, 0.0], [0.0, 1.2, 0.0], [0.0, 0.0, 1.2], [1.2, 1.2, 1.2]] {
            let rotation = UnitQuaternion::from_scaled_axis(Vector3::from(turn));
            let arm = Vector3::new(0.1, 0.2, 0.3);
            let place = Vector3::z() - rotation * arm;
            let run = |mut world: World| {
                let mut state = BodyState::at_rest(&ball, &Isometry3::identity(), ball.initial_displacements());
                state.link_poses[1] = Isometry3::from_parts(place.into(), rotation);
                let entity = spawn_body(&mut world.app.world_mut().commands(), ball.clone(), state, Drive::Physics);
                world.app.world_mut().flush();
                world.run(1000);
                world.state(entity).link_poses[1]
            };
            let pose = run(World::weightless().with_joints(solver));
            let off = pose.rotation.angle_to(&rotation).max((pose.translation.vector - place).norm());
            let swinging = run(World::usual().with_joints(solver));
            let gap = (swinging.translation.vector + swinging.rotation * arm - Vector3::z()).norm();
            println!("{turn:?}: {off:.1e} rad or m off at rest, {gap:.1e} m apart while it swings");
            assert!(off < EXACT && gap < GAP);
            assert!(swinging.rotation.angle_to(&rotation) > 0.1, "it does not swing");
        }
    });
}
