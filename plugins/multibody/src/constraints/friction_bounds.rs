//! How the bounds of friction come to those of the loads.
//!
//! The convex problem takes the bounds b as given, and its solution has normal impulses γₙ(b). Coulomb's law is the equation
//! F(b) = µ·γₙ(b) − b = 0. The factor of the Hessian tells how loads change with bounds, so that Newton's method solves it:
//! (1 − µ·∂γₙ/∂b)·δb = F, where ∂γₙ/∂b is one solve with the factor for each direction. As few of them matter, the linear equations are
//! solved by generalised conjugate residuals (S. Eisenstat, H. Elman, M. Schultz, "Variational Iterative Methods for Nonsymmetric Systems of
//! Linear Equations", SIAM Journal on Numerical Analysis 20(2), 1983).
//!
//! Where friction jams, loads grow faster than the bounds that they follow, and the root of the linear model lies against the error: no
//! sliding contact is a solution. Steps along the error then grow until the contact sticks.

use super::problem::{Fit, Problem};
use crate::math::pair::Six;
use crate::math::rows;

/// The most directions in the solution of the linear equations, and the share of their right-hand side that may be left.
const MAX_DIRECTIONS: usize = 12;
const ENOUGH: f64 = 1e-2;
/// A direction says nothing that is this share of itself beside those before it.
const DEPENDENT: f64 = 1e-8;
/// A bound grows or shrinks in a repeat by this factor at most: other contacts begin to slide and to stick meanwhile.
const STEP_LIMIT: f64 = 3.0;
/// How often a step is halved that makes the error larger.
const MAX_HALVINGS: usize = 4;
/// By how much steps along the error grow where the error grows with them.
const GROWTH: f64 = 4.0;

/// What the iteration remembers, and its working memory.
#[derive(Clone, Debug, Default)]
pub struct FrictionBounds {
    /// Factor of steps along the error.
    growth: f64,
    /// By contact: the bound before the last step; and the size of the error there, m/s.
    before: Vec<f64>,
    size: f64,
    /// How often the last step has been halved.
    halvings: usize,
    /// Contacts whose bounds make a difference: those that slide.
    sliding: Vec<usize>,
    /// By sliding contact, as velocities in m/s: the error, what of it the linear model leaves, and the step.
    errors: Vec<f64>,
    rest: Vec<f64>,
    steps: Vec<f64>,
    /// Directions of steps, and what they do to the error, orthonormal.
    directions: Vec<[Vec<f64>; 2]>,
    /// By contact: change of the normal impulse, N·s.
    loads: Vec<f64>,
    motion: Vec<f64>,
}

impl FrictionBounds {
    /// Forgets the solve before.
    pub fn clear(&mut self) {
        self.growth = 1.0;
        self.size = f64::INFINITY;
        self.halvings = 0;
    }
}

impl Problem {
    /// Moves the friction bounds to where the linear model has those of the loads. The factor is that of the present terms, nearly.
    pub fn move_bounds(&mut self) {
        let mut own = std::mem::take(&mut self.friction_bounds);
        if !self.halve_step(&mut own) {
            self.find_steps(&mut own);
            let limit = STEP_LIMIT.max(own.growth);
            let mut sliding = own.sliding.iter().zip(&own.steps).peekable();
            for (index, (contact, load)) in self.contacts.iter_mut().zip(&own.loads).enumerate() {
                let full = contact.full_bound();
                let wanted = match sliding.next_if(|(sliding, _)| **sliding == index) {
                    Some((_, step)) => contact.bound + step / contact.response[1],
                    None => full + contact.friction * load,
                };
                let [least, most] = [contact.bound.min(full) / STEP_LIMIT, contact.bound.max(full) * limit];
                contact.bound = wanted.max(least).min(most);
            }
        }
        self.friction_bounds = own;
    }

