//! The terms of an island, with value, gradient and Hessian.

use bunraku_body::Range;
use nalgebra::Vector3;

use super::anderson::Anderson;
use super::block_cholesky::BlockCholesky;
use super::contact_term::{ContactTerm, add_outer};
use super::interval_term::IntervalTerm;
use super::servo_term::ServoTerm;
use super::unknowns::Unknowns;
use super::{NO_RESPONSE, REGULARISATION, StepContext};
use crate::constraints::closure_rows::ClosureRows;
use crate::math::pair::{Six, add};
use crate::math::rows::dot;
use crate::math::spatial::velocity_at;
use crate::model::contact::Contact;
use crate::model::index::PartIndex;

/// A contact whose response along the normal is below this share of that along all axes cannot be moved along it.
const IMMOVABLE: f64 = 1e-10;

/// Kind of a constraint on a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    Range = 0,
    Friction = 1,
    Velocity = 2,
    Coupling = 3,
}

/// A bound of a coordinate's velocity.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    pub hold: Hold,
    /// Velocity that the bound tends to, rad/s or m/s.
    pub target: f64,
    /// Impulses that it may give, N·m·s or N·s.
    pub impulses: Range,
    /// Speed with which an error of position is taken out, rad/s or m/s.
    pub correction: f64,
}

/// Columns of one tree in a pair's relative twist.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side {
    pub block: usize,
    pub start: usize,
    pub len: usize,
}

/// Two parts that contacts or a closure act between, and their relative twist.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub parts: [Option<PartIndex>; 2],
    /// Point at which twists and wrenches are taken, m, in the world.
    pub center: Vector3<f64>,
    pub sides: [Side; 2],
    pub num_sides: usize,
    /// Twist of the first part against the second at the beginning of the step.
    pub before: Six,
    /// Twist that a wrench makes.
    pub response: [Six; 6],
    /// Terms of the pair, as ranges of the lists.
    pub contacts: (usize, usize),
    pub rows: (usize, usize),
}

/// A row of a closure: velocity of the second side against the first along a direction.
#[derive(Clone, Copy, Debug)]
pub struct ClosureTerm {
    pub closure: usize,
    /// Wrench of a unit impulse on the pair, whose first part is the closure's second side.
    pub wrench: Six,
    pub term: IntervalTerm,
}

/// A term along a coordinate.
#[derive(Clone, Copy, Debug)]
pub struct CoordinateTerm {
    pub coordinate: usize,
    pub hold: Hold,
    /// Of a coupling: the coordinate that leads, and the velocity of the follower for a unit velocity of it.
    pub leader: Option<(usize, f64)>,
    pub row: Side,
    pub term: IntervalTerm,
}

/// The law of a coordinate that follows another, in one step.
#[derive(Clone, Copy, Debug)]
pub struct CouplingRow {
    /// Coordinate that leads.
    pub leader: usize,
    /// Velocity of the follower for a unit velocity of the leader.
    pub slope: f64,
    /// Velocity of the follower beyond that, at the beginning of the step, rad/s or m/s.
    pub start: f64,
    /// Error of the follower's displacement, rad or m.
    pub error: f64,
    /// How that would accelerate by the present velocities alone, rad/s² or m/s².
    pub acceleration: f64,
}

/// A servo at its limits, with its row.
#[derive(Clone, Copy, Debug)]
pub struct ServoRow {
    pub row: Side,
    pub term: ServoTerm,
}

/// The problem of one island in one step.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    pub unknowns: Unknowns,
    pub pairs: Vec<Pair>,
    pub contacts: Vec<ContactTerm>,
    pub rows: Vec<ClosureTerm>,
    pub coordinates: Vec<CoordinateTerm>,
    pub servos: Vec<ServoRow>,
    /// Bounds of coordinates that become terms.
    pub bounds: Vec<(usize, Bound)>,
    indices: Vec<u32>,
    columns: Vec<Six>,
    row_indices: Vec<u32>,
    row_values: Vec<f64>,
    /// Present iterate, gradient and search direction, by unknown.
    pub iterate: Vec<f64>,
    pub gradient: Vec<f64>,
    pub direction: Vec<f64>,
    pub cholesky: BlockCholesky,
    /// Whether the factor is that of the terms' present stiffness.
    pub is_factored: bool,
    /// The iteration of the bounds of friction, by contact.
    pub friction_bounds: Anderson,
    sizes: Vec<usize>,
    edges: Vec<(u32, u32)>,
}

impl Problem {
    /// Forgets the island before.
    pub fn clear(&mut self, context: &StepContext<'_>) {
        self.unknowns.clear(context.system.num_trees(), context.system.num_parts());
        self.pairs.clear();
        self.contacts.clear();
        self.rows.clear();
        self.coordinates.clear();
        self.servos.clear();
        self.indices.clear();
        self.columns.clear();
        self.row_indices.clear();
        self.row_values.clear();
        self.is_factored = false;
    }

