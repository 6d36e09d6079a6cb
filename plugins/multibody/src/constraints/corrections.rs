//! Velocities that take out depth and gaps. They move the positions of one step and are then forgotten, so that they add no energy.

use super::found::Found;
use super::interval_term::IntervalTerm;
use super::problem::{Fit, Problem};
use super::terms::Hold;
use crate::model::parameters::Parameters;

/// Largest remaining error of a pushing motion, as a share of the speed with which depth is taken out.
const TOLERANCE: f64 = 1e-3;
/// Maximum number of Newton iterations for a pushing motion.
const MAX_ITERATIONS: usize = 20;

/// Kind of a correcting motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// Closes the gaps of closures and couplings, whatever touches.
    Close,
    /// Pushes bodies out of each other and joints into their ranges; closures stay as they are.
    Push,
}

impl Problem {
    /// Returns the correcting motions that are needed, and turns the terms into those of a problem at rest: closures, and without friction
    /// contacts and ends of ranges that are loaded or too deep.
    pub fn prepare_corrections(&mut self) -> [Option<Correction>; 2] {
        let closes = self.closing_terms().any(|term| term.correction != 0.0);
        let contacts = self.contacts.iter().map(|contact| contact.correction);
        let bounds = self.coordinates.iter().filter(|row| row.hold != Hold::Coupling).map(|row| row.term.correction);
        let pushes = contacts.chain(bounds).any(|speed| speed != 0.0);
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
            match row.hold {
                Hold::Range => {}
                Hold::Coupling => term.anchor = 0.0,
                Hold::Friction | Hold::Velocity => (term.lower, term.upper) = (0.0, 0.0),
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
            self.closing_terms().for_each(|term| term.target = 0.0);
            self.sweep(parameters);
            self.closing_terms().for_each(|term| term.impulse = 0.0);
            let mut free = std::mem::take(&mut self.unknowns.free);
            self.push(1.0, &mut free);
            self.unknowns.free = free;
        } else {
            self.closing_terms().for_each(|term| term.target = term.correction);
        }
        if self.closing_terms().next().is_none() {
            return;
        }
        self.set_bounds_acting(false);
        self.iterate.copy_from_slice(&self.unknowns.free);
        self.follow();
        self.fit = Fit::None;
        // The tolerance of soft terms, in parts of the parameters' own.
        let soft = TOLERANCE * parameters.correction_speed / parameters.tolerance;
        // Fingers of a gripper are compared to better than a micrometre.
        let has_couplings = self.coordinates.iter().any(|row| row.hold == Hold::Coupling);
        let softness = if has_couplings { 1.0 } else { soft };
        let mut found = Found::default();
        self.check(&mut found);
        self.minimise(parameters, softness, MAX_ITERATIONS, &mut found);
        self.set_bounds_acting(true);
    }

    /// Terms of closures and couplings.
    fn closing_terms(&mut self) -> impl Iterator<Item = &mut IntervalTerm> {
        let couplings = self.coordinates.iter_mut().filter(|row| row.hold == Hold::Coupling);
        self.rows.iter_mut().map(|row| &mut row.term).chain(couplings.map(|row| &mut row.term))
    }

    /// Lets contacts and bounds act, or only closures and couplings.
    fn set_bounds_acting(&mut self, acts: bool) {
        self.contacts.iter_mut().for_each(|contact| contact.acts = acts);
        self.coordinates.iter_mut().for_each(|row| row.term.acts = acts || row.hold == Hold::Coupling);
    }
}
