//! The terms of an island in a step.

use bunraku_body::Range;
use nalgebra::Vector3;

use crate::constraints::closure_rows::{ClosureRows, Motion};
use crate::constraints::{Bound, CouplingRow, Hold, Problem, StepContext, depth_speed, normal_target};
use crate::model::coupling::Coupling;
use crate::model::index::PartIndex;
use crate::model::state::State;
use crate::model::system::{Coordinate, TreeData};
use crate::step::solve_island::spare;
use crate::step::worker::{Task, Worker};

/// A contact sticks if its friction in the step before was below this share of the bound.
const STICKING: f64 = 1.0 - 1e-3;
/// Share of a velocity limit from which the limit has a term.
const NEAR_LIMIT: f64 = 0.9;

impl Worker {
    /// Builds the terms of an island. `goes_on` if it has been solved already with fewer terms.
    pub(crate) fn build(
        &self,
        problem: &mut Problem,
        task: Task<'_>,
        context: &StepContext<'_>,
        state: &State,
        island: usize,
        goes_on: bool,
    ) {
        let Task { setting, system, input, .. } = task;
        problem.clear(context);
        let closures = setting.closures.of(island);
        let contacts = setting.contacts.of(island);
        let of_contacts = contacts.iter().map(|&index| input.contacts[index as usize].parts);
        let of_closures = closures.iter().map(|&index| system.closures[index as usize].sides.map(|side| side.part));
        for PartIndex(part) in of_contacts.chain(of_closures).flatten().flatten() {
            problem.unknowns.touch_part(context, part);
        }
        problem.bounds.clear();
        for &tree in setting.islands.trees(island) {
            for coordinate in system.trees[tree as usize].joints() {
                let known = problem.bounds.len();
                self.bounds(task, state, coordinate, |bound| problem.bounds.push((coordinate, bound)));
                if problem.bounds.len() > known {
                    problem.unknowns.touch_coordinate(context, coordinate);
                }
            }
        }
        let couplings = |coordinate: usize| system.couplings[coordinate].map(|coupling| (coordinate, coupling));
        let trees = || setting.islands.trees(island).iter().map(|&tree| &system.trees[tree as usize]);
        let coupled = || trees().filter(|tree| tree.has_couplings);
        for (coordinate, coupling) in coupled().flat_map(TreeData::joints).filter_map(couplings) {
            problem.unknowns.touch_coordinate(context, coordinate);
            problem.unknowns.touch_coordinate(context, coupling.leader);
        }
        for &(coordinate, _) in &self.servos {
            problem.unknowns.touch_coordinate(context, coordinate);
        }
        problem.unknowns.finish(context, &self.motion);

        for &index in closures {
            let closure = &system.closures[index as usize];
            let rows = ClosureRows::of(system, &setting.kinematics, &self.dynamics, closure);
            let [force, torque] = &state.warm.closures[index as usize];
            problem.add_closure(context, index as usize, &rows, (force, torque));
        }
        let bounds = std::mem::take(&mut problem.bounds);
        for (coordinate, bound) in &bounds {
            let warm = state.warm.coordinates[*coordinate][bound.hold as usize];
            problem.add_coordinate(context, *coordinate, setting.start[*coordinate], bound, warm);
        }
        problem.bounds = bounds;
        for (coordinate, coupling) in coupled().flat_map(TreeData::joints).filter_map(couplings) {
            let row = coupling_row(task, state, coordinate, &coupling);
            let warm = state.warm.coordinates[coordinate][Hold::Coupling as usize];
            problem.add_coupling(context, coordinate, &row, warm);
        }
        for &servo in &self.servos {
            problem.add_servo(context, Self::servo_term(task, state, servo));
        }
        let warm_starts = if goes_on { &self.impulses } else { &setting.warm_starts };
        for &index in contacts {
            self.add_contact(problem, task, context, index as usize, &warm_starts[index as usize]);
        }
        problem.finish();
    }

    fn add_contact(
        &self,
        problem: &mut Problem,
        task: Task<'_>,
        context: &StepContext<'_>,
        index: usize,
        warm: &Vector3<f64>,
    ) {
        let Task { setting, input, parameters, .. } = task;
        let contact = &input.contacts[index];
        let (drift, is_known) = self.drift(task, index);
        problem.add_contact(context, (index, contact), warm, |term, axes| {
            let drift = axes.map(|axis| axis.dot(&drift));
            // At the beginning of the step, in its middle, and at the end of the step before.
            let slowest = [0.0, 0.5, 1.0].into_iter().fold(f64::INFINITY, |slowest, share| {
                let [one, two] = [1, 2].map(|axis| term.start[axis] - share * drift[axis]);
                slowest.min(one * one + two * two)
            });
            let [normal, one, two] = term.warm;
            let spare = STICKING * contact.static_friction.min(contact.dynamic_friction) * normal;
            let sticks = slowest < parameters.sticking_speed * parameters.sticking_speed
                || one * one + two * two < spare * spare;
            term.friction = if sticks { contact.static_friction } else { contact.dynamic_friction };
            term.target = [normal_target(contact.gap, parameters), 0.0, 0.0];
            if term.warm[0] > 0.0 && is_known {
                term.target[0] -= 0.5 * drift[0];
            }
            if sticks {
                term.target[1] = -0.5 * drift[1];
                term.target[2] = -0.5 * drift[2];
            }
            term.age = setting.warm_ages[index];
            term.correction = depth_speed(contact.gap, parameters);
        });
    }

