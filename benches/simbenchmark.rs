//! The accuracy tests of SimBenchmark (Hwangbo, Kang and Hutter, 2018), beside what its authors published for five engines.
//!
//! ```text
//! BUNRAKU_ANYMAL=…/anymal.urdf cargo bench --profile dev --bench simbenchmark
//! ```
//!
//! ANYmal is the `anymal_b_simple_description` of the PyPI package `example-robot-data`; without `BUNRAKU_ANYMAL` its rows are left out.
//! Steps of 1 ms, default settings, gravity 9.81 m/s². Errors are means over the steps, as defined beside each test; sizes that SimBenchmark's
//! definitions leave open are constants here. Times are of a run without readings.

#![allow(clippy::print_stdout, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use bevy::prelude::*;
use bunraku::body::dynamics::{Configuration, Twist};
use bunraku::body::{ContactMaterials, LoadOptions, spawn_body};
use bunraku::document::Reporter;
use bunraku::physics::{
    ExternalForce, ExternalForces, ForceFrame, InitialTwist, LinkMotions, RapierPoses, SurfaceMaterials,
};
use bunraku::prelude::*;
use bunraku::simulation::SimulationStatus;
use bunraku_test_support::{Random, TestFolder};
use nalgebra::{Isometry3, Vector3};

const TIME_STEP: f64 = 0.001;
const G: f64 = 9.81;

fn main() {
    println!("| test | error | Bunraku | µs a step | published |\n|---|---|---|---|---|");
    for direction in [Vector3::new(0.0, 1.0, 0.0), Vector3::new(0.5, 0.75_f64.sqrt(), 0.0)] {
        rolling(&direction);
    }
    bouncing();
    heap(false);
    heap(true);
    match std::env::var_os("BUNRAKU_ANYMAL").map(PathBuf::from) {
        Some(file) => {
            let anymal = Arc::new(Body::open(&file).expect("a model"));
            energy_of_anymal(&anymal);
            momentum_of_anymal(&anymal);
        }
        None => println!("\nBUNRAKU_ANYMAL is not set: the tests of ANYmal are left out."),
    }
}

fn print_row(test: &str, error: &str, ours: &str, micros: f64, published: &str) {
    println!("| {test} | {error} | {ours} | {micros:.0} | {published} |");
}

/// Bodies, and what acts on them.
struct Test<'a> {
    /// Lines of the contact material table.
    materials: &'a str,
    gravity: Vector3<f64>,
    steps: usize,
    build: &'a dyn Fn(&mut World) -> Vec<Entity>,
    /// Before the step of this number.
    act: &'a dyn Fn(&mut World, &[Entity], usize),
}

impl Test<'_> {
    fn app(&self) -> (App, Vec<Entity>) {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
        let folder = TestFolder::with(&[("materials.yaml", format!("contact_materials:\n{}", self.materials))]);
        let path = folder.join("materials.yaml");
        let table = ContactMaterials::load(&path, &LoadOptions::default(), &Reporter::strict()).expect("a table");
        app.insert_resource(SurfaceMaterials(table));
        app.insert_resource(SimulationClock::new(TIME_STEP));
        app.insert_resource(RapierPoses::Never);
        app.world_mut().resource_mut::<PhysicsParameters>().gravity = self.gravity;
        let bodies = (self.build)(app.world_mut());
        (app, bodies)
    }

    /// Steps it, and looks at it after each step. Returns µs a step without readings.
    fn run(&self, mut look: impl FnMut(&mut World, &[Entity], usize)) -> f64 {
        let (mut app, bodies) = self.app();
        let start = Instant::now();
        self.step(&mut app, &bodies, |_, _, _| {});
        let micros = start.elapsed().as_secs_f64() * 1e6 / self.steps as f64;
        let (mut app, bodies) = self.app();
        for body in &bodies {
            app.world_mut().entity_mut(*body).insert(LinkMotions::default());
        }
        self.step(&mut app, &bodies, &mut look);
        micros
    }

    fn step(&self, app: &mut App, bodies: &[Entity], mut look: impl FnMut(&mut World, &[Entity], usize)) {
        for number in 1..=self.steps {
            (self.act)(app.world_mut(), bodies, number);
            app.insert_resource(Pace::Steps(1));
            app.update();
            let status = app.world().resource::<SimulationStatus>();
            assert_eq!(*status, SimulationStatus::Running, "step {number}");
            look(app.world_mut(), bodies, number);
        }
    }
}

