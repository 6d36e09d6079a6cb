//! Inverse kinematics: random poses of three arms, limits, and unreachable poses.

use bunraku_body::dynamics::Configuration;
use bunraku_body::{Body, LinkIndex};
use bunraku_task::inverse_kinematics::{Chain, ChainError, Options, Solver};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::arms::{all, assets, body, options, poses, seed};

/// Required success rate for random reachable poses: a few are at the very end of ranges, where only one start in many
/// succeeds.
const SUCCESS: f64 = 0.99;

#[test]
fn random_reachable_poses_are_reached() {
    for (name, chain) in all() {
        let mut solver = Solver::new(chain.clone(), options());
        let poses = poses(&chain, 1000);
        let mut displacements = vec![0.0; chain.joints().len()];
        let mut reached = 0;
        for pose in &poses {
            seed(&chain, &mut displacements);
            if let Ok(solution) = solver.solve(pose, &mut displacements) {
                reached += 1;
                let found = chain.tool_pose(&displacements);
                assert!((found.translation.vector - pose.translation.vector).norm() < 1.1 * options().position);
                assert!(found.rotation.angle_to(&pose.rotation) < 1e-7, "{solution:?}");
                for (joint, value) in chain.joints().iter().zip(&displacements) {
                    assert!((joint.range.lower..=joint.range.upper).contains(value), "{name}: out of range");
                }
            }
        }
        eprintln!("{name}: {reached} of {}", poses.len());
        assert!(reached as f64 >= SUCCESS * poses.len() as f64, "{name}: {reached} of {}", poses.len());
    }
}

fn arm() -> (Body, Chain) {
    let body = body(&assets("models/arm.body"));
    let tool = body.find_link("TOOL").unwrap();
    let offset = Isometry3::new(Vector3::new(0.05, -0.02, 0.1), Vector3::new(0.1, 0.2, 0.3));
    let chain = Chain::new(&body, LinkIndex::ROOT, tool, &offset).unwrap();
    (body, chain)
}

/// The chain moves like the body, and small steps agree with the body's Jacobian.
#[test]
fn the_chain_is_that_of_the_body() {
    let (body, chain) = arm();
    let tool = body.find_link("TOOL").unwrap();
    let offset = Isometry3::new(Vector3::new(0.05, -0.02, 0.1), Vector3::new(0.1, 0.2, 0.3));
    let values = [0.3, -0.4, 0.9, 1.2, -0.7, 2.0];
    let mut displacements = vec![0.0; body.num_joints()];
    chain.scatter(&values, &mut displacements);
    assert_eq!(chain.gather(&displacements), values);
    let root = Isometry3::identity();
    let configuration = Configuration::new(&body, &root, &displacements);
    let expected = configuration.link_poses()[tool.0] * offset;
    let pose = chain.tool_pose(&values);
    assert!((pose.to_homogeneous() - expected.to_homogeneous()).norm() < 1e-12);
    let jacobian = configuration.jacobian(tool, &Point3::from(offset.translation.vector));
    for (column, joint) in chain.joints().iter().enumerate() {
        const SMALL: f64 = 1e-6;
        let mut moved = values;
        moved[column] += SMALL;
        let after = chain.tool_pose(&moved);
        let velocity = (after.translation.vector - pose.translation.vector) / SMALL;
        let angular = (after.rotation * pose.rotation.inverse()).scaled_axis() / SMALL;
        let expected = jacobian.column(joint.index.0);
        assert!((velocity - expected.fixed_rows::<3>(0)).norm() < 1e-5);
        assert!((angular - expected.fixed_rows::<3>(3)).norm() < 1e-5);
    }
}

#[test]
fn an_unreachable_pose_is_reported_with_the_remaining_error() {
    let (_, chain) = arm();
    let mut solver = Solver::new(chain.clone(), options());
    let target = Isometry3::from_parts(Translation3::new(3.0, 0.0, 0.5), UnitQuaternion::identity());
    let mut displacements = vec![0.0; 6];
    let unreached = solver.solve(&target, &mut displacements).unwrap_err();
    assert_eq!(unreached.target, target);
    let best = chain.tool_pose(&displacements);
    let left = (best.translation.vector - target.translation.vector).norm();
    assert!((unreached.residual.position - left).abs() < 1e-9, "{unreached}");
    // 3 m away, of which the arm reaches less than 1.1 m.
    assert!((1.9..3.0).contains(&left), "{left}");
    assert!(unreached.to_string().contains(" mm and "), "{unreached}");
}

