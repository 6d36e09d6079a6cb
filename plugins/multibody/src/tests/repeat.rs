//! The state is all that counts for what comes.

use super::*;

/// Some robots of two legs and a loop on a floor, motors at their limits, and as many rolling boxes; none like another.
fn scene(count: usize) -> (World, Vec<PartIndex>) {
    let link = block(1.0, [0.1, 0.1, 0.3]);
    let mut system = System::new();
    let mut parts = vec![free_part(block(5.0, [0.3, 0.3, 0.2]))];
    for (index, y) in [(0, 0.1), (0, -0.1)] {
        let mut hip = hinged_part(index, Vector3::new(0.0, y, -0.2), Vector3::y(), link);
        hip.coordinate.friction = 0.2;
        hip.coordinate.range = bunraku_body::Range::symmetric(0.5);
        parts.push(hip);
    }
    let mut found = Vec::new();
    let mut trees = Vec::new();
    for _ in 0..count {
        let walking = system.add_tree(&parts).unwrap();
        let legs = [1, 2].map(|leg| PartIndex(system.root(walking).0 + leg));
        let frame = Isometry3::translation(0.0, 0.0, -0.1);
        let anchors = legs.map(|part| Anchor { part: Some(part), frame });
        let kind = bunraku_body::ExtraJointKind::PointOnPlane { axis: Vector3::x_axis() };
        system.add_closure(Closure { kind, sides: anchors });
        let tumbling = system.add_tree(&[free_part(block(1.0, [0.2, 0.3, 0.1]))]).unwrap();
        found.extend(legs);
        found.push(system.root(tumbling));
        trees.push([walking, tumbling]);
    }
    let mut world = World::new(system);
    for (index, [walking, tumbling]) in trees.into_iter().enumerate() {
        let more = 0.01 * index as f64;
        world.state.root_poses[walking.0].translation.z = 0.4 + more;
        world.state.root_poses[tumbling.0].translation.vector = Vector3::new(1.0, 0.0, 0.6 + more);
        let twist = Twist { linear: Vector3::new(0.5, 0.2, 0.0), angular: Vector3::new(8.0, 3.0, 15.0 + more) };
        world.state.set_root_twist(&world.system, tumbling, &twist);
        let first = world.system.trees[walking.0].joints().start;
        for drive in &mut world.drives[first..first + 2] {
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
fn the_number_of_threads_changes_no_bit() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut world, parts) = scene(50);
            let mut used = 0;
            for _ in 0..400 {
                step(&mut world, &parts);
                used = used.max(1 + world.solver.helpers.len());
            }
            world.read();
            (
                used,
                world.outcome,
                world.state,
                world.readings,
                parts.iter().map(|part| world.solver.end_pose(*part)).collect::<Vec<_>>(),
            )
        })
    };
    let (one, three) = (run(1), run(3));
    assert_eq!((one.0, three.0), (1, 3));
    assert_eq!(one.1, three.1);
    assert!(one.2 == three.2 && one.4 == three.4);
    assert_eq!(format!("{:?}", one.3), format!("{:?}", three.3));
}
