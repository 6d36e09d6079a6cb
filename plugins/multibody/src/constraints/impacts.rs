//! Impacts with restitution.

use super::contact_term::ContactTerm;
use super::found::Found;
use super::problem::Problem;
use super::targets::{Meeting, normal_target};
use super::terms::Hold;
use crate::model::parameters::Parameters;

/// The most impacts in a step that follow each other.
const MAX_IMPACTS: usize = 50;

impl Problem {
    /// Solves the impacts of the step: everything that meets at once in one solve, then what that has made meet, and so on. The
    /// solve of resting and sliding contacts that follows finds surfaces that part already.
    ///
    /// Closures, couplings and ends of ranges pass impacts on; dry friction and velocity limits have no time to act. Servos within their
    /// limits are part of the mass matrix, so their terms act: otherwise a servo would give more than its limit.
    pub fn bounce(&mut self, parameters: &Parameters, found: &mut Found) {
        if self.contacts.iter().all(|contact| contact.restitution <= 0.0) {
            return;
        }
        for row in &mut self.coordinates {
            row.term.acts = matches!(row.hold, Hold::Range | Hold::Coupling);
        }
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
            let impact = self.solve_impact(parameters);
            found.add(&impact);
            let mut free = std::mem::take(&mut self.unknowns.free);
            self.push(1.0, &mut free);
            // The solve that follows finds those of servos again.
            for servo in &self.servos {
                self.push_row(&servo.row, -servo.term.impulse, &mut free);
            }
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

    /// Solves an impact for the velocities at which surfaces part, so that it adds no energy.
    ///
    /// Newton's law of restitution may add energy where friction or other contacts take part (T. Kane, D. Levinson, *Dynamics: Theory and
    /// Applications*, 1985). Then impulses are taken between those without restitution and those with it, where the work of all is zero:
    /// it is quadratic in between. Cones of friction are convex, so that these impulses are in them, too.
    ///
    /// Where friction jams, as at the tip of a lever that leans against its motion, no impulse makes the surfaces part, and Newton's law has
    /// no solution. Poisson's law has one: the impulses without restitution, and the share of them that is given back.
    fn solve_impact(&mut self, parameters: &Parameters) -> Found {
        self.contacts.iter_mut().for_each(|contact| contact.before_impact = contact.velocity);
        let with_restitution = self.solve(parameters);
        let bouncing = with_restitution.is_solved(parameters).then(|| self.outcome_of_impact());
        if bouncing.is_some() && self.work_of_impact() <= 0.0 {
            return with_restitution;
        }
        let mut restitution = f64::INFINITY;
        for contact in self.contacts.iter_mut().filter(|contact| contact.acts) {
            restitution = restitution.min(contact.restitution);
            (contact.target[0], contact.impulse) = (0.0, [0.0; 3]);
        }
        self.interval_terms().for_each(|term| term.impulse = 0.0);
        let mut found = self.solve(parameters);
        if self.work_of_impact() > 0.0 {
            let iterations = found.iterations;
            found = self.solve_with_known_bounds(parameters);
            found.iterations += iterations;
        }
        found.iterations += with_restitution.iterations;
        let plastic = self.outcome_of_impact();
        let bouncing = bouncing.unwrap_or_else(|| self.given_back(&plastic, restitution));
        let share = self.share_without_work(&plastic, &bouncing);
        let mix = |plastic: f64, bouncing: f64| plastic + share * (bouncing - plastic);
        for ((contact, (plastic, _)), (bouncing, _)) in
            self.contacts.iter_mut().zip(&plastic.contacts).zip(&bouncing.contacts)
        {
            contact.impulse = std::array::from_fn(|axis| mix(plastic[axis], bouncing[axis]));
        }
        for ((term, plastic), bouncing) in self.interval_terms().zip(&plastic.others).zip(&bouncing.others) {
            term.impulse = mix(*plastic, *bouncing);
        }
        found
    }

    /// What Poisson's law makes of an impact without restitution.
    fn given_back(&self, plastic: &ImpactOutcome, restitution: f64) -> ImpactOutcome {
        let beyond = |start: f64, end: f64| end + restitution * (end - start);
        let contacts = self.contacts.iter().zip(&plastic.contacts).map(|(contact, (impulse, after))| {
            let after = std::array::from_fn(|axis| beyond(contact.before_impact[axis], after[axis]));
            (impulse.map(|impulse| beyond(0.0, impulse)), after)
        });
        let others = plastic.others.iter().map(|impulse| beyond(0.0, *impulse));
        ImpactOutcome { contacts: contacts.collect(), others: others.collect() }
    }

    /// Twice the work of the impact's contacts, J.
    fn work_of_impact(&self) -> f64 {
        let acting = self.contacts.iter().filter(|contact| contact.acts);
        acting.map(|contact| twice_work(contact, &contact.impulse, &contact.velocity)).sum()
    }

    fn outcome_of_impact(&mut self) -> ImpactOutcome {
        let others = self.interval_terms().map(|term| if term.acts { term.impulse } else { 0.0 }).collect();
        let of = |contact: &ContactTerm| (if contact.acts { contact.impulse } else { [0.0; 3] }, contact.velocity);
        ImpactOutcome { contacts: self.contacts.iter().map(of).collect(), others }
    }

    /// Share of the way from impulses without restitution to those with it that may be gone without positive work. Constraints without
    /// friction do no work.
    fn share_without_work(&self, plastic: &ImpactOutcome, bouncing: &ImpactOutcome) -> f64 {
        let work = |impulses: &ImpactOutcome, velocities: &ImpactOutcome| {
            let outcomes = impulses.contacts.iter().zip(&velocities.contacts);
            let contacts = self.contacts.iter().zip(outcomes);
            contacts.map(|(contact, ((impulse, _), (_, after)))| twice_work(contact, impulse, after)).sum::<f64>()
        };
        let [start, end] = [work(plastic, plastic), work(bouncing, bouncing)];
        if end <= 0.0 {
            return 1.0;
        }
        // The work at a share s is start·(1 − s)² + mixed·s·(1 − s) + end·s².
        let mixed = work(plastic, bouncing) + work(bouncing, plastic);
        let (square, linear) = (start - mixed + end, mixed - 2.0 * start);
        let root = (linear * linear - 4.0 * square * start).max(0.0).sqrt();
        // Of the two roots, that between start ≤ 0 and end > 0, without cancellation.
        let share = if linear >= 0.0 { -2.0 * start / (linear + root) } else { (root - linear) / (2.0 * square) };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
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

/// Impulses of an impact, N·s, and velocities of contacts after it, m/s.
struct ImpactOutcome {
    contacts: Vec<([f64; 3], [f64; 3])>,
    others: Vec<f64>,
}

/// Twice the work of a contact's impulse in an impact with these velocities at its end, J.
fn twice_work(contact: &ContactTerm, impulse: &[f64; 3], after: &[f64; 3]) -> f64 {
    (0..3).map(|axis| impulse[axis] * (contact.before_impact[axis] + after[axis])).sum()
}

impl ContactTerm {
    /// How the surfaces meet; the velocities are those of the free motion.
    fn meeting(&self) -> Meeting {
        Meeting { before: self.velocity[0] - self.change, free: self.velocity[0] }
    }
}
