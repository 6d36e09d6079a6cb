//! Inequalities: contacts, ends of ranges, largest velocities, dry friction. Projected Gauss–Seidel in the factor's
//! coordinates.

use nalgebra::Vector3;

use super::contact::Contact;
use super::contact_block::{ContactBlock, LANES, target};
use super::coordinate_row::{CoordinateRow, Hold};
use super::equalities::Equalities;
use super::even_out::even_out;
use super::factor::{Factor, Structure};
use super::index::PartIndex;
use super::kinematics::Kinematics;
use super::parameters::Parameters;
use super::patch::{Passes, Patch, Stage};
use super::rows::{Rows, gather, scatter};
use super::spatial::across;
use super::spatial::{Twist, velocity_at};
use super::system::System;
use super::tangents::{NO_RESPONSE, Tangents};

/// The constraints of one island.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    pub(super) contacts: Vec<ContactBlock>,
    /// The contacts, by the parts that touch.
    pub(super) patches: Vec<Patch>,
    /// The parts of the last contact.
    touching: Option<[Option<PartIndex>; 2]>,
    pub(super) contact_indices: Vec<u32>,
    pub(super) contact_values: Vec<[f64; LANES]>,
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
        self.touching = None;
        self.contact_indices.clear();
        self.contact_values.clear();
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
        let normal = contact.normal;
        let [one, two] = across(&normal);
        let axes = [normal, one, two];
        let start = self.contact_indices.len();
        let mut velocity = contact.surface_velocity;
        for (part, sign) in contact.parts.iter().zip([1.0, -1.0]) {
            let Some(PartIndex(part)) = *part else { continue };
            let offset = contact.point - scene.kinematics.origins[scene.system.parts[part].tree];
            velocity += velocity_at(&scene.twists[part], &offset) * sign;
            self.add_side(scene, part, &offset, &axes, sign, start);
        }
        let own = Rows { start, len: self.contact_indices.len() - start };
        let before: [f64; 3] = axes.map(|axis| axis.dot(&velocity));
        let change = gather(&self.contact_indices, &self.contact_values, own, motion);
        let (rows, correction) = match loops {
            None => (own, [0.0; LANES]),
            Some(loops) => {
                let start = self.contact_indices.len();
                self.contact_indices.extend_from_within(own.start..own.start + own.len);
                self.contact_values.extend_from_within(own.start..own.start + own.len);
                loops.free(&mut self.contact_indices, &mut self.contact_values, start);
                let rows = Rows { start, len: self.contact_indices.len() - start };
                let seen = gather(&self.contact_indices, &self.contact_values, rows, motion);
                (rows, std::array::from_fn(|lane| change[lane] - seen[lane]))
            }
        };
        let mut response = [0.0; 6];
        for [n, one, two, _] in &self.contact_values[rows.start..rows.start + rows.len] {
            let products = [n * n, n * one, n * two, one * one, two * two, one * two];
            for (entry, product) in response.iter_mut().zip(products) {
                *entry += product;
            }
        }
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
            Some(patch) if self.touching == Some(contact.parts) && patch.has_room() => patch.len += 1,
            _ => {
                let goes_on = self.touching == Some(contact.parts);
                self.patches.push(Patch::new(self.contacts.len(), goes_on));
            }
        }
        self.touching = Some(contact.parts);
        self.contacts.push(ContactBlock {
            contact: index,
            point: contact.point,
            rows,
            own,
            axes,
            start: std::array::from_fn(|lane| before[lane] + correction[lane]),
            response: [response[0], response[1], response[2]],
            tangents: Tangents::new([response[3], response[4], response[5]]),
            friction: if sticks { contact.static_friction } else { contact.dynamic_friction },
            target: target(contact.gap, scene.parameters),
            correction: parting.clamp(0.0, correction_speed),
            impulse: axes.map(|axis| axis.dot(warm_start)),
            corrective: 0.0,
            impact: [0.0; 3],
            gap: contact.gap,
            restitution: contact.restitution,
            change: change[0],
            acts: true,
        });
    }

    /// Adds one side of a contact to the rows that begin at `start`.
    fn add_side(
        &mut self,
        scene: &Scene<'_>,
        part: usize,
        offset: &Vector3<f64>,
        axes: &[Vector3<f64>; 3],
        sign: f64,
        start: usize,
    ) {
        let path = scene.structure.path(part);
        let first = self.contact_values.len();
        let response = self.response(scene, part, path);
        // What each row has of a force and a torque along each axis, row by lane.
        let mut shares = [[0.0; LANES]; 6];
        for (lane, axis) in axes.iter().enumerate() {
            let torque = offset.cross(axis);
            for index in 0..3 {
                shares[index][lane] = axis[index] * sign;
                shares[index + 3][lane] = torque[index] * sign;
            }
        }
        for along in &self.responses[response..response + path.len()] {
            let mut rows = [0.0; LANES];
            for (share, value) in shares.iter().zip(along) {
                rows = std::array::from_fn(|lane| rows[lane] + share[lane] * value);
            }
            self.contact_values.push(rows);
        }
        self.contact_indices.extend_from_slice(path);
        // Two parts of one tree have the beginning of their paths in common.
        let shared =
            self.contact_indices[start..first].iter().zip(path).take_while(|(one, other)| one == other).count();
        if shared > 0 {
            for index in 0..shared {
                let other = self.contact_values[first + index];
                for (value, other) in self.contact_values[start + index].iter_mut().zip(other) {
                    *value += other;
                }
            }
            self.contact_values.drain(first..first + shared);
            self.contact_indices.drain(first..first + shared);
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
        scene.factor.half_solve_rows(scene.structure, path, &mut self.responses[start..]);
        start
    }

    /// Ends the list of contacts. Gives whether parts touch that did not in the step before.
    pub fn finish(&mut self) -> bool {
        for patch in &mut self.patches {
            patch.build(&self.contacts, &self.contact_values);
        }
        even_out(&self.patches, &mut self.contacts)
    }

    /// Adds what the impulses of the warm start do.
    pub fn push_warm_starts(&self, motion: &mut [f64]) {
        for block in &self.contacts {
            let [n, one, two] = block.impulse;
            if block.impulse != [0.0; 3] {
                scatter(&self.contact_indices, &self.contact_values, block.rows, &[n, one, two, 0.0], motion);
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
        worst.max(self.sweep_contacts(stage, passes, motion, false))
    }

    /// The same over the contacts that act, from the first to the last or back.
    pub(super) fn sweep_contacts(&mut self, stage: Stage, passes: Passes, motion: &mut [f64], goes_back: bool) -> f64 {
        let mut worst = 0.0_f64;
        let count = self.patches.len();
        for index in 0..count {
            let patch = &self.patches[if goes_back { count - 1 - index } else { index }];
            let (indices, values) = (&self.contact_indices, &self.contact_values);
            let off = patch.improve(stage, passes, &mut self.contacts, indices, values, motion);
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
        for block in self.contacts.iter_mut().filter(|block| block.acts) {
            let speed = gather(&self.contact_indices, &self.contact_values, block.rows, motion)[0];
            let wanted = (block.corrective - (speed - block.correction) / block.response[0]).max(0.0);
            let step = wanted - block.corrective;
            if step != 0.0 {
                block.corrective = wanted;
                worst = worst.max(step.abs() * block.response[0]);
                let step = [step, 0.0, 0.0, 0.0];
                scatter(&self.contact_indices, &self.contact_values, block.rows, &step, motion);
            }
        }
        worst
    }

    /// Takes off what the impulses do but for the answer of loops.
    pub fn take_own(&self, motion: &mut [f64]) {
        for block in &self.contacts {
            let [n, one, two] = block.impulse;
            scatter(&self.contact_indices, &self.contact_values, block.own, &[-n, -one, -two, 0.0], motion);
        }
        for row in &self.coordinates {
            scatter(&self.coordinate_indices, &self.coordinate_values, row.own, &[-row.impulse], motion);
        }
    }

    /// Tells impulses: of contacts on their first parts, N·s, world axes, and of coordinates by what holds them.
    pub fn tell(&self, contacts: &mut [Vector3<f64>], coordinates: &mut [[f64; 3]]) {
        for block in &self.contacts {
            contacts[block.contact] = block.axes.iter().zip(block.impulse).map(|(axis, size)| axis * size).sum();
        }
        for row in &self.coordinates {
            coordinates[row.coordinate][row.hold as usize] += row.impulse;
        }
    }
}
