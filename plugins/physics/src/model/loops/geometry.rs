//! Opening of a loop, and relative motion of its ends.

use bunraku_body::dynamics::Configuration;
use bunraku_body::{Body, ExtraJoint, ExtraJointKind, JointIndex, JointKind, LinkIndex};
use nalgebra::{DMatrix, DVector, Isometry3, Matrix6xX, Point3, UnitQuaternion, Vector3, Vector6};

use super::rows_of_kind::asked;

/// The frames of an extra joint with X along its axis, if it has one.
pub(crate) fn axis_frames(extra: &ExtraJoint) -> [Isometry3<f64>; 2] {
    let turn = axis_turn(extra.kind.axis().as_deref());
    extra.frames.map(|frame| frame * turn)
}

/// The rotation that turns X into an axis; none without an axis.
pub(crate) fn axis_turn(axis: Option<&Vector3<f64>>) -> UnitQuaternion<f64> {
    axis.map_or_else(UnitQuaternion::identity, |axis| {
        // Half a turn about any axis across.
        UnitQuaternion::rotation_between(&Vector3::x(), axis)
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI))
    })
}

/// Where the second end of an extra joint is as seen from the first, in the directions that the joint holds: m along the
/// axes of the first end's frame, then rad about them. Free directions are zero. `frames` are those of the rows: X along
/// the axis.
pub(crate) fn opening(kind: ExtraJointKind, ends: &[Isometry3<f64>; 2]) -> Vector6<f64> {
    let apart = ends[0].inverse() * ends[1];
    let turn = match kind {
        ExtraJointKind::Fixed => apart.rotation.scaled_axis(),
        // How X leans, whatever the angle about it.
        _ => Vector3::x().cross(&(apart.rotation * Vector3::x())),
    };
    let held = asked(kind).bits();
    let opening = apart.translation.vector.iter().chain(turn.iter()).enumerate();
    Vector6::from_iterator(opening.map(|(row, value)| if held & (1 << row) == 0 { 0.0 } else { *value }))
}

/// Where the two ends of an extra joint are.
pub(crate) fn ends(
    configuration: &Configuration<'_>,
    links: [LinkIndex; 2],
    frames: &[Isometry3<f64>; 2],
) -> [Isometry3<f64>; 2] {
    [0, 1].map(|end| configuration.link_poses()[links[end].0] * frames[end])
}

/// Jacobian of the second end relative to the first: rows 0–2 in m, 3–5 in rad, along the axes of the
/// first end's frame.
pub(super) fn relative_jacobian(
    configuration: &Configuration<'_>,
    links: [LinkIndex; 2],
    frames: &[Isometry3<f64>; 2],
) -> Matrix6xX<f64> {
    let [first, second] =
        [0, 1].map(|end| configuration.jacobian(links[end], &Point3::from(frames[end].translation.vector)));
    let mut rows = second - first;
    let world = configuration.link_poses()[links[0].0].rotation * frames[0].rotation;
    let to_frame = world.inverse().to_rotation_matrix();
    for mut column in rows.column_iter_mut() {
        let linear = to_frame * column.fixed_rows::<3>(0);
        let angular = to_frame * column.fixed_rows::<3>(3);
        column.fixed_rows_mut::<3>(0).copy_from(&linear);
        column.fixed_rows_mut::<3>(3).copy_from(&angular);
    }
    rows
}

/// The joint in each column of a Jacobian that slides, so that its column must be multiplied by a length to be compared.
pub(super) fn sliding_columns(body: &Body) -> Vec<bool> {
    let roots = bunraku_body::dynamics::num_root_coordinates(body);
    let slides = |joint| body.joint(JointIndex(joint)).is_some_and(|joint| joint.kind == JointKind::Prismatic);
    // The first three coordinates of a free root slide as well.
    (0..roots).map(|column| column < 3).chain((0..body.joints().len()).map(slides)).collect()
}

/// Steps towards a closed posture.
const STEPS: usize = 30;
/// Steps are not longer than this, rad or m, so that far postures do not throw the mechanism into another.
const LONGEST_STEP: f64 = 0.3;
/// A loop that is open by less, m or rad, is closed as well as numbers allow.
const CLOSED: f64 = 1e-12;

/// Joint displacements near the given ones that close the loops as well as can be (Gauss–Newton, short steps).
///
/// Directions in which the mechanism hardly moves are not used: a planar mechanism whose axes are written with four digits
/// stays in its plane.
pub(super) fn closed(
    body: &Body,
    frames: &[[Isometry3<f64>; 2]],
    displacements: &[f64],
    least_motion: f64,
) -> Vec<f64> {
    let roots = bunraku_body::dynamics::num_root_coordinates(body);
    let mut joints = displacements.to_vec();
    for _ in 0..STEPS {
        let configuration = Configuration::new(body, &Isometry3::identity(), &joints);
        let count = 6 * body.extra_joints.len();
        let mut open = DVector::zeros(count);
        let mut slope = DMatrix::zeros(count, joints.len());
        for (number, (ExtraJoint { kind, links, .. }, frames)) in body.extra_joints.iter().zip(frames).enumerate() {
            let held = asked(*kind).bits();
            let rows = relative_jacobian(&configuration, *links, frames);
            open.rows_mut(6 * number, 6).copy_from(&opening(*kind, &ends(&configuration, *links, frames)));
            for row in (0..6).filter(|row| held & (1 << row) != 0) {
                let columns = rows.row(row).columns(roots, joints.len()).into_owned();
                slope.row_mut(6 * number + row).copy_from(&columns);
            }
        }
        if open.amax() < CLOSED {
            break;
        }
        let Some(step) = damped_step(&slope, &open, least_motion) else { break };
        if step.amax() < CLOSED {
            break;
        }
        let scale = (LONGEST_STEP / step.amax().max(LONGEST_STEP)).min(1.0);
        for (joint, step) in joints.iter_mut().zip(step.iter()) {
            *joint -= scale * step;
        }
    }
    joints
}

/// The shortest step that closes, Jᵀ·(J·Jᵀ + λ)⁻¹·e or the same with the smaller matrix; directions of less than
/// `least_motion` of the matrix hardly count (Levenberg–Marquardt). `None` if it is not finite.
fn damped_step(slope: &DMatrix<f64>, open: &DVector<f64>, least_motion: f64) -> Option<DVector<f64>> {
    let damping = (least_motion * slope.norm()).powi(2).max(f64::MIN_POSITIVE);
    let damped = |mut square: DMatrix<f64>| {
        (0..square.nrows()).for_each(|row| square[(row, row)] += damping);
        square.cholesky()
    };
    let step = if slope.nrows() < slope.ncols() {
        slope.tr_mul(&damped(slope * slope.transpose())?.solve(open))
    } else {
        damped(slope.tr_mul(slope))?.solve(&slope.tr_mul(open))
    };
    step.iter().all(|step| step.is_finite()).then_some(step)
}
