//! Continuous tracks: rings of links that physics closes.

use std::sync::Arc;

use bevy::prelude::Entity;
use bunraku_body::{Actuation, Body, Drive, JointActuation, JointKind, JointTargets};
use bunraku_physics::{BodyCollision, loop_findings, track_closures};
use bunraku_test_support::share_model;
use nalgebra::{Isometry3, Vector3};

use crate::common::{G, World, body};

/// A sound solver keeps a ring closed within this, m.
const WIDEST_GAP: f64 = 1e-3;
/// Share of the way by which the sample's wheels slip at most. Starts that differ by nanometres slip by 12 to 16 %.
const SLIP: f64 = 0.2;

/// Gaps of the tracks, m.
fn gap(world: &World, body: &Body, entity: Entity) -> f64 {
    let poses = &world.state(entity).link_poses;
    let gaps = track_closures(body).into_iter().map(|closure| {
        let [first, second] = [0, 1].map(|end| poses[closure.links[end].0] * closure.frames[end]);
        (first.translation.vector - second.translation.vector).norm()
    });
    gaps.fold(0.0, f64::max)
}

/// Twelve shoes of 0.1 m and 0.5 kg round a circle, and a hub without contact.
fn ring() -> Arc<Body> {
    let angles = ["30"; 11].join(", ");
    body(&format!(
        "  - {{ name: HUB, joint_type: free, mass: 1, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ] }}\n  - {{ type: ContinuousTrack, name: SHOE, \
         parent: HUB, numJoints: 12, joint_offset: [ 0.1, 0, 0 ], joint_axis: Y, initialJointAngles: [ {angles} ], mass: 0.5, \
         center_of_mass: [ 0.05, 0, 0 ], inertia: [ 0.0005, 0, 0, 0.0006, 0, 0.0009 ], elements: [ {{ type: Shape, translation: [ 0.05, 0, \
         0 ], geometry: {{ type: Box, size: [ 0.08, 0.1, 0.02 ] }} }} ] }}\n"
    ))
}

#[test]
fn a_ring_stays_closed_while_it_falls_and_collapses() {
    let mut world = World::new(0.001, Vector3::new(0.0, 0.0, -G), 4);
    world.add_floor("default");
    let ring = ring();
    let pose = Isometry3::from_parts(
        Vector3::new(0.0, 0.0, 0.8).into(),
        nalgebra::UnitQuaternion::from_scaled_axis(Vector3::new(0.2, 0.0, 0.4)),
    );
    let start = ring.initial_displacements();
    let entity = world.add(&ring, pose, &start, Drive::Physics);
    let (mut widest, before) = (0.0_f64, gap(&world, &ring, entity));
    for _ in 0..1500 {
        world.run(1);
        widest = widest.max(gap(&world, &ring, entity));
    }
    let lowest = world.state(entity).link_poses[1..].iter().map(|pose| pose.translation.z).fold(f64::MAX, f64::min);
    println!("ring open by {before:.1e} m at the start, then up to {widest:.1e} m; lowest {lowest:.3} m");
    assert!(before < 1e-12 && widest < WIDEST_GAP, "{widest}");
    // It lies on the floor, on its shoes.
    assert!((-0.01..0.1).contains(&lowest), "{lowest}");
}

/// A ring that is open at the start is reported; redundant constraints of a flat ring are not.
#[test]
fn a_ring_that_is_open_is_told_of() {
    let ring = ring();
    let closed = ring.initial_displacements();
    assert_eq!(loop_findings(&ring, &closed), []);
    let mut open = closed;
    open[ring.find_joint("SHOE1").unwrap().0] += 0.1;
    let findings = loop_findings(&ring, &open);
    println!("{findings:?}");
    let [bunraku_physics::LoopFinding { extra_joint: 0, trouble: bunraku_physics::LoopTrouble::Open { gap, angle } }] =
        findings[..]
    else {
        panic!("{findings:?}")
    };
    // Eleven links turn about the second joint, which is 0.1 m from where they begin.
    assert!((gap - 2.0 * 0.1 * 0.05_f64.sin()).abs() < 1e-3, "{gap}");
    assert!(angle < 1e-12, "{angle}");
}

#[test]
fn the_sample_vehicle_drives_on_its_tracks() {
    let Some(vehicle) = share_model("model/misc/ContinuousTrackVehicle.body") else { return };
    let vehicle = Arc::new(vehicle);
    assert_eq!(track_closures(&vehicle).len(), 2);
    println!("findings: {:?}", loop_findings(&vehicle, &vehicle.initial_displacements()));
    let mut world = World::usual();
    world.add_floor("default");
    // The tracks begin 0.6 m below the root.
    let entity =
        world.add(&vehicle, Isometry3::translation(-2.0, 0.0, 0.62), &vehicle.initial_displacements(), Drive::Physics);
    world.insert(entity, BodyCollision { enabled: true, with_itself: true });
    let wheels: Vec<usize> = (0..8).collect();
    let mut actuation = vec![Actuation::default(); vehicle.num_joints()];
    for wheel in &wheels {
        actuation[*wheel] = Actuation::Velocity { damping: 2000.0 };
    }
    world.insert(entity, JointActuation(actuation));
    let before = gap(&world, &vehicle, entity);
    world.run(500);
    let settled = world.state(entity).link_poses[0].translation.vector;
    println!("starts open by {before:.1e} m; after half a second at {settled:?}");
    for wheel in &wheels {
        world.app.world_mut().get_mut::<JointTargets>(entity).unwrap().velocities[*wheel] = 2.0;
    }
    let mut widest = 0.0_f64;
    for _ in 0..2000 {
        world.run(1);
        widest = widest.max(gap(&world, &vehicle, entity));
    }
    let driven = world.state(entity).link_poses[0].translation.vector - settled;
    let turned = world.state(entity).displacements[0];
    println!("drove {driven:?} m while a wheel rolled {:.3} m; gap {widest:.1e} m", turned * 0.3);
    // Its wheels start 77 mm deep in the tracks.
    assert!(widest < WIDEST_GAP, "{widest}");
    // They stay jammed there, which no solve converges for, so that they slip in the tracks.
    let rolled = 0.3 * turned;
    assert!(rolled > 0.5 && (driven.x / rolled - 1.0).abs() < SLIP && driven.yz().norm() < 0.05, "{driven}");
    let inner = vehicle.links().iter().filter(|link| link.joint.kind == JointKind::Free).count();
    assert_eq!(inner, 3);
}