fn twist(world: &World, body: Entity) -> Twist {
    world.get::<LinkMotions>(body).expect("motions").twists()[0]
}

fn energy(world: &World, body: Entity, gravity: &Vector3<f64>) -> f64 {
    let BodyModel(model) = world.get(body).expect("a model");
    let state: &BodyState = world.get(body).expect("a state");
    let configuration = Configuration::new(model, &state.link_poses[0], &state.displacements);
    configuration.kinetic_energy(&twist(world, body), &state.velocities) + configuration.potential_energy(gravity)
}

fn momentum(world: &World, body: Entity) -> Vector3<f64> {
    let BodyModel(model) = world.get(body).expect("a model");
    let state: &BodyState = world.get(body).expect("a state");
    let configuration = Configuration::new(model, &state.link_poses[0], &state.displacements);
    configuration.linear_momentum(&twist(world, body), &state.velocities)
}

fn add(world: &mut World, body: &Arc<Body>, place: Vector3<f64>, drive: Drive) -> Entity {
    let state = BodyState::at_rest(body, &Isometry3::from(place), body.initial_displacements());
    let entity = spawn_body(&mut world.commands(), Arc::clone(body), state, drive);
    world.flush();
    entity
}

fn ball(mass: f64, radius: f64) -> Arc<Body> {
    common::model(
        "Ball",
        &format!(
            "  - {{ name: BALL, joint_type: free, material: Ball, mass: {mass}, inertia: from_shapes, elements: [ {{ type: Shape, geometry: {{ \
             type: Sphere, radius: {radius} }} }} ] }}\n"
        ),
    )
}

fn slab(joint: &str, material: &str, mass: f64, size: [f64; 3]) -> Arc<Body> {
    let [x, y, z] = size;
    common::model(
        "Slab",
        &format!(
            "  - {{ name: SLAB, joint_type: {joint}, material: {material}, mass: {mass}, inertia: from_shapes, elements: [ {{ type: Shape, \
             geometry: {{ type: Box, size: [ {x}, {y}, {z} ] }} }} ] }}\n"
        ),
    )
}

/// A floor with its top at z = 0.
fn add_ground(world: &mut World) {
    add(world, &slab("fixed", "Ground", 1.0, [60.0, 60.0, 1.0]), Vector3::new(0.0, 0.0, -0.5), Drive::Static);
}

fn push(world: &mut World, body: Entity, force: Vector3<f64>) {
    let force =
        ExternalForce { link: LinkIndex::ROOT, point: None, frame: ForceFrame::World, force, torque: Vector3::zeros() };
    world.entity_mut(body).insert(ExternalForces::new(vec![force]));
}

/// A plate of 10 kg with 25 balls of 1 kg on it is pulled over the ground: mean square of all velocity errors.
fn rolling(direction: &Vector3<f64>) {
    const SIZE: [f64; 3] = [20.0, 20.0, 1.0];
    const RADIUS: f64 = 0.5;
    let (plate, marble) = (slab("free", "Plate", 10.0, SIZE), ball(1.0, RADIUS));
    let build = |world: &mut World| {
        add_ground(world);
        let mut bodies = vec![add(world, &plate, Vector3::z() * SIZE[2] / 2.0, Drive::Physics)];
        for number in 0..25 {
            let place = Vector3::new((number % 5) as f64 - 2.0, (number / 5) as f64 - 2.0, 0.0) * 2.0;
            bodies.push(add(world, &marble, place + Vector3::z() * (SIZE[2] + RADIUS), Drive::Physics));
        }
        push(world, bodies[0], direction * 150.0);
        bodies
    };
    let test = Test {
        materials: "  - { materials: [ Ground, Plate ], friction: 0.4 }\n  - { materials: [ Plate, Ball ], friction: 0.8 }\n",
        gravity: Vector3::new(0.0, 0.0, -G),
        steps: 4000,
        build: &build,
        act: &|_, _, _| {},
    };
    let (mut sum, mut last) = (0.0, [0.0; 2]);
    let of_ball = (150.0 - 0.4 * 35.0 * G) / (10.0 * (3.5 + 25.0 / 10.0));
    let micros = test.run(|world, bodies, number| {
        let time = number as f64 * TIME_STEP;
        for (index, body) in bodies.iter().enumerate() {
            let exact = direction * time * of_ball * if index == 0 { 3.5 } else { 1.0 };
            sum += (twist(world, *body).linear - exact).norm_squared() / bodies.len() as f64;
            last[index.min(1)] = twist(world, *body).linear.norm();
        }
    });
    let (name, published) = if direction.x == 0.0 {
        ("rolling along y", "—")
    } else {
        ("rolling, skew", "Bullet 4e-27, RaiSim 4e-7, MuJoCo 2e-3, ODE and DART 3.1")
    };
    let ours = format!("{:.1e} (plate {:.4}, balls {:.4} m/s)", sum / test.steps as f64, last[0], last[1]);
    print_row(name, "mean square of velocities, m²/s²", &ours, micros, published);
}

