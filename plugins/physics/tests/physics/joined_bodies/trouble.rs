//! Extra joints that cannot be, or that break.

use bevy::prelude::Name;
use bunraku_body::dynamics::Twist;
use bunraku_body::{BodyState, Drive, ExtraJointForm, ExtraJointKind, LinkIndex};
use bunraku_physics::{
    ExtraJointBetween, JointEnd, JointSolver, LoopFinding, LoopTrouble, Party, WidestGap, extra_joint_findings,
};
use bunraku_simulation::{Pace, SimulationStatus};
use nalgebra::{Isometry3, Unit, Vector3};

use super::support::{HINGE, arm, free_bar, join, on, on_world};
use crate::common::{World, body, cube, for_both_solvers};

fn message(world: &mut World, steps: u32) -> String {
    world.app.insert_resource(Pace::Steps(u64::from(steps)));
    world.app.update();
    match world.app.world().resource::<SimulationStatus>() {
        SimulationStatus::Failed(fault) => fault.message.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_joint_that_is_torn_apart_is_told_by_name() {
    // Our own solver has poses of its own, which nobody else can change.
    let solver = JointSolver::Impulse;
    let mut world = World::usual().with_joints(solver);
    let upper = world.add(&arm(&[0.5]), Isometry3::identity(), &[0.0], Drive::Physics);
    let lower = world.add(&free_bar(0.5), Isometry3::translation(0.5, 0.0, 0.0), &[], Drive::Physics);
    let hook = join(&mut world, ExtraJointKind::Ball, on(upper, 1, [0.5, 0.0, 0.0]), on(lower, 0, [0.0; 3]));
    world.insert(hook, Name::new("hook"));
    world.run(10);
    let simulated = world.app.world().get::<bunraku_physics::SimulatedBody>(lower).unwrap();
    let (bar, _) = simulated.rigid_body(LinkIndex::ROOT);
    let mut sets = world.app.world_mut().query::<&mut bevy_rapier3d::prelude::RapierRigidBodySet>();
    let mut set = sets.single_mut(world.app.world_mut()).unwrap();
    set.bodies.get_mut(bar).unwrap().set_translation(bevy::math::Vec3::new(0.0, 0.0, 5.0), true);
    let message = message(&mut world, 1);
    println!("{message}");
    assert!(
        message.contains("extra joint `hook` (ball between `Thing/BAR0` and `Thing/BAR`) is torn apart"),
        "{message}"
    );
}

/// A bead that is thrown along what holds it, 2 m/s for 0.4 s.
#[test]
fn sliding_along_any_axis_of_a_piston_a_line_or_a_plane_is_no_gap() {
    for_both_solvers(|solver| {
        for axis in [Vector3::x(), Vector3::y(), Vector3::z(), Vector3::new(1.0, -2.0, 0.5)] {
            let axis = Unit::new_normalize(axis);
            let across = axis.cross(&Vector3::new(0.3, 0.4, 0.8)).normalize();
            let kinds = [
                (ExtraJointKind::Piston { axis }, axis.into_inner()),
                (ExtraJointKind::PointOnLine { axis }, axis.into_inner()),
                (ExtraJointKind::PointOnPlane { axis }, across),
            ];
            for (kind, way) in kinds {
                let mut world = World::weightless().with_joints(solver);
                let twist = Twist { linear: way * 2.0, angular: Vector3::zeros() };
                let bead = world.throw(&cube("default"), Isometry3::identity(), &[], twist);
                join(&mut world, kind, on_world(Isometry3::identity()), on(bead, 0, [0.0; 3]));
                world.run(400);
                let moved = world.state(bead).link_poses[0].translation.vector - way * 0.8;
                assert!(moved.norm() < 1e-3, "{kind:?}: {moved}");
                let widest = world.app.world().resource::<WidestGap>().0.map_or(0.0, |widest| widest.gap);
                assert!(widest < 1e-3, "{kind:?}: {widest}");
            }
        }
    });
}

/// A point cannot be on two lines that are 0.06 m apart. The one on which it starts is opened by the other, along X.
#[test]
fn a_gap_across_the_axis_is_seen_along_x_too() {
    let mut world = World::weightless().with_joints(JointSolver::Multibody);
    let bead = world.add(&cube("default"), Isometry3::identity(), &[], Drive::Physics);
    let kind = ExtraJointKind::PointOnLine { axis: Vector3::y_axis() };
    for x in [0.0, 0.06] {
        join(&mut world, kind, on_world(Isometry3::translation(x, 0.0, 0.0)), on(bead, 0, [0.0; 3]));
    }
    world.run(2000);
    let gap = world.state(bead).link_poses[0].translation.x;
    let widest = world.app.world().resource::<WidestGap>().0.map_or(0.0, |widest| widest.gap);
    assert!(gap > 5e-5 && (widest - gap).abs() < 1e-6, "{gap} m, {widest} m");
}

#[test]
fn a_joint_to_nothing_stops_the_simulation() {
    let mut world = World::usual();
    let bar = world.add(&free_bar(0.5), Isometry3::identity(), &[], Drive::Physics);
    join(&mut world, ExtraJointKind::Ball, on(bar, 1, [0.0; 3]), on_world(Isometry3::identity()));
    let message = message(&mut world, 1);
    assert!(message.contains("ball extra joint joins a body or a link that is not there"), "{message}");
}

#[test]
fn joined_links_pass_through_each_other() {
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let first = world.add(&cube("default"), Isometry3::identity(), &[], Drive::Physics);
        let second = world.add(&cube("default"), Isometry3::translation(0.1, 0.0, 0.0), &[], Drive::Physics);
        join(&mut world, HINGE, on(first, 0, [0.05, 0.0, 0.0]), on(second, 0, [-0.05, 0.0, 0.0]));
        world.run(200);
        let moved = (world.state(second).link_poses[0].translation.vector - Vector3::new(0.1, 0.0, 0.0)).norm();
        assert!(moved < 1e-5, "{moved}");
    });
}

