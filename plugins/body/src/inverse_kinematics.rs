//! Inverse kinematics: joint displacements that bring a point of a link to a target.

use nalgebra::{DMatrix, Isometry3, Matrix3, Point3, Vector3};

use crate::dynamics::{Configuration, Coordinate};
use crate::{Body, JointIndex, JointSlot, LinkIndex, Range, kinematics};

/// Largest number of iterations.
const MOST_ITERATIONS: usize = 200;
/// Distance at which the target counts as reached, m.
const REACHED: f64 = 1e-7;
/// Smallest decrease of the distance for which another iteration is made, as a fraction of it.
const LEAST_PROGRESS: f64 = 1e-6;
/// Damping at first, as a fraction of the mean diagonal of J Jᵀ, and its factors after success and failure.
const DAMPING: f64 = 1e-3;
const DAMPING_RANGE: [f64; 2] = [1e-9, 1e6];
const LESS: f64 = 0.3;
const MORE: f64 = 4.0;
/// Largest displacement in an iteration, rad or m: longer steps lead past the solution onto limits, and stay there.
const LONGEST_STEP: f64 = 0.2;

/// Result of [`solve`].
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Displacement of each joint, rad or m, in joint order.
    pub displacements: Vec<f64>,
    /// Distance that remains between the point and its target, m.
    pub distance: f64,
}

/// Moves the joints between the root and `link` such that `point` (link frame, m) comes as close as it can to `target`
/// (world frame, m), from `displacements` on. The root stays at `root`.
///
/// Damped least squares (Levenberg–Marquardt; Siciliano et al., *Robotics*, §3.5 and §3.7): of all solutions it finds
/// one near the start. Joints stay within [`displacement_range`](crate::Joint::displacement_range); one that starts
/// outside is moved to its limit. A target out of reach is approached. Couplings between joints are ignored. Without
/// a finite target, or without such a link, the displacements are returned unchanged, with an infinite distance.
pub fn solve(
    body: &Body,
    root: &Isometry3<f64>,
    displacements: &[f64],
    link: LinkIndex,
    point: &Point3<f64>,
    target: &Point3<f64>,
) -> Solution {
    let mut values = displacements.to_vec();
    values.resize(body.num_joints(), 0.0);
    let is_finite = target.iter().chain(point.iter()).chain(&values).all(|value| value.is_finite());
    if link.0 >= body.links().len() || !is_finite {
        return Solution { displacements: values, distance: f64::INFINITY };
    }
    let ranges = ranges(body);
    let chain = joints_to(body, link);
    for &JointIndex(joint) in &chain {
        values[joint] = ranges[joint].clamp(values[joint]);
    }
    let error = |values: &[f64]| {
        let poses = kinematics::link_poses(body, root, values);
        target - poses[link.0] * point
    };
    let mut remaining = error(&values);
    let mut damping = DAMPING;
    for _ in 0..MOST_ITERATIONS {
        let distance = remaining.norm();
        if distance < REACHED {
            break;
        }
        let jacobian = Configuration::new(body, root, &values).jacobian(link, point);
        let column = |joint: JointIndex| {
            let Coordinate(column) = Coordinate::of(body, joint);
            jacobian.column(column).fixed_rows::<3>(0).into_owned()
        };
        let columns: Vec<(usize, Vector3<f64>)> = chain.iter().map(|&joint| (joint.0, column(joint))).collect();
        let next = stepped(&values, &columns, &ranges, &remaining, damping);
        let after = error(&next);
        if after.norm() < distance {
            values = next;
            remaining = after;
            damping = (damping * LESS).max(DAMPING_RANGE[0]);
            if after.norm() > distance * (1.0 - LEAST_PROGRESS) {
                break;
            }
        } else {
            damping *= MORE;
            if damping > DAMPING_RANGE[1] {
                break;
            }
        }
    }
    Solution { displacements: values, distance: remaining.norm() }
}

/// Displacements after a damped step. Joints that the step would take over a limit end there, and the others take
/// their part.
fn stepped(
    values: &[f64],
    columns: &[(usize, Vector3<f64>)],
    ranges: &[Range],
    error: &Vector3<f64>,
    damping: f64,
) -> Vec<f64> {
    let mut next = values.to_vec();
    let mut free: Vec<_> = columns.to_vec();
    let mut left = *error;
    loop {
        let jacobian = DMatrix::from_fn(3, free.len(), |row, column| free[column].1[row]);
        let mut square = Matrix3::zeros();
        square.copy_from(&(&jacobian * jacobian.transpose()));
        let scale = (square.trace() / 3.0).max(f64::MIN_POSITIVE);
        let Some(inverse) = (square + Matrix3::identity() * (damping * scale)).try_inverse() else { return next };
        let force = inverse * left;
        let mut moves: Vec<f64> = free.iter().map(|(_, column)| column.dot(&force)).collect();
        let longest = moves.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
        if longest > LONGEST_STEP {
            let factor = LONGEST_STEP / longest;
            moves.iter_mut().for_each(|step| *step *= factor);
            left *= factor;
        }
        let over = free.iter().zip(&moves).position(|((joint, _), step)| {
            let goal = values[*joint] + step;
            ranges[*joint].clamp(goal) != goal
        });
        let Some(over) = over else {
            for ((joint, _), step) in free.iter().zip(moves) {
                next[*joint] = values[*joint] + step;
            }
            return next;
        };
        let (joint, column) = free.remove(over);
        next[joint] = ranges[joint].clamp(values[joint] + moves[over]);
        left -= column * (next[joint] - values[joint]);
    }
}

