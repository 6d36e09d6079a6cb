//! Mechanisms with closed loops, one solve a step, in any orientation.

use bunraku_body::ExtraJointKind;
use nalgebra::{Translation3, Unit, UnitQuaternion};

use super::*;

/// A bar along X from its hinge.
fn bar(length: f64) -> MassProperties {
    MassProperties {
        mass: length,
        center_of_mass: Point3::new(0.5 * length, 0.0, 0.0),
        inertia: Matrix3::from_diagonal(&Vector3::new(1e-4, length.powi(3) / 12.0, length.powi(3) / 12.0)),
    }
}

/// A bar on a hinge about Z.
fn hinged_bar(parent: usize, x: f64, length: f64) -> Part {
    hinged_part(parent, Vector3::new(x, 0.0, 0.0), Vector3::z(), bar(length))
}

fn at(part: Option<usize>, x: f64) -> Anchor {
    Anchor { part: part.map(PartIndex), frame: Isometry3::translation(x, 0.0, 0.0) }
}

fn hinge() -> ExtraJointKind {
    ExtraJointKind::Hinge { axis: Vector3::z_axis() }
}

/// A mechanism: its crank is coordinate 0.
struct Mechanism {
    system: System,
    displacements: Vec<f64>,
    roots: Vec<Isometry3<f64>>,
}

/// Where a bar from `start` and one from `end` meet: the angles of both.
fn triangle(start: [f64; 2], end: [f64; 2], first: f64, second: f64) -> [f64; 2] {
    let [x, y] = [end[0] - start[0], end[1] - start[1]];
    let distance = x.hypot(y);
    let along = y.atan2(x);
    let bend = ((first * first + distance * distance - second * second) / (2.0 * first * distance)).acos();
    let angle = along + bend;
    let tip = [start[0] + first * angle.cos(), start[1] + first * angle.sin()];
    [angle, (tip[1] - end[1]).atan2(tip[0] - end[0])]
}

fn four_bar(crank: f64) -> Mechanism {
    let [a, b, c, d] = [0.15, 0.4, 0.35, 0.4];
    let mut system = System::new();
    system.add_tree(&[fixed_part(), hinged_bar(0, 0.0, a), hinged_bar(1, a, b), hinged_bar(0, d, c)]).unwrap();
    system.add_closure(Closure { kind: hinge(), sides: [at(Some(3), c), at(Some(2), b)] });
    let [coupler, rocker] = triangle([a * crank.cos(), a * crank.sin()], [d, 0.0], b, c);
    Mechanism { system, displacements: vec![crank, coupler - crank, rocker], roots: vec![Isometry3::identity()] }
}

fn parallelogram(crank: f64) -> Mechanism {
    let [a, d] = [0.2, 0.4];
    let mut system = System::new();
    let cranks = [hinged_bar(0, d, a), hinged_bar(0, 2.0 * d, a)];
    let [second, third] = cranks;
    system.add_tree(&[fixed_part(), hinged_bar(0, 0.0, a), hinged_bar(1, a, 2.0 * d), second, third]).unwrap();
    system.add_closure(Closure { kind: hinge(), sides: [at(Some(3), a), at(Some(2), d)] });
    system.add_closure(Closure { kind: hinge(), sides: [at(Some(4), a), at(Some(2), 2.0 * d)] });
    Mechanism { system, displacements: vec![crank, -crank, crank, crank], roots: vec![Isometry3::identity()] }
}

fn slider_crank(crank: f64) -> Mechanism {
    let [a, b] = [0.1, 0.3];
    let mut system = System::new();
    let slider = hinged_part(2, Vector3::new(b, 0.0, 0.0), Vector3::z(), block(0.3, [0.05; 3]));
    system.add_tree(&[fixed_part(), hinged_bar(0, 0.0, a), hinged_bar(1, a, b), slider]).unwrap();
    let piston = ExtraJointKind::Piston { axis: Vector3::x_axis() };
    system.add_closure(Closure { kind: piston, sides: [at(Some(0), 0.1), at(Some(3), 0.0)] });
    let rod = -(a * crank.sin() / b).asin();
    Mechanism { system, displacements: vec![crank, rod - crank, -rod], roots: vec![Isometry3::identity()] }
}

