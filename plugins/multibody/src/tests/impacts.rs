//! Impacts with restitution that pass through joints.

use super::contacts::{Surface, contact};
use super::*;

/// A thin rod of 1 kg and 1 m along X, from its end.
fn rod() -> MassProperties {
    MassProperties {
        mass: 1.0,
        center_of_mass: Point3::new(0.5, 0.0, 0.0),
        inertia: Matrix3::from_diagonal(&Vector3::new(1e-3, 1.0 / 12.0, 1.0 / 12.0)),
    }
}

#[test]
fn a_row_of_hanging_balls_passes_an_impact_on() {
    // Newton's cradle: five balls on rods of 1 m, almost touching; the first one falls.
    let (radius, count) = (0.05, 5);
    let ball = MassProperties {
        mass: 1.0,
        center_of_mass: Point3::new(0.0, 0.0, -1.0),
        inertia: Matrix3::from_diagonal_element(0.4 * radius * radius),
    };
    let mut system = System::new();
    let mut parts = vec![fixed_part()];
    for index in 0..count {
        parts.push(hinged_part(0, Vector3::new(index as f64 * 0.1001, 0.0, 0.0), Vector3::y(), ball));
    }
    system.add_tree(&parts).unwrap();
    let mut world = World::new(system);
    world.state.displacements[0] = 0.3;
    let start = energy(&mut world);
    let surface = Surface { friction: 0.0, restitution: 1.0 };
    let mut swings = [0.0_f64; 5];
    for _ in 0..1000 {
        world.step_with(|solver, contacts| {
            let centers: Vec<Vector3<f64>> =
                (1..=count).map(|part| (solver.pose(PartIndex(part)) * Point3::new(0.0, 0.0, -1.0)).coords).collect();
            for (index, pair) in centers.windows(2).enumerate() {
                let way = pair[0] - pair[1];
                let (gap, normal) = (way.norm() - 2.0 * radius, way.normalize());
                if gap < 0.02 {
                    let parts = [index + 1, index + 2].map(|part| Some(PartIndex(part)));
                    let point = pair[1] + normal * (radius + 0.5 * gap);
                    contacts.push(contact(index as u64, parts, point, normal, gap, surface));
                }
            }
        });
        for (swing, displacement) in swings.iter_mut().zip(&world.state.displacements) {
            *swing = swing.min(*displacement);
        }
    }
    let energy = energy(&mut world) / start;
    println!("swings {swings:.4?} of -0.3 rad, energy {energy}");
    assert!((swings[4] + 0.3).abs() < 0.02 && swings[..4].iter().all(|swing| *swing > -0.02));
}

#[test]
fn a_bounce_passes_through_joints() {
    // A rod on a hinge, struck at its end, against the formula of an elastic impact.
    let mut system = System::new();
    let arm = system.add_tree(&[fixed_part(), hinged_part(0, Vector3::zeros(), Vector3::y(), rod())]).unwrap();
    let ball =
        MassProperties { mass: 0.5, center_of_mass: Point3::origin(), inertia: Matrix3::from_diagonal_element(1e-3) };
    let tree = system.add_tree(&[free_part(ball)]).unwrap();
    let (link, ball) = (PartIndex(system.root(arm).0 + 1), system.root(tree));
    let mut world = World::new(system);
    world.parameters.gravity = Vector3::zeros();
    world.state.root_poses[tree.0].translation.vector = Vector3::new(1.0, 0.0, 0.25);
    let falling = Twist { linear: Vector3::new(0.0, 0.0, -2.0), angular: Vector3::zeros() };
    world.state.set_root_twist(&world.system, tree, &falling);
    let surface = Surface { friction: 0.0, restitution: 1.0 };
    for _ in 0..110 {
        world.step_with(|solver, contacts| {
            let (rod, center) = (solver.pose(link), solver.pose(ball).translation.vector);
            let normal = rod.rotation * Vector3::z();
            let gap = normal.dot(&center) - 0.05;
            contacts.push(contact(1, [Some(ball), Some(link)], center - normal * 0.05, normal, gap, surface));
        });
    }
    // The rod is a mass of a third at its end.
    let (m, other) = (0.5, 1.0 / 3.0);
    let expected = -2.0 * (m - other) / (m + other);
    let after = world.state.root_twist(&world.system, tree).linear.z;
    let arm = -world.state.velocities[0];
    println!("ball {after:.4} of {expected:.4} m/s, end of the rod {arm:.4}");
    assert!((after - expected).abs() < 1e-2);
    assert!((0.5 * after.powi(2) * m + 0.5 * other * arm.powi(2) - 0.5 * m * 4.0).abs() < 1e-2);
}

#[test]
fn a_lever_that_jams_on_the_floor_turns_back_by_its_restitution() {
    // A rod on a hinge, 60° below X, turns downwards until its tip is on the floor. If µ·sin 60° > cos 60° no push of the floor lifts it:
    // friction holds it down.
    let angle = 60_f64.to_radians();
    for friction in [0.7, 1.0] {
        for restitution in [0.3, 1.0] {
            let mut system = System::new();
            let arm = system.add_tree(&[fixed_part(), hinged_part(0, Vector3::zeros(), Vector3::y(), rod())]).unwrap();
            let link = PartIndex(system.root(arm).0 + 1);
            let mut world = World::new(system);
            world.parameters.gravity = Vector3::zeros();
            (world.state.displacements[0], world.state.velocities[0]) = (angle, 1.0);
            let mut most = 0.0_f64;
            for _ in 0..20 {
                world.step_with(|solver, contacts| {
                    let tip = (solver.pose(link) * Point3::new(1.0, 0.0, 0.0)).coords;
                    let gap = tip.z + angle.sin();
                    let parts = [Some(link), None];
                    contacts.push(contact(1, parts, tip, Vector3::z(), gap, Surface { friction, restitution }));
                });
                most = most.max(world.read().contact_forces[0].z * world.parameters.time_step);
                assert_eq!(world.outcome.unconverged, 0);
            }
            let after = world.state.velocities[0];
            println!("µ = {friction}, e = {restitution}: {after} rad/s, {most} N·s");
            assert!((after + restitution).abs() < 1e-5);
            // Without friction it would be this.
            let needed = (1.0 + restitution) / 3.0 / angle.cos();
            assert!(most > 0.0 && most < 1.01 * needed, "{most} N·s of {needed}");
        }
    }
}
