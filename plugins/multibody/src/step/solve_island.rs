//! The kick: forces and constraints of an island in the middle of the step.

use bunraku_body::Range;
use nalgebra::Vector3;

use crate::constraints::{Piece, Problem, ServoTerm, older};
use crate::model::drive::Drive;
use crate::model::parameters::Outcome;
use crate::model::state::{NUM_HOLDS, Regime, State};
use crate::step::advance::Solved;
use crate::step::worker::{Task, Worker};

/// An angle turned in a step, rad, beyond which a tree is fast: the bias is then taken in the very middle of the step instead of
/// being extrapolated, as extrapolation makes a wobbling top wobble more.
const FAST: f64 = 0.01;
/// The same for a tree that something holds or touches, where steps of the contacts' own outweigh what extrapolation misses.
const FAST_HELD: f64 = 0.05;
/// The most times that is done, and when it is enough, in parts of the velocity.
const MAX_MIDPOINTS: usize = 40;
const MIDPOINT_TOLERANCE: f64 = 1e-11;
/// The same of a tree that something holds, whose constraints are solved each time anew.
const HELD_TOLERANCE: f64 = 1e-6;
const MAX_ROUNDS: usize = 20;
/// By how much the extrapolated velocities may be off for a tree that is not fast, rad in a step: by four times this share an impact could
/// change the energy.
const JUMP: f64 = 1e-3;
/// Marks a tree whose bias has been limited.
const LIMITED: f64 = -1.0;
/// The midpoint iteration diverges beyond this multiple of its initial velocity; the bias is then taken at
/// the beginning.
const FAR_OFF: f64 = 1e3;
/// A motor's effort is beyond its bound, and a velocity beyond its limit, if it is by more than this share.
const BOUND_TOLERANCE: f64 = 1e-9;

impl Worker {
    /// Solves the trees of an island and moves them to the end of the step. Returns how well, and whether the island rests.
    pub(crate) fn solve_island(&mut self, task: Task<'_>, state: &mut State, island: usize) -> (Outcome, bool) {
        let Task { setting, system, parameters, .. } = task;
        let num_trees = setting.islands.trees(island).len();
        self.servos.clear();
        self.speeding.clear();
        for index in 0..num_trees {
            let tree = setting.islands.trees(island)[index] as usize;
            self.dynamics.weigh(system, &setting.kinematics, tree);
            self.set_middle(task, state, tree);
            self.set_efforts(task, state, tree);
            self.factor_and_bias(task, tree);
        }
        let mut outcome = Outcome::default();
        let mut is_unchanged = true;
        for round in 0.. {
            is_unchanged &= self.solve_constraints(task, state, island, round > 0, &mut outcome);
            for index in 0..num_trees {
                let tree = setting.islands.trees(island)[index] as usize;
                let span = system.trees[tree].coordinates.clone();
                self.velocities[span.clone()].copy_from_slice(&self.motion[span.clone()]);
                self.factor.back_solve(system, tree, &mut self.velocities);
                for coordinate in span {
                    self.velocities[coordinate] += setting.start[coordinate];
                }
            }
            if round == 0 && self.divides && self.find_suspects(task, island) {
                self.too_long.push(island);
                return (Outcome::default(), false);
            }
            // Terms are added where the solution without them needs them: each at most once.
            let is_limited = self.find_limited(task, state, island);
            let is_off = round < MAX_ROUNDS && self.correct_middles(task, island);
            if !(is_limited || is_off) {
                break;
            }
        }
        if self.divides && self.is_too_long(task, state) {
            self.too_long.push(island);
            return (Outcome::default(), false);
        }
        self.age_contacts(task, island, is_unchanged);
        outcome.unconverged = usize::from(outcome.violation > parameters.tolerance);
        let is_free = self.problem.is_empty();
        let rests = setting.closures.of(island).is_empty() && self.rests(task, island);
        if rests {
            self.lay_to_rest(task, island);
        }
        let solved = Solved { is_free, rests, corrects: !is_free && self.correct(task, island) };
        if setting.is_isolated[island] {
            self.add_up_impulses(task, state, island);
        }
        for index in 0..num_trees {
            let tree = setting.islands.trees(island)[index] as usize;
            self.advance(task, state, tree, solved);
        }
        (outcome, rests)
    }

