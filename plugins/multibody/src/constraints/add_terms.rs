//! Adding terms to the problem of an island.

use nalgebra::Vector3;

use super::closure_rows::ClosureRows;
use super::contact_term::{ContactTerm, add_outer};
use super::interval_term::IntervalTerm;
use super::problem::Problem;
use super::servo_term::ServoTerm;
use super::terms::{Bound, ClosureTerm, CoordinateTerm, CouplingRow, Hold, Pair, ServoRow, Side};
use super::{NO_RESPONSE, REGULARISATION, StepContext};
use crate::math::pair::add;
use crate::math::rows::dot;
use crate::math::spatial::velocity_at;
use crate::model::contact::Contact;
use crate::model::index::PartIndex;

/// A contact whose response along the normal is below this share of that along all axes cannot be moved along it.
const IMMOVABLE: f64 = 1e-10;

impl Problem {
    /// Adds a pair of parts. The first one's motion counts positive.
    fn add_pair(&mut self, context: &StepContext<'_>, parts: [Option<PartIndex>; 2], center: Vector3<f64>) {
        let mut before = [0.0; 6];
        let mut sides = [Side::default(); 2];
        let mut num_sides = 0;
        for (part, sign) in parts.iter().zip([1.0, -1.0]) {
            let Some(PartIndex(part)) = *part else { continue };
            let offset = center - context.kinematics.origins[context.system.parts[part].tree];
            let twist = &context.twists[part];
            let twist = [velocity_at(twist, &offset), twist.angular];
            for (sum, value) in before.iter_mut().zip(twist.iter().flat_map(|vector| vector.iter())) {
                *sum += sign * value;
            }
            let start = self.indices.len();
            let lists = (&mut self.indices, &mut self.columns);
            let Some(block) = self.unknowns.columns(context, part, &center, sign, lists) else { continue };
            if num_sides == 1 && sides[0].block == block {
                self.merge(&mut sides[0], start);
            } else {
                sides[num_sides] = Side { block, start, len: self.indices.len() - start };
                num_sides += 1;
            }
        }
        let mut response = [[0.0; 6]; 6];
        for side in &sides[..num_sides] {
            for column in &self.columns[side.start..side.start + side.len] {
                add_outer(&mut response, column, column, 1.0);
            }
        }
        self.pairs.push(Pair {
            parts,
            center,
            sides,
            num_sides,
            before,
            response,
            contacts: (self.contacts.len(), self.contacts.len()),
            rows: (self.rows.len(), self.rows.len()),
        });
    }

    /// Adds the columns from `start` on to those of a side of the same block: two parts of one tree share the beginning of
    /// their unknowns.
    fn merge(&mut self, side: &mut Side, start: usize) {
        let own = &self.indices[side.start..start];
        let shared = own.iter().zip(&self.indices[start..]).take_while(|(one, other)| one == other).count();
        for index in 0..shared {
            let other = self.columns[start + index];
            add(&mut self.columns[side.start + index], &other, 1.0);
        }
        self.columns.drain(start..start + shared);
        self.indices.drain(start..start + shared);
        side.len = self.indices.len() - side.start;
    }