/// A crank and a rocker about different axes, and between them a bar on two balls that is a tree of its own.
fn spatial(crank: f64) -> Mechanism {
    let [a, c] = [0.1, 0.3];
    let mut system = System::new();
    let tilted = Unit::new_normalize(Vector3::new(1.0, 0.2, 0.1));
    let mut rocker = hinged_part(0, Vector3::new(0.1, 0.6, -0.2), tilted.into_inner(), bar(c));
    // Its bar stands up.
    rocker.offset.rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -1.4);
    rocker.motion = JointMotion::Revolute(rocker.offset.rotation.inverse() * tilted.into_inner());
    system.add_tree(&[fixed_part(), hinged_bar(0, 0.0, a), rocker.clone()]).unwrap();
    let tip = Vector3::new(a * crank.cos(), a * crank.sin(), 0.0);
    let end = (rocker.offset * Point3::new(c, 0.0, 0.0)).coords;
    let length = (end - tip).norm();
    system.add_tree(&[free_part(bar(length))]).unwrap();
    for (part, x, on_bar) in [(1, a, 0.0), (2, c, length)] {
        system.add_closure(Closure { kind: ExtraJointKind::Ball, sides: [at(Some(part), x), at(Some(3), on_bar)] });
    }
    let turned = UnitQuaternion::rotation_between(&Vector3::x(), &(end - tip)).unwrap();
    let bar = Isometry3::from_parts(tip.into(), turned);
    Mechanism { system, displacements: vec![crank, 0.0], roots: vec![Isometry3::identity(), bar] }
}

/// A mechanism for an angle of its crank.
type Make = fn(f64) -> Mechanism;

impl Mechanism {
    /// Somewhere up to 30 m from the world's origin.
    fn world(self, seed: f64) -> World {
        let numbers = some_numbers(6, seed);
        let pose = Isometry3::from_parts(
            Translation3::new(17.0 * numbers[0], 17.0 * numbers[1], 17.0 * numbers[2]),
            UnitQuaternion::from_scaled_axis(3.0 * Vector3::new(numbers[3], numbers[4], numbers[5])),
        );
        let mut world = World::new(self.system);
        world.state.displacements[..self.displacements.len()].copy_from_slice(&self.displacements);
        for (number, root) in self.roots.iter().enumerate() {
            world.state.root_poses[number] = pose * root;
        }
        world
    }
}

/// The worst gap of all closures, m or rad.
fn gap(world: &World) -> f64 {
    let mut worst = 0.0_f64;
    for closure in &world.system.closures {
        let [first, second] =
            closure.sides.map(|side| side.part.map_or(Isometry3::identity(), |part| world.pose(part)) * side.frame);
        let way = second.translation.vector - first.translation.vector;
        let (along, bend) = match closure.kind {
            ExtraJointKind::Piston { axis } => {
                let [own, other] = [first.rotation * axis, second.rotation * axis];
                ((way - own.into_inner() * own.dot(&way)).norm(), own.cross(&other).norm())
            }
            ExtraJointKind::Hinge { axis } => {
                (way.norm(), (first.rotation * axis).cross(&(second.rotation * axis)).norm())
            }
            _ => (way.norm(), 0.0),
        };
        worst = worst.max(along).max(bend);
    }
    worst
}

/// Drives the crank at a turn a second for some turns. Gives the worst gap, the worst effort and by how much the work of the
/// crank is off the energy that it has made.
fn drive_crank(mut world: World, turns: f64) -> ([f64; 3], World) {
    let rate = std::f64::consts::TAU;
    // It begins as if it had always turned.
    for drive in &mut world.drives[..1] {
        *drive = Drive::given(rate);
    }
    let (mut worst, mut most, mut work, mut off) = (0.0_f64, 0.0_f64, 0.0, 0.0_f64);
    let mut start = None;
    for step in 0..(turns / world.parameters.time_step) as usize {
        world.step();
        if step < 10 {
            // The others have to start moving.
            continue;
        }
        worst = worst.max(gap(&world));
        let now = energy(&mut world);
        if start.is_none() {
            start = Some(now);
            continue;
        }
        let effort = world.read().motors[0];
        work += effort * rate * world.parameters.time_step;
        most = most.max(effort.abs());
        off = off.max((now - start.unwrap() - work).abs());
    }
    ([worst, most, off], world)
}

#[test]
fn driven_mechanisms_stay_closed_and_take_the_work_they_need() {
    let mechanisms: [(&str, Make); 4] = [
        ("four-bar", four_bar),
        ("parallelogram", parallelogram),
        ("slider-crank", slider_crank),
        ("spatial", spatial),
    ];
    for (name, make) in mechanisms {
        let (mut gaps, mut efforts, mut offs) = (0.0_f64, 0.0_f64, 0.0_f64);
        for seed in 0..20 {
            let ([gap, effort, off], world) = drive_crank(make(0.7).world(f64::from(seed)), 2.0);
            gaps = gaps.max(gap);
            efforts = efforts.max(effort);
            offs = offs.max(off);
            assert!(world.state.velocities.iter().all(|speed| speed.abs() < 100.0), "{name} {seed}");
            if name == "parallelogram" {
                let [crank, _, second, third] = world.state.displacements[..4] else { panic!() };
                assert!((crank - second).abs() < 1e-4 && (crank - third).abs() < 1e-4, "{crank} {second} {third}");
            }
        }
        println!("{name}: gaps {gaps:.1e}, efforts {efforts:.2} N·m at most, work off by {offs:.1e} J");
        assert!(gaps < 1e-5, "{name}");
        assert!(offs < 5e-3 * efforts, "{name}");
    }
}