    /// Velocities at which the bias is taken: in the middle of the step, extrapolated.
    fn set_middle(&mut self, task: Task<'_>, state: &State, tree: usize) {
        let Task { setting, system, .. } = task;
        for coordinate in system.trees[tree].coordinates.clone() {
            let now = state.velocities[coordinate];
            self.middle[coordinate] = match setting.drives[coordinate].given {
                Some(velocity) => velocity,
                None => now + 0.5 * (now - state.velocities_before[coordinate]),
            };
        }
        self.middle_errors[tree] = f64::INFINITY;
        let fastest = self.dynamics.set_velocities(system, &setting.kinematics, tree, &self.middle);
        let bound = match (setting.is_held[tree], system.trees[tree].parts.len()) {
            (true, _) => FAST_HELD,
            // A single free body is cheap to step exactly at any speed, so that shorter steps are never worse.
            (false, 1) => 0.0,
            (false, _) => FAST,
        };
        self.is_fast[tree] = fastest * setting.time_step * setting.time_step > bound * bound;
        self.bias(task, tree);
    }

    /// Takes the bias anew, and with it the free motion, of trees whose velocities in the middle of the step differ from those with which it
    /// has been taken: because an impact, or a contact that has come or gone, is in what was extrapolated, or is not in it. Returns whether
    /// there are any.
    fn correct_middles(&mut self, task: Task<'_>, island: usize) -> bool {
        let Task { setting, system, .. } = task;
        let mut is_off = false;
        for &tree in setting.islands.trees(island) {
            let tree = tree as usize;
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for coordinate in system.trees[tree].coordinates.clone() {
                let middle = 0.5 * (setting.start[coordinate] + self.velocities[coordinate]);
                if setting.kinematics.directions[coordinate].angular != Vector3::zeros() {
                    change = change.max((middle - self.middle[coordinate]).abs());
                    size = size.max(middle.abs());
                }
            }
            let allowed = if self.is_fast[tree] { HELD_TOLERANCE * size } else { JUMP / setting.time_step };
            let before = std::mem::replace(&mut self.middle_errors[tree], change);
            if change <= allowed || before == LIMITED {
                self.middle_errors[tree] = before;
                continue;
            }
            is_off = true;
            if change >= before {
                self.limit_bias(task, tree);
                continue;
            }
            for coordinate in system.trees[tree].coordinates.clone() {
                self.middle[coordinate] = 0.5 * (setting.start[coordinate] + self.velocities[coordinate]);
            }
            self.dynamics.set_velocities(system, &setting.kinematics, tree, &self.middle);
            self.bias(task, tree);
            self.free_fall(task, tree);
        }
        is_off
    }

    /// Takes the bias at the beginning of the step, and of what depends on velocities only as much as adds no energy: where the midpoint
    /// iteration has no solution. With x the change of velocities in the factor's coordinates that it makes, and w those velocities, the
    /// energy grows by w·x + ½·x·x.
    fn limit_bias(&mut self, task: Task<'_>, tree: usize) {
        let Task { setting, system, .. } = task;
        let span = system.trees[tree].coordinates.clone();
        self.middle[span.clone()].fill(0.0);
        self.dynamics.set_velocities(system, &setting.kinematics, tree, &self.middle);
        self.bias(task, tree);
        self.corrective[span.clone()].copy_from_slice(&self.dynamics.bias[span.clone()]);
        self.middle[span.clone()].copy_from_slice(&setting.start[span.clone()]);
        self.dynamics.set_velocities(system, &setting.kinematics, tree, &self.middle);
        self.bias(task, tree);
        let mut power = 0.0;
        for coordinate in span.clone() {
            let change = setting.time_step * (self.corrective[coordinate] - self.dynamics.bias[coordinate]);
            power += change * setting.start[coordinate];
            self.motion[coordinate] = change;
        }
        self.factor.half_solve(system, tree, &mut self.motion);
        let square: f64 = self.motion[span.clone()].iter().map(|value| value * value).sum();
        let share = if square > 0.0 { (-2.0 * power / square).clamp(0.0, 1.0) } else { 0.0 };
        for coordinate in span {
            let (at_rest, moving) = (self.corrective[coordinate], &mut self.dynamics.bias[coordinate]);
            *moving = at_rest + share * (*moving - at_rest);
        }
        self.middle_errors[tree] = LIMITED;
        self.free_fall(task, tree);
    }

    fn bias(&mut self, task: Task<'_>, tree: usize) {
        let Task { setting, system, .. } = task;
        let rates = setting.has_given.then(|| {
            setting.kinematics.twists(system, tree, &setting.rates, &mut self.scratch);
            &self.scratch[..]
        });
        self.dynamics.inverse(system, &setting.kinematics, tree, &setting.gravity, rates, &setting.external);
    }