/// Allowed displacements in joint order; unlimited for entries that move nothing.
fn ranges(body: &Body) -> Vec<Range> {
    let range = |slot: &JointSlot| match slot {
        JointSlot::Link(link) => body.link(*link).joint.displacement_range,
        _ => Range::UNLIMITED,
    };
    body.joints().iter().map(range).collect()
}

/// The joints that move a link relative to the root.
fn joints_to(body: &Body, link: LinkIndex) -> Vec<JointIndex> {
    let above = |link: LinkIndex| std::iter::successors(Some(link), |&link| body.link(link).parent);
    let is_above = |wanted: LinkIndex| above(link).any(|link| link == wanted && link != LinkIndex::ROOT);
    let of_chain = body.indexed_joints().filter(|(_, slot)| matches!(slot, JointSlot::Link(link) if is_above(*link)));
    of_chain.map(|(joint, _)| joint).collect()
}

#[cfg(test)]
mod tests {
    use bunraku_document::{Reporter, SourceFile};

    use super::*;
    use crate::LoadOptions;

    /// An arm in the XZ plane, with links of 1 m and joints about Y, whose last two are limited to ±`limit`°.
    fn arm(limit: f64) -> Body {
        let text = format!(
            "{{ format: ChoreonoidBody, format_version: 2.0, links: [
              {{ name: BASE, joint_type: fixed, mass: 1 }},
              {{ name: A, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 1 }},
              {{ name: B, parent: A, joint_type: revolute, joint_axis: Y, joint_id: 1, mass: 1, translation: [0, 0, 1],
                joint_range: [ -{limit}, {limit} ] }},
              {{ name: C, parent: B, joint_type: revolute, joint_axis: Y, joint_id: 2, mass: 1, translation: [0, 0, 1],
                joint_range: [ -{limit}, {limit} ] }},
              {{ name: SIDE, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 3, mass: 1 }} ] }}"
        );
        let source = SourceFile::from_text("arm.body", text);
        let reporter = Reporter::new();
        crate::read(&source, &LoadOptions::default(), &reporter)
            .unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()))
    }

    const START: [f64; 4] = [0.2, 0.3, 0.4, 0.7];
    const TIP: Point3<f64> = Point3::new(0.0, 0.0, 1.0);

    fn to(body: &Body, target: [f64; 3]) -> (Solution, Point3<f64>) {
        let root = Isometry3::translation(5.0, 0.0, 0.0);
        let target = root * Point3::from(target);
        let reached = solve(body, &root, &START, LinkIndex(3), &TIP, &target);
        let tip = root.inverse() * kinematics::link_poses(body, &root, &reached.displacements)[3] * TIP;
        (reached, tip)
    }

    #[test]
    fn a_target_within_reach_is_reached_by_the_joints_of_the_chain_alone() {
        let body = arm(170.0);
        for target in [[1.5, 0.0, 1.0], [-1.0, 0.0, 0.5], [0.3, 0.0, 0.2], [0.0, 0.0, 2.99], [2.0, 0.0, -1.0]] {
            let (reached, tip) = to(&body, target);
            assert!(reached.distance < 1e-6 && (tip - Point3::from(target)).norm() < 1e-6, "{target:?}: {reached:?}");
            assert_eq!(reached.displacements[3], START[3]);
        }
    }

    #[test]
    fn a_target_out_of_reach_is_approached() {
        let (reached, tip) = to(&arm(170.0), [6.0, 0.0, 0.0]);
        assert!((reached.distance - 3.0).abs() < 1e-3 && (tip.x - 3.0).abs() < 1e-3, "{reached:?} {tip}");
        // Out of the plane of the arm: the nearest point is in it.
        let (reached, tip) = to(&arm(170.0), [1.5, 1.0, 1.0]);
        assert!((reached.distance - 1.0).abs() < 1e-3 && (tip.x - 1.5).abs() < 0.05, "{reached:?} {tip}");
    }

    #[test]
    fn limits_are_kept() {
        let body = arm(30.0);
        let limit = 30_f64.to_radians() + 1e-12;
        for target in [[1.5, 0.0, 1.0], [0.3, 0.0, 0.2], [-2.0, 0.0, -1.0]] {
            let (reached, _) = to(&body, target);
            assert!(reached.displacements[1..3].iter().all(|value| value.abs() <= limit), "{reached:?}");
        }
        // With 0.1 m less than its length the arm can bend within the limits.
        let (reached, _) = to(&body, [2.0, 0.0, 2.0]);
        assert!(reached.distance < 1e-6, "{reached:?}");
    }

    #[test]
    fn targets_that_are_not_finite_change_nothing() {
        let (reached, _) = to(&arm(30.0), [f64::NAN, 0.0, 0.0]);
        assert_eq!((reached.displacements.as_slice(), reached.distance), (&START[..], f64::INFINITY));
    }
}