/// 49 balls of 10 kg bounce for 20 s: mean square of the error of their energy.
fn bouncing() {
    const RADIUS: f64 = 0.5;
    let heavy = ball(10.0, RADIUS);
    let build = |world: &mut World| {
        add_ground(world);
        (0..49)
            .map(|number| {
                let place = Vector3::new((number % 7) as f64 * 2.0 - 6.0, (number / 7) as f64 * 2.0 - 6.0, 5.0);
                add(world, &heavy, place, Drive::Physics)
            })
            .collect()
    };
    let test = Test {
        materials: "  - { materials: [ Ground, Ball ], friction: 0, restitution: 1 }\n",
        gravity: Vector3::new(0.0, 0.0, -G),
        steps: 20_000,
        build: &build,
        act: &|_, _, _| {},
    };
    let (micros, error, relative) = energy_error(&test, 0, 49.0 * 10.0 * G * 5.0);
    let ours = format!("{error:.1e} ({relative:.0e} of the energy at most)");
    print_row("bouncing", "energy, J²", &ours, micros, "RaiSim 0.019, ODE 185, DART 7.2e4, Bullet 7.5e4");
}

/// Mean square of the energy's error from a step on, and its largest share.
fn energy_error(test: &Test<'_>, from: usize, exact: f64) -> (f64, f64, f64) {
    let (mut sum, mut worst, mut count) = (0.0, 0.0_f64, 0.0);
    let micros = test.run(|world, bodies, number| {
        if number > from {
            let error = bodies.iter().map(|body| energy(world, *body, &test.gravity)).sum::<f64>() - exact;
            sum += error * error;
            worst = worst.max((error / exact).abs());
            count += 1.0;
        }
    });
    (micros, sum / count, worst)
}

/// 6 × 6 × 6 balls of 0.1 m fall into a heap: depth of their contacts; or, elastic, the mean square of the error of their energy.
fn heap(is_elastic: bool) {
    const RADIUS: f64 = 0.1;
    const MASS: f64 = 1.0;
    const APART: f64 = 0.22;
    const SHIFT: f64 = 0.02;
    let marble = ball(MASS, RADIUS);
    let places: Vec<Vector3<f64>> = {
        let mut random = Random::new(666);
        let shift = |random: &mut Random| Vector3::new(random.within(SHIFT / 2.0), random.within(SHIFT / 2.0), 0.0);
        (0..216)
            .map(|number| {
                let grid = Vector3::new((number % 6) as f64, (number / 6 % 6) as f64, (number / 36) as f64);
                grid * APART + shift(&mut random) + Vector3::z() * 2.0 * RADIUS
            })
            .collect()
    };
    let build = |world: &mut World| {
        add_ground(world);
        places.iter().map(|place| add(world, &marble, *place, Drive::Physics)).collect()
    };
    let [friction, restitution] = if is_elastic { [0, 1] } else { [1, 0] }.map(f64::from);
    let line = |other| {
        format!("  - {{ materials: [ Ball, {other} ], friction: {}, restitution: {restitution} }}\n", 0.8 * friction)
    };
    let materials = line("Ball") + &line("Ground");
    let test = Test {
        materials: &materials,
        gravity: Vector3::new(0.0, 0.0, -G),
        steps: 2000,
        build: &build,
        act: &|_, _, _| {},
    };
    if is_elastic {
        let exact = places.iter().map(|place| MASS * G * place.z).sum();
        let (micros, error, relative) = energy_error(&test, 0, exact);
        let ours = format!("{error:.1e} ({relative:.0e} of the energy at most)");
        print_row("666 elastic", "energy, J²", &ours, micros, "RaiSim 8.4, ODE 112, Bullet 4e4, DART 3.5e5");
        return;
    }
    let (mut sum, mut squares, mut deepest) = (0.0, 0.0, 0.0_f64);
    let micros = test.run(|world, bodies, _| {
        for depth in depths(world, bodies) {
            sum += depth;
            squares += depth * depth;
            deepest = deepest.max(depth);
        }
    });
    let steps = test.steps as f64;
    let ours = format!("{:.1e} (sum of depths {:.1e} m, deepest {deepest:.1e} m)", squares / steps, sum / steps);
    let published = "their measure: RaiSim 1.35e-4, ODE 1.55e-4, DART 2.8e-4, MuJoCo 0.095, Bullet 0.38";
    print_row("666", "sum of the squares of depths, m²", &ours, micros, published);
}