    /// Change of a contact's velocity in a step by the present velocities alone, m/s, world axes: a point that sticks moves on a curve, and
    /// J⁺·v⁺ = 0 at the end of the step is J·v⁺ = −½·dt·J̇·v with the rows of the middle. Each part's share of J̇·v is its spatial acceleration
    /// at the point, plus ω × the velocity of the point, which moves over the parts where they roll on each other. Also gives whether that velocity is known well
    /// enough for the normal: otherwise that of the parts is taken.
    fn drift(&self, task: Task<'_>, index: usize) -> (Vector3<f64>, bool) {
        let Task { setting, system, input, parameters } = task;
        let contact = &input.contacts[index];
        let [first, second] =
            contact.parts.map(|part| Motion::of(system, &setting.kinematics, &self.dynamics, part, &contact.point));
        let turning = first.spin - second.spin;
        let mean = (first.velocity + second.velocity) * 0.5;
        let known = setting.velocities_of_points[index];
        let turned = turning.cross(&known.unwrap_or(mean));
        // Where links turn by their own motion, what a point has done in a step says nothing about what it will do.
        let is_smooth = |&PartIndex(part): &PartIndex| {
            let tree = system.parts[part].tree;
            !self.is_fast[tree] || system.trees[tree].parts.len() == 1
        };
        // Choreonoid's law lets surfaces sink as if they moved straight.
        let is_known = known.is_some() && parameters.sinking.is_none() && contact.parts.iter().flatten().all(is_smooth);
        ((first.rate - second.rate + turned) * setting.time_step, is_known)
    }

    /// Gives what may hold a coordinate: the ends of its range, dry friction, its velocity limits.
    fn bounds(&self, task: Task<'_>, state: &State, coordinate: usize, mut give: impl FnMut(Bound)) {
        let Task { setting, system, parameters, .. } = task;
        let Coordinate { friction, range, velocity_range: speeds, .. } = system.coordinates[coordinate];
        if friction <= 0.0 && range == Range::UNLIMITED && speeds == Range::UNLIMITED {
            return;
        }
        let (step, velocity) = (setting.time_step, setting.start[coordinate]);
        if friction > 0.0 {
            let impulses = Range { lower: -friction * step, upper: friction * step };
            give(Bound { hold: Hold::Friction, target: 0.0, impulses, correction: 0.0 });
        }
        if range.lower <= range.upper {
            let near = parameters.range_margin + 4.0 * step * velocity.abs();
            let speed = |gap: f64| {
                if gap < 0.0 {
                    (-gap * parameters.correction_share / step).min(parameters.correction_speed)
                } else {
                    0.0
                }
            };
            let displacement = state.displacements[coordinate];
            let (below, above) = (displacement - range.lower, range.upper - displacement);
            let hold = Hold::Range;
            if below < near {
                let impulses = Range { lower: 0.0, upper: f64::INFINITY };
                give(Bound { hold, target: -below.max(0.0) / step, impulses, correction: speed(below) });
            }
            if above < near {
                let impulses = Range { lower: f64::NEG_INFINITY, upper: 0.0 };
                give(Bound { hold, target: above.max(0.0) / step, impulses, correction: -speed(above) });
            }
        }
        if speeds.lower <= speeds.upper {
            let held = state.warm.coordinates[coordinate][Hold::Velocity as usize] != 0.0;
            let is_watched = held || self.speeding.contains(&coordinate);
            let hold = Hold::Velocity;
            if speeds.lower > f64::NEG_INFINITY && (is_watched || velocity < NEAR_LIMIT * speeds.lower) {
                let impulses = Range { lower: 0.0, upper: step * spare(task, state, coordinate).upper.max(0.0) };
                give(Bound { hold, target: speeds.lower, impulses, correction: 0.0 });
            }
            if speeds.upper < f64::INFINITY && (is_watched || velocity > NEAR_LIMIT * speeds.upper) {
                let impulses = Range { lower: step * spare(task, state, coordinate).lower.min(0.0), upper: 0.0 };
                give(Bound { hold, target: speeds.upper, impulses, correction: 0.0 });
            }
        }
    }
}

/// The law of a coordinate that follows another, in the middle of the step.
fn coupling_row(task: Task<'_>, state: &State, coordinate: usize, coupling: &Coupling) -> CouplingRow {
    let start = &task.setting.start;
    let leader = coupling.leader;
    let [value, slope, curvature] = coupling.at(state.displacements[leader]);
    CouplingRow {
        leader,
        slope,
        start: start[coordinate] - slope * start[leader],
        error: state.displacements[coordinate] - value,
        acceleration: -curvature * start[leader] * start[leader],
    }
}