/// Where the joint holds on to what stands for the ground, the ground lets the arm through all the same.
#[test]
fn an_arm_passes_through_the_fixed_body_that_it_is_joined_to() {
    for_both_solvers(|solver| {
        let shape = "elements: [ { type: Shape, geometry: { type: Box, size: [ 0.4, 0.1, 0.1 ] } } ]";
        let base = "  - { name: BASE, joint_type: fixed }\n";
        let arm = body(&format!(
            "{base}  - {{ name: ARM, parent: BASE, joint_type: revolute, joint_axis: Z, joint_id: 0, mass: 1, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 \
             ], {shape} }}\n"
        ));
        let block = body(&format!("  - {{ name: BLOCK, joint_type: fixed, {shape} }}\n"));
        for joined in [true, false] {
            let mut world = World::weightless().with_joints(solver);
            let arm = world.add(&arm, Isometry3::identity(), &[0.0], Drive::Physics);
            let block = world.add(&block, Isometry3::translation(0.3, 0.03, 0.0), &[], Drive::Physics);
            if joined {
                join(&mut world, ExtraJointKind::Ball, on(block, 0, [-0.3, -0.03, 0.0]), on(arm, 1, [0.0; 3]));
            }
            world.run(50);
            let turned = world.state(arm).displacements[0].abs();
            println!("joined {joined}: turned by {turned:.1e} rad");
            assert_eq!(turned < 1e-6, joined, "{turned}");
        }
    });
}

#[test]
fn findings_tell_what_a_joint_cannot_do() {
    let (arm, bar) = (arm(&[0.5, 0.4]), free_bar(0.3));
    let at = |body: &bunraku_body::Body, x: f64, displacements: &[f64]| {
        BodyState::at_rest(body, &Isometry3::translation(x, 0.0, 0.0), displacements.to_vec())
    };
    let states = [at(&arm, 0.0, &[0.4, 0.3]), at(&arm, 0.3, &[0.1, 1.0]), at(&bar, 0.0, &[])];
    let party = |body, state, drive| Party { body, state, drive, is_root_kinematic: false };
    let parties = [
        party(&arm, &states[0], Drive::Physics),
        party(&arm, &states[1], Drive::Physics),
        party(&bar, &states[2], Drive::Motion),
    ];
    let link = |body, link| JointEnd::Link { body, link: LinkIndex(link) };
    let joint = |kind, ends| ExtraJointBetween {
        form: ExtraJointForm { kind, frames: [Isometry3::identity(), Isometry3::identity()] },
        ends,
    };
    let joints = [
        joint(ExtraJointKind::Ball, [link(0, 0), link(1, 0)]),
        joint(ExtraJointKind::Ball, [link(0, 0), link(2, 0)]),
        joint(ExtraJointKind::Ball, [JointEnd::World, link(1, 0)]),
        joint(ExtraJointKind::Ball, [link(0, 1), link(0, 1)]),
        joint(HINGE, [link(0, 2), link(1, 2)]),
    ];
    let findings = extra_joint_findings(&parties, &joints);
    println!("{findings:?}");
    let trouble = |number: usize| {
        findings
            .iter()
            .filter(|finding| finding.extra_joint == number)
            .map(|LoopFinding { trouble, .. }| *trouble)
            .collect::<Vec<_>>()
    };
    for number in 0..4 {
        assert_eq!(trouble(number), [LoopTrouble::NothingMoves], "{number}");
    }
    let elbows = [0, 1].map(|body: usize| states[body].link_poses[2].translation.vector);
    let expected = (elbows[0] - elbows[1]).norm();
    let [LoopTrouble::Open { gap, .. }, LoopTrouble::HeldAlready { asked: 5, left: 2, .. }] = trouble(4)[..] else {
        panic!("{findings:?}")
    };
    assert!((gap - expected).abs() < 1e-9, "{gap} {expected}");
}