#[test]
fn a_mechanism_that_swings_keeps_its_energy() {
    let mechanisms: [(&str, Make); 3] = [("four-bar", four_bar), ("slider-crank", slider_crank), ("spatial", spatial)];
    for (name, make) in mechanisms {
        for seed in [3.0, 7.0] {
            let mut world = make(0.7).world(seed);
            let start = energy(&mut world);
            let (mut worst, mut gaps, mut kinetic) = (0.0_f64, 0.0_f64, 0.0_f64);
            for _ in 0..5000 {
                world.step();
                worst = worst.max((energy(&mut world) - start).abs());
                gaps = gaps.max(gap(&world));
                let gravity = std::mem::take(&mut world.parameters.gravity);
                kinetic = kinetic.max(energy(&mut world));
                world.parameters.gravity = gravity;
            }
            println!("{name}: {:.1e} of {kinetic:.2} J in 5 s, gaps {gaps:.1e}", worst / kinetic);
            assert!(worst < 5e-3 * kinetic && gaps < 1e-5);
        }
    }
}

#[test]
fn a_load_on_a_loop_is_shared_as_statics_say() {
    // A beam on a hinge and, at its end, on a line of the world: each carries half of it.
    let mut system = System::new();
    system.add_tree(&[fixed_part(), hinged_part(0, Vector3::zeros(), Vector3::y(), bar(1.0))]).unwrap();
    let kind = ExtraJointKind::PointOnPlane { axis: Vector3::z_axis() };
    let sides = [Anchor { part: None, frame: Isometry3::translation(1.0, 0.0, 0.0) }, at(Some(1), 1.0)];
    system.add_closure(Closure { kind, sides });
    let mut world = World::new(system);
    world.run(0.1);
    let held = world.read().closures[0].force.z;
    let reaction = world.readings.reactions[1].force.z;
    println!("{held} N and {reaction} N");
    assert!((held - 0.5 * 9.80665).abs() < 1e-6 && (reaction - 0.5 * 9.80665).abs() < 1e-6);
}

#[test]
fn all_kinds_of_closures_hold_a_free_part_to_the_world() {
    let axis = Unit::new_normalize(Vector3::new(0.2, 0.3, 1.0));
    let kinds = [
        (ExtraJointKind::Fixed, 6),
        (ExtraJointKind::Ball, 3),
        (ExtraJointKind::Hinge { axis }, 5),
        (ExtraJointKind::Piston { axis }, 4),
        (ExtraJointKind::PointOnLine { axis }, 2),
        (ExtraJointKind::PointOnPlane { axis }, 1),
    ];
    for (kind, rows) in kinds {
        let mut system = System::new();
        let tree = system.add_tree(&[free_part(block(1.0, [0.2, 0.3, 0.4]))]).unwrap();
        let frame = Isometry3::translation(0.1, 0.05, 0.2);
        let part = system.root(tree);
        system.add_closure(Closure { kind, sides: [Anchor { part: None, frame }, Anchor { part: Some(part), frame }] });
        let mut world = World::new(system);
        let twist = Twist { linear: Vector3::zeros(), angular: Vector3::new(0.5, 1.0, -0.7) };
        world.state.set_root_twist(&world.system, tree, &twist);
        world.step();
        let start = energy(&mut world);
        let (mut off, mut worst) = (0.0_f64, 0.0_f64);
        for _ in 0..1000 {
            world.step();
            worst = worst.max((energy(&mut world) - start).abs());
            let held = world.pose(part) * frame;
            let way = held.translation.vector - frame.translation.vector;
            let [own, other] = [axis.into_inner(), held.rotation * axis.into_inner()];
            let bend = own.cross(&other).norm();
            off = off.max(match kind {
                ExtraJointKind::Fixed => way.norm() + held.rotation.angle(),
                ExtraJointKind::Ball => way.norm(),
                ExtraJointKind::Hinge { .. } => way.norm() + bend,
                ExtraJointKind::Piston { .. } => (way - own * own.dot(&way)).norm() + bend,
                ExtraJointKind::PointOnLine { .. } => (way - own * own.dot(&way)).norm(),
                ExtraJointKind::PointOnPlane { .. } => own.dot(&way).abs(),
            });
        }
        println!("{}: {rows} rows, off by {off:.1e}, energy by {worst:.1e} J", kind.as_str());
        assert!(off < 1e-5 && worst < 1e-2);
    }
}

#[test]
fn a_mechanism_that_begins_open_closes_without_a_jump() {
    let mut world = four_bar(0.7).world(1.0);
    world.state.displacements[2] += 0.05;
    world.parameters.gravity = Vector3::zeros();
    let mut fastest = 0.0_f64;
    for _ in 0..500 {
        world.step();
        fastest = fastest.max(energy(&mut world));
    }
    println!("gap {:.1e}, energy {fastest:.1e} J", gap(&world));
    assert!(gap(&world) < 1e-6 && fastest < 1e-6);
}
