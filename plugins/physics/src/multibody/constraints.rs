//! Inequalities: contacts, ends of ranges, largest velocities, dry friction. Projected Gauss–Seidel in the factor's
//! coordinates.

use nalgebra::Vector3;

use super::closures::across;
use super::equalities::Equalities;
use super::factor::{Factor, Structure};
use super::index::PartIndex;
use super::kinematics::Kinematics;
use super::solver::Parameters;
use super::spatial::{Twist, Wrench, velocity_at};
use super::state::WarmStart;
use super::system::System;

/// Rows of a contact: the normal and two tangents; a fourth number fills the lanes.
const LANES: usize = 4;

/// The most impacts in a step that follow each other.
const MAX_IMPACTS: usize = 50;

/// Response below this, 1/kg, is that of something that nothing moves.
const NO_RESPONSE: f64 = 1e-14;

/// A point in which two parts, or a part and the world, touch or are about to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The same number stands for the same point in the step before: the solve begins with the impulse that it had then.
    pub id: u64,
    /// What touches; `None` is the world, which does not move.
    pub parts: [Option<PartIndex>; 2],
    /// m, in the world, in the middle of the step.
    pub point: Vector3<f64>,
    /// Unit vector out of the second into the first, world axes.
    pub normal: Vector3<f64>,
    /// How far apart the surfaces are along the normal, m; negative for how deep they are in each other.
    pub gap: f64,
    /// Coefficient of friction between surfaces that do not slide.
    pub static_friction: f64,
    /// Coefficient of friction between surfaces that slide.
    pub dynamic_friction: f64,
    /// Share of the velocity of approach with which they part again.
    pub restitution: f64,
    /// How the first one's surface runs along its part, less the same of the second, m/s, world axes.
    pub surface_velocity: Vector3<f64>,
}

/// A contact in one island in one step.
#[derive(Clone, Copy, Debug)]
struct ContactBlock {
    contact: usize,
    /// Its rows with loops taken into account, and without.
    rows: Rows,
    own: Rows,
    /// Normal and tangents.
    axes: [Vector3<f64>; 3],
    /// Velocity of the first against the second but for what the motion in the factor's coordinates adds, m/s.
    start: [f64; 3],
    /// Normal-normal, normal-tangents, then the tangents' own: 11, 22, 12.
    response: [f64; 6],
    friction: f64,
    /// Smallest velocity along the normal, m/s.
    target: f64,
    /// The same of the motion that takes out depth.
    correction: f64,
    impulse: [f64; 3],
    corrective: f64,
    /// What impacts have done already; it is not taken back.
    impact: [f64; 3],
    /// m
    gap: f64,
    restitution: f64,
    /// How much forces change the velocity along the normal in the step, m/s.
    change: f64,
    /// Whether it takes part in what is being solved.
    acts: bool,
}

/// Where rows stand.
#[derive(Clone, Copy, Debug, Default)]
struct Rows {
    start: usize,
    len: usize,
}

/// What a coordinate is held by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    Range = 0,
    Friction = 1,
    Velocity = 2,
}

/// A bounded impulse along a coordinate.
#[derive(Clone, Copy, Debug)]
struct CoordinateRow {
    coordinate: usize,
    hold: Hold,
    rows: Rows,
    own: Rows,
    start: f64,
    response: f64,
    target: f64,
    /// Allowed impulses, N·s or N·m·s.
    lower: f64,
    upper: f64,
    correction: f64,
    impulse: f64,
    corrective: f64,
}

