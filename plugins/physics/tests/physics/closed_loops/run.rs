//! Mechanisms in many orientations at once.

use bevy_rapier3d::prelude::RapierContextJoints;
use bunraku_body::Drive;
use bunraku_physics::JointSolver;
use bunraku_test_support::Random;
use nalgebra::Vector3;

use super::mechanism::{Mechanism, errors};
use crate::common::{G, World};

const ORIENTATIONS: usize = 20;
/// Maximum distance of a mechanism from the world's origin along each axis, m.
const FARTHEST: f64 = 30.0;
/// The axes of a hinge or a piston, rad.
const WIDEST_ANGLE: f64 = 1e-2;

/// Limits of a mechanism.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Gap of a loop, m.
    pub gap: f64,
    /// Velocity of a joint, rad/s or m/s.
    pub speed: f64,
    /// Strongest impulse of one iteration, N·s or N·m·s.
    pub impulse: f64,
    /// Difference of the two solvers at the crank, relative to its path. A crank that jams keeps its gap.
    pub crank: f64,
}

/// A sound solver keeps the ends of a loop together within a millimetre. Nothing in these mechanisms is meant to move as fast
/// as that, and joints of mechanisms of a kilogram push far less in a quarter of a millisecond.
pub const USUAL: Limits = Limits { gap: 1e-3, speed: 200.0, impulse: 10.0, crank: 0.02 };

/// The worst of all orientations.
#[derive(Clone, Debug, Default)]
pub struct Worst {
    pub gap: f64,
    pub angle: f64,
    pub speed: f64,
    pub impulse: f64,
    /// Displacement of joint 0 at the end, and the way it has gone, by orientation.
    pub cranks: Vec<(f64, f64)>,
}

/// Runs a mechanism with both solvers on a fixed base under gravity and on a floating one without, and checks it; with rapier with four substeps
/// a step, and with one, within limits of its own: that is all that a loop gets to be closed in.
pub fn check(mechanism: &Mechanism, seconds: f64, limits: Limits, coarse: Limits) {
    for fixed in [true, false] {
        let gravity = if fixed { Vector3::new(0.0, 0.0, -G) } else { Vector3::zeros() };
        let run = |solver, iterations, limits: &Limits| {
            let worst = run(mechanism, fixed, (solver, iterations), gravity, seconds);
            let Worst { gap, angle, speed, impulse, .. } = worst;
            let base = if fixed { "fixed" } else { "floating" };
            let name = &mechanism.name;
            println!(
                "| {name:<28} | n = {iterations} | {base:<8} | {solver:<9?} | {gap:>8.1e} m | {angle:>8.1e} rad | {speed:>6.1} | {impulse:>8.1e} |"
            );
            assert!(gap < limits.gap, "{name}: gap {gap} m");
            assert!(angle < WIDEST_ANGLE, "{name}: axes {angle} rad apart");
            assert!(speed < limits.speed, "{name}: speed {speed}");
            assert!(impulse < limits.impulse, "{name}: impulse {impulse}");
            worst
        };
        let multibody = run(JointSolver::Multibody, 4, &limits);
        for (iterations, limits) in [(4, &limits), (1, &coarse)] {
            let impulse = run(JointSolver::Impulse, iterations, limits);
            let cranks = impulse.cranks.iter().zip(&multibody.cranks);
            let apart = cranks.map(|(one, other)| (one.0 - other.0).abs() / one.1.max(0.1)).fold(0.0, f64::max);
            let way = impulse.cranks.iter().map(|crank| crank.1).fold(f64::MAX, f64::min);
            println!("|   cranks apart by {:.2} % of {way:.2} rad or m", 100.0 * apart);
            assert!(apart < limits.crank, "{}: cranks apart by {apart}", mechanism.name);
        }
    }
}

fn run(
    mechanism: &Mechanism,
    fixed: bool,
    (solver, iterations): (JointSolver, usize),
    gravity: Vector3<f64>,
    seconds: f64,
) -> Worst {
    const STEP: f64 = 0.001;
    let mut world = World::new(STEP, gravity, iterations).with_joints(solver);
    let body = mechanism.on_base(fixed);
    let mut random = Random::new(7);
    let entities: Vec<_> =
        (0..ORIENTATIONS).map(|_| world.add(&body, random.pose(FARTHEST), &mechanism.start, Drive::Physics)).collect();
    let mut worst = Worst { cranks: vec![(0.0, 0.0); ORIENTATIONS], ..Worst::default() };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let steps = (seconds / STEP).round() as usize;
    for step in 0..steps {
        for &entity in &entities {
            let state = world.state(entity);
            let efforts = mechanism.efforts(step as f64 * STEP, &state.displacements, &state.velocities);
            world.set_efforts(entity, &efforts);
        }
        world.run(1);
        for (&entity, crank) in entities.iter().zip(&mut worst.cranks) {
            let state = world.state(entity);
            let (gap, angle) = errors(&body, &state.link_poses);
            worst.gap = worst.gap.max(gap);
            worst.angle = worst.angle.max(angle);
            worst.speed = state.velocities.iter().fold(worst.speed, |worst, speed| worst.max(speed.abs()));
            crank.1 += (state.displacements[0] - if step == 0 { mechanism.start[0] } else { crank.0 }).abs();
            crank.0 = state.displacements[0];
        }
        let mut joints = world.app.world_mut().query::<&RapierContextJoints>();
        for (_, joint) in joints.single(world.app.world()).unwrap().impulse_joints.iter() {
            let strongest = joint.impulses.iter().fold(0.0_f32, |strongest, impulse| strongest.max(impulse.abs()));
            worst.impulse = worst.impulse.max(f64::from(strongest));
        }
    }
    worst
}
