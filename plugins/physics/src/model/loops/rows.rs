//! Rows of an extra joint that hold something that nothing else holds.

use bevy_rapier3d::prelude::JointAxesMask;
use bunraku_body::dynamics::Configuration;
use bunraku_body::{Body, ExtraJoint, ExtraJointKind, JointKind, LinkIndex};
use nalgebra::{Isometry3, Matrix3, Matrix6xX, Rotation3, Translation3, UnitQuaternion, Vector3, Vector6};

use super::geometry::axis_frame;
use super::geometry::axis_frames;
use super::geometry::closed;
use super::geometry::ends;
use super::geometry::opening;
use super::geometry::relative_jacobian;
use super::geometry::sliding_columns;
use super::geometry::turned;
use super::rows_of_kind::asked;

/// The rows of an extra joint in a frame, and those of them that nothing else holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Closure {
    /// The frame of the rows in each link's frame; X along the axis of the joint if it has one. They are shifted so that
    /// the rows left out are satisfied where the loop is closed.
    pub frames: [Isometry3<f64>; 2],
    /// By how much they are shifted, in the frame of the first, m and rad.
    pub offset: Vector6<f64>,
    /// The rows that hold something that neither the tree nor the rows before hold.
    pub locked: JointAxesMask,
}

/// Number of postures for the comparison of rows. Some may be singular.
const POSTURES: usize = 24;
/// Distance of neighbouring postures, rad or m: far enough for a crank to turn round.
const STRIDE: f64 = 0.3;
/// Entries of the matrix of all loops; rows of larger mechanisms are not judged. A hundred loops of a humanoid's length have
/// 20 000, and the work grows with the square and more.
const LARGEST: usize = 100_000;
/// A row that moves the mechanism by less than this, as a share of its size, says nothing: models are written with three
/// or four digits, so axes that should be parallel are that far from it.
const REDUNDANT: f64 = 1e-3;
/// A row that moves the mechanism by less than this share of what another row does cannot stand in for it.
const WEAK: f64 = 0.3;

/// The rows of each extra joint that hold something that neither the tree nor its other rows hold.
///
/// Rows are compared where the loops are closed. Elsewhere rows differ that cannot differ in any pose of the mechanism: a
/// coupler that rolls is kept from rolling by three rows of a hinge, one of which moves nothing in some poses and fights
/// the others next to them. Rows of different joints are not compared: each moves something, and where they repeat each
/// other, as with the third crank of a locomotive, they carry each other over singular poses.
pub(super) fn closures(body: &Body, displacements: &[f64]) -> Vec<Closure> {
    if body.extra_joints.is_empty() {
        return Vec::new();
    }
    if 6 * body.extra_joints.len() * displacements.len() > LARGEST {
        let all = |extra: &ExtraJoint| Closure {
            frames: axis_frames(extra),
            offset: Vector6::zeros(),
            locked: asked(extra.kind),
        };
        return body.extra_joints.iter().map(all).collect();
    }
    let postures = closed_postures(body, displacements);
    let configurations: Vec<_> =
        postures.iter().map(|joints| Configuration::new(body, &Isometry3::identity(), joints)).collect();
    let sliding = sliding_columns(body);
    let closure = |extra: &ExtraJoint| {
        let frames = turned(extra, row_frame(extra, &configurations));
        let asked = asked(extra.kind);
        let locked = if is_within_system(body, extra.links) {
            select(asked, scaled_rows(extra, &frames, &configurations, &sliding))
        } else {
            // Something floats against the other, in every direction.
            asked
        };
        let offset = held_back(&configurations[0], extra, &frames, asked - locked);
        let frames = shifted(&configurations[0], extra, &frames, &offset);
        Closure { frames, offset, locked }
    };
    body.extra_joints.iter().map(closure).collect()
}

