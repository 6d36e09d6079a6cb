//! Arms on fixed roots whose ends are joined: closed loops over several bodies.

use bevy::prelude::Entity;
use bunraku_body::{Drive, ExtraJointKind};
use bunraku_test_support::Random;
use nalgebra::{Isometry3, Point3, Rotation2, Vector2, Vector3};

use super::support::{End, HINGE, arm, join, on, on_world};
use crate::common::World;

const MECHANISMS: usize = 20;
const FARTHEST: f64 = 30.0;
/// A sound solver keeps joints together within this, m.
const WIDEST_GAP: f64 = 1e-3;
/// Nothing jams, rad.
const LEAST_TURN: f64 = 0.2;
/// Angles of two bars from the origin to a point, the first and the second against it; `side` is that of the elbow.
fn two_bars(first: f64, second: f64, point: Vector2<f64>, side: f64) -> [f64; 2] {
    let reach = point.norm();
    let elbow = side * ((first * first + reach * reach - second * second) / (2.0 * first * reach)).acos();
    let angle = point.y.atan2(point.x) + elbow;
    let rest = point - Rotation2::new(angle) * Vector2::new(first, 0.0);
    [angle, rest.y.atan2(rest.x) - angle]
}

struct Tested {
    crank: Entity,
    ends: [End; 2],
    kind: ExtraJointKind,
}

fn position(world: &World, end: &End) -> Isometry3<f64> {
    match end.end {
        bunraku_physics::JointEnd::World => end.frame,
        bunraku_physics::JointEnd::Link { body, link } => world.state(body).link_poses[link.0] * end.frame,
    }
}

fn gap(world: &World, tested: &Tested) -> f64 {
    let [first, second] = tested.ends.each_ref().map(|end| position(world, end));
    let apart = first.inverse() * Point3::from(second.translation.vector);
    match (tested.kind, tested.kind.axis()) {
        (ExtraJointKind::Piston { .. } | ExtraJointKind::PointOnLine { .. }, Some(axis)) => {
            apart.coords.cross(&axis).norm()
        }
        (ExtraJointKind::PointOnPlane { .. }, Some(axis)) => apart.coords.dot(&axis).abs(),
        _ => apart.coords.norm(),
    }
}

/// Runs a mechanism in many orientations at once; cranks (joint 0 of the first body) are pushed to a turn a second.
fn check(name: &str, seconds: f64, build: &dyn Fn(&mut World, Isometry3<f64>) -> Tested) {
    let mut world = World::usual();
    let mut random = Random::new(7);
    let tested: Vec<_> = (0..MECHANISMS).map(|_| build(&mut world, random.pose(FARTHEST))).collect();
    for mechanism in &tested {
        let start = gap(&world, mechanism);
        assert!(start < 1e-9, "open by {start} m at the start");
    }
    let angle = |world: &World, mechanism: &Tested| world.state(mechanism.crank).displacements[0];
    let starts: Vec<f64> = tested.iter().map(|mechanism| angle(&world, mechanism)).collect();
    let mut widest = 0.0_f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    for _ in 0..(seconds / 0.001).round() as u32 {
        for Tested { crank, .. } in &tested {
            let state = world.state(*crank);
            let mut efforts = vec![0.0; state.velocities.len()];
            efforts[0] = 0.5 * (std::f64::consts::TAU - state.velocities[0]);
            world.set_efforts(*crank, &efforts);
        }
        world.run(1);
        widest = tested.iter().fold(widest, |widest, mechanism| widest.max(gap(&world, mechanism)));
    }
    let turned = tested.iter().zip(starts).map(|(mechanism, start)| (angle(&world, mechanism) - start).abs());
    let least = turned.fold(f64::MAX, f64::min);
    println!("{name}: gap {widest:.1e} m, cranks turned by {least:.2} rad or more");
    assert!(widest < WIDEST_GAP, "{name}: gap {widest} m");
    assert!(least > LEAST_TURN, "{name}: a crank turned by {least} rad alone");
}

/// Crank 0.1 m and coupler 0.4 m on one body, rocker 0.3 m on another, 0.4 m away.
fn four_bar(world: &mut World, root: Isometry3<f64>, kind: ExtraJointKind) -> Tested {
    let crank = 1.0_f64;
    let tip = Vector2::new(0.1 * crank.cos(), 0.1 * crank.sin());
    let base = Vector2::new(0.4, 0.0);
    // The rocker and the coupler are two bars from the second base to the end of the crank.
    let [rocker, back] = two_bars(0.3, 0.4, tip - base, -1.0);
    let coupler = rocker + back + std::f64::consts::PI - crank;
    let first = world.add(&arm(&[0.1, 0.4]), root, &[crank, coupler], Drive::Physics);
    let second = world.add(&arm(&[0.3]), root * Isometry3::translation(0.4, 0.0, 0.0), &[rocker], Drive::Physics);
    let ends = [on(first, 2, [0.4, 0.0, 0.0]), on(second, 1, [0.3, 0.0, 0.0])];
    join(world, kind, ends[0], ends[1]);
    Tested { crank: first, ends, kind }
}

