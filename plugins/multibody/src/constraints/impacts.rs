//! Impacts with restitution.

use super::found::Found;
use super::problem::{Hold, Problem};
use super::targets::{Meeting, normal_target};
use crate::parameters::Parameters;

/// The most impacts in a step that follow each other.
const MAX_IMPACTS: usize = 50;

impl Problem {
    /// Solves the impacts of the step: everything that meets at once in one solve, then what that has made meet, and so on. The
    /// solve of resting and sliding contacts that follows finds surfaces that part already.
    ///
    /// Closures and ends of ranges pass impacts on; dry friction, velocity limits and servos have no time to act.
    pub fn bounce(&mut self, parameters: &Parameters, found: &mut Found) {
        if self.contacts.iter().all(|contact| contact.restitution <= 0.0) {
            return;
        }
        for row in &mut self.coordinates {
            row.term.acts = row.hold == Hold::Range;
        }
        let servos = std::mem::take(&mut self.servos);
        self.iterate.copy_from_slice(&self.unknowns.free);
        self.follow();
        self.contacts.iter_mut().for_each(|contact| contact.change = contact.velocity[0] - contact.start[0]);
        for _ in 0..MAX_IMPACTS {
            self.iterate.copy_from_slice(&self.unknowns.free);
            self.follow();
            let mut meets = false;
            for contact in &mut self.contacts {
                let meeting = contact.meeting();
                contact.acts = contact.restitution > 0.0
                    && meeting.is_impact(parameters)
                    && meeting.is_now(contact.gap, parameters);
                contact.impulse = [0.0; 3];
                if contact.acts {
                    meets = true;
                    contact.target[0] = meeting.parting(contact.gap, contact.restitution, parameters);
                    // The impulse of the step before has nothing to do with the impact.
                    contact.warm = [0.0; 3];
                    contact.correction = 0.0;
                }
            }
            if !meets {
                break;
            }
            let coordinates = self.coordinates.iter_mut().map(|row| &mut row.term);
            self.rows.iter_mut().map(|row| &mut row.term).chain(coordinates).for_each(|term| term.impulse = 0.0);
            let impact = self.solve(parameters);
            found.iterations += impact.iterations;
            found.residual = found.residual.max(impact.residual);
            found.violation = found.violation.max(impact.violation);
            found.errors.add(&impact.errors);
            let mut free = std::mem::take(&mut self.unknowns.free);
            self.push(1.0, &mut free);
            self.unknowns.free = free;
            for contact in self.contacts.iter_mut().filter(|contact| contact.acts) {
                contact.impact.iter_mut().zip(contact.impulse).for_each(|(sum, more)| *sum += more);
                contact.target[0] = normal_target(contact.gap, parameters);
            }
            let coordinates = self.coordinates.iter_mut().map(|row| &mut row.term);
            for term in self.rows.iter_mut().map(|row| &mut row.term).chain(coordinates).filter(|term| term.acts) {
                term.impact += term.impulse;
            }
        }
        self.servos = servos;
        self.iterate.copy_from_slice(&self.unknowns.free);
        self.follow();
        for contact in &mut self.contacts {
            // An impact that comes in a later step brakes nothing until then.
            let meeting = contact.meeting();
            contact.acts =
                contact.restitution <= 0.0 || !meeting.is_impact(parameters) || meeting.is_now(contact.gap, parameters);
            if !contact.acts {
                contact.impulse = [0.0; 3];
                contact.warm = [0.0; 3];
                contact.correction = 0.0;
            }
        }
        self.coordinates.iter_mut().for_each(|row| row.term.acts = true);
    }

    /// Adds the impulses of impacts to those of the solve after them. Terms that did not act have no impulse.
    pub fn add_impacts(&mut self) {
        for contact in &mut self.contacts {
            contact.impulse.iter_mut().zip(contact.impact).for_each(|(sum, more)| *sum += more);
            contact.acts = true;
        }
        let coordinates = self.coordinates.iter_mut().map(|row| &mut row.term);
        for term in self.rows.iter_mut().map(|row| &mut row.term).chain(coordinates) {
            term.impulse += term.impact;
        }
    }
}

impl super::ContactTerm {
    /// How the surfaces meet; the velocities are those of the free motion.
    fn meeting(&self) -> Meeting {
        Meeting { before: self.velocity[0] - self.change, free: self.velocity[0] }
    }
}
