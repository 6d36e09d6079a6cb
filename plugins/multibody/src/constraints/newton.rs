//! Newton's method with line search.

use super::found::Found;
use super::problem::{Fit, Problem};
use crate::model::parameters::Parameters;

/// Share of the tolerance to which the smooth problem is solved, where rounding lets it; and what counts as solved.
const INNER: f64 = 1e-5;
const SOLVED: f64 = 0.1;
/// A step along the search direction is good if the derivative there is smaller than this share of that at the start.
const DESCENT: f64 = 0.1;
/// A factor that is nearly that of the terms is kept while each step with it leaves at most this share of the residual.
const HELPS: f64 = 0.2;
/// Maximum number of steps of the line search.
const MAX_SEARCH: usize = 40;
/// Rounding of a derivative, as a share of its summands.
const ROUNDING: f64 = 1e-13;

impl Problem {
    /// Evaluates the terms at the present iterate.
    pub fn check(&mut self, found: &mut Found) {
        self.evaluate();
        self.find_gradient();
        found.residual = self.residual();
    }

    /// Minimises the objective from the present iterate, at which the terms have been evaluated, until so many iterations have been made.
    /// Returns whether it has succeeded.
    pub fn minimise(&mut self, parameters: &Parameters, softness: f64, last: usize, found: &mut Found) -> bool {
        let [best, enough] = if softness > 1.0 { [softness; 2] } else { [INNER, SOLVED] };
        loop {
            if found.residual <= best * parameters.tolerance || found.iterations >= last {
                return found.residual <= enough * parameters.tolerance;
            }
            // Where the factor is that of the terms as they are, the step leads to the minimum of the objective's quadratic model.
            let fit = self.fit;
            let is_quadratic = fit == Fit::Exact;
            self.find_direction();
            let step = if is_quadratic { 1.0 } else { self.search() };
            self.advance(step);
            found.iterations += 1;
            self.evaluate();
            if is_quadratic && self.fit == Fit::Exact {
                // The model was the objective itself: nothing but rounding is left.
                found.residual = 0.0;
                return true;
            }
            self.find_gradient();
            let before = std::mem::replace(&mut found.residual, self.residual());
            if fit != Fit::None && found.residual > HELPS * before {
                self.fit = Fit::None;
            }
        }
    }

    /// The Newton direction for the present gradient and stiffness.
    pub fn find_direction(&mut self) {
        if self.fit == Fit::None {
            self.factor();
        }
        for (direction, gradient) in self.direction.iter_mut().zip(&self.gradient) {
            *direction = -gradient;
        }
        self.cholesky.solve(&mut self.direction);
    }

    pub fn advance(&mut self, step: f64) {
        for (value, direction) in self.iterate.iter_mut().zip(&self.direction) {
            *value += step * direction;
        }
        self.follow();
    }

    /// Step length along the direction at which the objective's derivative along it is nearly zero.
    fn search(&mut self) -> f64 {
        self.follow_direction();
        let (mut straight, mut curvature, mut start, mut size) = (0.0, 0.0, 0.0, 0.0);
        for (index, direction) in self.direction.iter().enumerate() {
            let off = self.iterate[index] - self.unknowns.free[index];
            straight += direction * off;
            size += (direction * off).abs();
            curvature += direction * direction;
            start += direction * self.gradient[index];
        }
        let slope = |problem: &Self, step: f64| straight + step * curvature - problem.power_at(step);
        let enough = (DESCENT * start.abs()).max(ROUNDING * size);
        let (mut low, mut high) = ((0.0, start), (1.0, slope(self, 1.0)));
        if high.1.abs() <= enough {
            return 1.0;
        }
        for _ in 0..MAX_SEARCH {
            if high.1 > 0.0 {
                break;
            }
            low = high;
            high = (2.0 * high.0, slope(self, 2.0 * high.0));
            if high.1.abs() <= enough {
                return high.0;
            }
        }
        // Regula falsi with the Illinois rule.
        let mut last = 0.0_f64;
        for _ in 0..MAX_SEARCH {
            let share = low.1 / (low.1 - high.1);
            let step = low.0 + (high.0 - low.0) * share.clamp(0.01, 0.99);
            let value = slope(self, step);
            if value.abs() <= enough {
                return step;
            }
            if value < 0.0 {
                low = (step, value);
                if last < 0.0 {
                    high.1 *= 0.5;
                }
            } else {
                high = (step, value);
                if last > 0.0 {
                    low.1 *= 0.5;
                }
            }
            last = value;
        }
        if low.0 > 0.0 { low.0 } else { high.0 }
    }

    /// Power of the terms along the direction at a step along it.
    fn power_at(&self, step: f64) -> f64 {
        let mut sum = 0.0;
        for contact in self.contacts.iter().filter(|contact| contact.acts) {
            let velocity = std::array::from_fn(|axis| contact.velocity[axis] + step * contact.direction[axis]);
            let impulse = contact.respond(&velocity);
            sum += contact.direction.iter().zip(impulse).map(|(direction, impulse)| direction * impulse).sum::<f64>();
        }
        let coordinates = self.coordinates.iter().map(|row| &row.term);
        for term in self.rows.iter().map(|row| &row.term).chain(coordinates).filter(|term| term.acts) {
            sum += term.direction * term.respond(term.velocity + step * term.direction);
        }
        for servo in &self.servos {
            let term = &servo.term;
            sum += term.direction * term.respond(term.velocity + step * term.direction);
        }
        sum
    }
}
