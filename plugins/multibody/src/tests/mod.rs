//! The solver against closed formulas, laws of conservation and the slow, exact equations of motion of the body model.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::panic)]

mod contacts;
mod couplings;
mod drives;
mod dynamics;
mod fast_trees;
mod flight;
mod friction;
mod grips;
mod impacts;
mod law_errors;
mod law_residuals;
mod loops;
mod piles;
mod removal;
mod repeat;
mod rest;
mod rover;
mod speed;
mod walk;

use bunraku_body::{Body, MassProperties};
use bunraku_test_support::read_links as body;
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::dynamics::inverse_dynamics::Dynamics as Terms;
use super::dynamics::kinematics::Kinematics;
use super::math::spatial::power;
use super::*;

/// A system that is stepped, with everything that belongs to it.
struct World {
    system: System,
    state: State,
    solver: Solver,
    drives: Vec<Drive>,
    wrenches: Vec<(PartIndex, Wrench)>,
    contacts: Vec<Contact>,
    parameters: Parameters,
    outcome: Outcome,
    readings: Readings,
}

impl World {
    fn new(system: System) -> Self {
        let drives = vec![Drive::NONE; system.num_coordinates()];
        let state = State::new(&system);
        Self {
            system,
            state,
            solver: Solver::default(),
            drives,
            wrenches: Vec::new(),
            contacts: Vec::new(),
            parameters: Parameters::default(),
            outcome: Outcome::default(),
            readings: Readings::default(),
        }
    }

    /// A step with contacts that are found in its middle.
    fn step_with(&mut self, find: impl Fn(&Solver, &mut Vec<Contact>)) {
        self.solver.begin(&self.system, &mut self.state, &self.drives, &self.parameters);
        self.contacts.clear();
        find(&self.solver, &mut self.contacts);
        let input = StepInput { drives: &self.drives, contacts: &self.contacts, wrenches: &self.wrenches };
        self.outcome = self.solver.finish(&self.system, &mut self.state, &input, &self.parameters);
    }

    fn step(&mut self) {
        self.step_with(|_, _| {});
    }

    fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / self.parameters.time_step).round() as usize {
            self.step();
        }
    }

    fn read(&mut self) -> &Readings {
        self.readings.read(&mut self.solver, &self.system, &self.state, &self.contacts);
        &self.readings
    }

    fn pose(&self, part: PartIndex) -> Isometry3<f64> {
        self.solver.end_pose(part)
    }
}

/// A body and what became of it.
fn world_of(body: &Body, root: RootMotion) -> (World, CompiledBody) {
    let mut system = System::new();
    let compiled = system.add_body(body, root);
    let mut world = World::new(system);
    compiled.place(body, &mut world.state, &world.system, &Isometry3::identity(), &body.initial_displacements());
    (world, compiled)
}

/// The real robot, if the real data is there.
fn sr1() -> Option<Body> {
    bunraku_test_support::share_model("model/SR1/SR1.body")
}

/// One of the four corners of a sole near the plane z = 0.
fn corner_on_floor(foot: PartIndex, corner: usize, point: Vector3<f64>) -> Contact {
    Contact {
        id: (foot.0 * 4 + corner) as u64,
        parts: [Some(foot), None],
        point,
        normal: Vector3::z(),
        gap: point.z,
        static_friction: 1.0,
        dynamic_friction: 1.0,
        restitution: 0.0,
        surface_velocity: Vector3::zeros(),
        share: 1.0,
    }
}

/// Mass properties of a box about its middle.
fn block(mass: f64, size: [f64; 3]) -> MassProperties {
    let [x, y, z] = size.map(|length| length * length);
    let inertia = Matrix3::from_diagonal(&Vector3::new(y + z, x + z, x + y)) * (mass / 12.0);
    MassProperties { mass, center_of_mass: Point3::origin(), inertia }
}

/// A free part.
fn free_part(mass: MassProperties) -> Part {
    Part {
        parent: None,
        offset: Isometry3::identity(),
        motion: JointMotion::Free,
        mass,
        coordinate: Coordinate::default(),
    }
}

/// A part that turns about an axis.
fn hinged_part(parent: usize, offset: Vector3<f64>, axis: Vector3<f64>, mass: MassProperties) -> Part {
    Part {
        parent: Some(parent),
        offset: Isometry3::from_parts(offset.into(), nalgebra::UnitQuaternion::identity()),
        motion: JointMotion::Revolute(axis),
        mass,
        coordinate: Coordinate::default(),
    }
}

/// A root that does not move.
fn fixed_part() -> Part {
    Part { motion: JointMotion::Fixed, ..free_part(MassProperties::ZERO) }
}

/// Numbers without order, the same in every run.
fn some_numbers(count: usize, seed: f64) -> Vec<f64> {
    (0..count).map(|index| ((index as f64 + 1.0) * 12.9898 + seed * 78.233).sin()).collect()
}

/// Kinetic and potential energy of all trees.
fn energy(world: &mut World) -> f64 {
    let (system, state) = (&world.system, &world.state);
    let mut inertias = Terms::default();
    inertias.fit(system);
    let mut sum = 0.0;
    let mut kinematics = Kinematics::default();
    kinematics.fit(system);
    let mut twists = vec![Twist::ZERO; system.num_parts()];
    for tree in 0..system.num_trees() {
        kinematics.place(system, tree, &state.root_poses[tree], &state.displacements);
        kinematics.direct(system, tree);
        kinematics.twists(system, tree, &state.velocities, &mut twists);
        inertias.weigh(system, &kinematics, tree);
        for part in system.trees[tree].parts.clone() {
            let inertia = &inertias.inertias[part];
            sum += 0.5 * power(&twists[part], &inertia.momentum(&twists[part]));
            let center = kinematics.origins[tree] * inertia.mass + inertia.moment;
            sum -= world.parameters.gravity.dot(&center);
        }
        for coordinate in system.trees[tree].coordinates.clone() {
            sum += 0.5 * system.coordinates[coordinate].rotor_inertia * state.velocities[coordinate].powi(2);
        }
    }
    sum
}

/// Linear momentum, and angular momentum about the world's origin, of all trees.
fn momentum(world: &mut World) -> Wrench {
    let (system, state) = (&world.system, &world.state);
    let mut inertias = Terms::default();
    inertias.fit(system);
    let mut sum = Wrench::ZERO;
    let mut kinematics = Kinematics::default();
    kinematics.fit(system);
    let mut twists = vec![Twist::ZERO; system.num_parts()];
    for tree in 0..system.num_trees() {
        kinematics.place(system, tree, &state.root_poses[tree], &state.displacements);
        kinematics.direct(system, tree);
        kinematics.twists(system, tree, &state.velocities, &mut twists);
        inertias.weigh(system, &kinematics, tree);
        for part in system.trees[tree].parts.clone() {
            let momentum = inertias.inertias[part].momentum(&twists[part]);
            sum.force += momentum.force;
            sum.torque += momentum.torque + kinematics.origins[tree].cross(&momentum.force);
        }
    }
    sum
}
