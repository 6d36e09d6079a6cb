//! The proximal iteration around Newton's method.
//!
//! Each term is soft: its impulse changes by 1/R with the velocity. The proximal iteration solves again with the impulses just found as
//! the point about which the term is soft ("augmented Lagrangian"), so that the remaining velocity error shrinks by about the
//! regularisation each time. Friction bounds follow the normal impulses in the same iteration, by Newton's method. While the same terms
//! stick, slide and lift, a repeat costs one solve with the factor at hand.
//!
//! Where many contacts change at once, hard terms make Newton's method find out one contact after the other which of them stick, slide
//! and lift. The terms are then softer by a factor, and become harder again as far as the laws of friction are met. They
//! become harder than their own compliance where repeats converge slowly: the response to a term's own impulse, which the compliance is a share
//! of, is too large for a light link between heavy ones. What is left of the laws is reported.

use super::found::Found;
use super::problem::{Fit, Problem};
use super::terms::Hold;
use crate::model::parameters::Parameters;

/// Share of the contacts' impulses of the step before that the first proximal point leaves out, until the contacts have been unchanged for
/// so many steps. Loads that rigid bodies do not determine thereby approach the sharing with the least sum of squares.
const FORGETTING: f64 = 0.02;
const SETTLED: u32 = 500;
/// Largest change of an impulse in a step, as a share of the largest impulse, for which contacts count as unchanged.
const UNCHANGED: f64 = 1e-2;
/// Repeats go on below the tolerance down to this share of it, as long as each leaves at most this share of the violation.
const POLISHED: f64 = 1e-6;
const HELPS: f64 = 0.1;
/// Share of its last value below which an error converges.
const CONVERGING: f64 = 0.3;
/// Share of its bound, squared, from which friction is at it.
const AT_BOUND: f64 = 0.999;
/// Newton iterations after which the terms are made softer, and the most with soft terms.
const PATIENCE: usize = 6;
const SOFT_PATIENCE: usize = 24;
/// A residual, m/s or rad/s, with which the solve begins with soft terms at once.
const FAR: f64 = 1e-2;
/// Multiplications in factorisations, some milliseconds, beyond which a step takes only as long as repeats come nearer to the laws; and the
/// fewest Newton iterations.
const MAX_WORK: f64 = 4e6;
const LEAST_ITERATIONS: usize = 4;
/// Factor of the softest terms, and by how much they become harder at a time.
const SOFTEST: f64 = 1e3;
const HARDENING: f64 = 10.0;
/// Factor of the hardest terms.
const HARDEST: f64 = 1e-3;
/// Velocity, m/s or rad/s, that the laws are missed by at most, times the factor, when terms become harder.
const HARDENS_BELOW: f64 = 1e-6;

/// The age of a contact one step later.
pub fn older(age: u32) -> u32 {
    (age + 1).min(SETTLED)
}

impl Problem {
    /// Solves a step: impacts, then everything else.
    pub fn solve_step(&mut self, parameters: &Parameters) -> Found {
        let mut impacts = Found::default();
        self.bounce(parameters, &mut impacts);
        self.warm_start();
        let mut found = self.solve(parameters);
        self.add_impacts();
        found.add(&impacts);
        found
    }

    /// Finds the impulses, beginning with those that the terms have.
    pub fn solve(&mut self, parameters: &Parameters) -> Found {
        let mut found = Found::default();
        self.keep_impulses();
        self.begin(&mut found);
        self.evaluate();
        // If the same terms act as before, the linear step has led to the minimum.
        if self.fit != Fit::Exact {
            self.find_gradient();
            found.residual = self.residual();
        }
        let mut softness = 1.0;
        let mut has_begun_soft = found.residual > FAR;
        if has_begun_soft {
            self.begin_soft(parameters, &mut softness);
        }
        self.friction_bounds.clear();
        self.repeat_errors.clear();
        let (most, affordable) = (parameters.max_iterations, self.affordable_iterations());
        self.best.forget();
        let (mut last, mut missed) = (f64::INFINITY, Missed::EVERYTHING);
        loop {
            found.repeats += 1;
            if found.repeats > 1 || softness > 1.0 {
                self.check(&mut found);
            }
            let patience = if softness > 1.0 { SOFT_PATIENCE } else { PATIENCE };
            let is_found = self.minimise(parameters, softness, most.min(found.iterations + patience), &mut found);
            let now = self.missed();
            found.violation = now.largest();
            let is_nearing = self.keep_best(is_found, &found) || found.iterations < affordable;
            let can_be_better = found.violation > POLISHED * parameters.tolerance && found.violation < HELPS * last;
            last = found.violation;
            let is_enough = softness <= 1.0 && is_found && found.violation <= parameters.tolerance && !can_be_better;
            if is_enough {
                break;
            }
            if found.repeats >= parameters.max_repeats || found.iterations >= most || !is_nearing {
                if self.take_best(is_found, &mut found) {
                    break;
                }
                if !is_found {
                    // With soft terms Newton's method always comes to its end.
                    self.begin_soft(parameters, &mut softness);
                    self.check(&mut found);
                    self.minimise(parameters, softness, found.iterations + SOFT_PATIENCE, &mut found);
                    found.violation = self.missed().largest();
                }
                break;
            }
            if !is_found {
                if !has_begun_soft {
                    self.begin_soft(parameters, &mut softness);
                    has_begun_soft = true;
                }
                continue;
            }
            self.move_bounds();
            // Harder terms would only amplify what the friction bounds still miss. Where repeats hardly help, the terms are softer than what
            // they hold back: a light link that heavy ones hold moves easily only for itself.
            let is_met = softness > 1.0 && found.violation <= softness * HARDENS_BELOW;
            let soft = now.of_compliance();
            let remaining = self.remaining_share();
            let is_slow = soft > parameters.tolerance
                && if softness > 1.0 { soft > CONVERGING * missed.of_compliance() } else { remaining > CONVERGING };
            if is_met || is_slow && softness > HARDEST {
                let harder = softness / HARDENING;
                self.soften(&mut softness, harder);
            }
            self.set_anchors(parameters.tolerance, &missed, &now);
            missed = now;
        }
        found.errors = self.law_errors(parameters.time_step);
        self.soften(&mut softness, 1.0);
        found.is_unchanged = self.is_unchanged();
        found
    }

