//! Mechanisms in many orientations at once.

use bunraku_body::Drive;
use bunraku_physics::JointSolver;
use bunraku_test_support::Random;
use nalgebra::Vector3;

use super::mechanism::{Mechanism, errors};
use crate::common::{G, World};

const ORIENTATIONS: usize = 20;
/// Maximum distance of a mechanism from the world's origin along each axis, m.
const FARTHEST: f64 = 30.0;
/// Of a loop, m: a sound solver keeps its ends together.
const WIDEST_GAP: f64 = 1e-3;
/// The axes of a hinge or a piston, rad.
const WIDEST_ANGLE: f64 = 1e-2;
/// Of a joint, rad/s or m/s: nothing in these mechanisms is meant to move as fast.
const FASTEST: f64 = 200.0;

/// Displacement of joint 0 at the end, and the way it has gone.
type Crank = (f64, f64);

/// Runs a mechanism on a fixed base under gravity and on a floating one without, and checks it.
pub fn check(mechanism: &Mechanism, seconds: f64) {
    for fixed in [true, false] {
        run(mechanism, fixed, JointSolver::Multibody, seconds);
    }
}

/// Runs a mechanism on a fixed base with rapier's step too, as a second opinion: cranks differ by less than `apart` of their way.
pub fn compare(mechanism: &Mechanism, seconds: f64, apart: f64) {
    let [ours, rapiers] =
        [JointSolver::Multibody, JointSolver::Impulse].map(|solver| run(mechanism, true, solver, seconds));
    let differences = ours.iter().zip(&rapiers).map(|(one, other)| (one.0 - other.0).abs() / one.1.max(0.1));
    let difference = differences.fold(0.0, f64::max);
    println!("|   cranks apart by {:.2} %", 100.0 * difference);
    assert!(difference < apart, "{}: cranks apart by {difference}", mechanism.name);
}

/// Checks a mechanism in all orientations, and returns its cranks.
fn run(mechanism: &Mechanism, fixed: bool, solver: JointSolver, seconds: f64) -> Vec<Crank> {
    const STEP: f64 = 0.001;
    let gravity = if fixed { Vector3::new(0.0, 0.0, -G) } else { Vector3::zeros() };
    let mut world = World::new(STEP, gravity, 4).with_joints(solver);
    let body = mechanism.on_base(fixed);
    let mut random = Random::new(7);
    let entities: Vec<_> =
        (0..ORIENTATIONS).map(|_| world.add(&body, random.pose(FARTHEST), &mechanism.start, Drive::Physics)).collect();
    let (mut widest, mut farthest, mut fastest) = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut cranks = vec![(mechanism.start[0], 0.0); ORIENTATIONS];
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    for step in 0..(seconds / STEP).round() as usize {
        for &entity in &entities {
            let state = world.state(entity);
            let efforts = mechanism.efforts(step as f64 * STEP, &state.displacements, &state.velocities);
            world.set_efforts(entity, &efforts);
        }
        world.run(1);
        for (&entity, crank) in entities.iter().zip(&mut cranks) {
            let state = world.state(entity);
            let (gap, angle) = errors(&body, &state.link_poses);
            (widest, farthest) = (widest.max(gap), farthest.max(angle));
            fastest = state.velocities.iter().fold(fastest, |fastest, speed| fastest.max(speed.abs()));
            *crank = (state.displacements[0], crank.1 + (state.displacements[0] - crank.0).abs());
        }
    }
    let (name, base) = (mechanism.name, if fixed { "fixed" } else { "floating" });
    println!("| {name:<28} | {base:<8} | {solver:<9?} | {widest:>8.1e} m | {farthest:>8.1e} rad | {fastest:>6.1} |");
    assert!(widest < WIDEST_GAP && farthest < WIDEST_ANGLE, "{name}: gap {widest} m, axes {farthest} rad apart");
    assert!(fastest < FASTEST, "{name}: speed {fastest}");
    cranks
}