    /// Efforts of motors, springs and damping. A servo that was at a limit in the step before is not in the mass matrix: it has the effort
    /// of the limit, and a term if that is too much.
    fn set_efforts(&mut self, task: Task<'_>, state: &State, tree: usize) {
        let Task { setting, system, .. } = task;
        let step = setting.time_step;
        let data = &system.trees[tree];
        for coordinate in data.coordinates.start..data.joints().start {
            self.efforts[coordinate] = setting.drives[coordinate].effort;
            self.implicit[coordinate] = 0.0;
        }
        for coordinate in data.joints() {
            let (model, drive) = (&system.coordinates[coordinate], &setting.drives[coordinate]);
            let velocity = setting.start[coordinate];
            // At the end of the step, if nothing accelerates.
            let displacement = state.displacements[coordinate] + step * velocity;
            let passive = -model.damping * velocity - model.stiffness * (displacement - model.rest);
            let (mut damping, mut stiffness) = (model.damping, model.stiffness);
            let motor = if !has_law(drive) {
                drive.bounds.clamp(drive.effort)
            } else if state.warm.regimes[coordinate] == Regime::Free {
                damping += drive.damping;
                stiffness += drive.stiffness;
                drive.effort_at(displacement, velocity)
            } else {
                let limit = if state.warm.regimes[coordinate] == Regime::Upper {
                    drive.bounds.upper
                } else {
                    drive.bounds.lower
                };
                self.servos.push((coordinate, Some(limit)));
                limit
            };
            self.efforts[coordinate] = motor + passive;
            self.implicit[coordinate] = step * (damping + step * stiffness);
        }
    }

    /// Factor of a tree, and its motion if no constraint acts.
    fn factor_and_bias(&mut self, task: Task<'_>, tree: usize) {
        let Task { setting, system, .. } = task;
        let (implicit, terms) = (&self.implicit, (&setting.kinematics, &self.dynamics.inertias[..]));
        self.factor.factor(&setting.structure, system, tree, terms, |coordinate| implicit[coordinate]);
        self.free_fall(task, tree);
        if !self.is_fast[tree] || setting.is_held[tree] {
            return;
        }
        let span = system.trees[tree].coordinates.clone();
        let mut first = None;
        for _ in 0..MAX_MIDPOINTS {
            self.velocities[span.clone()].copy_from_slice(&self.motion[span.clone()]);
            self.factor.back_solve(system, tree, &mut self.velocities);
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for coordinate in span.clone() {
                let middle = setting.start[coordinate] + 0.5 * self.velocities[coordinate];
                change = change.max((middle - self.middle[coordinate]).abs());
                size = size.max(middle.abs());
                self.middle[coordinate] = middle;
            }
            if size > FAR_OFF * *first.get_or_insert(size) {
                self.limit_bias(task, tree);
                break;
            }
            self.dynamics.set_velocities(system, &setting.kinematics, tree, &self.middle);
            self.bias(task, tree);
            self.free_fall(task, tree);
            if change <= MIDPOINT_TOLERANCE * size {
                break;
            }
        }
    }

    fn free_fall(&mut self, task: Task<'_>, tree: usize) {
        let Task { setting, system, .. } = task;
        for coordinate in system.trees[tree].coordinates.clone() {
            self.motion[coordinate] = setting.time_step * (self.efforts[coordinate] - self.dynamics.bias[coordinate]);
        }
        self.factor.half_solve(system, tree, &mut self.motion);
        let span = system.trees[tree].coordinates.clone();
        self.free_motion[span.clone()].copy_from_slice(&self.motion[span]);
    }

    /// Finds impulses and motion of an island. `goes_on` if it has been solved already with fewer terms.
    fn solve_constraints(
        &mut self,
        task: Task<'_>,
        state: &mut State,
        island: usize,
        goes_on: bool,
        outcome: &mut Outcome,
    ) -> bool {
        let Task { setting, system, parameters, .. } = task;
        let mut problem = std::mem::take(&mut self.problem);
        let context = task.context(&self.factor);
        for &tree in setting.islands.trees(island) {
            let span = system.trees[tree as usize].coordinates.clone();
            self.motion[span.clone()].copy_from_slice(&self.free_motion[span]);
        }
        self.build(&mut problem, task, &context, state, island, goes_on);
        let mut is_unchanged = true;
        if !problem.is_empty() {
            let mut found = problem.solve_step(parameters);
            found.iterations += outcome.iterations;
            outcome.iterations = found.iterations;
            is_unchanged = found.is_unchanged;
            outcome.repeats = outcome.repeats.max(found.repeats);
            (outcome.residual, outcome.violation) = (found.residual, found.violation);
            outcome.errors = found.errors;
            problem.push_motion(&context, &mut self.motion);
        }
        self.take_results(&problem, task, state, island);
        self.problem = problem;
        is_unchanged
    }