    /// Adds a contact with its impulse of the step before, N·s, world axes. `set` gives its targets and friction, for its axes.
    pub fn add_contact(
        &mut self,
        context: &StepContext<'_>,
        (index, contact): (usize, &Contact),
        warm: &Vector3<f64>,
        set: impl FnOnce(&mut ContactTerm, &[Vector3<f64>; 3]),
    ) {
        let is_known = |pair: &Pair| pair.parts == contact.parts && pair.rows.0 == pair.rows.1;
        if !self.pairs.last().is_some_and(is_known) {
            self.add_pair(context, contact.parts, contact.point);
        }
        let Some(pair) = self.pairs.last_mut() else { return };
        let [one, two] = crate::math::spatial::across(&contact.normal);
        let axes = [contact.normal, one, two];
        let lever = contact.point - pair.center;
        let wrenches = axes.map(|axis| {
            let torque = lever.cross(&axis);
            [axis.x, axis.y, axis.z, torque.x, torque.y, torque.z]
        });
        let yielded = wrenches.map(|wrench| pair.response.map(|row| dot(&row, &wrench)));
        let own: [f64; 3] = std::array::from_fn(|axis| dot(&wrenches[axis], &yielded[axis]));
        let across = dot(&wrenches[1], &yielded[2]);
        let apart = own[1] - own[2];
        let stiffest = 0.5 * (own[1] + own[2] + (apart * apart + 4.0 * across * across).sqrt());
        // Nothing moves, or the contact's numbers are NaN.
        let least = NO_RESPONSE.max(IMMOVABLE * (own[0] + own[1] + own[2]));
        if !(own[0] > least && own.iter().all(|value| value.is_finite())) {
            return;
        }
        // Joints leave no motion along the surface: such a contact has no friction.
        let has_no_tangents = 0.5 * (own[1] + own[2]) <= least;
        let response = if has_no_tangents { [own[0]; 2] } else { [own[0], 0.5 * (own[1] + own[2])] };
        let share = if contact.share > 0.0 { contact.share } else { 1.0 };
        let mut term = ContactTerm {
            contact: index,
            wrenches,
            lever,
            start: std::array::from_fn(|axis| {
                axes[axis].dot(&contact.surface_velocity) + dot(&wrenches[axis], &pair.before)
            }),
            response,
            stiffest: stiffest.max(least),
            share,
            gap: contact.gap,
            restitution: contact.restitution,
            warm: axes.map(|axis| axis.dot(warm)),
            ..ContactTerm::NONE
        };
        set(&mut term, &axes);
        if has_no_tangents {
            term.friction = 0.0;
        }
        self.contacts.push(term);
        pair.contacts.1 = self.contacts.len();
    }

    /// Adds the rows of a closure, with the impulses of the step before on its second side, N·s and N·m·s.
    pub fn add_closure(
        &mut self,
        context: &StepContext<'_>,
        index: usize,
        rows: &ClosureRows,
        (force, torque): (&Vector3<f64>, &Vector3<f64>),
    ) {
        let [first, second] = context.system.closures[index].sides.map(|side| side.part);
        self.add_pair(context, [second, first], rows.point);
        let Some(pair) = self.pairs.last_mut() else { return };
        let (step, speed) = (context.time_step, context.parameters.closing_speed);
        for row in rows.rows() {
            let direction = row.direction;
            let wrench = if row.is_angular {
                [0.0, 0.0, 0.0, direction.x, direction.y, direction.z]
            } else {
                [direction.x, direction.y, direction.z, 0.0, 0.0, 0.0]
            };
            // The mean over all directions: a row that other rows or joints hold already has nearly no response of its own.
            let first = if row.is_angular { 3 } else { 0 };
            let response = (first..first + 3).map(|axis| pair.response[axis][axis]).sum::<f64>() / 3.0;
            if !(response > NO_RESPONSE && response.is_finite()) {
                continue;
            }
            // Positions are reported at the end of the step, half a step from here: there the loop shall be closed.
            let error = row.error - 0.125 * step * step * row.acceleration;
            let term = IntervalTerm {
                start: dot(&wrench, &pair.before),
                target: -0.5 * step * row.acceleration,
                response,
                compliance: REGULARISATION * response,
                correction: (-error / step).clamp(-speed, speed),
                warm: direction.dot(if row.is_angular { torque } else { force }),
                ..IntervalTerm::NONE
            };
            self.rows.push(ClosureTerm { closure: index, wrench, term });
        }
        pair.rows.1 = self.rows.len();
    }

    /// Adds a term along a coordinate that moves with `velocity` at the beginning of the step.
    pub fn add_coordinate(
        &mut self,
        context: &StepContext<'_>,
        coordinate: usize,
        velocity: f64,
        &Bound { hold, target, impulses, correction }: &Bound,
        warm: f64,
    ) {
        let Some(row) = self.row(context, coordinate) else { return };
        let response = self.response(&row);
        if !(response > NO_RESPONSE && response.is_finite()) {
            return;
        }
        let term = IntervalTerm {
            start: velocity,
            target,
            response,
            compliance: REGULARISATION * response,
            lower: impulses.lower,
            upper: impulses.upper,
            correction,
            warm: warm.min(impulses.upper).max(impulses.lower),
            ..IntervalTerm::NONE
        };
        self.coordinates.push(CoordinateTerm { coordinate, hold, leader: None, row, term });
    }