#[test]
fn a_four_bar_of_two_bodies_turns() {
    check("four-bar, hinge", 1.2, &|world, root| four_bar(world, root, HINGE));
}

/// The arms 40 mm apart along the axes: the hinge is as wide.
#[test]
fn an_arm_closed_onto_the_world_is_a_four_bar() {
    check("four-bar onto the world", 1.2, &|world, root| {
        let crank = 1.0_f64;
        let tip = Vector2::new(0.1 * crank.cos(), 0.1 * crank.sin());
        let [back, forth] = two_bars(0.3, 0.4, tip - Vector2::new(0.4, 0.0), -1.0);
        let coupler = back + forth + std::f64::consts::PI;
        let rocker = back + std::f64::consts::PI - coupler;
        let first = world.add(&arm(&[0.1, 0.4, 0.3]), root, &[crank, coupler - crank, rocker], Drive::Physics);
        let pivot = root * Isometry3::translation(0.4, 0.0, 0.0);
        let ends = [on(first, 3, [0.3, 0.0, 0.0]), on_world(pivot)];
        join(world, HINGE, ends[0], ends[1]);
        Tested { crank: first, ends, kind: HINGE }
    });
}

#[test]
fn an_arm_with_its_end_on_a_line_of_the_world_or_of_a_fixed_body_is_a_slider_crank() {
    for (on_body, line) in [(false, true), (true, false)] {
        let name = format!("slider-crank, piston {line}, onto a body {on_body}");
        check(&name, 1.2, &|world, root| {
            let axis = Vector3::x_axis();
            let kind = if line { ExtraJointKind::PointOnLine { axis } } else { ExtraJointKind::Piston { axis } };
            let crank = 1.0_f64;
            let rod = -(0.1 * crank.sin() / 0.3).asin() - crank;
            let lengths: &[f64] = if line { &[0.1, 0.3] } else { &[0.1, 0.3, 0.1] };
            let start: &[f64] = if line { &[crank, rod] } else { &[crank, rod, -crank - rod] };
            let first = world.add(&arm(lengths), root, start, Drive::Physics);
            let rail = if on_body {
                let rail =
                    world.add(&arm(&[0.2]), root * Isometry3::translation(0.5, 0.0, 0.0), &[0.7], Drive::Physics);
                on(rail, 0, [0.0; 3])
            } else {
                on_world(root * Isometry3::translation(0.5, 0.0, 0.0))
            };
            let held = if line { on(first, 2, [0.3, 0.0, 0.0]) } else { on(first, 3, [0.0; 3]) };
            let ends = [rail, held];
            join(world, kind, ends[0], ends[1]);
            Tested { crank: first, ends, kind }
        });
    }
}

/// The loop of a body whose model has none, on a base that floats.
#[test]
fn a_body_is_closed_onto_itself() {
    check("four-bar closed onto itself", 1.2, &|world, root| {
        let crank = 1.0_f64;
        let tip = Vector2::new(0.1 * crank.cos(), 0.1 * crank.sin());
        let [back, forth] = two_bars(0.3, 0.4, tip - Vector2::new(0.4, 0.0), -1.0);
        let coupler = back + forth + std::f64::consts::PI;
        let mut body = bunraku_body::Body::clone(&arm(&[0.1, 0.4, 0.3]));
        body.set_fixed(false);
        let start = [crank, coupler - crank, back + std::f64::consts::PI - coupler];
        let body = world.add(&std::sync::Arc::new(body), root, &start, Drive::Physics);
        let ends = [on(body, 0, [0.4, 0.0, 0.0]), on(body, 3, [0.3, 0.0, 0.0])];
        join(world, HINGE, ends[0], ends[1]);
        Tested { crank: body, ends, kind: HINGE }
    });
}

/// A coupler that floats: nothing is redundant for it, and everything for the mechanism.
#[test]
fn a_four_bar_of_three_bodies_turns() {
    check("four-bar of three bodies", 1.2, &|world, root| {
        let crank = 1.0_f64;
        let tip = Vector2::new(0.1 * crank.cos(), 0.1 * crank.sin());
        let [rocker, back] = two_bars(0.3, 0.4, tip - Vector2::new(0.4, 0.0), -1.0);
        let coupler = rocker + back + std::f64::consts::PI;
        let first = world.add(&arm(&[0.1]), root, &[crank], Drive::Physics);
        let second = world.add(&arm(&[0.3]), root * Isometry3::translation(0.4, 0.0, 0.0), &[rocker], Drive::Physics);
        let place = Isometry3::translation(tip.x, tip.y, 0.0) * Isometry3::rotation(Vector3::z() * coupler);
        let floating = world.add(&super::support::free_bar(0.4), root * place, &[], Drive::Physics);
        join(world, HINGE, on(first, 1, [0.1, 0.0, 0.0]), on(floating, 0, [0.0; 3]));
        let ends = [on(floating, 0, [0.4, 0.0, 0.0]), on(second, 1, [0.3, 0.0, 0.0])];
        join(world, HINGE, ends[0], ends[1]);
        Tested { crank: first, ends, kind: HINGE }
    });
}