#[test]
fn nearby_poses_stay_on_the_same_solution() {
    let (_, chain) = arm();
    let mut solver = Solver::new(chain.clone(), Options::continuous());
    let mut displacements = vec![0.2, 0.1, 0.4, 0.3, 1.0, -0.2];
    let from = chain.tool_pose(&displacements);
    for step in 1..=100 {
        let mut target = from;
        target.translation.vector += Vector3::new(0.0005, -0.001, 0.0003) * f64::from(step);
        let before = displacements.clone();
        let solution = solver.solve(&target, &mut displacements).unwrap();
        assert!(solution.iterations <= 4, "{solution:?}");
        let longest = before.iter().zip(&displacements).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(longest < 0.02, "{longest}");
    }
}

#[test]
fn a_position_is_reached_with_any_rotation_and_approached_beyond_reach() {
    let (_, chain) = arm();
    let mut solver = Solver::new(chain.clone(), Options::continuous_position());
    let start = [0.3, -0.4, 0.9, 1.2, -0.7, 2.0];
    let place = chain.tool_pose(&start).translation.vector;
    for way in [Vector3::new(0.05, 0.1, -0.08), Vector3::new(-0.1, 0.02, 0.06)] {
        let mut displacements = start;
        // A rotation that the arm cannot have there, which does not matter.
        let target = Isometry3::from_parts((place + way).into(), UnitQuaternion::from_euler_angles(3.0, 1.0, -2.0));
        let solution = solver.solve(&target, &mut displacements).unwrap();
        let found = chain.tool_pose(&displacements).translation.vector;
        assert!((found - place - way).norm() < 1e-7 && solution.residual.rotation > 0.1, "{solution:?}");
        let moved = displacements.iter().zip(start).map(|(now, before)| (now - before).abs()).fold(0.0, f64::max);
        assert!(moved < 1.0, "{displacements:?}");
    }
    // 10 m away: the arm points there.
    let far = Vector3::new(6.0, 8.0, 0.0);
    let mut displacements = start;
    for _ in 0..20 {
        solver.solve(&Isometry3::from(far), &mut displacements).unwrap_err();
    }
    let found = chain.tool_pose(&displacements).translation.vector;
    assert!((far - found).norm() < (far - place).norm() - 0.1, "{found}");
    assert!((far - found).cross(&far).norm() / far.norm_squared() < 0.05, "{found}");
    for (joint, value) in chain.joints().iter().zip(&displacements) {
        assert!((joint.range.lower..=joint.range.upper).contains(value));
    }
}

#[test]
fn links_without_a_chain_are_refused() {
    let (body, _) = arm();
    let link = |name| body.find_link(name).unwrap();
    let chain = |base, tool| Chain::new(&body, link(base), link(tool), &Isometry3::identity()).map(|_| ());
    assert!(matches!(chain("TOOL", "BASE"), Err(ChainError::NotBelow { .. })));
    assert!(matches!(chain("HAND", "TOOL"), Err(ChainError::NoJoints { .. })));
    assert!(matches!(chain("BASE", "BASE"), Err(ChainError::NoJoints { .. })));
    assert!(Chain::new(&body, LinkIndex(0), LinkIndex(99), &Isometry3::identity()).is_err());
}

#[test]
fn hostile_targets_end() {
    let (_, chain) = arm();
    let mut solver = Solver::new(chain, options());
    for value in [f64::NAN, f64::INFINITY, 1e300] {
        let target = Isometry3::from_parts(Translation3::new(value, 0.0, 0.0), UnitQuaternion::identity());
        let mut displacements = vec![f64::NAN; 6];
        assert!(solver.solve(&target, &mut displacements).is_err());
    }
}
