//! The terms of an island, with value, gradient and Hessian.

use nalgebra::Vector3;

use super::StepContext;
use super::best::Best;
use super::block_cholesky::BlockCholesky;
use super::contact_term::{Change, ContactTerm, add_outer};
use super::friction_bounds::FrictionBounds;
use super::interval_term::IntervalTerm;
use super::terms::{Bound, ClosureTerm, CoordinateTerm, Pair, ServoRow, Side};
use super::unknowns::Unknowns;
use crate::math::pair::{Six, add};
use crate::math::rows::dot;
use crate::model::index::PartIndex;

/// How the factor fits the terms' present stiffness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    #[default]
    None,
    /// Contacts slide in other directions.
    Near,
    Exact,
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
    pub(super) indices: Vec<u32>,
    pub(super) columns: Vec<Six>,
    pub(super) row_indices: Vec<u32>,
    pub(super) row_values: Vec<f64>,
    /// Present iterate, gradient and search direction, by unknown.
    pub iterate: Vec<f64>,
    pub gradient: Vec<f64>,
    pub direction: Vec<f64>,
    pub cholesky: BlockCholesky,
    /// How well the factor is that of the terms' present stiffness.
    pub fit: Fit,
    /// How the bounds of friction go on.
    pub friction_bounds: FrictionBounds,
    /// Errors of the last repeat, by direction of a term; and room for those of the next.
    pub(super) repeat_errors: Vec<f64>,
    pub(super) spare_errors: Vec<f64>,
    /// The impulses that came nearest to the laws.
    pub best: Best,
    pub(super) sizes: Vec<usize>,
    pub(super) edges: Vec<(u32, u32)>,
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
        self.fit = Fit::None;
    }

    /// Terms of closures and of coordinates.
    pub fn interval_terms(&mut self) -> impl Iterator<Item = &mut IntervalTerm> {
        self.rows.iter_mut().map(|row| &mut row.term).chain(self.coordinates.iter_mut().map(|row| &mut row.term))
    }

    /// Whether nothing acts.
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty() && self.rows.is_empty() && self.coordinates.is_empty() && self.servos.is_empty()
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

    /// Finds impulses and stiffness of all terms at their velocities, and whether the factor still fits.
    pub fn evaluate(&mut self) {
        let mut change = Change::None;
        for contact in self.contacts.iter_mut().filter(|contact| contact.acts) {
            change = change.max(contact.evaluate());
        }
        let mut has_changed = false;
        let coordinates = self.coordinates.iter_mut().map(|row| &mut row.term);
        for term in self.rows.iter_mut().map(|row| &mut row.term).chain(coordinates).filter(|term| term.acts) {
            has_changed |= term.evaluate();
        }
        for servo in &mut self.servos {
            has_changed |= servo.term.evaluate();
        }
        if has_changed {
            change = Change::Kind;
        }
        self.fit = self.fit.min(match change {
            Change::Kind => Fit::None,
            Change::Direction => Fit::Near,
            Change::None => Fit::Exact,
        });
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
        self.fit = Fit::None;
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
        self.fit = Fit::Exact;
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
