//! Inequalities: contacts, ends of ranges, largest velocities, dry friction. Projected Gauss–Seidel in the factor's
//! coordinates.

use nalgebra::Vector3;

use super::contact::Contact;
use super::contact_block::{ContactBlock, target};
use super::coordinate_row::{CoordinateRow, Hold};
use super::coupled::Touching;
use super::equalities::Equalities;
use super::even_out::{even_out, pairs};
use super::factor::{Factor, Structure};
use super::index::PartIndex;
use super::kinematics::Kinematics;
use super::normals::Stage;
use super::pair::{Axes, Pair, Six, add, response, response_between};
use super::parameters::Parameters;
use super::patch::{MANY_PATCHES, Passes, Patch};
use super::rows::{Rows, dot, gather, scatter};
use super::spatial::across;
use super::spatial::{Twist, velocity_at};
use super::system::System;
use super::tangents::{NO_RESPONSE, Tangents};
use super::together::Together;

/// The constraints of one island.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// Whether all bodies of the island are loose: a single part each.
    pub are_loose: bool,
    pub(super) contacts: Vec<ContactBlock>,
    /// The contacts, by the parts that touch.
    pub(super) patches: Vec<Patch>,
    pub(super) pairs: Vec<Pair>,
    /// Of the contact added last.
    axes: Option<Axes>,
    pub(super) pair_indices: Vec<u32>,
    pub(super) pair_values: Vec<Six>,
    /// By contact: what some motion adds to the twist of its parts.
    pub(super) twists: Vec<Six>,
    pub together: Together,
    pub(super) coordinates: Vec<CoordinateRow>,
    pub(super) coordinate_indices: Vec<u32>,
    pub(super) coordinate_values: Vec<[f64; 1]>,
    /// By part, one more than where its response begins; 0 if it has none yet.
    pub(super) response_of_part: Vec<u32>,
    /// Parts that have a response.
    pub(super) responding: Vec<usize>,
    /// Along the path of a part: what a force along each axis does, then a torque about its tree's origin, in the factor's
    /// coordinates.
    pub(super) responses: Vec<[f64; 6]>,
}

/// What building constraints looks at.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub system: &'a System,
    pub structure: &'a Structure,
    pub kinematics: &'a Kinematics,
    pub factor: &'a Factor,
    /// Twists of the parts at the beginning of the step, given velocities being those of the step.
    pub twists: &'a [Twist],
    pub parameters: &'a Parameters,
    pub time_step: f64,
}