/// Postures along a way through those that close the loops; the first is the nearest to the start.
fn closed_postures(body: &Body, displacements: &[f64]) -> Vec<Vec<f64>> {
    let frames: Vec<_> = body.extra_joints.iter().map(axis_frames).collect();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut now = closed(body, &frames, displacements, REDUNDANT);
    let mut way = vec![0.0; now.len()];
    let mut postures = Vec::with_capacity(1 + POSTURES);
    postures.push(now.clone());
    for _ in 0..POSTURES {
        // On the way it is, and a little to the side.
        let near: Vec<_> = now.iter().zip(&way).map(|(now, way)| now + way + STRIDE * 0.5 * random.number()).collect();
        let next = closed(body, &frames, &near, REDUNDANT);
        let length = next.iter().zip(&now).fold(0.0_f64, |longest, (next, now)| longest.max((next - now).abs()));
        if length > 0.0 {
            way = next.iter().zip(&now).map(|(next, now)| (next - now) * (STRIDE / length)).collect();
        }
        now.clone_from(&next);
        postures.push(next);
    }
    postures
}

/// Opening of a closed loop along rows that the mechanism constrains: links of a planar one may lie side by side.
fn held_back(
    closed: &Configuration<'_>,
    extra: &ExtraJoint,
    frames: &[Isometry3<f64>; 2],
    left_out: JointAxesMask,
) -> Vector6<f64> {
    let mut open = opening(extra.kind, &ends(closed, extra.links, frames));
    let stays = |row: usize| left_out.bits() & (1 << row) != 0;
    (0..6).filter(|row| !stays(*row)).for_each(|row| open[row] = 0.0);
    if open.iter().all(|value| value.is_finite()) { open } else { Vector6::zeros() }
}

/// The frames of an extra joint moved so that an offset is gone, in all postures. Positions count along the axes of the first
/// frame, so that one moves; the directions held already are fixed in both links, and the second keeps the rows as they are.
fn shifted(
    closed: &Configuration<'_>,
    extra: &ExtraJoint,
    frames: &[Isometry3<f64>; 2],
    offset: &Vector6<f64>,
) -> [Isometry3<f64>; 2] {
    let [first, second] = ends(closed, extra.links, frames).map(|end| end.rotation);
    let mut turn: Vector3<f64> = offset.fixed_rows::<3>(3).into_owned();
    if extra.kind != ExtraJointKind::Fixed && turn.norm() > 0.0 {
        // Of two axes it is the sine.
        turn *= turn.norm().min(1.0).asin() / turn.norm();
    }
    let back = UnitQuaternion::from_scaled_axis(-(first * turn));
    let shift = Translation3::from(offset.fixed_rows::<3>(0).into_owned());
    [frames[0] * shift, frames[1] * (second.inverse() * back * second)]
}

/// Whether both links hang by coordinates on the same one: what moves freely below the root is a system of its own.
pub(super) fn is_within_system(body: &Body, links: [LinkIndex; 2]) -> bool {
    let [first, second] = links.map(|link| top_of_system(body, link));
    first == second
}

/// The link on which a link hangs by coordinates alone: the root, or one that is free of its parent.
pub(super) fn top_of_system(body: &Body, mut link: LinkIndex) -> LinkIndex {
    while let Some(parent) = body.link(link).parent {
        if body.link(link).joint.kind == JointKind::Free {
            break;
        }
        link = parent;
    }
    link
}

/// Numbers that are not special, the same ones in every run.
struct Random(u64);

impl Random {
    /// Between −1 and 1.
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        #[allow(clippy::cast_precision_loss)]
        let share = (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        2.0 * share - 1.0
    }
}