    /// Terms of closures and of coordinates.
    pub fn interval_terms(&mut self) -> impl Iterator<Item = &mut IntervalTerm> {
        self.rows.iter_mut().map(|row| &mut row.term).chain(self.coordinates.iter_mut().map(|row| &mut row.term))
    }

    /// Whether nothing acts.
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty() && self.rows.is_empty() && self.coordinates.is_empty() && self.servos.is_empty()
    }

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
        let side = own.or(other)?;
        let entries = |row: Option<Side>, factor: f64| {
            let span = row.map_or(0..0, |row| row.start..row.start + row.len);
            let entries = self.row_indices[span.clone()].iter().copied().zip(self.row_values[span].iter());
            entries.map(move |(index, value)| (index, factor * value)).collect::<Vec<_>>()
        };
        let mut merged = entries(own, 1.0);
        merged.extend(entries(other, -slope));
        // Stable: the sums have one order.
        merged.sort_by_key(|(index, _)| *index);
        merged.dedup_by(|(index, value), (kept, sum)| {
            let is_same = index == kept;
            if is_same {
                *sum += *value;
            }
            is_same
        });
        self.row_indices.truncate(side.start);
        self.row_values.truncate(side.start);
        self.row_indices.extend(merged.iter().map(|(index, _)| *index));
        self.row_values.extend(merged.iter().map(|(_, value)| *value));
        Some(Side { len: merged.len(), ..side })
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

    /// Starts from the impulses of the step before.
    pub fn warm_start(&mut self) {
        for contact in &mut self.contacts {
            contact.impulse = contact.warm;
            contact.bound = contact.friction * contact.warm[0].max(0.0);
        }
        let coordinates = self.coordinates.iter_mut().map(|row| &mut row.term);
        for term in self.rows.iter_mut().map(|row| &mut row.term).chain(coordinates) {
            term.impulse = term.warm;
        }
    }

    /// The twist that unknowns make of a pair.
    #[inline]
    pub fn twist(&self, pair: &Pair, unknowns: &[f64]) -> Six {
        let mut sum = [0.0; 6];
        for side in &pair.sides[..pair.num_sides] {
            let first = self.unknowns.blocks[side.block].start;
            let span = side.start..side.start + side.len;
            for (column, index) in self.columns[span.clone()].iter().zip(&self.indices[span]) {
                add(&mut sum, column, unknowns[first + *index as usize]);
            }
        }
        sum
    }

    /// The velocity that unknowns make along a coordinate's row.
    #[inline]
    pub fn along(&self, row: &Side, unknowns: &[f64]) -> f64 {
        let first = self.unknowns.blocks[row.block].start;
        let span = row.start..row.start + row.len;
        let entries = self.row_values[span.clone()].iter().zip(&self.row_indices[span]);
        entries.map(|(value, index)| value * unknowns[first + *index as usize]).sum()
    }

    /// Finds the terms' velocities at the present iterate.
    pub fn follow(&mut self) {
        let iterate = std::mem::take(&mut self.iterate);
        for index in 0..self.pairs.len() {
            let twist = self.twist(&self.pairs[index], &iterate);
            let pair = &self.pairs[index];
            for contact in &mut self.contacts[pair.contacts.0..pair.contacts.1] {
                contact.velocity =
                    std::array::from_fn(|axis| contact.start[axis] + dot(&contact.wrenches[axis], &twist));
            }
            for row in &mut self.rows[pair.rows.0..pair.rows.1] {
                row.term.velocity = row.term.start + dot(&row.wrench, &twist);
            }
        }
        for index in 0..self.coordinates.len() {
            let moved = self.along(&self.coordinates[index].row, &iterate);
            let term = &mut self.coordinates[index].term;
            term.velocity = term.start + moved;
        }
        for index in 0..self.servos.len() {
            let moved = self.along(&self.servos[index].row, &iterate);
            let term = &mut self.servos[index].term;
            term.velocity = term.start + moved;
        }
        self.iterate = iterate;
    }

    /// Finds how the terms' velocities change along the search direction.
    pub fn follow_direction(&mut self) {
        let direction = std::mem::take(&mut self.direction);
        for index in 0..self.pairs.len() {
            let twist = self.twist(&self.pairs[index], &direction);
            let pair = &self.pairs[index];
            for contact in &mut self.contacts[pair.contacts.0..pair.contacts.1] {
                contact.direction = std::array::from_fn(|axis| dot(&contact.wrenches[axis], &twist));
            }
            for row in &mut self.rows[pair.rows.0..pair.rows.1] {
                row.term.direction = dot(&row.wrench, &twist);
            }
        }
        for index in 0..self.coordinates.len() {
            self.coordinates[index].term.direction = self.along(&self.coordinates[index].row, &direction);
        }
        for index in 0..self.servos.len() {
            self.servos[index].term.direction = self.along(&self.servos[index].row, &direction);
        }
        self.direction = direction;
    }

    /// Finds impulses and stiffness of all terms at their velocities; forgets the factor if a stiffness has changed.
    pub fn evaluate(&mut self) {
        let mut has_changed = false;
        for contact in self.contacts.iter_mut().filter(|contact| contact.acts) {
            has_changed |= contact.evaluate();
        }
        let coordinates = self.coordinates.iter_mut().map(|row| &mut row.term);
        for term in self.rows.iter_mut().map(|row| &mut row.term).chain(coordinates).filter(|term| term.acts) {
            has_changed |= term.evaluate();
        }
        for servo in &mut self.servos {
            has_changed |= servo.term.evaluate();
        }
        self.is_factored &= !has_changed;
    }

    /// The same with the laws linearised about the impulses of the step before.
    pub fn linearise(&mut self) {
        for contact in self.contacts.iter_mut().filter(|contact| contact.acts) {
            contact.linearise();
        }
        let coordinates = self.coordinates.iter_mut().map(|row| &mut row.term);
        for term in self.rows.iter_mut().map(|row| &mut row.term).chain(coordinates).filter(|term| term.acts) {
            term.linearise();
        }
        for servo in &mut self.servos {
            servo.term.evaluate();
        }
        self.is_factored = false;
    }

    /// Adds what the impulses of all acting terms do to the unknowns, times a factor.
    pub fn push(&self, times: f64, unknowns: &mut [f64]) {
        for pair in &self.pairs {
            let mut wrench = self.wrench(pair);
            if wrench == [0.0; 6] {
                continue;
            }
            wrench = wrench.map(|value| value * times);
            self.push_wrench(pair, &wrench, unknowns);
        }
        let coordinates = self.coordinates.iter().filter(|row| row.term.acts).map(|row| (&row.row, row.term.impulse));
        for (row, impulse) in coordinates.chain(self.servos.iter().map(|servo| (&servo.row, servo.term.impulse))) {
            self.push_row(row, impulse * times, unknowns);
        }
    }

    /// Adds what a wrench on a pair does to the unknowns.
    #[inline]
    pub fn push_wrench(&self, pair: &Pair, wrench: &Six, unknowns: &mut [f64]) {
        for side in &pair.sides[..pair.num_sides] {
            let first = self.unknowns.blocks[side.block].start;
            let span = side.start..side.start + side.len;
            for (column, index) in self.columns[span.clone()].iter().zip(&self.indices[span]) {
                unknowns[first + *index as usize] += dot(column, wrench);
            }
        }
    }

    /// Adds what an impulse along a coordinate's row does to the unknowns.
    pub fn push_row(&self, row: &Side, impulse: f64, unknowns: &mut [f64]) {
        if impulse == 0.0 {
            return;
        }
        let first = self.unknowns.blocks[row.block].start;
        let span = row.start..row.start + row.len;
        for (value, index) in self.row_values[span.clone()].iter().zip(&self.row_indices[span]) {
            unknowns[first + *index as usize] += value * impulse;
        }
    }

    /// The wrench of a pair's acting terms.
    fn wrench(&self, pair: &Pair) -> Six {
        let mut wrench = [0.0; 6];
        for contact in self.contacts[pair.contacts.0..pair.contacts.1].iter().filter(|contact| contact.acts) {
            contact.add_wrench(&contact.impulse, &mut wrench);
        }
        for row in self.rows[pair.rows.0..pair.rows.1].iter().filter(|row| row.term.acts) {
            add(&mut wrench, &row.wrench, row.term.impulse);
        }
        wrench
    }

    /// The gradient at the present iterate, for the present impulses.
    pub fn find_gradient(&mut self) {
        let mut gradient = std::mem::take(&mut self.gradient);
        for ((value, iterate), free) in gradient.iter_mut().zip(&self.iterate).zip(&self.unknowns.free) {
            *value = iterate - free;
        }
        self.push(-1.0, &mut gradient);
        self.gradient = gradient;
    }

    /// Largest velocity that the gradient makes along any acting term, m/s or rad/s: by so much the velocities that the impulses
    /// make differ from those for which the terms give these impulses.
    pub fn residual(&self) -> f64 {
        let mut worst = 0.0_f64;
        let mut add_to = |value: f64| worst = worst.max(value.abs());
        for pair in &self.pairs {
            let twist = self.twist(pair, &self.gradient);
            for contact in self.contacts[pair.contacts.0..pair.contacts.1].iter().filter(|contact| contact.acts) {
                contact.wrenches.iter().for_each(|wrench| add_to(dot(wrench, &twist)));
            }
            for row in self.rows[pair.rows.0..pair.rows.1].iter().filter(|row| row.term.acts) {
                add_to(dot(&row.wrench, &twist));
            }
        }
        for row in self.coordinates.iter().filter(|row| row.term.acts) {
            add_to(self.along(&row.row, &self.gradient));
        }
        for servo in &self.servos {
            add_to(self.along(&servo.row, &self.gradient));
        }
        worst
    }

    /// Builds the Hessian and factors it.
    pub fn factor(&mut self) {
        self.cholesky.reset();
        for index in 0..self.pairs.len() {
            self.add_hessian_of_pair(index);
        }
        let coordinates = self.coordinates.iter().filter(|row| row.term.acts).map(|row| (&row.row, row.term.stiffness));
        for (row, stiffness) in coordinates.chain(self.servos.iter().map(|servo| (&servo.row, servo.term.stiffness))) {
            if stiffness == 0.0 {
                continue;
            }
            let span = row.start..row.start + row.len;
            let (indices, values) = (&self.row_indices[span.clone()], &self.row_values[span]);
            let (own, width) = self.cholesky.own(row.block);
            for (number, (&at, value)) in indices.iter().zip(values).enumerate() {
                for (&other, entry) in indices[..=number].iter().zip(values) {
                    own[at as usize * width + other as usize] += stiffness * value * entry;
                }
            }
        }
        self.cholesky.factor();
        self.is_factored = true;
    }

    fn add_hessian_of_pair(&mut self, index: usize) {
        let pair = &self.pairs[index];
        let mut stiffness = [[0.0; 6]; 6];
        let mut is_stiff = false;
        for contact in self.contacts[pair.contacts.0..pair.contacts.1].iter().filter(|contact| contact.acts) {
            is_stiff |= contact.stiffness != [0.0; 4];
            contact.add_stiffness(&mut stiffness);
        }
        for row in self.rows[pair.rows.0..pair.rows.1].iter().filter(|row| row.term.acts) {
            is_stiff = true;
            add_outer(&mut stiffness, &row.wrench, &row.wrench, row.term.stiffness);
        }
        if !is_stiff {
            return;
        }
        let (upper, lower) = stiffness.split_at_mut(3);
        for (axis, row) in upper.iter_mut().enumerate() {
            row[3..].iter_mut().zip(&*lower).for_each(|(value, other)| *value = other[axis]);
        }
        let sides = &pair.sides[..pair.num_sides];
        for (number, side) in sides.iter().enumerate() {
            let span = side.start..side.start + side.len;
            let (indices, columns) = (&self.indices[span.clone()], &self.columns[span]);
            for (position, (&at, column)) in indices.iter().zip(columns).enumerate() {
                let force = stiffness.map(|row| dot(&row, column));
                let (own, width) = self.cholesky.own(side.block);
                for (&other, column) in indices[..=position].iter().zip(columns) {
                    let (row, column_at) = (at.max(other) as usize, at.min(other) as usize);
                    own[row * width + column_at] += dot(&force, column);
                }
                for other in &sides[number + 1..] {
                    let span = other.start..other.start + other.len;
                    let (values, width, is_second) = self.cholesky.between(side.block, other.block);
                    for (&to, column) in self.indices[span.clone()].iter().zip(&self.columns[span]) {
                        let (row, column_at) = if is_second { (to, at) } else { (at, to) };
                        values[row as usize * width + column_at as usize] += dot(&force, column);
                    }
                }
            }
        }
    }

    /// Adds what the impulses do to a motion in the factor's coordinates.
    pub fn push_motion(&self, context: &StepContext<'_>, motion: &mut [f64]) {
        for pair in &self.pairs {
            let wrench = self.wrench(pair);
            if wrench == [0.0; 6] {
                continue;
            }
            for (part, sign) in pair.parts.iter().zip([1.0, -1.0]) {
                let Some(PartIndex(part)) = *part else { continue };
                let [x, y, z, turning_x, turning_y, turning_z] = wrench;
                let force = Vector3::new(x, y, z) * sign;
                let offset = pair.center - context.kinematics.origins[context.system.parts[part].tree];
                let torque = Vector3::new(turning_x, turning_y, turning_z) * sign + offset.cross(&force);
                let about_origin = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
                self.unknowns.push_part(context, part, &about_origin, motion);
            }
        }
        for row in self.coordinates.iter().filter(|row| row.term.acts && row.term.impulse != 0.0) {
            self.unknowns.push_coordinate(context, row.coordinate, row.term.impulse, motion);
            if let Some((leader, slope)) = row.leader {
                self.unknowns.push_coordinate(context, leader, -slope * row.term.impulse, motion);
            }
        }
        for servo in self.servos.iter().filter(|servo| servo.term.impulse != 0.0) {
            self.unknowns.push_coordinate(context, servo.term.coordinate, servo.term.impulse, motion);
        }
    }
}