/// The constraints of one island.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    contacts: Vec<ContactBlock>,
    contact_indices: Vec<u32>,
    contact_values: Vec<[f64; LANES]>,
    coordinates: Vec<CoordinateRow>,
    coordinate_indices: Vec<u32>,
    coordinate_values: Vec<[f64; 1]>,
    /// By part, one more than where its response begins; 0 if it has none yet.
    response_of_part: Vec<u32>,
    /// Parts that have a response.
    responding: Vec<usize>,
    /// Along the path of a part: what a force along each axis does, then a torque about its tree's origin, in the factor's
    /// coordinates.
    responses: Vec<[f64; 6]>,
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

    /// Adds a contact. `motion` is what would happen without it, in the factor's coordinates; `guess` its impulse, N·s.
    pub fn add_contact(
        &mut self,
        scene: &Scene<'_>,
        loops: Option<&mut Equalities>,
        motion: &[f64],
        (index, contact): (usize, &Contact),
        guess: &Vector3<f64>,
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
        if response[0] <= NO_RESPONSE {
            return;
        }
        let Parameters { slop, correction_share, correction_speed, .. } = *scene.parameters;
        let depth = (-contact.gap - slop).max(0.0);
        let sliding = (before[1] * before[1] + before[2] * before[2]).sqrt();
        let sticks = sliding < scene.parameters.sticking_speed;
        self.contacts.push(ContactBlock {
            contact: index,
            rows,
            own,
            axes,
            start: std::array::from_fn(|lane| before[lane] + correction[lane]),
            response,
            friction: if sticks { contact.static_friction } else { contact.dynamic_friction },
            target: -contact.gap.max(0.0) / scene.time_step,
            correction: (depth * correction_share / scene.time_step).min(correction_speed),
            impulse: axes.map(|axis| axis.dot(guess)),
            corrective: 0.0,
            impact: [0.0; 3],
            gap: contact.gap,
            restitution: contact.restitution,
            change: change[0],
            acts: true,
        });
    }

    /// Lets what bounces bounce: everything that meets at once in one solve, then what that has made meet, and so on. What comes
    /// after it, resting and sliding, finds surfaces that part already.
    pub fn bounce(&mut self, motion: &mut [f64], parameters: &Parameters) {
        if self.contacts.iter().all(|block| block.restitution <= 0.0) {
            return;
        }
        for _ in 0..MAX_IMPACTS {
            let mut meets = false;
            for block in &mut self.contacts {
                block.acts = false;
                let meeting = block.meeting(&self.contact_indices, &self.contact_values, motion);
                if block.restitution <= 0.0 || !meeting.is_impact(parameters) || !meeting.is_now(block.gap, parameters) {
                    continue;
                }
                block.acts = true;
                meets = true;
                block.target = meeting.parting(block.gap, block.restitution, parameters);
                // What it carried in the step before has nothing to do with it.
                block.impulse = [0.0; 3];
                block.correction = 0.0;
            }
            if !meets {
                break;
            }
            for sweep in 1..=parameters.max_sweeps.max(1) {
                if self.sweep_contacts(motion, sweep % 2 == 0) <= parameters.tolerance {
                    break;
                }
            }
            for block in self.contacts.iter_mut().filter(|block| block.acts) {
                block.impact.iter_mut().zip(block.impulse).for_each(|(sum, more)| *sum += more);
                block.impulse = [0.0; 3];
                block.target = -block.gap.max(0.0) / parameters.time_step;
            }
        }
        for block in &mut self.contacts {
            // It meets in a later step; until then nothing brakes it.
            let meeting = block.meeting(&self.contact_indices, &self.contact_values, motion);
            block.acts = block.restitution <= 0.0
                || !meeting.is_impact(parameters)
                || meeting.is_now(block.gap, parameters);
            if !block.acts {
                block.impulse = [0.0; 3];
                block.correction = 0.0;
            }
        }
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
            for place in 0..3 {
                shares[place][lane] = axis[place] * sign;
                shares[place + 3][lane] = torque[place] * sign;
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
            for place in 0..shared {
                let other = self.contact_values[first + place];
                for (value, other) in self.contact_values[start + place].iter_mut().zip(other) {
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

    /// Adds what a coordinate is held by. `velocity` is that at the beginning of the step, `displacement` that in its middle.
    pub fn add_coordinate(
        &mut self,
        scene: &Scene<'_>,
        mut loops: Option<&mut Equalities>,
        motion: &[f64],
        coordinate: usize,
        (displacement, velocity): (f64, f64),
        warm: &WarmStart,
    ) {
        let model = &scene.system.coordinates[coordinate];
        let step = scene.time_step;
        let near = scene.parameters.range_margin + 4.0 * step * velocity.abs();
        let mut add = |hold: Hold, target: f64, [lower, upper]: [f64; 2], correction: f64| {
            let impulse = warm.coordinates[coordinate][hold as usize].clamp(lower, upper);
            let bounds = [lower, upper];
            self.add_row(
                scene,
                loops.as_deref_mut(),
                motion,
                coordinate,
                velocity,
                CoordinateRow {
                    coordinate,
                    hold,
                    rows: Rows::default(),
                    own: Rows::default(),
                    start: 0.0,
                    response: 0.0,
                    target,
                    lower: bounds[0],
                    upper: bounds[1],
                    correction,
                    impulse,
                    corrective: 0.0,
                },
            );
        };
        if model.friction > 0.0 {
            let bound = model.friction * step;
            add(Hold::Friction, 0.0, [-bound, bound], 0.0);
        }
        let range = &model.range;
        if range.lower <= range.upper {
            let depth_speed = |gap: f64| {
                let Parameters { correction_share, correction_speed, .. } = *scene.parameters;
                if gap < 0.0 { (-gap * correction_share / step).min(correction_speed) } else { 0.0 }
            };
            let (below, above) = (displacement - range.lower, range.upper - displacement);
            if below < near {
                add(Hold::Range, -below.max(0.0) / step, [0.0, f64::INFINITY], depth_speed(below));
            }
            if above < near {
                add(Hold::Range, above.max(0.0) / step, [f64::NEG_INFINITY, 0.0], -depth_speed(above));
            }
        }
        let speeds = &model.velocity_range;
        if speeds.lower <= speeds.upper {
            if speeds.lower > f64::NEG_INFINITY {
                add(Hold::Velocity, speeds.lower, [0.0, f64::INFINITY], 0.0);
            }
            if speeds.upper < f64::INFINITY {
                add(Hold::Velocity, speeds.upper, [f64::NEG_INFINITY, 0.0], 0.0);
            }
        }
    }

    fn add_row(
        &mut self,
        scene: &Scene<'_>,
        loops: Option<&mut Equalities>,
        motion: &[f64],
        coordinate: usize,
        velocity: f64,
        mut row: CoordinateRow,
    ) {
        let Some(depth) = scene.structure.depth(coordinate) else { return };
        let path = &scene.structure.path(scene.system.coordinate_part[coordinate])[..=depth];
        let start = self.coordinate_indices.len();
        self.coordinate_indices.extend_from_slice(path);
        self.coordinate_values.resize(start + path.len(), [0.0]);
        self.coordinate_values[start + depth] = [1.0];
        scene.factor.half_solve_rows(scene.structure, path, &mut self.coordinate_values[start..]);
        row.own = Rows { start, len: path.len() };
        row.rows = row.own;
        row.start = velocity;
        if let Some(loops) = loops {
            let [change] = gather(&self.coordinate_indices, &self.coordinate_values, row.own, motion);
            let start = self.coordinate_indices.len();
            self.coordinate_indices.extend_from_within(row.own.start..row.own.start + row.own.len);
            self.coordinate_values.extend_from_within(row.own.start..row.own.start + row.own.len);
            loops.free(&mut self.coordinate_indices, &mut self.coordinate_values, start);
            row.rows = Rows { start, len: self.coordinate_indices.len() - start };
            let [seen] = gather(&self.coordinate_indices, &self.coordinate_values, row.rows, motion);
            row.start += change - seen;
        }
        let values = &self.coordinate_values[row.rows.start..row.rows.start + row.rows.len];
        row.response = values.iter().map(|[value]| value * value).sum();
        if row.response > NO_RESPONSE {
            self.coordinates.push(row);
        }
    }

    /// Adds what the impulses guessed do.
    pub fn push_guesses(&self, motion: &mut [f64]) {
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

    /// One sweep over all impulses, there or back again: a pile passes its weight on in either direction. Gives by how much
    /// the worst one was off, as a velocity, m/s or rad/s.
    pub fn sweep(&mut self, motion: &mut [f64], goes_back: bool) -> f64 {
        let mut worst = 0.0_f64;
        for row in &mut self.coordinates {
            let [change] = gather(&self.coordinate_indices, &self.coordinate_values, row.rows, motion);
            let wanted = row.impulse - (row.start + change - row.target) / row.response;
            let impulse = wanted.clamp(row.lower, row.upper);
            let step = impulse - row.impulse;
            if step != 0.0 {
                row.impulse = impulse;
                worst = worst.max(step.abs() * row.response);
                scatter(&self.coordinate_indices, &self.coordinate_values, row.rows, &[step], motion);
            }
        }
        worst.max(self.sweep_contacts(motion, goes_back))
    }

    /// The same over the contacts that act.
    fn sweep_contacts(&mut self, motion: &mut [f64], goes_back: bool) -> f64 {
        let mut worst = 0.0_f64;
        let count = self.contacts.len();
        for place in 0..count {
            let block = &mut self.contacts[if goes_back { count - 1 - place } else { place }];
            if !block.acts {
                continue;
            }
            let change = gather(&self.contact_indices, &self.contact_values, block.rows, motion);
            let (step, off) = block.improve(&change);
            if step != [0.0; LANES] {
                worst = worst.max(off);
                scatter(&self.contact_indices, &self.contact_values, block.rows, &step, motion);
            }
        }
        worst
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
            let step = wanted.clamp(row.lower, row.upper) - row.corrective;
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

impl ContactBlock {
    /// How the surfaces meet with the present motion.
    fn meeting(&self, indices: &[u32], values: &[[f64; LANES]], motion: &[f64]) -> Meeting {
        let free = self.start[0] + gather(indices, values, self.rows, motion)[0];
        Meeting { before: free - self.change, free }
    }

    /// A better impulse: the normal first, then friction within its cone. Gives the change and how fast the point was wrong.
    fn improve(&mut self, change: &[f64; LANES]) -> ([f64; LANES], f64) {
        let [nn, n1, n2, r11, r22, r12] = self.response;
        let normal = (self.impulse[0] - (self.start[0] + change[0] - self.target) / nn).max(0.0);
        let step = normal - self.impulse[0];
        let velocity = [self.start[1] + change[1] + n1 * step, self.start[2] + change[2] + n2 * step];
        let bound = self.friction * normal;
        let old = [self.impulse[1], self.impulse[2]];
        let tangents = slide(&[r11, r22, r12], &velocity, &old, bound);
        let steps = [tangents[0] - old[0], tangents[1] - old[1]];
        self.impulse = [normal, tangents[0], tangents[1]];
        let off = (step.abs() * nn).max(steps[0].abs() * r11).max(steps[1].abs() * r22);
        ([step, steps[0], steps[1], 0.0], off)
    }
}

/// Friction within a bound: the impulse that stops the sliding or else, at the bound, is against it.
fn slide([r11, r22, r12]: &[f64; 3], velocity: &[f64; 2], old: &[f64; 2], bound: f64) -> [f64; 2] {
    if bound <= 0.0 {
        return [0.0; 2];
    }
    let determinant = r11 * r22 - r12 * r12;
    if determinant > 1e-12 * r11 * r22 {
        let stop = [
            old[0] - (r22 * velocity[0] - r12 * velocity[1]) / determinant,
            old[1] - (r11 * velocity[1] - r12 * velocity[0]) / determinant,
        ];
        if stop[0] * stop[0] + stop[1] * stop[1] <= bound * bound {
            return stop;
        }
    }
    // A step against the sliding, no longer than what the stiffest direction bears, and back to the cone.
    let mean = 0.5 * (r11 + r22);
    let stiffest = mean + (0.25 * (r11 - r22).powi(2) + r12 * r12).sqrt();
    if stiffest <= NO_RESPONSE {
        return *old;
    }
    let wanted = [old[0] - velocity[0] / stiffest, old[1] - velocity[1] / stiffest];
    let size = (wanted[0] * wanted[0] + wanted[1] * wanted[1]).sqrt();
    if size <= bound { wanted } else { wanted.map(|value| value * bound / size) }
}

/// How two surfaces meet along their normal, m/s: positive apart.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    before: f64,
    /// After the step, if nothing touches.
    free: f64,
}

impl Meeting {
    /// Whether they meet faster than what merely rests does in a step.
    fn is_impact(&self, parameters: &Parameters) -> bool {
        -self.before.max(self.free) > parameters.bounce_speed
    }

    /// Whether the middle of this step is the nearest to the impact.
    fn is_now(&self, gap: f64, parameters: &Parameters) -> bool {
        gap + 0.5 * parameters.time_step * self.free <= 0.0
    }

    /// The velocity after the step with which they part.
    fn parting(&self, gap: f64, restitution: f64, parameters: &Parameters) -> f64 {
        let step = parameters.time_step;
        let acceleration = (self.free - self.before) / step;
        let here = self.before + 0.5 * step * acceleration;
        // Some way is left to the surface or has been gone beyond it: as high as from the surface itself.
        let at_surface = here * here - 2.0 * acceleration * gap;
        let back = (restitution * restitution * at_surface + 2.0 * acceleration * gap).max(0.0).sqrt();
        (back + 0.5 * step * acceleration).max(0.0)
    }
}

/// The velocities of a block of rows.
fn gather<const N: usize>(indices: &[u32], values: &[[f64; N]], rows: Rows, motion: &[f64]) -> [f64; N] {
    let mut sum = [0.0; N];
    let span = rows.start..rows.start + rows.len;
    for (&index, row) in indices[span.clone()].iter().zip(&values[span]) {
        let moved = motion[index as usize];
        sum = std::array::from_fn(|lane| sum[lane] + row[lane] * moved);
    }
    sum
}

/// Adds what impulses along a block of rows do.
fn scatter<const N: usize>(indices: &[u32], values: &[[f64; N]], rows: Rows, impulses: &[f64; N], motion: &mut [f64]) {
    let span = rows.start..rows.start + rows.len;
    for (&index, row) in indices[span.clone()].iter().zip(&values[span]) {
        let mut change = row[0] * impulses[0];
        // Of a contact's four numbers the last one only fills the lanes.
        for lane in 1..N.min(3) {
            change += row[lane] * impulses[lane];
        }
        motion[index as usize] += change;
    }
}

/// Adds a contact's force to its parts, about the origins of their trees.
pub fn add_contact_wrench(
    system: &System,
    kinematics: &Kinematics,
    contact: &Contact,
    force: &Vector3<f64>,
    wrenches: &mut [Wrench],
) {
    for (part, sign) in contact.parts.iter().zip([1.0, -1.0]) {
        let Some(PartIndex(part)) = *part else { continue };
        let offset = contact.point - kinematics.origins[system.parts[part].tree];
        wrenches[part].force += force * sign;
        wrenches[part].torque += offset.cross(force) * sign;
    }
}