    /// Solves the convex problem with the friction bounds as they are, and without a proximal point: every term of the objective is then
    /// least at rest, so that the solution has no more energy than the free motion, whatever the bounds.
    pub(super) fn solve_with_known_bounds(&mut self, parameters: &Parameters) -> Found {
        let mut found = Found::default();
        self.contacts.iter_mut().for_each(|contact| contact.anchor = [0.0; 3]);
        self.interval_terms().for_each(|term| term.anchor = 0.0);
        self.check(&mut found);
        self.minimise(parameters, 1.0, SOFT_PATIENCE, &mut found);
        found.violation = self.missed().largest();
        found.errors = self.law_errors(parameters.time_step);
        found
    }

    /// Whether no contact's impulse differs much from that with which the solve has begun.
    fn is_unchanged(&self) -> bool {
        let (mut change, mut size) = (0.0_f64, 0.0_f64);
        for contact in &self.contacts {
            for (now, before) in contact.impulse.iter().zip(contact.start_impulse) {
                change = change.max((now - before).abs() * contact.response[0]);
                size = size.max(now.abs() * contact.response[0]);
            }
        }
        change <= UNCHANGED * size
    }

    /// One Newton step from the laws linearised about the present impulses. The proximal point is a share of the impulses with which the
    /// solve has begun.
    fn begin(&mut self, found: &mut Found) {
        let kept = self.kept();
        for contact in &mut self.contacts {
            contact.anchor = contact.start_impulse.map(|impulse| impulse * kept);
            contact.bound = contact.full_bound();
        }
        for term in self.interval_terms() {
            term.anchor = term.start_impulse;
        }
        self.move_by_impulses();
        self.linearise();
        self.find_gradient();
        self.find_direction();
        self.advance(1.0);
        found.iterations += 1;
    }

    /// Share of the impulses of the step before that counts in this one.
    fn kept(&self) -> f64 {
        if self.contacts.iter().all(|contact| contact.age >= SETTLED) { 1.0 } else { 1.0 - FORGETTING }
    }

    fn keep_impulses(&mut self) {
        self.contacts.iter_mut().for_each(|contact| contact.start_impulse = contact.impulse);
        self.interval_terms().for_each(|term| term.start_impulse = term.impulse);
    }

    fn restore_impulses(&mut self) {
        self.contacts.iter_mut().for_each(|contact| contact.impulse = contact.start_impulse);
        self.interval_terms().for_each(|term| term.impulse = term.start_impulse);
    }

    /// Makes the terms of contacts and bounds soft about the impulses that sweeps find: soft terms about those of the step before would push
    /// what should part, and add energy.
    fn begin_soft(&mut self, parameters: &Parameters, softness: &mut f64) {
        self.restore_impulses();
        self.sweep(parameters);
        let kept = self.kept();
        for pair in &self.pairs {
            let contacts = &mut self.contacts[pair.contacts.0..pair.contacts.1];
            // A heap of bodies has no time to find again what it forgets: only points that share their load have to.
            let kept = if contacts.len() > 1 { kept } else { 1.0 };
            for contact in contacts {
                contact.anchor = contact.impulse.map(|impulse| impulse * kept);
                contact.bound = contact.full_bound();
            }
        }
        for term in self.interval_terms() {
            term.anchor = term.impulse;
        }
        self.move_by_impulses();
        self.soften(softness, SOFTEST);
    }

    /// The iterate is the motion that the present impulses make.
    pub(super) fn move_by_impulses(&mut self) {
        let mut iterate = std::mem::take(&mut self.iterate);
        iterate.copy_from_slice(&self.unknowns.free);
        self.push(1.0, &mut iterate);
        self.iterate = iterate;
        self.follow();
    }

    /// Newton iterations that a step may take without asking whether they help: fewer where each of them costs much.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // A small positive number.
    fn affordable_iterations(&self) -> usize {
        let affordable = (MAX_WORK / self.cholesky.work()) as usize;
        affordable.max(LEAST_ITERATIONS)
    }

