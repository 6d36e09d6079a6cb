//! Time of a step. Not run by default: `cargo test -p bunraku_multibody -- --ignored --nocapture`.

use std::time::Instant;

use super::*;

/// The robot on its feet: four corners of each sole on a floor, all joints held by servos.
struct Standing {
    world: World,
    feet: [PartIndex; 2],
    sole: f64,
}

impl Standing {
    fn of(body: &Body) -> Self {
        let (mut world, compiled) = world_of(body, RootMotion::Free);
        let leg = [0.0, -2.1, 0.0, 4.50001, -2.40001, 0.0];
        let arm = [10.0, -0.20002, 0.0, -90.0, 0.0, 0.0, 0.0];
        let all = [&leg[..], &arm[..], &leg[..], &arm[..], &[0.0; 3][..]].concat();
        let all: Vec<f64> = all.into_iter().map(f64::to_radians).collect();
        compiled.place(body, &mut world.state, &world.system, &Isometry3::translation(0.0, 0.0, 0.7135), &all);
        for (coordinate, value) in compiled.coordinates.iter().zip(&all) {
            if let Some(coordinate) = coordinate {
                world.drives[coordinate.0] = Drive::servo(*value, 8000.0, 100.0);
            }
        }
        let feet = ["LLEG_ANKLE_R", "RLEG_ANKLE_R"].map(|name| compiled.links[body.find_link(name).unwrap().0].0);
        world.parameters.time_step = 0.002;
        world.solver.place(&world.system, &world.state);
        let sole = 0.0055 - world.pose(feet[0]).translation.z;
        Self { world, feet, sole }
    }

    fn step(&mut self) {
        let (feet, sole) = (self.feet, self.sole);
        self.world.step_with(|solver, contacts| find(solver, feet, sole, contacts));
    }
}

fn find(solver: &Solver, feet: [PartIndex; 2], sole: f64, contacts: &mut Vec<Contact>) {
    for foot in feet {
        let pose = solver.pose(foot);
        for corner in 0..4 {
            let (x, y) = ([-0.1, 0.15][corner & 1], [-0.06, 0.06][corner >> 1]);
            let point = (pose * Point3::new(x, y, sole)).coords;
            if point.z < 0.01 {
                contacts.push(corner_on_floor(foot, corner, point));
            }
        }
    }
}

#[test]
fn a_robot_stands_on_its_servos() {
    let Some(body) = sr1() else { return };
    let mut standing = Standing::of(&body);
    let (mut sweeps, mut unconverged) = (0, 0);
    // The sway of such a robot dies out slowly.
    for _ in 0..20_000 {
        standing.step();
        sweeps += standing.world.outcome.iterations;
        unconverged += standing.world.outcome.unconverged;
    }
    let weight = body.mass() * 9.80665;
    let force: Vector3<f64> = standing.world.read().contact_forces.iter().sum();
    let speed = standing.world.state.velocities.iter().fold(0.0_f64, |most, speed| most.max(speed.abs()));
    println!(
        "after 40 s {speed:.1e} m/s or rad/s, floor {:.1e} off the weight, {:.1} sweeps a step, {unconverged} not converged",
        force.z / weight - 1.0,
        f64::from(sweeps as u32) / 20_000.0
    );
    assert!(speed < 1e-6 && (force.z / weight - 1.0).abs() < 1e-9);
    // The ankles carry the weight above them.
    let feet = standing.feet.map(|foot| standing.world.readings.reactions[foot.0].force.z);
    let below: f64 = standing.feet.iter().map(|foot| standing.world.system.parts[foot.0].mass.mass * 9.80665).sum();
    println!("ankles carry {} of {} N", -(feet[0] + feet[1]), weight - below);
    assert!((-(feet[0] + feet[1]) / (weight - below) - 1.0).abs() < 1e-9);
}

#[test]
#[ignore = "measures time"]
fn what_a_step_of_a_standing_robot_costs() {
    let Some(body) = sr1() else { return };
    let mut standing = Standing::of(&body);
    for _ in 0..500 {
        standing.step();
    }
    // Short runs, the best of which has had the machine for itself.
    let runs = 100;
    for tolerance in [1e-4, 1e-5, 1e-6, 1e-8] {
        standing.world.parameters.tolerance = tolerance;
        let mut best = f64::INFINITY;
        let mut sweeps = 0;
        for _ in 0..100 {
            let start = Instant::now();
            for step in 0..runs {
                // Pushed now and then, so that it has something to do.
                standing.world.wrenches.clear();
                if step % 50 < 10 {
                    let force = Vector3::new(30.0, 20.0, 0.0);
                    standing.world.wrenches.push((PartIndex(0), Wrench { force, torque: Vector3::zeros() }));
                }
                standing.step();
                sweeps += standing.world.outcome.iterations;
            }
            best = best.min(start.elapsed().as_secs_f64() / f64::from(runs));
        }
        let sweeps = f64::from(sweeps as u32) / f64::from(runs) / 100.0;
        println!("to {tolerance} m/s: {:.2} µs a step, {sweeps:.1} sweeps", best * 1e6);
    }
}

