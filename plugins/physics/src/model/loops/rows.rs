//! Constrained directions of extra joints that no other joint constrains.

use bunraku_body::dynamics::Configuration;
use bunraku_body::{Body, ExtraJoint, ExtraJointKind, JointKind, LinkIndex};
use nalgebra::{Isometry3, Matrix6, Matrix6xX, Vector6};

use super::geometry::{axis_frames, closed, ends, opening, relative_jacobian, sliding_columns};
use super::rows_of_kind::asked;

/// The constraints of an extra joint in its mechanism.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    /// Number of directions that the kind of joint constrains.
    pub asked: u32,
    /// Number of those that the tree does not constrain.
    pub left: u32,
    /// Opening at the start beyond that of the closed loop, m and rad along the axes of the first frame.
    pub open: Vector6<f64>,
    /// Distance of the anchors in the closed loop in directions in which they cannot move, m.
    pub offset: f64,
}

impl Fit {
    /// All directions of a kind are left; `ends` are the poses of the frames, with X along the axis.
    pub fn all(kind: ExtraJointKind, ends: &[Isometry3<f64>; 2]) -> Self {
        let asked = asked(kind).bits().count_ones();
        Self { asked, left: asked, open: opening(kind, ends), offset: 0.0 }
    }
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
/// Constraints of each extra joint of a body that starts with these displacements (rad or m, joint order).
///
/// Directions are compared where the loops are closed, with the tree alone: where extra joints repeat each other, as with the third crank of a
/// locomotive, they carry each other through singular poses.
pub(super) fn fits(body: &Body, displacements: &[f64]) -> Vec<Fit> {
    if body.extra_joints.is_empty() {
        return Vec::new();
    }
    let start = Configuration::new(body, &Isometry3::identity(), displacements);
    let is_large = 6 * body.extra_joints.len() * displacements.len() > LARGEST;
    let postures = if is_large { Vec::new() } else { closed_postures(body, displacements) };
    let configurations: Vec<_> =
        postures.iter().map(|joints| Configuration::new(body, &Isometry3::identity(), joints)).collect();
    let sliding = sliding_columns(body);
    let fit = |extra: &ExtraJoint| {
        let frames = axis_frames(extra);
        let all = Fit::all(extra.kind, &ends(&start, extra.links, &frames));
        // Links below different free joints move against each other in every direction.
        let Some(closed) = configurations.first().filter(|_| is_within_system(body, extra.links)) else { return all };
        let (rows, size) = scaled_rows(extra, &frames, &configurations, &sliding);
        if !rows.iter().all(|rows| rows.iter().all(|entry| entry.is_finite())) {
            return all;
        }
        let (movable, left) = movable(&rows, size);
        let closed = opening(extra.kind, &ends(closed, extra.links, &frames));
        let offset = closed - movable * closed;
        Fit { left, open: all.open - offset, offset: offset.fixed_rows::<3>(0).norm(), ..all }
    };
    body.extra_joints.iter().map(fit).collect()
}

/// The projection onto directions in which the ends of a joint move in any posture, m and rad, and the largest number of such directions in
/// one posture.
fn movable(postures: &[Matrix6xX<f64>], size: f64) -> (Matrix6<f64>, u32) {
    let spanned = |gram: Matrix6<f64>| {
        let eigen = gram.symmetric_eigen();
        let vectors = eigen.eigenvectors.column_iter().zip(eigen.eigenvalues.iter());
        let spans = vectors.filter(|(_, value)| **value > REDUNDANT * REDUNDANT).map(|(vector, _)| vector.into_owned());
        spans.collect::<Vec<_>>()
    };
    let grams = postures.iter().map(|rows| rows * rows.transpose());
    #[allow(clippy::cast_possible_truncation)] // At most 6.
    let left = grams.clone().map(|gram| spanned(gram).len() as u32).max().unwrap_or(0);
    #[allow(clippy::cast_precision_loss)]
    let mean = grams.sum::<Matrix6<f64>>() / postures.len().max(1) as f64;
    let projection: Matrix6<f64> = spanned(mean).iter().map(|vector| vector * vector.transpose()).sum();
    let mut scale = Matrix6::identity();
    (0..3).for_each(|row| scale[(row, row)] = size.recip());
    let mut back = Matrix6::identity();
    (0..3).for_each(|row| back[(row, row)] = size);
    (back * projection * scale, left)
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

/// Rows of the relative Jacobian of an extra joint in constrained directions by posture, with lengths relative to the size of the loop, and that size, m.
fn scaled_rows(
    extra: &ExtraJoint,
    frames: &[Isometry3<f64>; 2],
    configurations: &[Configuration<'_>],
    sliding: &[bool],
) -> (Vec<Matrix6xX<f64>>, f64) {
    let mut rows: Vec<_> =
        configurations.iter().map(|posture| relative_jacobian(posture, extra.links, frames)).collect();
    // The size of a loop is its longest lever; one that only slides is compared in metres.
    let levers = rows.iter().flat_map(|rows| {
        let columns = rows.column_iter().zip(sliding).filter(|(_, slides)| !**slides);
        columns.map(|(column, _)| column.fixed_rows::<3>(0).norm())
    });
    let longest = levers.fold(0.0, f64::max);
    let size = if longest > SMALLEST { longest } else { 1.0 };
    let held = asked(extra.kind).bits();
    for rows in &mut rows {
        for row in (0..6).filter(|row| held & (1 << row) == 0) {
            rows.row_mut(row).fill(0.0);
        }
        for (mut column, slides) in rows.column_iter_mut().zip(sliding) {
            if !slides {
                column.fixed_rows_mut::<3>(0).unscale_mut(size);
            }
        }
    }
    (rows, size)
}

/// A loop smaller than this, m, is rounding.
const SMALLEST: f64 = 1e-9;

#[cfg(test)]
pub(super) mod tests;