    /// Finds the steps of the sliding contacts' bounds, and how these change the loads of all.
    fn find_steps(&mut self, own: &mut FrictionBounds) {
        own.sliding.clear();
        own.sliding.extend((0..self.contacts.len()).filter(|&index| self.contacts[index].slides()));
        own.errors.clear();
        own.errors.extend(own.sliding.iter().map(|&index| self.contacts[index].bound_error()));
        own.steps.clear();
        own.steps.resize(own.errors.len(), 0.0);
        own.loads.clear();
        own.loads.resize(self.contacts.len(), 0.0);
        let size = norm(&own.errors);
        if size == 0.0 {
            return;
        }
        if self.fit == Fit::None {
            self.factor();
        }
        self.solve_for_bounds(own, ENOUGH * size);
        if dot(&own.errors, &own.steps) >= 0.0 {
            own.growth = 1.0;
            self.find_loads(own);
        } else {
            own.growth *= GROWTH;
            own.size = f64::INFINITY;
            own.loads.fill(0.0);
            own.steps.clear();
            own.steps.extend(own.errors.iter().map(|error| own.growth * error));
        }
    }

    /// Goes back half of the last step if it has made the error larger. Returns whether it has.
    fn halve_step(&mut self, own: &mut FrictionBounds) -> bool {
        let size = self.contacts.iter().map(|contact| contact.bound_error().powi(2)).sum::<f64>().sqrt();
        if size > own.size && own.halvings < MAX_HALVINGS {
            own.halvings += 1;
            for (contact, before) in self.contacts.iter_mut().zip(&own.before) {
                contact.bound = 0.5 * (contact.bound + before);
            }
            return true;
        }
        (own.size, own.halvings) = (size, 0);
        own.before.clear();
        own.before.extend(self.contacts.iter().map(|contact| contact.bound));
        false
    }

    /// Finds steps of the sliding contacts' bounds that leave no more than this of the error.
    fn solve_for_bounds(&mut self, own: &mut FrictionBounds, enough: f64) {
        own.rest.clear();
        own.rest.extend_from_slice(&own.errors);
        for count in 0..MAX_DIRECTIONS {
            if own.directions.len() == count {
                own.directions.push(Default::default());
            }
            let [mut direction, mut change] = std::mem::take(&mut own.directions[count]);
            direction.clear();
            direction.extend_from_slice(&own.rest);
            let steps = std::mem::replace(&mut own.steps, direction);
            self.find_loads(own);
            direction = std::mem::replace(&mut own.steps, steps);
            change.clear();
            change.extend(own.sliding.iter().zip(&direction).map(|(&index, step)| {
                let contact = &self.contacts[index];
                step - contact.response[1] * contact.friction * own.loads[index]
            }));
            let before = norm(&change);
            for [earlier, earlier_change] in &own.directions[..count] {
                let share = dot(earlier_change, &change);
                subtract(&mut change, earlier_change, share);
                subtract(&mut direction, earlier, share);
            }
            let left = norm(&change);
            let is_new = left > DEPENDENT * before;
            if is_new {
                change.iter_mut().chain(direction.iter_mut()).for_each(|value| *value /= left);
                let share = dot(&change, &own.rest);
                subtract(&mut own.rest, &change, share);
                subtract(&mut own.steps, &direction, -share);
            }
            own.directions[count] = [direction, change];
            if !is_new || norm(&own.rest) <= enough {
                break;
            }
        }
    }

    /// How the normal impulses change with the steps of the bounds.
    fn find_loads(&mut self, own: &mut FrictionBounds) {
        own.motion.clear();
        own.motion.resize(self.gradient.len(), 0.0);
        let mut sliding = own.sliding.iter().zip(&own.steps).peekable();
        for pair in &self.pairs {
            let mut wrench: Six = [0.0; 6];
            while let Some((&index, step)) = sliding.next_if(|(index, _)| **index < pair.contacts.1) {
                let contact = &self.contacts[index];
                let [one, two] = contact.sliding_direction();
                let size = step / contact.response[1];
                contact.add_wrench(&[0.0, one * size, two * size], &mut wrench);
            }
            if wrench != [0.0; 6] {
                self.push_wrench(pair, &wrench, &mut own.motion);
            }
        }
        self.cholesky.solve(&mut own.motion);
        own.loads.clear();
        own.loads.resize(self.contacts.len(), 0.0);
        for pair in &self.pairs {
            let twist = self.twist(pair, &own.motion);
            for index in pair.contacts.0..pair.contacts.1 {
                let contact = &self.contacts[index];
                own.loads[index] = -contact.stiffness[0] * rows::dot(&contact.wrenches[0], &twist);
            }
        }
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn norm(values: &[f64]) -> f64 {
    dot(values, values).sqrt()
}

fn subtract(from: &mut [f64], what: &[f64], times: f64) {
    from.iter_mut().zip(what).for_each(|(from, what)| *from -= times * what);
}
