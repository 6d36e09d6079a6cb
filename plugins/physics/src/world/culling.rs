//! Culling of contact points by the material table.

use bevy_rapier3d::rapier::math::Vector;
use bevy_rapier3d::rapier::pipeline::ContactModificationContext;
use bunraku_body::ContactCulling;

/// Culls points of a contact manifold.
pub(crate) fn cull(culling: &ContactCulling, context: &mut ContactModificationContext<'_>) {
    if *culling == ContactCulling::default() {
        return;
    }
    let points = context.solver_contacts.iter();
    let points: Vec<Point> = points
        .map(|contact| Point { position: (contact.anchor1 + contact.anchor2) * 0.5, depth: -contact.dist })
        .collect();
    let kept = kept(culling, &points);
    let mut index = 0;
    context.solver_contacts.retain(|_| {
        index += 1;
        kept.contains(&(index - 1))
    });
}

/// A contact point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub position: Vector,
    /// m; negative for a gap.
    pub depth: f32,
}

/// The indices of the points that remain.
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn kept(culling: &ContactCulling, points: &[Point]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..points.len())
        .filter(|&index| culling.depth.is_none_or(|depth| points[index].depth <= depth as f32))
        .collect();
    left.sort_by(|&first, &second| points[second].depth.total_cmp(&points[first].depth));
    let mut kept: Vec<usize> = Vec::new();
    let distance = |index: usize, kept: &[usize]| {
        kept.iter().map(|&other| points[index].position.distance(points[other].position)).fold(f32::INFINITY, f32::min)
    };
    if let Some(most) = culling.max_points {
        while kept.len() < most.get() && !left.is_empty() {
            // The deepest of those at equal distance, at first of all.
            let farthest = (0..left.len())
                .rev()
                .max_by(|&first, &second| distance(left[first], &kept).total_cmp(&distance(left[second], &kept)));
            kept.push(left.remove(farthest.unwrap_or(0)));
        }
        return kept;
    }
    for index in left {
        if culling.distance.is_none_or(|nearest| distance(index, &kept) >= nearest as f32) {
            kept.push(index);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    /// On a line, m, and how deep.
    fn points(list: &[(f32, f32)]) -> Vec<Point> {
        list.iter().map(|&(x, depth)| Point { position: Vector::new(x, 0.0, 0.0), depth }).collect()
    }

    #[test]
    fn too_deep_points_do_not_count() {
        let culling = ContactCulling { depth: Some(0.01), ..ContactCulling::default() };
        assert_eq!(kept(&culling, &points(&[(0.0, 0.02), (1.0, 0.005), (2.0, -0.1)])), [1, 2]);
    }

    #[test]
    fn of_points_near_each_other_the_deepest_counts() {
        let culling = ContactCulling { distance: Some(0.5), ..ContactCulling::default() };
        assert_eq!(kept(&culling, &points(&[(0.0, 0.1), (0.4, 0.2), (0.8, 0.1), (2.0, 0.0)])), [1, 3]);
    }

    #[test]
    fn the_deepest_point_counts_and_then_the_farthest() {
        let most = |number| ContactCulling { max_points: NonZeroUsize::new(number), ..ContactCulling::default() };
        let points = points(&[(0.0, 0.1), (0.4, 0.2), (0.8, 0.1), (2.0, 0.0)]);
        assert_eq!(kept(&most(1), &points), [1]);
        assert_eq!(kept(&most(2), &points), [1, 3]);
        assert_eq!(kept(&most(9), &points), [1, 3, 0, 2]);
    }
}