impl Constraints {
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.patches.clear();
        self.pairs.clear();
        self.axes = None;
        self.pair_indices.clear();
        self.pair_values.clear();
        self.coordinates.clear();
        self.coordinate_indices.clear();
        self.coordinate_values.clear();
        for part in self.responding.drain(..) {
            self.response_of_part[part] = 0;
        }
        self.responses.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty() && self.coordinates.is_empty()
    }

    /// Adds a contact. `motion` is what would happen without it, in the factor's coordinates; `warm_start` the impulse to begin with,
    /// N·s.
    pub fn add_contact(
        &mut self,
        scene: &Scene<'_>,
        loops: Option<&mut Equalities>,
        motion: &[f64],
        (index, contact): (usize, &Contact),
        warm_start: &Vector3<f64>,
    ) {
        if self.pairs.last().is_none_or(|pair| pair.parts != contact.parts) {
            self.add_pair(scene, loops, motion, contact);
        }
        let index_of_pair = self.pairs.len() - 1;
        let Some(pair) = self.pairs.last() else { return };
        let normal = contact.normal;
        let known = self.axes.filter(|known| known.pair == index_of_pair && known.axes[0] == normal);
        let Axes { axes, yields, .. } = known.unwrap_or_else(|| {
            let [one, two] = across(&normal);
            let axes = [normal, one, two];
            let mut yields = [[0.0; 6]; 3];
            axes.iter().zip(&mut yields).for_each(|(axis, twist)| pair.yield_to_force(axis, twist));
            Axes { pair: index_of_pair, axes, yields }
        });
        self.axes = Some(Axes { pair: index_of_pair, axes, yields });
        let lever = contact.point - pair.center;
        let (mut wrenches, mut yields) = ([[0.0; 6]; 3], yields);
        for ((axis, wrench), twist) in axes.iter().zip(&mut wrenches).zip(&mut yields) {
            let torque = lever.cross(axis);
            *wrench = [axis.x, axis.y, axis.z, torque.x, torque.y, torque.z];
            pair.yield_to_torque(&torque, twist);
        }
        let before: [f64; 3] =
            std::array::from_fn(|axis| axes[axis].dot(&contact.surface_velocity) + dot(&wrenches[axis], &pair.before));
        let change = dot(&wrenches[0], &pair.change);
        let start = std::array::from_fn(|axis| before[axis] + dot(&wrenches[axis], &pair.correction));
        let entries = [(0, 0), (1, 1), (2, 2), (1, 2)];
        let response = match pair.freed_rows(&self.pair_values) {
            None => entries.map(|(row, column)| dot(&wrenches[row], &yields[column])),
            Some(rows) => entries.map(|(one, other)| response_between(rows, &wrenches[one], &wrenches[other])),
        };
        // What nothing moves, and a normal that is none.
        if response[0] <= NO_RESPONSE || response.iter().any(|entry| !entry.is_finite()) {
            return;
        }
        let Parameters { slop, correction_share, correction_speed, sinking, .. } = *scene.parameters;
        let parting = match sinking {
            None => (-contact.gap - slop) * correction_share / scene.time_step,
            Some(sinking) => sinking.speed(-contact.gap),
        };
        let sliding = (before[1] * before[1] + before[2] * before[2]).sqrt();
        let sticks = sliding < scene.parameters.sticking_speed;
        match self.patches.last_mut() {
            Some(patch) if patch.pair == index_of_pair && patch.has_room() => patch.len += 1,
            _ => self.patches.push(Patch::new(self.contacts.len(), index_of_pair)),
        }
        self.contacts.push(ContactBlock {
            contact: index,
            point: contact.point,
            wrenches,
            yields,
            start,
            response: response[0],
            tangents: Tangents::new([response[1], response[2], response[3]]),
            friction: if sticks { contact.static_friction } else { contact.dynamic_friction },
            target: target(contact.gap, scene.parameters),
            correction: parting.clamp(0.0, correction_speed),
            impulse: axes.map(|axis| axis.dot(warm_start)),
            corrective: 0.0,
            impact: [0.0; 3],
            gap: contact.gap,
            restitution: contact.restitution,
            share: contact.share,
            change,
            acts: true,
        });
    }

    /// Adds the parts of a contact.
    fn add_pair(&mut self, scene: &Scene<'_>, loops: Option<&mut Equalities>, motion: &[f64], contact: &Contact) {
        let center = contact.point;
        let start = self.pair_indices.len();
        let mut before = [0.0; 6];
        for (part, sign) in contact.parts.iter().zip([1.0, -1.0]) {
            let Some(PartIndex(part)) = *part else { continue };
            let offset = center - scene.kinematics.origins[scene.system.parts[part].tree];
            let twist = &scene.twists[part];
            let twist = [velocity_at(twist, &offset), twist.angular];
            for (sum, value) in before.iter_mut().zip(twist.iter().flat_map(|vector| vector.iter())) {
                *sum += sign * value;
            }
            self.add_side(scene, part, &offset, sign, start);
        }
        let own = Rows { start, len: self.pair_indices.len() - start };
        let change = gather(&self.pair_indices, &self.pair_values, own, motion);
        let (mut rows, mut correction) = (own, [0.0; 6]);
        if let Some(loops) = loops {
            let start = self.pair_indices.len();
            self.pair_indices.extend_from_within(own.start..own.start + own.len);
            self.pair_values.extend_from_within(own.start..own.start + own.len);
            loops.free(&mut self.pair_indices, &mut self.pair_values, start);
            rows = Rows { start, len: self.pair_indices.len() - start };
            let seen = gather(&self.pair_indices, &self.pair_values, rows, motion);
            correction = std::array::from_fn(|index| change[index] - seen[index]);
        }
        let response = response(&self.pair_values[rows.start..rows.start + rows.len]);
        self.pairs.push(Pair { parts: contact.parts, center, rows, own, before, change, correction, response });
    }

    /// Adds one part of a pair to the rows that begin at `start`; `offset` is where its twist is told, from its tree's origin, m.
    fn add_side(&mut self, scene: &Scene<'_>, part: usize, offset: &Vector3<f64>, sign: f64, start: usize) {
        let path = scene.structure.path(part);
        let first = self.pair_values.len();
        let response = self.response(scene, part, path);
        for [x, y, z, turning_x, turning_y, turning_z] in &self.responses[response..response + path.len()] {
            let angular = Vector3::new(*turning_x, *turning_y, *turning_z) * sign;
            let linear = Vector3::new(*x, *y, *z) * sign + angular.cross(offset);
            self.pair_values.push([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]);
        }
        self.pair_indices.extend_from_slice(path);
        // Two parts of one tree have the beginning of their paths in common.
        let shared = self.pair_indices[start..first].iter().zip(path).take_while(|(one, other)| one == other).count();
        if shared > 0 {
            for index in 0..shared {
                let other = self.pair_values[first + index];
                for (value, other) in self.pair_values[start + index].iter_mut().zip(other) {
                    *value += other;
                }
            }
            self.pair_values.drain(first..first + shared);
            self.pair_indices.drain(first..first + shared);
        }
    }

    /// Where the response of a part begins. Several contacts of a part share it.
    fn response(&mut self, scene: &Scene<'_>, part: usize, path: &[u32]) -> usize {
        if self.response_of_part.len() <= part {
            self.response_of_part.resize(scene.system.num_parts(), 0);
        }
        if let Some(known) = (self.response_of_part[part] as usize).checked_sub(1) {
            return known;
        }
        let start = self.responses.len();
        // Fewer than four thousand million.
        #[allow(clippy::cast_possible_truncation)]
        {
            self.response_of_part[part] = start as u32 + 1;
        }
        self.responding.push(part);
        self.responses.extend(path.iter().map(|&coordinate| {
            let Twist { linear, angular } = scene.kinematics.directions[coordinate as usize];
            [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
        }));
        scene.factor.half_solve_rows(path, &mut self.responses[start..]);
        start
    }

    /// Ends the list of contacts.
    pub fn finish(&mut self, parameters: &Parameters) {
        for patch in &mut self.patches {
            let freed_rows = self.pairs[patch.pair].freed_rows(&self.pair_values);
            patch.build(&self.contacts, freed_rows);
        }
        even_out(&self.patches, &mut self.contacts);
        let Self { together, pairs, patches, pair_indices, pair_values, contacts, .. } = self;
        let touching = Touching { pairs, patches, indices: pair_indices, values: pair_values };
        // What is loose may rest, and rests on each part by itself.
        if self.are_loose { together.part() } else { together.join(touching, contacts, parameters) }
    }

    /// Whether loads are to be shared anew, with the motion that the warm start makes: parts touch that carried nothing in the step
    /// before.
    ///
    /// In a large island, a pile, there are always such parts somewhere, and to share anew in every step would be two thirds of its
    /// cost: there they must be about to carry something.
    pub fn is_to_share(&self, motion: &[f64], tolerance: f64) -> bool {
        if self.together.is_used() {
            return false;
        }
        let has_many = self.patches.len() >= MANY_PATCHES;
        pairs(&self.patches).any(|(pair, span)| {
            let blocks = &self.contacts[span];
            if blocks.len() == 1 || blocks.iter().any(|block| block.impulse[0] != 0.0) {
                return false;
            }
            if !has_many {
                return true;
            }
            let twist = self.pairs[pair].twist(&self.pair_indices, &self.pair_values, motion);
            blocks.iter().any(|block| block.acts && block.velocity(0, &twist) < block.target - tolerance)
        })
    }

    /// Adds what the impulses of the warm start do.
    pub fn push_warm_starts(&self, motion: &mut [f64]) {
        for patch in &self.patches {
            let wrench = self.wrench(patch);
            if wrench != [0.0; 6] {
                scatter(&self.pair_indices, &self.pair_values, self.pairs[patch.pair].rows, &wrench, motion);
            }
        }
        for row in self.coordinates.iter().filter(|row| row.impulse != 0.0) {
            scatter(&self.coordinate_indices, &self.coordinate_values, row.rows, &[row.impulse], motion);
        }
    }

    /// One sweep over all impulses. Gives by how much the worst one was off, as a velocity, m/s or rad/s.
    pub fn sweep(&mut self, stage: Stage, passes: Passes, motion: &mut [f64]) -> f64 {
        let mut worst = 0.0_f64;
        for row in &mut self.coordinates {
            let [change] = gather(&self.coordinate_indices, &self.coordinate_values, row.rows, motion);
            let wanted = row.impulse - (row.start + change - row.target) / row.response;
            let impulse = wanted.min(row.upper).max(row.lower);
            let step = impulse - row.impulse;
            if step != 0.0 {
                row.impulse = impulse;
                worst = worst.max(step.abs() * row.response);
                scatter(&self.coordinate_indices, &self.coordinate_values, row.rows, &[step], motion);
            }
        }
        let Self { together, pairs, patches, pair_indices, pair_values, contacts, .. } = self;
        worst.max(if together.is_used() {
            let touching = Touching { pairs, patches, indices: pair_indices, values: pair_values };
            together.sweep(touching, contacts, passes, motion)
        } else {
            self.sweep_contacts(stage, passes, motion, false)
        })
    }

    /// The same over the contacts that act, from the first to the last or back.
    pub(super) fn sweep_contacts(&mut self, stage: Stage, passes: Passes, motion: &mut [f64], goes_back: bool) -> f64 {
        let mut worst = 0.0_f64;
        let count = self.patches.len();
        for index in 0..count {
            let patch = &mut self.patches[if goes_back { count - 1 - index } else { index }];
            let blocks = &mut self.contacts[patch.start..][..patch.len];
            if blocks.iter().all(|block| !block.acts) {
                continue;
            }
            let pair = &self.pairs[patch.pair];
            let twist = pair.twist(&self.pair_indices, &self.pair_values, motion);
            let (off, wrench) = patch.improve(stage, passes, blocks, twist);
            if wrench != [0.0; 6] {
                scatter(&self.pair_indices, &self.pair_values, pair.rows, &wrench, motion);
            }
            worst = worst.max(off);
        }
        worst
    }

    /// Impulses of all contacts and coordinates, in order.
    pub fn impulses(&self) -> impl Iterator<Item = f64> {
        let contacts = self.contacts.iter().flat_map(|block| block.impulse);
        self.coordinates.iter().map(|row| row.impulse).chain(contacts)
    }

    /// The same, to be changed.
    pub fn impulses_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        let contacts = self.contacts.iter_mut().flat_map(|block| &mut block.impulse);
        self.coordinates.iter_mut().map(|row| &mut row.impulse).chain(contacts)
    }

    /// Adds what impacts have done to the impulses.
    pub fn sum_up(&mut self) {
        for block in &mut self.contacts {
            block.impulse.iter_mut().zip(block.impact).for_each(|(sum, more)| *sum += more);
            block.impact = [0.0; 3];
        }
    }

    /// Whether anything is to be pushed out of anything.
    pub fn has_corrections(&self) -> bool {
        self.contacts.iter().any(|block| block.correction != 0.0)
            || self.coordinates.iter().any(|row| row.correction != 0.0)
    }

    /// One sweep over the impulses that take out depth; they make a motion of their own, which ends with the step.
    pub fn sweep_corrections(&mut self, motion: &mut [f64]) -> f64 {
        let mut worst = 0.0_f64;
        for row in self.coordinates.iter_mut().filter(|row| row.hold == Hold::Range) {
            let [speed] = gather(&self.coordinate_indices, &self.coordinate_values, row.rows, motion);
            let wanted = row.corrective - (speed - row.correction) / row.response;
            let step = wanted.min(row.upper).max(row.lower) - row.corrective;
            if step != 0.0 {
                row.corrective += step;
                worst = worst.max(step.abs() * row.response);
                scatter(&self.coordinate_indices, &self.coordinate_values, row.rows, &[step], motion);
            }
        }
        for patch in &self.patches {
            let pair = &self.pairs[patch.pair];
            let mut twist = pair.twist(&self.pair_indices, &self.pair_values, motion);
            let mut wrench = [0.0; 6];
            for block in self.contacts[patch.start..][..patch.len].iter_mut().filter(|block| block.acts) {
                let speed = dot(&block.wrenches[0], &twist);
                let wanted = (block.corrective - (speed - block.correction) / block.response).max(0.0);
                let step = wanted - block.corrective;
                if step != 0.0 {
                    block.corrective = wanted;
                    worst = worst.max(step.abs() * block.response);
                    add(&mut twist, &block.yields[0], step);
                    add(&mut wrench, &block.wrenches[0], step);
                }
            }
            if wrench != [0.0; 6] {
                scatter(&self.pair_indices, &self.pair_values, pair.rows, &wrench, motion);
            }
        }
        worst
    }

    /// Takes off what the impulses do but for the answer of loops.
    pub fn take_own(&self, motion: &mut [f64]) {
        for patch in &self.patches {
            let wrench = self.wrench(patch).map(|value| -value);
            scatter(&self.pair_indices, &self.pair_values, self.pairs[patch.pair].own, &wrench, motion);
        }
        for row in &self.coordinates {
            scatter(&self.coordinate_indices, &self.coordinate_values, row.own, &[-row.impulse], motion);
        }
    }

    /// What the impulses of a patch are together.
    fn wrench(&self, patch: &Patch) -> Six {
        let mut wrench = [0.0; 6];
        for block in &self.contacts[patch.start..][..patch.len] {
            block.add_wrench(&block.impulse, &mut wrench);
        }
        wrench
    }

    /// Finds the twists that a motion makes.
    pub(super) fn follow(&mut self, motion: &[f64]) {
        self.twists.clear();
        for patch in &self.patches {
            let twist = self.pairs[patch.pair].twist(&self.pair_indices, &self.pair_values, motion);
            self.twists.extend((0..patch.len).map(|_| twist));
        }
    }

    /// Tells impulses: of contacts on their first parts, N·s, world axes, and of coordinates by what holds them.
    pub fn tell(&self, contacts: &mut [Vector3<f64>], coordinates: &mut [[f64; 3]]) {
        for block in &self.contacts {
            contacts[block.contact] = block.axes().iter().zip(block.impulse).map(|(axis, size)| axis * size).sum();
        }
        for row in &self.coordinates {
            coordinates[row.coordinate][row.hold as usize] += row.impulse;
        }
    }
}
