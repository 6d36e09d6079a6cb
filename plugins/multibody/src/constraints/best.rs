//! The impulses that come nearest to the laws in a solve.
//!
//! A solve that does not converge ends with these. With many contacts an iteration costs much. As long as repeats come nearer to the laws, as
//! in piles of boxes, going on is cheaper than solving badly in this step and in all that follow. Where friction bounds do not converge, as
//! among many balls that roll on each other, going on makes it worse.

use super::found::Found;
use super::problem::Problem;

/// Repeats that need not be better than the best, and how many times worse they may be.
const PATIENCE: usize = 3;
const WORSE: f64 = 2.0;

/// Impulses of the repeat with the smallest error.
#[derive(Clone, Debug, Default)]
pub struct Best {
    /// The larger of violation and convex residual, m/s or rad/s: with soft terms impulses and velocities may meet the laws, but not each
    /// other. `None` before the first repeat that is solved.
    error: Option<f64>,
    /// Repeats since then.
    since: usize,
    /// By contact: impulse, and bound of friction.
    contacts: Vec<([f64; 3], f64)>,
    /// Of closures and coordinates.
    terms: Vec<f64>,
    servos: Vec<f64>,
}

impl Best {
    /// Forgets the island before.
    pub fn forget(&mut self) {
        (self.error, self.since) = (None, 0);
    }
}

impl Problem {
    /// Keeps the impulses of a repeat if they are the best so far. Returns whether another repeat may help.
    pub fn keep_best(&mut self, is_found: bool, found: &Found) -> bool {
        self.best.since += 1;
        let (error, limit) = (found.violation.max(found.residual), self.best.error.unwrap_or(f64::INFINITY));
        if !is_found || error >= limit {
            return self.best.since < PATIENCE && error <= WORSE * limit;
        }
        let mut best = std::mem::take(&mut self.best);
        (best.error, best.since) = (Some(error), 0);
        best.contacts.clear();
        best.contacts.extend(self.contacts.iter().map(|contact| (contact.impulse, contact.bound)));
        best.terms.clear();
        best.terms.extend(self.interval_terms().map(|term| term.impulse));
        best.servos.clear();
        best.servos.extend(self.servos.iter().map(|servo| servo.term.impulse));
        self.best = best;
        true
    }

    /// Takes the best impulses if they are better than the present ones. Returns whether they are.
    pub fn take_best(&mut self, is_found: bool, found: &mut Found) -> bool {
        let is_better = |error: &f64| !is_found || *error < found.violation.max(found.residual);
        if self.best.error.filter(is_better).is_none() {
            return false;
        }
        let best = std::mem::take(&mut self.best);
        for (contact, (impulse, bound)) in self.contacts.iter_mut().zip(&best.contacts) {
            (contact.impulse, contact.bound) = (*impulse, *bound);
        }
        for (term, impulse) in self.interval_terms().zip(&best.terms) {
            term.impulse = *impulse;
        }
        for (servo, impulse) in self.servos.iter_mut().zip(&best.servos) {
            servo.term.impulse = *impulse;
        }
        self.best = best;
        self.move_by_impulses();
        // The motion is that of the impulses: what a residual was is now a violation.
        (found.violation, found.residual) = (self.missed().largest(), 0.0);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::contact_term::ContactTerm;
    use super::*;

    /// With soft terms impulses and velocities may each meet the laws, but not fit each other.
    #[test]
    fn the_best_repeat_has_the_smallest_error_of_laws_and_convex_problem() {
        let mut problem = Problem { contacts: vec![ContactTerm::NONE], ..Problem::default() };
        for (impulse, violation, residual) in [(1.0, 1e-8, 1e-4), (2.0, 1e-6, 0.0), (3.0, 1e-5, 0.0)] {
            problem.contacts[0].impulse[0] = impulse;
            problem.keep_best(true, &Found { violation, residual, ..Found::default() });
        }
        assert!(problem.take_best(true, &mut Found { violation: 1e-5, ..Found::default() }));
        assert!((problem.contacts[0].impulse[0] - 2.0).abs() < 1e-15);
    }
}