    /// Makes the terms of contacts and bounds as many times more compliant than their own as asked for. Rows of closures and couplings stay
    /// hard: they hold in any case.
    fn soften(&mut self, softness: &mut f64, wanted: f64) {
        let factor = wanted / *softness;
        if factor == 1.0 {
            return;
        }
        let before = std::mem::replace(softness, wanted);
        self.friction_bounds.clear();
        for contact in &mut self.contacts {
            contact.compliance.iter_mut().for_each(|compliance| *compliance *= factor);
        }
        let of_rows = wanted.min(1.0) / before.min(1.0);
        for row in &mut self.coordinates {
            row.term.compliance *= if row.hold == Hold::Coupling { of_rows } else { factor };
        }
        self.rows.iter_mut().for_each(|row| row.term.compliance *= of_rows);
        self.fit = Fit::None;
    }

    /// Moves the proximal point to the present impulses.
    ///
    /// The proximal point stays where it does not help any more: points of one plane whose gaps differ by rounding would pass their load
    /// on from repeat to repeat.
    fn set_anchors(&mut self, tolerance: f64, last: &Missed, now: &Missed) {
        let moves = |now: f64, last: f64| now > tolerance || now < CONVERGING * last;
        let moves_normal = moves(now.normal, last.normal);
        let moves_friction = moves(now.slip(), last.slip());
        for contact in self.contacts.iter_mut().filter(|contact| contact.acts) {
            if moves_normal {
                contact.anchor[0] = contact.impulse[0];
            }
            if moves_friction {
                [_, contact.anchor[1], contact.anchor[2]] = contact.impulse;
            }
        }
        self.interval_terms().for_each(|term| term.anchor = term.impulse);
    }

    /// Share of the errors of the last repeat that this one has left, in their direction: errors that come from other loads, because the
    /// bounds of friction have changed, do not count. An error is the change of an impulse from its proximal point, times R.
    fn remaining_share(&mut self) -> f64 {
        let last = std::mem::take(&mut self.repeat_errors);
        let mut now = std::mem::take(&mut self.spare_errors);
        now.clear();
        for contact in self.contacts.iter().filter(|contact| contact.acts) {
            let [normal, one, two] = std::array::from_fn(|axis| contact.impulse[axis] - contact.anchor[axis]);
            now.push(contact.compliance[0] * normal);
            let share = if contact.slides() { 0.0 } else { contact.compliance[1] };
            now.extend([share * one, share * two]);
        }
        now.extend(
            self.interval_terms().filter(|term| term.acts).map(|term| term.compliance * (term.impulse - term.anchor)),
        );
        let (mut common, mut size) = (0.0, 0.0);
        if last.len() == now.len() {
            common = now.iter().zip(&last).map(|(now, last)| now * last).sum();
            size = last.iter().map(|last| last * last).sum();
        }
        (self.repeat_errors, self.spare_errors) = (now, last);
        if size > 0.0 { common / size } else { 0.0 }
    }

    /// By how much the laws of hard constraints are missed: Signorini's condition, Coulomb's cone and the sticking of what is inside
    /// it, closures and limits.
    pub(super) fn missed(&self) -> Missed {
        let mut missed = Missed::default();
        for contact in self.contacts.iter().filter(|contact| contact.acts) {
            let violation = contact.violation();
            let [_, one, two] = contact.impulse;
            let sticks = one * one + two * two < AT_BOUND * contact.bound * contact.bound;
            let slip = if sticks { &mut missed.sticking } else { &mut missed.sliding };
            *slip = slip.max(violation.slip);
            missed.normal = missed.normal.max(violation.approach).max(violation.lift);
            missed.cone = missed.cone.max(violation.beyond);
        }
        let coordinates = self.coordinates.iter().map(|row| &row.term);
        for term in self.rows.iter().map(|row| &row.term).chain(coordinates).filter(|term| term.acts) {
            missed.other = missed.other.max(term.violation());
        }
        missed
    }
}

/// Errors of the laws of hard constraints, m/s or rad/s.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Missed {
    /// Of contacts along the normal.
    normal: f64,
    /// Slip that friction could stop: with friction inside its bound, and at a bound that is smaller than its cone.
    sticking: f64,
    sliding: f64,
    /// Friction beyond its cone.
    cone: f64,
    /// Closures and limits.
    other: f64,
}

impl Missed {
    const EVERYTHING: Self = Self {
        normal: f64::INFINITY,
        sticking: f64::INFINITY,
        sliding: f64::INFINITY,
        cone: f64::INFINITY,
        other: f64::INFINITY,
    };

    fn slip(&self) -> f64 {
        self.sticking.max(self.sliding)
    }

    /// Largest error that is due to compliance, not to lagging friction bounds.
    fn of_compliance(&self) -> f64 {
        self.normal.max(self.sticking).max(self.other)
    }

    pub(super) fn largest(&self) -> f64 {
        self.of_compliance().max(self.sliding).max(self.cone)
    }
}
