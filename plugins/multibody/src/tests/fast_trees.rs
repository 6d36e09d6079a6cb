//! Trees that turn fast, or begin to, while something touches them: velocity-dependent forces and constraints of one step together.

use super::contacts::{Surface, contact};
use super::*;
use nalgebra::{Rotation3, UnitQuaternion};

const RADIUS: f64 = 0.1;

/// A ball as the root, with a load without shape on a hinge.
struct BallAndLoad {
    world: World,
    part: PartIndex,
}

impl BallAndLoad {
    fn new(masses: [f64; 2], offset: [f64; 3], axis: [f64; 3], height: f64, turned: [f64; 3], time_step: f64) -> Self {
        let inertia = |mass: f64| 0.4 * mass * RADIUS * RADIUS;
        let mass = |mass, moment| MassProperties {
            mass,
            center_of_mass: Point3::origin(),
            inertia: Matrix3::from_diagonal_element(moment),
        };
        let ball = free_part(mass(masses[0], inertia(masses[0])));
        let load = hinged_part(0, Vector3::from(offset), Vector3::from(axis).normalize(), mass(masses[1], 1e-3));
        let mut system = System::new();
        let tree = system.add_tree(&[ball, load]).unwrap();
        let part = system.root(tree);
        let mut world = World::new(system);
        world.parameters.time_step = time_step;
        world.state.root_poses[0].translation.vector.z = height;
        world.state.root_poses[0].rotation =
            UnitQuaternion::from_rotation_matrix(&Rotation3::new(Vector3::from(turned)));
        Self { world, part }
    }

    fn step(&mut self) {
        let part = self.part;
        self.world.step_with(|solver, contacts| {
            let center = solver.pose(part).translation.vector;
            if center.z - RADIUS < 0.02 {
                let surface = Surface { friction: 0.0, restitution: 0.0 };
                let point = Vector3::new(center.x, center.y, 0.5 * (center.z - RADIUS));
                contacts.push(contact(0, [Some(part), None], point, Vector3::z(), center.z - RADIUS, surface));
            }
        });
    }

    /// Runs for a time. Gives the largest gain of energy, as a share of that at the beginning.
    fn run(&mut self, seconds: f64) -> f64 {
        let first = energy(&mut self.world);
        let (mut gain, mut iterations, mut most) = (0.0_f64, 0, 0);
        let steps = (seconds / self.world.parameters.time_step).round() as usize;
        for _ in 0..steps {
            self.step();
            let now = energy(&mut self.world);
            gain = gain.max(now - first);
            iterations += self.world.outcome.iterations;
            most = most.max(self.world.outcome.iterations);
        }
        let mean = iterations as f64 / steps as f64;
        println!("of {first:.1} J, gain {gain:.2e} J, {mean:.1} and at most {most} Newton iterations a step");
        gain / first
    }
}

#[test]
fn a_light_ball_between_the_floor_and_a_load_does_not_run_away() {
    // The ball has to turn away under the load: it comes to hundreds of rad/s, within a step or two, and with steps that are not divided to twice
    // the energy and more.
    let masses = [0.01, 10.0];
    let [offset, axis] = [[0.109, 0.045, -0.066], [0.93, 0.154, 0.333]];
    for turned in [[0.35, -0.36, 0.34], [1.2, 0.3, 0.0], [0.0, 2.0, 0.5]] {
        for time_step in [1e-3, 2.5e-4, 5e-5] {
            let gain = BallAndLoad::new(masses, offset, axis, 0.19, turned, time_step).run(1.0);
            assert!(gain < 0.05, "{gain} of the energy");
        }
    }
}

#[test]
fn works_of_joints_are_those_of_all_parts_of_a_step() {
    let [offset, axis] = [[0.109, 0.045, -0.066], [0.93, 0.154, 0.333]];
    let mut thrown = BallAndLoad::new([0.01, 10.0], offset, axis, 0.19, [1.2, 0.3, 0.0], 1e-3);
    // A damper takes energy in the steps in which the ball turns away.
    let hinge = thrown.world.system.num_coordinates() - 1;
    thrown.world.system.coordinate_mut(CoordinateIndex(hinge)).damping = 0.005;
    let first = energy(&mut thrown.world);
    let (mut work, mut as_one, mut divided) = (0.0, 0.0, 0);
    let mut worst = f64::NEG_INFINITY;
    for _ in 0..400 {
        let before = thrown.world.state.velocities[hinge];
        thrown.step();
        let mean = 0.5 * (before + thrown.world.state.velocities[hinge]);
        let readings = thrown.world.read();
        work += readings.works[hinge];
        as_one += 1e-3 * readings.efforts[hinge] * mean;
        divided += usize::from(thrown.world.solver.is_divided[0]);
        worst = worst.max(energy(&mut thrown.world) - first - work);
    }
    println!(
        "{divided} steps divided; the damper takes {work:.3} J, {as_one:.3} J by means; {worst:.1e} J from nothing"
    );
    assert!(divided > 0 && worst < 0.05 * first);
    assert!((as_one - work).abs() > 0.2 * work.abs(), "means would do");
}

#[test]
fn the_step_after_an_impact_gains_no_energy() {
    let masses = [10.0, 100.0];
    let [offset, axis] = [[-0.01, 0.103, 0.193], [-0.37, -0.74, 0.56]];
    for time_step in [1.36e-3, 3.4e-4] {
        let gain = BallAndLoad::new(masses, offset, axis, 0.91, [-0.04, -0.116, -0.012], time_step).run(0.8);
        assert!(gain < 0.002, "{gain} of the energy");
    }
}
