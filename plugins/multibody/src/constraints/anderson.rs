//! Anderson's acceleration of a fixed-point iteration.

/// Columns of the model.
const DEPTH: usize = 5;
/// An error that has grown by this factor says that the model was wrong.
const WRONG: f64 = 2.0;
/// A column says nothing that is this share of itself beside those before it.
const DEPENDENT: f64 = 1e-6;
/// By how much steps along the error grow where the error grows with them.
const GROWTH: f64 = 4.0;

/// A value, how far the iteration would move it, and the weight of that in the size of the error.
#[derive(Clone, Copy, Debug)]
pub struct Coordinate {
    pub value: f64,
    pub error: f64,
    pub weight: f64,
}

/// The iteration x ← x + e(x) with a linear model of e from the last iterates (D. G. Anderson, "Iterative Procedures for Nonlinear Integral
/// Equations", Journal of the ACM 12(4), 1965).
///
/// Where friction jams, its error grows as x follows it, and the root of the model lies against the error: no sliding contact is a
/// solution. Steps along the error then grow until the contact sticks.
#[derive(Clone, Debug, Default)]
pub struct Anderson {
    now: Vec<Coordinate>,
    /// The last iterate, and the size of its error.
    last: Vec<Coordinate>,
    size: f64,
    /// From iterate to iterate, the last one first: changes of values, and those of weighted errors, which are made orthonormal.
    columns: Vec<[Vec<f64>; 2]>,
    count: usize,
    growth: f64,
    rest: Vec<f64>,
    values: Vec<f64>,
}

impl Anderson {
    /// Forgets all iterates.
    pub fn clear(&mut self) {
        self.last.clear();
        self.count = 0;
        self.growth = 1.0;
    }

    /// The next iterate.
    pub fn next(&mut self, now: impl Iterator<Item = Coordinate>) -> &[f64] {
        self.now.clear();
        self.now.extend(now);
        self.rest.clear();
        self.rest.extend(self.now.iter().map(|at| at.weight * at.error));
        let size = dot(&self.rest, &self.rest).sqrt();
        if self.last.len() == self.now.len() {
            if size > WRONG * self.size {
                self.count = 0;
            }
            self.add_column();
        }
        self.size = size;
        self.values.clear();
        self.values.extend(self.now.iter().map(|at| at.error));
        self.subtract_model();
        let steps = self.now.iter().zip(&self.values);
        let along: f64 = steps.map(|(at, step)| at.weight * at.weight * at.error * step).sum();
        if along >= 0.0 {
            self.growth = 1.0;
        } else {
            self.growth *= GROWTH;
            self.count = 0;
            self.values.iter_mut().zip(&self.now).for_each(|(step, at)| *step = self.growth * at.error);
        }
        self.values.iter_mut().zip(&self.now).for_each(|(step, at)| *step += at.value);
        std::mem::swap(&mut self.last, &mut self.now);
        &self.values
    }

    fn add_column(&mut self) {
        if self.columns.len() < DEPTH {
            self.columns.push(Default::default());
        }
        self.columns.rotate_right(1);
        self.count = (self.count + 1).min(DEPTH);
        let [changes, errors] = &mut self.columns[0];
        changes.clear();
        errors.clear();
        for (now, last) in self.now.iter().zip(&self.last) {
            changes.push(now.value - last.value);
            errors.push(now.weight * (now.error - last.error));
        }
    }

    /// Takes from the error what the model explains, and from the step what that moves.
    fn subtract_model(&mut self) {
        for index in 0..self.count {
            let (done, others) = self.columns.split_at_mut(index);
            let [changes, errors] = &mut others[0];
            let before = dot(errors, errors);
            for [earlier_changes, earlier] in &*done {
                let share = dot(earlier, errors);
                subtract(errors, earlier, share);
                subtract(changes, earlier_changes, share);
            }
            let left = dot(errors, errors);
            if left.is_nan() || left <= DEPENDENT * DEPENDENT * before {
                self.count = index;
                return;
            }
            let scale = left.sqrt().recip();
            errors.iter_mut().chain(changes.iter_mut()).for_each(|value| *value *= scale);
            let share = dot(errors, &self.rest);
            subtract(&mut self.rest, errors, share);
            for ((step, at), (change, error)) in self.values.iter_mut().zip(&self.now).zip(changes.iter().zip(&*errors))
            {
                *step -= share * (change + error / at.weight);
            }
        }
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn subtract(from: &mut [f64], what: &[f64], times: f64) {
    from.iter_mut().zip(what).for_each(|(from, what)| *from -= times * what);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Iterates until the error is small, or gives the number of iterations and the last values.
    fn iterate(map: impl Fn(&[f64]) -> Vec<f64>, mut values: Vec<f64>) -> (usize, Vec<f64>) {
        let mut iteration = Anderson::default();
        iteration.clear();
        for count in 0..50 {
            let wanted = map(&values);
            let coordinates = values.iter().zip(&wanted);
            let errors = coordinates.clone().map(|(value, wanted)| (wanted - value).abs());
            if errors.fold(0.0, f64::max) < 1e-12 {
                return (count, values);
            }
            let now = coordinates.map(|(&value, wanted)| Coordinate { value, error: wanted - value, weight: 1.0 });
            values = iteration.next(now).to_vec();
        }
        (50, values)
    }

    #[test]
    fn a_linear_map_ends_after_as_many_iterations_as_it_has_directions() {
        // One direction converges slowly, one swings and diverges.
        let map = |x: &[f64]| vec![1.0 + 0.99 * x[0] + 0.3 * x[1], 2.0 - 1.5 * x[1]];
        let (count, values) = iterate(map, vec![0.0, 0.0]);
        assert!(count <= 5, "{count} iterations");
        assert!((values[1] - 0.8).abs() < 1e-10 && (values[0] - 124.0).abs() < 1e-8, "{values:?}");
    }

    #[test]
    fn what_grows_without_a_root_goes_to_where_another_branch_begins() {
        // The root of the first branch is at −100.
        let map = |x: &[f64]| vec![(1.0 + 1.01 * x[0]).min(1000.0)];
        let (count, values) = iterate(map, vec![0.0]);
        assert!(count < 20 && (values[0] - 1000.0).abs() < 1e-9, "{count} iterations, {values:?}");
    }
}
