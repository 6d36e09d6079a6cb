#![expect(clippy::indexing_slicing, reason = "indices are those of points and nodes of the same tree")]

use nalgebra::Point2;

/// Points of a plane in a binary space partition. Each point can be enabled or disabled; a query finds an enabled point
/// in a triangle.
///
/// A query takes time proportional to the square root of the number of points, whatever their distribution.
pub(crate) struct CornerTree {
    /// Indices of the points, ordered so that those of each node are adjacent.
    order: Vec<usize>,
    /// Position of each point in `order`.
    positions: Vec<usize>,
    /// Nodes of the tree: the root is 1, the children of `n` are `2n` and `2n + 1`.
    nodes: Vec<Node>,
    points: Vec<Point2<f64>>,
    on: Vec<bool>,
}

#[derive(Clone, Copy)]
struct Node {
    least: Point2<f64>,
    most: Point2<f64>,
    /// Number of enabled points.
    on: usize,
}

/// Nodes with at most this many points are not split.
const LEAF: usize = 8;

impl CornerTree {
    /// A tree of these points, all disabled.
    pub(crate) fn new(points: Vec<Point2<f64>>) -> Self {
        let count = points.len();
        let none = Node { least: Point2::origin(), most: Point2::origin(), on: 0 };
        // Splitting adds at most one level to those of a complete binary tree.
        let nodes = vec![none; 4 * (count / LEAF + 1).next_power_of_two()];
        let mut tree =
            Self { order: (0..count).collect(), positions: vec![0; count], nodes, points, on: vec![false; count] };
        tree.build(1, 0, count);
        for (position, &point) in tree.order.iter().enumerate() {
            tree.positions[point] = position;
        }
        tree
    }

    fn build(&mut self, node: usize, from: usize, to: usize) {
        let points = &self.points;
        let part = &mut self.order[from..to];
        let (mut least, mut most) = (Point2::from([f64::INFINITY; 2]), Point2::from([f64::NEG_INFINITY; 2]));
        for &point in part.iter() {
            (least, most) = (least.inf(&points[point]), most.sup(&points[point]));
        }
        self.nodes[node] = Node { least, most, on: 0 };
        if part.len() > LEAF {
            let axis = (most - least).imax();
            let half = part.len() / 2;
            part.select_nth_unstable_by(half, |&a, &b| points[a][axis].total_cmp(&points[b][axis]));
            self.build(2 * node, from, from + half);
            self.build(2 * node + 1, from + half, to);
        }
    }

    /// Enables or disables a point.
    pub(crate) fn set(&mut self, point: usize, on: bool) {
        if std::mem::replace(&mut self.on[point], on) == on {
            return;
        }
        let position = self.positions[point];
        let (mut node, mut from, mut to) = (1, 0, self.order.len());
        loop {
            let count = &mut self.nodes[node].on;
            *count = if on { *count + 1 } else { *count - 1 };
            if to - from <= LEAF {
                return;
            }
            let half = from + (to - from) / 2;
            (node, from, to) = if position < half { (2 * node, from, half) } else { (2 * node + 1, half, to) };
        }
    }

    /// Whether an enabled point, other than its corners, lies in or on a counter-clockwise triangle.
    pub(crate) fn any_in(&self, triangle: [Point2<f64>; 3]) -> bool {
        self.any_below(1, 0, self.order.len(), &triangle)
    }

    fn any_below(&self, node: usize, from: usize, to: usize, triangle: &[Point2<f64>; 3]) -> bool {
        let Node { least, most, on } = self.nodes[node];
        if on == 0 || !may_touch(least, most, triangle) {
            return false;
        }
        if to - from <= LEAF {
            return self.order[from..to].iter().any(|&point| {
                let corner = self.points[point];
                self.on[point] && sides(triangle).all(|(a, b)| area(a, b, corner) >= 0.0) && !triangle.contains(&corner)
            });
        }
        let half = from + (to - from) / 2;
        self.any_below(2 * node, from, half, triangle) || self.any_below(2 * node + 1, half, to, triangle)
    }
}

/// Twice the signed area of a triangle.
pub(crate) fn area(a: Point2<f64>, b: Point2<f64>, c: Point2<f64>) -> f64 {
    (b - a).perp(&(c - b))
}

fn sides(triangle: &[Point2<f64>; 3]) -> impl Iterator<Item = (Point2<f64>, Point2<f64>)> {
    let [a, b, c] = *triangle;
    [(a, b), (b, c), (c, a)].into_iter()
}

/// Upper bound of the rounding error of [`area`] for points about one unit from the origin.
const ROUNDING: f64 = 1e-14;

/// Whether a box and a triangle may intersect; false positives are allowed.
fn may_touch(least: Point2<f64>, most: Point2<f64>, triangle: &[Point2<f64>; 3]) -> bool {
    let overlap = |axis: usize| {
        let along = triangle.map(|corner| corner[axis]);
        let [low, high] =
            [f64::min, f64::max].map(|of: fn(f64, f64) -> f64| along.into_iter().reduce(of).unwrap_or(0.0));
        low <= most[axis] && high >= least[axis]
    };
    // A box is outside a side if its innermost corner is.
    overlap(0)
        && overlap(1)
        && sides(triangle).all(|(a, b)| {
            let along = b - a;
            let x = if along.y < 0.0 { most.x } else { least.x };
            let y = if along.x > 0.0 { most.y } else { least.y };
            area(a, b, Point2::new(x, y)) >= -ROUNDING
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn the_tree_agrees_with_a_linear_search() {
        let mut random = Random::new(7);
        for count in [0, 1, 7, 8, 9, 17, 100, 1000, 4099] {
            // Few distinct positions, so that many points coincide or lie on sides.
            let points: Vec<_> =
                (0..count).map(|_| Point2::new(random.below(20), random.below(20)).cast::<f64>() / 20.0).collect();
            let mut tree = CornerTree::new(points.clone());
            let mut on = vec![false; count];
            for _ in 0..300 {
                for _ in 0..count / 10 {
                    let point = random.below(count as u32) as usize;
                    on[point] = !on[point];
                    tree.set(point, on[point]);
                }
                let mut triangle =
                    [(); 3].map(|()| Point2::new(random.below(20), random.below(20)).cast::<f64>() / 20.0);
                match area(triangle[0], triangle[1], triangle[2]) {
                    0.0 => continue,
                    turned if turned < 0.0 => triangle.swap(0, 1),
                    _ => {}
                }
                let expected = points.iter().zip(&on).any(|(&point, &on)| {
                    on && sides(&triangle).all(|(a, b)| area(a, b, point) >= 0.0) && !triangle.contains(&point)
                });
                assert_eq!(tree.any_in(triangle), expected, "{count}: {triangle:?}");
            }
        }
    }
}
