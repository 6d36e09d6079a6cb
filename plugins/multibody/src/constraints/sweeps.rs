//! Gauss–Seidel sweeps that find where Newton's method begins.
//!
//! From impulses that are far off, Newton's method finds out one contact after the other which of them stick, slide and lift. Sweeps
//! find most of that out at the cost of a fraction of a factorisation. They solve Coulomb's law with the bounds of friction as they are
//! at that moment, so that the lagged bounds begin near their values, too.

use super::problem::Problem;
use super::terms::Pair;
use crate::math::pair::{Six, add};
use crate::math::rows::dot;
use crate::model::parameters::Parameters;

/// The most sweeps.
const MAX_SWEEPS: usize = 30;
/// Sweeps end when they change velocities by less than this share of what the first one did.
const ENOUGH: f64 = 1e-3;

impl Problem {
    /// Improves the impulses by sweeps, beginning with those that the terms have. The iterate is left as it is.
    pub fn sweep(&mut self, parameters: &Parameters) {
        let mut motion = std::mem::take(&mut self.direction);
        motion.copy_from_slice(&self.unknowns.free);
        self.push(1.0, &mut motion);
        let mut first = 0.0;
        for sweep in 0..MAX_SWEEPS {
            let mut worst = 0.0_f64;
            let count = self.pairs.len();
            for number in 0..count {
                let index = if sweep % 2 == 0 { number } else { count - 1 - number };
                worst = worst.max(self.sweep_pair(index, &mut motion));
            }
            for index in 0..self.coordinates.len() {
                let row = self.coordinates[index].row;
                if !self.coordinates[index].term.acts {
                    continue;
                }
                let moved = self.along(&row, &motion);
                let term = &mut self.coordinates[index].term;
                let wanted = term.impulse - (term.start + moved - term.target) / term.response;
                let step = wanted.min(term.upper).max(term.lower) - term.impulse;
                term.impulse += step;
                worst = worst.max(step.abs() * term.response);
                self.push_row(&row, step, &mut motion);
            }
            if sweep == 0 {
                first = worst;
            }
            if worst <= ENOUGH * first || worst <= parameters.tolerance {
                break;
            }
        }
        self.direction = motion;
    }

    /// Improves the impulses of a pair. Returns the largest change of a velocity, m/s or rad/s.
    fn sweep_pair(&mut self, index: usize, motion: &mut [f64]) -> f64 {
        let pair = self.pairs[index];
        let mut twist = self.twist(&pair, motion);
        let mut wrench = [0.0; 6];
        let mut worst = 0.0_f64;
        for row in self.rows[pair.rows.0..pair.rows.1].iter_mut().filter(|row| row.term.acts) {
            let term = &mut row.term;
            let own = dot(&row.wrench, &yielded(&pair, &row.wrench)).max(f64::MIN_POSITIVE);
            let off = term.start + dot(&row.wrench, &twist) - term.target;
            // A row that others hold already has no response of its own.
            let step = -off / own.max(1e-3 * term.response);
            term.impulse += step;
            worst = worst.max(step.abs() * own);
            add(&mut twist, &yielded(&pair, &row.wrench), step);
            add(&mut wrench, &row.wrench, step);
        }
        let contacts = &mut self.contacts[pair.contacts.0..pair.contacts.1];
        let sum = contacts.iter().filter(|contact| contact.acts).map(|contact| contact.response[0]).sum::<f64>();
        let mut pushed = [0.0; 6];
        for contact in contacts.iter_mut().filter(|contact| contact.acts) {
            let off = contact.start[0] + dot(&contact.wrenches[0], &twist) - contact.target[0];
            let normal = (contact.impulse[0] - off / sum.max(contact.response[0])).max(0.0);
            let step = normal - contact.impulse[0];
            if step != 0.0 {
                contact.impulse[0] = normal;
                worst = worst.max(step.abs() * contact.response[0]);
                add(&mut pushed, &contact.wrenches[0], step);
            }
        }
        add(&mut twist, &yielded(&pair, &pushed), 1.0);
        add(&mut wrench, &pushed, 1.0);
        let sum = contacts.iter().filter(|contact| contact.acts).map(|contact| 2.0 * contact.response[1]).sum::<f64>();
        let mut pushed = [0.0; 6];
        for contact in contacts.iter_mut().filter(|contact| contact.acts) {
            let bound = contact.least_bound.max(contact.friction * contact.impulse[0]);
            if bound <= 0.0 && contact.impulse[1] == 0.0 && contact.impulse[2] == 0.0 {
                continue;
            }
            let trial = [1, 2].map(|axis| {
                let off = contact.start[axis] + dot(&contact.wrenches[axis], &twist) - contact.target[axis];
                contact.impulse[axis] - off / sum.max(contact.stiffest)
            });
            let size = (trial[0] * trial[0] + trial[1] * trial[1]).sqrt();
            let share = if size > bound { bound / size } else { 1.0 };
            for axis in [1, 2] {
                let step = trial[axis - 1] * share - contact.impulse[axis];
                contact.impulse[axis] += step;
                worst = worst.max(step.abs() * contact.stiffest);
                add(&mut pushed, &contact.wrenches[axis], step);
            }
        }
        add(&mut wrench, &pushed, 1.0);
        if wrench != [0.0; 6] {
            self.push_wrench(&pair, &wrench, motion);
        }
        worst
    }
}

/// The twist that a wrench makes.
#[inline]
fn yielded(pair: &Pair, wrench: &Six) -> Six {
    pair.response.map(|row| dot(&row, wrench))
}