    /// Adds the term of a coordinate that follows `leader`.
    pub fn add_coupling(
        &mut self,
        context: &StepContext<'_>,
        coordinate: usize,
        &CouplingRow { leader, slope, start, error, acceleration }: &CouplingRow,
        warm: f64,
    ) {
        let Some(row) = self.difference(context, coordinate, leader, slope) else { return };
        let response = self.response(&row);
        if !(response > NO_RESPONSE && response.is_finite() && error.is_finite()) {
            return;
        }
        let (step, speed) = (context.time_step, context.parameters.closing_speed);
        // As of the rows of closures.
        let error = error - 0.125 * step * step * acceleration;
        let term = IntervalTerm {
            start,
            target: -0.5 * step * acceleration,
            response,
            compliance: REGULARISATION * response,
            correction: (-error / step).clamp(-speed, speed),
            warm,
            ..IntervalTerm::NONE
        };
        self.coordinates.push(CoordinateTerm {
            coordinate,
            hold: Hold::Coupling,
            leader: Some((leader, slope)),
            row,
            term,
        });
    }

    /// The row of a coordinate's velocity minus `slope` times that of a leader in the same tree.
    fn difference(&mut self, context: &StepContext<'_>, coordinate: usize, leader: usize, slope: f64) -> Option<Side> {
        let own = self.row(context, coordinate);
        let other = self.row(context, leader);
        let block = own.or(other)?.block;
        // Both have their unknowns in ascending order; either is absent if its coordinate does not move.
        let [mut own, mut other] = [own, other].map(|row| row.map_or(0..0, |row| row.start..row.start + row.len));
        let start = self.row_indices.len();
        loop {
            let [one, two] = [&own, &other].map(|rest| rest.clone().next().map(|entry| self.row_indices[entry]));
            let Some(index) = one.into_iter().chain(two).min() else { break };
            let mut value = 0.0;
            if one == Some(index) {
                value += own.next().map_or(0.0, |entry| self.row_values[entry]);
            }
            if two == Some(index) {
                value -= slope * other.next().map_or(0.0, |entry| self.row_values[entry]);
            }
            self.row_indices.push(index);
            self.row_values.push(value);
        }
        Some(Side { block, start, len: self.row_indices.len() - start })
    }

    /// Adds a servo that reaches a limit.
    pub fn add_servo(&mut self, context: &StepContext<'_>, term: ServoTerm) {
        let Some(row) = self.row(context, term.coordinate) else { return };
        if self.response(&row) > NO_RESPONSE {
            self.servos.push(ServoRow { row, term });
        }
    }

    fn row(&mut self, context: &StepContext<'_>, coordinate: usize) -> Option<Side> {
        let start = self.row_indices.len();
        let lists = (&mut self.row_indices, &mut self.row_values);
        let block = self.unknowns.row(context, coordinate, lists)?;
        Some(Side { block, start, len: self.row_indices.len() - start })
    }

    fn response(&self, row: &Side) -> f64 {
        self.row_values[row.start..row.start + row.len].iter().map(|value| value * value).sum()
    }

    /// Prepares the solve after all terms have been added.
    #[allow(clippy::cast_possible_truncation)] // A system has fewer than 2³² trees.
    pub fn finish(&mut self) {
        // Points of one pair are equally compliant but for their shares: loads that rigid bodies do not determine follow those.
        for pair in &self.pairs {
            let contacts = &mut self.contacts[pair.contacts.0..pair.contacts.1];
            let count = contacts.len() as f64;
            let mean: [f64; 2] =
                std::array::from_fn(|axis| contacts.iter().map(|contact| contact.response[axis]).sum());
            for contact in contacts {
                contact.compliance = mean.map(|sum| REGULARISATION * sum / (count * contact.share));
            }
        }
        self.sizes.clear();
        self.sizes.extend(self.unknowns.blocks.iter().map(|block| block.size));
        self.edges.clear();
        for pair in self.pairs.iter().filter(|pair| pair.num_sides == 2) {
            let [one, other] = pair.sides.map(|side| side.block as u32);
            self.edges.push((one.min(other), one.max(other)));
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        self.cholesky.analyse(&self.sizes, &self.edges);
        let count = self.cholesky.len();
        for values in [&mut self.iterate, &mut self.gradient, &mut self.direction] {
            values.clear();
            values.resize(count, 0.0);
        }
    }
}
