//! The state is all that counts for what comes.

use super::*;

/// So many robots of two legs and a loop on a floor, each with motors at their limits and a rolling box beside it, and their parts that touch
/// the floor.
fn scene(count: usize) -> (World, Vec<PartIndex>) {
    let link = block(1.0, [0.1, 0.1, 0.3]);
    let mut system = System::new();
    let mut found = Vec::new();
    let mut trees = Vec::new();
    for _ in 0..count {
        let mut parts = vec![free_part(block(5.0, [0.3, 0.3, 0.2]))];
        for (index, y) in [(0, 0.1), (0, -0.1)] {
            let mut hip = hinged_part(index, Vector3::new(0.0, y, -0.2), Vector3::y(), link);
            hip.coordinate.friction = 0.2;
            hip.coordinate.range = bunraku_body::Range::symmetric(0.5);
            parts.push(hip);
        }
        let tree = system.add_tree(&parts).unwrap();
        let legs = [1, 2].map(|leg| PartIndex(system.root(tree).0 + leg));
        let frame = Isometry3::translation(0.0, 0.0, -0.1);
        let anchors = legs.map(|part| Anchor { part: Some(part), frame });
        let kind = bunraku_body::ExtraJointKind::PointOnPlane { axis: Vector3::x_axis() };
        system.add_closure(Closure { kind, sides: anchors });
        let tumbling = system.add_tree(&[free_part(block(1.0, [0.2, 0.3, 0.1]))]).unwrap();
        found.extend(legs);
        found.push(system.root(tumbling));
        trees.push((tree, tumbling));
    }
    let mut world = World::new(system);
    for (index, (tree, tumbling)) in trees.into_iter().enumerate() {
        let beside = Vector3::y() * 5.0 * index as f64;
        world.state.root_poses[tree.0].translation.vector = beside + Vector3::z() * 0.4;
        world.state.root_poses[tumbling.0].translation.vector = beside + Vector3::new(1.0, 0.0, 0.6);
        let twist = Twist { linear: Vector3::new(0.5, 0.2, 0.0), angular: Vector3::new(8.0, 3.0, 15.0 + index as f64) };
        world.state.set_root_twist(&world.system, tumbling, &twist);
        for drive in &mut world.drives[14 * index + 6..14 * index + 8] {
            *drive = Drive { bounds: bunraku_body::Range::symmetric(5.0), ..Drive::servo(0.1, 500.0, 10.0) };
        }
    }
    (world, found)
}

fn step(world: &mut World, parts: &[PartIndex]) {
    world.step_with(|solver, contacts| {
        for part in parts {
            let pose = solver.pose(*part);
            for corner in 0..8 {
                let sign = |axis: usize| if corner >> axis & 1 == 0 { -0.5 } else { 0.5 };
                let point = (pose * Point3::new(0.1 * sign(0), 0.1 * sign(1), 0.3 * sign(2))).coords;
                if point.z < 0.01 {
                    contacts.push(Contact {
                        id: (part.0 * 8 + corner) as u64,
                        parts: [Some(*part), None],
                        point,
                        normal: Vector3::z(),
                        gap: point.z,
                        static_friction: 0.6,
                        dynamic_friction: 0.5,
                        restitution: 0.3,
                        surface_velocity: Vector3::zeros(),
                        share: 1.0,
                    });
                }
            }
        }
    });
}

#[test]
fn going_on_from_a_state_is_going_on() {
    let (mut world, parts) = scene(1);
    let mut touched = 0;
    for _ in 0..700 {
        step(&mut world, &parts);
        touched += world.contacts.len();
    }
    let (mut other, _) = scene(1);
    other.state = world.state.clone();
    for _ in 0..700 {
        step(&mut world, &parts);
        step(&mut other, &parts);
        assert!(world.state == other.state);
        touched += world.contacts.len();
    }
    println!("{touched} contacts, ends at {:?}", world.state.root_poses);
    assert!(touched > 1000 && world.state.velocities.iter().all(|speed| speed.is_finite()));
}

#[test]
fn a_step_has_the_same_bits_on_any_number_of_threads() {
    let run = |threads| {
        let (mut world, parts) = scene(160);
        world.parameters.threads = threads;
        world.parameters.work_per_thread = 400;
        let mut readings = Readings::default();
        let (mut outcomes, mut touched) = (Vec::new(), 0);
        for _ in 0..300 {
            step(&mut world, &parts);
            outcomes.push(world.outcome);
            touched += world.contacts.len();
            readings.read(&mut world.solver, &world.system, &world.state, &world.contacts);
        }
        let poses: Vec<_> = (0..world.system.num_parts()).map(|part| world.solver.end_pose(PartIndex(part))).collect();
        let lanes = world.solver.num_lanes();
        (lanes, (world.state, readings, outcomes, poses, touched))
    };
    let (lanes, alone) = run(1);
    assert!(lanes == 1 && alone.4 > 100_000);
    for threads in [2, 3] {
        let (lanes, found) = run(threads);
        assert_eq!(lanes, threads);
        assert!(found == alone, "{threads} threads");
    }
}

/// Prints a hash of every bit of a state, which `tests/system/golden_builds.py --solver` compares between builds.
#[test]
fn bits_of_a_state() {
    let hash = || {
        let (mut world, parts) = scene(8);
        for _ in 0..700 {
            step(&mut world, &parts);
        }
        // Numbers are printed so that they read back to the same bits. FNV-1a.
        let text = format!("{:?}", world.state);
        text.bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    };
    let found = hash();
    println!("bits of a state: {found:016x}");
    assert_eq!(found, hash());
}
