//! Rapier 0.35 takes the fixed root of a multibody for the world when a loop is closed onto it, and divides by rows that the
//! mechanism satisfies by construction.
//!
//! When this fails, the stand-in in `joints/loops` is not needed any more.

use bevy_rapier3d::prelude::JointAxesMask;
use bevy_rapier3d::rapier::prelude::*;

/// A four-bar (crank 0.1 m, coupler 0.4 m, rocker 0.3 m, frame 0.4 m), closed by a hinge onto its root or a link welded
/// to it. Gives how fast its fastest link gets within `steps`, m/s.
fn fastest(turn: Rotation, welded: bool, steps: usize) -> f32 {
    let (mut bodies, mut multibodies, mut impulses) =
        (RigidBodySet::new(), MultibodyJointSet::new(), ImpulseJointSet::new());
    let root = bodies.insert(RigidBodyBuilder::fixed().pose(Pose::from_parts(Vector::new(9.0, -5.0, 3.0), turn)));
    // Elbow angles that close a loop of these lengths with the crank at 1 rad.
    let (crank, lengths) = (1.0_f32, [0.1_f32, 0.4, 0.3]);
    let elbow = Vector::new(0.1 * crank.cos(), 0.1 * crank.sin(), 0.0);
    let to_end = Vector::new(0.4, 0.0, 0.0) - elbow;
    let span = to_end.length();
    let lean = ((0.4 * 0.4 + span * span - 0.3 * 0.3) / (2.0 * 0.4 * span)).acos();
    let inner = ((0.4 * 0.4 + 0.3 * 0.3 - span * span) / (2.0 * 0.4 * 0.3)).acos();
    let coupler = to_end.y.atan2(to_end.x) + lean;
    let angles = [crank, coupler - crank, inner - std::f32::consts::PI];
    let hinge = |x: f32| {
        let mut joint = GenericJoint::new(JointAxesMask::LOCKED_REVOLUTE_AXES);
        joint.set_local_axis1(Vector::Z).set_local_axis2(Vector::Z);
        joint.set_local_anchor1(Vector::new(x, 0.0, 0.0)).set_local_anchor2(Vector::ZERO);
        joint
    };
    let mut last = root;
    let mut at = 0.0;
    for length in lengths {
        let mass = MassProperties::new(Vector::new(length / 2.0, 0.0, 0.0), length, Vector::splat(1e-3));
        let link = bodies.insert(RigidBodyBuilder::dynamic().additional_mass_properties(mass));
        multibodies.insert(last, link, hinge(at), true);
        (last, at) = (link, length);
    }
    let end = if welded {
        let pose = *bodies[root].position();
        let stand_in = bodies.insert(RigidBodyBuilder::dynamic().pose(pose).additional_mass(1.0));
        multibodies.insert(root, stand_in, GenericJoint::new(JointAxesMask::LOCKED_FIXED_AXES), true);
        stand_in
    } else {
        root
    };
    let system = multibodies.rigid_body_link(last).unwrap().multibody;
    let multibody = multibodies.get_multibody_mut(system).unwrap();
    multibody.forward_kinematics(&bodies, true);
    multibody.apply_displacements(&angles);
    multibody.forward_kinematics(&bodies, false);
    multibody.update_rigid_bodies(&mut bodies, true);
    let mut closure = hinge(0.4);
    closure.set_local_anchor2(Vector::new(0.3, 0.0, 0.0));
    impulses.insert(end, last, closure, true);

    let mut pipeline = PhysicsPipeline::new();
    let (mut islands, mut broad, mut narrow) = (IslandManager::new(), DefaultBroadPhase::new(), NarrowPhase::new());
    let (mut colliders, mut ccd) = (ColliderSet::new(), CCDSolver::new());
    let parameters = IntegrationParameters { dt: 1e-3, ..IntegrationParameters::default() };
    let mut fastest = 0.0_f32;
    for _ in 0..steps {
        pipeline.step(
            Vector::new(0.0, 0.0, -9.8),
            &parameters,
            &mut islands,
            &mut broad,
            &mut narrow,
            &mut bodies,
            &mut colliders,
            &mut impulses,
            &mut multibodies,
            &mut ccd,
            &(),
            &(),
        );
        for (_, body) in bodies.iter() {
            let speed = body.linvel().length();
            fastest = if speed.is_finite() { fastest.max(speed) } else { f32::INFINITY };
        }
    }
    fastest
}

#[test]
fn loop_onto_fixed_root_explodes() {
    let turns = [(0.3, 0.5, 0.7), (1.1, -0.4, 2.0), (-0.9, 1.2, 0.1), (2.5, 0.3, -1.3)];
    for (x, y, z) in turns {
        let turn = Rotation::from_scaled_axis(Vector::new(x, y, z));
        let (raw, welded) = (fastest(turn, false, 100), fastest(turn, true, 100));
        println!(
            "turned by ({x}, {y}, {z}): fastest link {raw:.1e} m/s onto the root, {welded:.2} m/s onto a welded link"
        );
        assert!(raw > 100.0, "rapier is mended: closed onto the fixed root, the fastest link reaches {raw} m/s");
        assert!(welded < 2.0, "closed onto a welded link, the fastest link reaches {welded} m/s");
    }
}