/// Depth of contacts, m; those between two of the bodies come twice and count as half.
fn depths(world: &mut World, bodies: &[Entity]) -> Vec<f64> {
    let bodies = bodies.to_vec();
    let read = move |contacts: Contacts<'_, '_>| -> Vec<f64> {
        let all = bodies.iter().flat_map(|body| {
            let own = contacts.of_body(*body);
            let first = own.into_iter().filter(|contact| contact.other.is_none_or(|(other, _)| other <= *body));
            first.map(|contact| contact.depth.max(0.0)).collect::<Vec<f64>>()
        });
        all.collect()
    };
    bevy::ecs::system::RunSystemOnce::run_system_once(world, read).expect("contacts")
}

/// ANYmal is pushed upwards for a second and swings in free fall: mean square of the error of its energy.
fn energy_of_anymal(anymal: &Arc<Body>) {
    const PUSHED: usize = 1000;
    let build = |world: &mut World| {
        let robot = add(world, anymal, Vector3::z() * 2.0, Drive::Physics);
        push(world, robot, Vector3::new(50.0, 0.0, 2.0 * anymal.mass() * G));
        vec![robot]
    };
    let act = |world: &mut World, bodies: &[Entity], number: usize| {
        if number == PUSHED + 1 {
            world.entity_mut(bodies[0]).remove::<ExternalForces>();
        }
    };
    let test = Test {
        materials: "  - { materials: [ Ground, Ball ], friction: 0 }\n",
        gravity: Vector3::new(0.0, 0.0, -G),
        steps: PUSHED + 4000,
        build: &build,
        act: &act,
    };
    let (mut sum, mut start) = (0.0, None);
    let micros = test.run(|world, bodies, number| {
        if number >= PUSHED {
            let now = energy(world, bodies[0], &test.gravity);
            sum += (now - *start.get_or_insert(now)).powi(2);
        }
    });
    let ours = format!("{:.1e}", sum / (test.steps - PUSHED) as f64);
    let published = "MuJoCo RK4 1.6e-17, RaiSim 0.012, MuJoCo Euler 3.5, Bullet 3.65, ODE 3.9, DART 237";
    print_row("ANYmal, energy", "energy, J²", &ours, micros, published);
}

/// A ball of 10 kg hits ANYmal at 5 m/s without gravity: mean square of the error of their momentum.
fn momentum_of_anymal(anymal: &Arc<Body>) {
    const RADIUS: f64 = 0.2;
    let heavy = ball(10.0, RADIUS);
    let build = |world: &mut World| {
        let robot = add(world, anymal, Vector3::zeros(), Drive::Physics);
        let ball = add(world, &heavy, Vector3::new(0.1, -1.0, 0.0), Drive::Physics);
        world.entity_mut(ball).insert(InitialTwist(Twist { linear: Vector3::y() * 5.0, angular: Vector3::zeros() }));
        vec![robot, ball]
    };
    let test = Test {
        materials: "  - { materials: [ Ground, Ball ], friction: 0 }\n",
        gravity: Vector3::zeros(),
        steps: 2000,
        build: &build,
        act: &|_, _, _| {},
    };
    let (mut sum, mut taken) = (0.0, 0.0_f64);
    let micros = test.run(|world, bodies, _| {
        let momenta = [0, 1].map(|index| momentum(world, bodies[index]));
        sum += (momenta[0] + momenta[1] - Vector3::y() * 50.0).norm_squared();
        taken = taken.max(momenta[0].y);
    });
    assert!(taken > 1.0, "the ball has missed the robot");
    let ours = format!("{:.1e} (the robot takes {taken:.1} kg·m/s)", sum / test.steps as f64);
    let published = "ODE 1e-27, MuJoCo RK4 3e-13, RaiSim 4.7e-5, Bullet 2.7e-4, MuJoCo Euler 1.1e-3, DART 162";
    print_row("ANYmal, momentum", "momentum, (kg·m/s)²", &ours, micros, published);
}
