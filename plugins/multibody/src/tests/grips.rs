//! Grips by friction alone, by fingers that are much lighter than the load.

use super::contacts::{Surface, contact};
use super::*;

/// Fingers of so many kg that slide along Y and press a block of 5 kg between them; for some seconds, after it has settled.
/// Gives how far the block slips, m, and how many steps were not solved.
fn grip(finger: f64, push: f64, seconds: f64) -> (f64, usize) {
    let pad = [0.04, 0.01, 0.04];
    let sliding = |y: f64, axis: f64| Part {
        parent: Some(0),
        offset: Isometry3::translation(0.0, y, 0.0),
        motion: JointMotion::Prismatic(Vector3::y() * axis),
        ..free_part(block(finger, pad))
    };
    let mut system = System::new();
    let fingers = system.add_tree(&[fixed_part(), sliding(0.056, -1.0), sliding(-0.056, 1.0)]).unwrap();
    let held = system.add_tree(&[free_part(block(5.0, [0.1; 3]))]).unwrap();
    let root = system.root(fingers).0;
    let (fingers, held) = ([1, 2].map(|index| PartIndex(root + index)), system.root(held));
    let mut world = World::new(system);
    (world.drives[0], world.drives[1]) = (Drive::effort(push), Drive::effort(push));
    let surface = Surface { friction: 0.5, restitution: 0.0 };
    let step = |world: &mut World| {
        world.step_with(|solver, contacts| {
            let middle = solver.pose(held);
            for (side, finger) in fingers.into_iter().enumerate() {
                let pose = solver.pose(finger);
                let sign = if side == 0 { 1.0 } else { -1.0 };
                let normal = middle.rotation * Vector3::y() * sign;
                for corner in 0..4 {
                    let along = |bit: usize| if corner >> bit & 1 == 0 { -0.02 } else { 0.02 };
                    let point = (pose * Point3::new(along(0), -0.005 * sign, along(1))).coords;
                    let gap = normal.dot(&(point - middle.translation.vector)) - 0.05;
                    let id = (side * 4 + corner) as u64;
                    contacts.push(contact(id, [Some(finger), Some(held)], point, normal, gap, surface));
                }
            }
        });
    };
    for _ in 0..200 {
        step(&mut world);
    }
    let before = world.pose(held).translation.vector;
    let (mut unsolved, mut sweeps) = (0, 0);
    let steps = (seconds * 1000.0) as usize;
    for _ in 0..steps {
        step(&mut world);
        unsolved += usize::from(world.outcome.unconverged > 0);
        sweeps += world.outcome.iterations;
    }
    let slipped = (world.pose(held).translation.vector - before).norm();
    println!(
        "fingers of {finger} kg, {push} N: slips {:.4} mm in {seconds} s, {:.1} sweeps, {unsolved} steps not solved",
        slipped * 1e3,
        sweeps as f64 / steps as f64
    );
    (slipped, unsolved)
}

#[test]
fn light_fingers_hold_a_heavy_block() {
    for finger in [0.005, 0.05, 0.5, 5.0] {
        let (slipped, unsolved) = grip(finger, 60.0, 3.0);
        assert!(slipped < 1e-5 && unsolved == 0, "{slipped} m");
    }
}

/// A vehicle on two tracks and two slippery balls, all of one part: how far it is from where the tracks take it in 2 s, m.
fn strayed(balls_first: bool) -> f64 {
    let mut system = System::new();
    let tree = system.add_tree(&[free_part(block(10.0, [0.6, 0.6, 0.2]))]).unwrap();
    let part = system.root(tree);
    let mut world = World::new(system);
    world.state.root_poses[tree.0].translation.z = 0.05;
    for _ in 0..2000 {
        world.step_with(|solver, contacts| {
            let pose = solver.pose(part);
            let mut add = |x: f64, y: f64, friction: f64, speed: f64| {
                let point = (pose * Point3::new(x, y, -0.05)).coords;
                let surface = Surface { friction, restitution: 0.0 };
                let id = (1e6 + 1e4 * x + 1e3 * y) as u64;
                let velocity = pose.rotation * Vector3::new(-speed, 0.0, 0.0);
                let mut new = contact(id, [Some(part), None], point, Vector3::z(), point.z, surface);
                new.surface_velocity = velocity;
                contacts.push(new);
            };
            let balls = |add: &mut dyn FnMut(f64, f64, f64, f64)| {
                add(0.3, 0.0, 0.0, 0.0);
                add(-0.3, 0.0, 0.0, 0.0);
            };
            if balls_first {
                balls(&mut add);
            }
            for y in [0.3, -0.3] {
                for corner in 0..4 {
                    let along = |bit: usize| if corner >> bit & 1 == 0 { -0.005 } else { 0.005 };
                    add(along(0), y + along(1), 0.8, 0.5);
                }
            }
            if !balls_first {
                balls(&mut add);
            }
        });
    }
    let way = world.state.root_poses[tree.0].translation.x;
    // It gathers speed by friction.
    println!("balls first {balls_first}: goes {way:.4} m of 1 m");
    (way - 1.0).abs()
}

#[test]
fn contacts_of_the_same_parts_share_however_they_are_listed() {
    let strayed = [false, true].map(strayed);
    // With eight contacts of ten it takes 0.08 s.
    assert!(strayed.iter().all(|way| *way < 0.03), "{strayed:?}");
}
