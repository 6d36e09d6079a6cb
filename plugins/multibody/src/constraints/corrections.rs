//! Velocities that take out depth and gaps. They move the positions of one step and are then forgotten, so that they add no energy.

use super::found::Found;
use super::problem::{Hold, Problem};
use crate::model::parameters::Parameters;

/// Largest remaining error of a pushing motion, as a share of the speed with which depth is taken out.
const TOLERANCE: f64 = 1e-3;
/// Maximum number of Newton iterations for a pushing motion.
const MAX_ITERATIONS: usize = 20;

/// Kind of a correcting motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// Closes the gaps of closures, whatever touches.
    Close,
    /// Pushes bodies out of each other and joints into their ranges; closures stay as they are.
    Push,
}

impl Problem {
    /// Returns the correcting motions that are needed, and turns the terms into those of a problem at rest: closures, and without friction
    /// contacts and ends of ranges that are loaded or too deep.
    pub fn prepare_corrections(&mut self) -> [Option<Correction>; 2] {
        let closes = self.rows.iter().any(|row| row.term.correction != 0.0);
        let contacts = self.contacts.iter().map(|contact| contact.correction);
        let pushes = contacts.chain(self.coordinates.iter().map(|row| row.term.correction)).any(|speed| speed != 0.0);
        let corrections = [closes.then_some(Correction::Close), pushes.then_some(Correction::Push)];
        if corrections == [None; 2] {
            return corrections;
        }
        for contact in &mut self.contacts {
            // A sticking contact is not pushed along the surface.
            let full = contact.compliance[1].recip();
            let sticks = contact.impulse[0] > 0.0 && contact.stiffness[1] == full && contact.stiffness[2] == full;
            contact.least_bound = if sticks { f64::INFINITY } else { 0.0 };
            contact.start = [0.0; 3];
            contact.target = [contact.correction, 0.0, 0.0];
            (contact.impulse, contact.anchor) = ([0.0; 3], [0.0; 3]);
            (contact.friction, contact.bound) = (0.0, 0.0);
        }
        for row in &mut self.coordinates {
            let term = &mut row.term;
            if row.hold != Hold::Range {
                (term.lower, term.upper) = (0.0, 0.0);
            }
            (term.start, term.target, term.impulse) = (0.0, term.correction, 0.0);
        }
        for row in &mut self.rows {
            (row.term.start, row.term.anchor, row.term.impulse) = (0.0, 0.0, 0.0);
        }
        self.servos.clear();
        corrections
    }

    /// Finds a motion that corrects, and gives the terms its impulses.
    ///
    /// Pushing is done by sweeps: where bodies are jammed no motion meets all corrections, and an exact solve would ask for large motions
    /// along what levers make of their differences. Sweeps stop while it is small.
    pub fn correct(&mut self, correction: Correction, parameters: &Parameters) {
        self.unknowns.free.fill(0.0);
        if correction == Correction::Push {
            self.rows.iter_mut().for_each(|row| row.term.target = 0.0);
            self.sweep(parameters);
            self.rows.iter_mut().for_each(|row| row.term.impulse = 0.0);
            let mut free = std::mem::take(&mut self.unknowns.free);
            self.push(1.0, &mut free);
            self.unknowns.free = free;
        } else {
            self.rows.iter_mut().for_each(|row| row.term.target = row.term.correction);
        }
        if self.rows.is_empty() {
            return;
        }
        self.set_bounds_acting(false);
        self.iterate.copy_from_slice(&self.unknowns.free);
        self.follow();
        self.is_factored = false;
        // The tolerance of soft terms, in parts of the parameters' own.
        let softness = TOLERANCE * parameters.correction_speed / parameters.tolerance;
        let mut found = Found::default();
        self.check(&mut found);
        self.minimise(parameters, softness, MAX_ITERATIONS, &mut found);
        self.set_bounds_acting(true);
    }

    /// Lets contacts and bounds act, or only closures.
    fn set_bounds_acting(&mut self, acts: bool) {
        self.contacts.iter_mut().for_each(|contact| contact.acts = acts);
        self.coordinates.iter_mut().for_each(|row| row.term.acts = acts);
    }
}