/// The rows of an extra joint by posture, without units: lengths count as shares of the size of the loop.
fn scaled_rows(
    extra: &ExtraJoint,
    frames: &[Isometry3<f64>; 2],
    configurations: &[Configuration<'_>],
    sliding: &[bool],
) -> Vec<Matrix6xX<f64>> {
    let mut rows: Vec<_> =
        configurations.iter().map(|posture| relative_jacobian(posture, extra.links, frames)).collect();
    // The size of a loop is its longest lever; one that only slides is compared in metres.
    let levers = rows.iter().flat_map(|rows| {
        let columns = rows.column_iter().zip(sliding).filter(|(_, slides)| !**slides);
        columns.map(|(column, _)| column.fixed_rows::<3>(0).norm())
    });
    let longest = levers.fold(0.0, f64::max);
    let size = if longest > SMALLEST { longest } else { 1.0 };
    for rows in &mut rows {
        for (mut column, slides) in rows.column_iter_mut().zip(sliding) {
            if !slides {
                column.fixed_rows_mut::<3>(0).unscale_mut(size);
            }
        }
    }
    rows
}

/// A loop smaller than this, m, is rounding.
const SMALLEST: f64 = 1e-9;

/// Takes rows, the one with the most to say first, until the rest say nothing new in any posture.
fn select(asked: JointAxesMask, postures: Vec<Matrix6xX<f64>>) -> JointAxesMask {
    // The rows without their components along those taken.
    let mut rest = postures;
    let mut locked = JointAxesMask::empty();
    loop {
        let waiting = rows_of(asked - locked);
        let said = waiting.map(|row| (row, rest.iter().map(|rest| rest.row(row).norm_squared()).sum::<f64>()));
        let Some((row, _)) = said.reduce(|most, next| if next.1 > most.1 { next } else { most }) else { break };
        if rest.iter().all(|rest| rest.row(row).norm() <= REDUNDANT) {
            break;
        }
        for rest in &mut rest {
            let said = rest.row(row).norm();
            if said <= REDUNDANT {
                continue;
            }
            let direction = rest.row(row) / said;
            // A row that hardly says what another says out loud does not make that one superfluous.
            let loudest =
                rows_of(asked - locked).map(|other| rest.row(other).dot(&direction).abs()).fold(0.0, f64::max);
            if said < WEAK * loudest {
                continue;
            }
            for mut other in rest.row_iter_mut() {
                let share = other.dot(&direction);
                other -= &direction * share;
            }
        }
        locked |= JointAxesMask::from_bits_truncate(1 << row);
    }
    locked
}

fn rows_of(mask: JointAxesMask) -> impl Iterator<Item = usize> {
    (0..6).filter(move |row| mask.bits() & (1 << row) != 0)
}

/// Rows along the links of a mechanism may vanish in its singular poses; rows turned by this angle, rad, hardly do.
const OBLIQUE: f64 = 0.6;

/// How the frame of the rows is turned in the joint frame: X along the axis of the joint. What is left open is chosen so
/// that a direction in which the ends cannot part anyway is one of the axes, and no axis is special otherwise.
fn row_frame(extra: &ExtraJoint, configurations: &[Configuration<'_>]) -> UnitQuaternion<f64> {
    if extra.kind.axis().is_some() {
        return axis_frame(extra.kind) * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), OBLIQUE);
    }
    let mut moment = Matrix3::zeros();
    for configuration in configurations {
        let jacobian = relative_jacobian(configuration, extra.links, &extra.frames);
        let linear = jacobian.fixed_rows::<3>(0).into_owned();
        moment += &linear * linear.transpose();
    }
    // The decomposition would not end.
    if !moment.iter().all(|entry| entry.is_finite()) {
        return UnitQuaternion::identity();
    }
    let eigen = moment.symmetric_eigen();
    let least = REDUNDANT * REDUNDANT * eigen.eigenvalues.max();
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
    let [smallest, middle, largest] = order;
    if eigen.eigenvalues[smallest] > least {
        return UnitQuaternion::from_euler_angles(OBLIQUE, 0.4, 0.9);
    }
    let [x, y] = [smallest, middle].map(|axis| eigen.eigenvectors.column(axis).into_owned());
    let axes = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[
        x,
        y,
        x.cross(&y),
    ])));
    let is_planar = eigen.eigenvalues[middle] > least && eigen.eigenvalues[largest] > 0.0;
    if is_planar { axes * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), OBLIQUE) } else { axes }
}

#[cfg(test)]
pub(super) mod tests;