#[test]
#[ignore = "measures time"]
fn what_the_parts_of_a_step_cost() {
    let Some(body) = sr1() else { return };
    let mut standing = Standing::of(&body);
    for _ in 0..500 {
        standing.step();
    }
    let runs = 200;
    let world = &mut standing.world;
    let (system, state) = (&world.system, &world.state);
    let mut kinematics = world.solver.setting.kinematics.clone();
    let mut dynamics = world.solver.worker.dynamics.clone();
    let mut factor = world.solver.worker.factor.clone();
    let structure = world.solver.setting.structure.clone();
    let external = vec![Wrench::ZERO; system.num_parts()];
    let gravity = world.parameters.gravity;
    let time = |name: &str, work: &mut dyn FnMut()| {
        let mut best = f64::INFINITY;
        for _ in 0..50 {
            let start = Instant::now();
            (0..runs).for_each(|_| work());
            best = best.min(start.elapsed().as_secs_f64() / f64::from(runs));
        }
        println!("  {name}: {:.2} µs", best * 1e6);
    };
    time("poses", &mut || kinematics.place(system, 0, &state.root_poses[0], &state.displacements));
    time("directions", &mut || kinematics.direct(system, 0));
    time("inertias", &mut || dynamics.weigh(system, &kinematics, 0));
    time("twists", &mut || {
        dynamics.set_velocities(system, &kinematics, 0, &state.velocities);
    });
    time("bias", &mut || dynamics.inverse(system, &kinematics, 0, &gravity, None, &external));
    time("factor", &mut || factor.factor(&structure, system, 0, (&kinematics, &dynamics.inertias), |_| 1.0));
    let mut values = vec![1.0; system.num_coordinates()];
    time("half and back solve", &mut || {
        values.fill(1.0);
        factor.half_solve(system, 0, &mut values);
        factor.back_solve(system, 0, &mut values);
    });
    let (solver, drives, parameters) = (&mut world.solver, &world.drives, &world.parameters);
    let mut state = world.state.clone();
    time("begin", &mut || {
        state.root_poses.clone_from(&world.state.root_poses);
        state.displacements.clone_from(&world.state.displacements);
        solver.begin(system, &mut state, drives, parameters);
    });
    let contacts = world.contacts.clone();
    let input = StepInput { drives, contacts: &contacts, wrenches: &[] };
    time("finish", &mut || {
        let mut state = state.clone();
        solver.finish(system, &mut state, &input, parameters);
    });
    let mut readings = Readings::default();
    time("readings", &mut || readings.read(solver, system, &state, &contacts));
}

#[test]
#[ignore = "measures time"]
fn what_a_hundred_boxes_cost() {
    let mut system = System::new();
    let size = [0.2, 0.2, 0.2];
    for _ in 0..100 {
        system.add_tree(&[free_part(block(1.0, size))]).unwrap();
    }
    let mut world = World::new(system);
    for index in 0..100 {
        world.state.root_poses[index].translation.vector = Vector3::new(index as f64, 0.0, 0.1);
    }
    let floor = |solver: &Solver, contacts: &mut Vec<Contact>| {
        for part in 0..100 {
            let pose = solver.pose(PartIndex(part));
            for corner in 0..4 {
                let sign = |axis: usize| if corner >> axis & 1 == 0 { -0.1 } else { 0.1 };
                let point = (pose * Point3::new(sign(0), sign(1), -0.1)).coords;
                contacts.push(Contact {
                    id: (part * 4 + corner) as u64,
                    parts: [Some(PartIndex(part)), None],
                    point,
                    normal: Vector3::z(),
                    gap: point.z,
                    static_friction: 0.5,
                    dynamic_friction: 0.5,
                    restitution: 0.0,
                    surface_velocity: Vector3::zeros(),
                    share: 1.0,
                });
            }
        }
    };
    for _ in 0..200 {
        world.step_with(floor);
    }
    let mut best = f64::INFINITY;
    for _ in 0..100 {
        let start = Instant::now();
        (0..10).for_each(|_| world.step_with(floor));
        best = best.min(start.elapsed().as_secs_f64() / 10.0);
    }
    println!("100 boxes at rest: {:.1} µs a step, {} sweeps", best * 1e6, world.outcome.iterations);
}

#[test]
#[ignore = "measures time"]
fn how_the_cost_of_a_chain_grows() {
    for count in [10, 30, 60, 250, 1000, 2000] {
        let link = block(1.0, [0.1, 0.1, 0.4]);
        let mut parts = vec![fixed_part()];
        for index in 0..count {
            let axis = if index % 2 == 0 { Vector3::x() } else { Vector3::y() };
            parts.push(hinged_part(index, Vector3::new(0.0, 0.0, -0.4), axis, link));
        }
        let mut system = System::new();
        system.add_tree(&parts).unwrap();
        let mut world = World::new(system);
        world.state.displacements[0] = 0.5;
        for drive in &mut world.drives {
            *drive = Drive::servo(0.0, 100.0, 5.0);
        }
        let mut best = f64::INFINITY;
        for _ in 0..50 {
            let start = Instant::now();
            (0..100).for_each(|_| world.step());
            best = best.min(start.elapsed().as_secs_f64() / 100.0);
        }
        println!("chain of {count}: {:.1} µs a step", best * 1e6);
    }
}