    /// Keeps the impulses of an island.
    fn take_results(&mut self, problem: &Problem, task: Task<'_>, state: &mut State, island: usize) {
        let Task { setting, system, .. } = task;
        for contact in &problem.contacts {
            self.impulses[contact.contact] =
                contact.axes().iter().zip(contact.impulse).map(|(axis, impulse)| axis * impulse).sum();
        }
        for &closure in setting.closures.of(island) {
            state.warm.closures[closure as usize].fill(Vector3::zeros());
        }
        for row in &problem.rows {
            let [x, y, z, turning_x, turning_y, turning_z] = row.wrench.map(|value| value * row.term.impulse);
            let [force, torque] = &mut state.warm.closures[row.closure];
            *force += Vector3::new(x, y, z);
            *torque += Vector3::new(turning_x, turning_y, turning_z);
        }
        for &tree in setting.islands.trees(island) {
            for coordinate in system.trees[tree as usize].joints() {
                state.warm.coordinates[coordinate] = [0.0; NUM_HOLDS];
            }
        }
        for row in &problem.coordinates {
            state.warm.coordinates[row.coordinate][row.hold as usize] += row.term.impulse;
        }
    }

    /// Ages of an island's contacts after the step.
    fn age_contacts(&mut self, task: Task<'_>, island: usize, is_unchanged: bool) {
        for &contact in task.setting.contacts.of(island) {
            let contact = contact as usize;
            self.contact_ages[contact] = if is_unchanged { older(task.setting.warm_ages[contact]) } else { 0 };
        }
    }

    /// Finds servos that have come to their limits or left them, and velocities beyond their limits. Returns whether there are any for
    /// which the problem has no term.
    fn find_limited(&mut self, task: Task<'_>, state: &mut State, island: usize) -> bool {
        let Task { setting, system, .. } = task;
        let known = (self.servos.len(), self.speeding.len());
        for &tree in setting.islands.trees(island) {
            for coordinate in system.trees[tree as usize].joints() {
                let drive = &setting.drives[coordinate];
                if drive.given.is_some() {
                    state.warm.regimes[coordinate] = Regime::Free;
                    continue;
                }
                let velocity = self.velocities[coordinate];
                let limits = &system.coordinates[coordinate].velocity_range;
                let is_beyond = |excess: f64, limit: f64| excess > BOUND_TOLERANCE * (1.0 + limit.abs());
                let speeds = is_beyond(velocity - limits.upper, limits.upper)
                    || is_beyond(limits.lower - velocity, limits.lower);
                if speeds && limits.lower <= limits.upper && !self.speeding.contains(&coordinate) {
                    self.speeding.push(coordinate);
                }
                if !has_law(drive) {
                    state.warm.regimes[coordinate] = Regime::Free;
                    continue;
                }
                let effort = drive.effort_at(state.displacements[coordinate] + setting.time_step * velocity, velocity);
                let regime = if is_beyond(effort - drive.bounds.upper, drive.bounds.upper) {
                    Regime::Upper
                } else if is_beyond(drive.bounds.lower - effort, drive.bounds.lower) {
                    Regime::Lower
                } else {
                    Regime::Free
                };
                if regime != Regime::Free && !self.servos.iter().any(|(servo, _)| *servo == coordinate) {
                    self.servos.push((coordinate, None));
                }
                state.warm.regimes[coordinate] = regime;
            }
        }
        known != (self.servos.len(), self.speeding.len())
    }

    /// The law of a servo that reaches its limits.
    pub(crate) fn servo_term(task: Task<'_>, state: &State, (coordinate, at_limit): (usize, Option<f64>)) -> ServoTerm {
        let setting = task.setting;
        let (drive, step) = (&setting.drives[coordinate], setting.time_step);
        let start = setting.start[coordinate];
        let effort = drive.effort_at(state.displacements[coordinate] + step * start, start);
        ServoTerm {
            coordinate,
            at_limit: at_limit.map(|effort| step * effort),
            start,
            effort: step * effort,
            slope: step * (drive.damping + step * drive.stiffness),
            bounds: Range { lower: step * drive.bounds.lower, upper: step * drive.bounds.upper },
            impulse: 0.0,
            velocity: 0.0,
            direction: 0.0,
            stiffness: 0.0,
            piece: Piece::default(),
        }
    }
}

/// Whether a motor's effort depends on the motion.
fn has_law(drive: &Drive) -> bool {
    drive.given.is_none() && (drive.stiffness != 0.0 || drive.damping != 0.0)
}

/// Effort range left to a motor beside its present effort, N·m or N; of a servo that at the beginning of the step.
pub(crate) fn spare(task: Task<'_>, state: &State, coordinate: usize) -> Range {
    let Task { setting, .. } = task;
    let drive = &setting.drives[coordinate];
    let velocity = setting.start[coordinate];
    let effort = drive.effort_at(state.displacements[coordinate] + setting.time_step * velocity, velocity);
    let effort = drive.bounds.clamp(effort);
    Range { lower: drive.bounds.lower - effort, upper: drive.bounds.upper - effort }
}
