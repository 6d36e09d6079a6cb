//! The term of a contact: an impulse along the normal that only pushes, and friction within a disc.
//!
//! The disc has the radius µ·γₙ of the *previous* iterate ("lagged friction bound", Castro, Han and Masterjohn, *Irrotational
//! Contact Fields*, 2023). Normal and friction are then two convex terms, and a contact that slides is not lifted by its friction.

use nalgebra::Vector3;

use crate::math::pair::{Six, add};

/// Share of the bound beyond which friction counts as sliding when the impulses of the step before are all that is known.
const AT_BOUND: f64 = 1.0 - 1e-9;

/// A contact in one island in one step. Axes are the normal and two tangents.
#[derive(Clone, Copy, Debug)]
pub struct ContactTerm {
    /// Index of the contact in the step's input.
    pub contact: usize,
    /// By axis: the wrench of a unit impulse, about the pair's centre. Its product with a twist is the velocity along the axis.
    pub wrenches: [Six; 3],
    /// From the pair's centre to the point, m.
    pub lever: Vector3<f64>,
    /// Velocity of the first surface against the second before forces and constraints act, m/s.
    pub start: [f64; 3],
    /// Velocity that the contact allows along the normal, and that friction tends to along the tangents, m/s.
    pub target: [f64; 3],
    /// Response of the contact to its own impulses, along the normal and on average along the tangents, 1/kg.
    pub response: [f64; 2],
    /// The largest response along any tangent, 1/kg.
    pub stiffest: f64,
    /// Relative weight of the point among those of its pair.
    pub share: f64,
    /// R of the normal and of the tangents, 1/kg.
    pub compliance: [f64; 2],
    /// Velocities before an impact, m/s.
    pub before_impact: [f64; 3],
    /// Change of the normal velocity in the step by forces alone, m/s.
    pub change: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Speed with which depth is taken out, m/s.
    pub correction: f64,
    /// m
    pub gap: f64,
    pub restitution: f64,
    /// Steps since impulses in its island have changed noticeably, up to a maximum.
    pub age: u32,
    /// Whether the term takes part in the solve.
    pub acts: bool,
    /// Proximal point: impulses of the previous iterate, N·s.
    pub anchor: [f64; 3],
    /// Radius of the disc of friction, N·s.
    pub bound: f64,
    /// The bound of friction in sweeps is no smaller, N·s.
    pub least_bound: f64,
    /// N·s
    pub impulse: [f64; 3],
    /// Impulses of the step before, N·s.
    pub warm: [f64; 3],
    /// Impulses with which the solve has begun, N·s.
    pub start_impulse: [f64; 3],
    /// Impulses of impacts in this step, N·s; they are not taken back.
    pub impact: [f64; 3],
    /// Velocities at the present iterate, and how they change along the search direction, m/s.
    pub velocity: [f64; 3],
    pub direction: [f64; 3],
    /// −dγ/du: of the normal, then of the tangents 11, 22, 12; kg.
    pub stiffness: [f64; 4],
}

/// How the stiffness of a term has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    None,
    /// A contact slides in another direction.
    Direction,
    /// A contact or a bound acts that did not, or the other way round.
    Kind,
}

/// How a contact holds along its tangents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grip {
    Loose,
    Slides,
    Sticks,
}

impl ContactTerm {
    pub const NONE: Self = Self {
        contact: 0,
        wrenches: [[0.0; 6]; 3],
        lever: Vector3::new(0.0, 0.0, 0.0),
        start: [0.0; 3],
        target: [0.0; 3],
        response: [0.0; 2],
        stiffest: 0.0,
        share: 1.0,
        compliance: [0.0; 2],
        before_impact: [0.0; 3],
        change: 0.0,
        friction: 0.0,
        correction: 0.0,
        gap: 0.0,
        restitution: 0.0,
        age: 0,
        acts: true,
        anchor: [0.0; 3],
        bound: 0.0,
        least_bound: 0.0,
        impulse: [0.0; 3],
        warm: [0.0; 3],
        start_impulse: [0.0; 3],
        impact: [0.0; 3],
        velocity: [0.0; 3],
        direction: [0.0; 3],
        stiffness: [0.0; 4],
    };

    /// Impulses for some velocities.
    #[inline]
    pub fn respond(&self, velocity: &[f64; 3]) -> [f64; 3] {
        let normal = (self.anchor[0] - (velocity[0] - self.target[0]) / self.compliance[0]).max(0.0);
        let [one, two] = self.trial(velocity);
        let size = (one * one + two * two).sqrt();
        let share = if size > self.bound { self.bound / size } else { 1.0 };
        [normal, one * share, two * share]
    }

    /// Friction without its bound.
    #[inline]
    fn trial(&self, velocity: &[f64; 3]) -> [f64; 2] {
        [1, 2].map(|axis| self.anchor[axis] - (velocity[axis] - self.target[axis]) / self.compliance[1])
    }

    /// Finds impulses and stiffness at the present velocities. Returns how the stiffness has changed.
    pub fn evaluate(&mut self) -> Change {
        let before = self.stiffness;
        let normal = (self.anchor[0] - (self.velocity[0] - self.target[0]) / self.compliance[0]).max(0.0);
        let [one, two] = self.trial(&self.velocity);
        let size = (one * one + two * two).sqrt();
        let share = if size > self.bound { self.bound / size } else { 1.0 };
        self.impulse = [normal, one * share, two * share];
        self.stiffness[0] = if self.impulse[0] > 0.0 { self.compliance[0].recip() } else { 0.0 };
        self.set_tangents(one, two, self.bound);
        if self.stiffness == before {
            Change::None
        } else if self.grip(&before) == self.grip(&self.stiffness) {
            Change::Direction
        } else {
            Change::Kind
        }
    }

    /// Whether a contact with this stiffness pushes, and how it holds along the tangents.
    fn grip(&self, stiffness: &[f64; 4]) -> (bool, Grip) {
        let [normal, g11, g22, g12] = *stiffness;
        let full = self.compliance[1].recip();
        let grip = if [g11, g22] == [full; 2] {
            Grip::Sticks
        } else if [g11, g22, g12] == [0.0; 3] {
            Grip::Loose
        } else {
            Grip::Slides
        };
        (normal > 0.0, grip)
    }

    /// Whether a change of the bound changes friction.
    pub fn slides(&self) -> bool {
        self.acts
            && self.friction > 0.0
            && self.grip(&self.stiffness).1 != Grip::Sticks
            && self.sliding_direction() != [0.0; 2]
    }

    /// Direction of friction at its bound; zero if nothing asks for friction.
    pub fn sliding_direction(&self) -> [f64; 2] {
        let [one, two] = self.trial(&self.velocity);
        let size = libm::hypot(one, two);
        if size > 0.0 { [one / size, two / size] } else { [0.0; 2] }
    }

    /// The bound of friction under the present load, N·s.
    pub fn full_bound(&self) -> f64 {
        self.friction * self.impulse[0].max(0.0)
    }

    /// By how much the bound of friction is less than that of the load, as the velocity that the friction would make, m/s.
    pub fn bound_error(&self) -> f64 {
        (self.full_bound() - self.bound) * self.response[1]
    }

    /// Stiffness of friction for a trial impulse.
    fn set_tangents(&mut self, one: f64, two: f64, bound: f64) {
        let size = (one * one + two * two).sqrt();
        let full = self.compliance[1].recip();
        [self.stiffness[1], self.stiffness[2], self.stiffness[3]] = if bound <= 0.0 {
            [0.0; 3]
        } else if size <= bound {
            [full, full, 0.0]
        } else {
            let (x, y, share) = (one / size, two / size, full * bound / size);
            [share * y * y, share * x * x, -share * x * y]
        };
    }

    /// The law linearised about the impulses of the step before, as if the velocities were then at their targets: one Newton step
    /// from there is exact if the same contacts stick, slide and lift as before.
    pub fn linearise(&mut self) {
        let off: [f64; 3] = std::array::from_fn(|axis| self.velocity[axis] - self.target[axis]);
        let [normal, one, two] = self.impulse;
        self.stiffness[0] = if normal > 0.0 || off[0] < 0.0 { self.compliance[0].recip() } else { 0.0 };
        let size = (one * one + two * two).sqrt();
        let share = if size > self.bound { self.bound / size } else { 1.0 };
        let base = [normal, one * share, two * share];
        // A size just beyond the bound has the stiffness of sliding.
        let slides = size > self.bound * AT_BOUND;
        let beyond = if slides && size > 0.0 { self.bound / size / AT_BOUND } else { 1.0 };
        self.set_tangents(one * beyond, two * beyond, self.bound);
        let off: [f64; 3] =
            std::array::from_fn(|axis| off[axis] - self.compliance[axis.min(1)] * (self.anchor[axis] - base[axis]));
        let [normal, g11, g22, g12] = self.stiffness;
        self.impulse =
            [base[0] - normal * off[0], base[1] - g11 * off[1] - g12 * off[2], base[2] - g12 * off[1] - g22 * off[2]];
    }

    /// Errors of velocities and impulses in Signorini's and Coulomb's laws.
    pub fn violation(&self) -> Violation {
        let [normal, one, two] = self.impulse;
        let off = self.velocity[0] - self.target[0];
        let bound = self.friction * normal;
        let size = (one * one + two * two).sqrt();
        let [first, second] = [1, 2].map(|axis| self.velocity[axis] - self.target[axis]);
        let speed = (first * first + second * second).sqrt();
        // A sliding contact has full friction, opposite to its motion.
        let spare = (bound - size).max(0.0) * self.response[1];
        Violation {
            approach: (-off).max(0.0),
            lift: if normal > 0.0 { off.max(0.0) } else { 0.0 },
            beyond: (size - bound).max(0.0) * self.response[1],
            slip: speed.min(spare),
        }
    }

    /// Adds the wrench of an impulse.
    #[inline]
    pub fn add_wrench(&self, impulse: &[f64; 3], wrench: &mut Six) {
        for (along, size) in self.wrenches.iter().zip(impulse) {
            add(wrench, along, *size);
        }
    }

    /// Adds the term's Hessian in the pair's twist; its lower triangle.
    ///
    /// With S the stiffness of the point, world axes, and r its lever, the rows of forces are S and S·[r]×ᵀ, those of torques [r]×·S and
    /// [r]×·S·[r]×ᵀ.
    pub fn add_stiffness(&self, sum: &mut [Six; 6]) {
        if self.stiffness == [0.0; 4] {
            return;
        }
        let [normal, g11, g22, g12] = self.stiffness;
        let [along, one, two] = self.axes();
        let (first, second) = (one * g11 + two * g12, one * g12 + two * g22);
        let entry = |row: usize, column: usize| {
            along[row] * along[column] * normal + one[row] * first[column] + two[row] * second[column]
        };
        let [xx, xy, xz, yy, yz, zz] = [entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)];
        let rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        let r = self.lever;
        let turned: [Vector3<f64>; 3] = std::array::from_fn(|axis| {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            Vector3::from_fn(|column, _| r[next] * rows[last][column] - r[last] * rows[next][column])
        });
        for axis in 0..3 {
            let twisted = r.cross(&turned[axis]);
            for column in 0..3 {
                sum[axis][column] += rows[axis][column];
                sum[3 + axis][column] += turned[axis][column];
                sum[3 + axis][3 + column] += twisted[column];
            }
        }
    }

    /// Normal and tangents.
    pub fn axes(&self) -> [Vector3<f64>; 3] {
        self.wrenches.map(|[x, y, z, ..]| Vector3::new(x, y, z))
    }
}

/// Errors of the laws of a contact, m/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Violation {
    /// Speed with which the surfaces come nearer than they may.
    pub approach: f64,
    /// Speed with which surfaces part that push each other.
    pub lift: f64,
    /// Friction beyond its cone, as the velocity that it makes.
    pub beyond: f64,
    /// Speed of slipping of a contact whose friction is inside its cone; no more than what the spare friction could stop.
    pub slip: f64,
}

/// Adds a multiple of the outer product of two wrenches.
#[inline]
pub fn add_outer(sum: &mut [Six; 6], one: &Six, other: &Six, times: f64) {
    for (row, entry) in sum.iter_mut().zip(one) {
        add(row, other, entry * times);
    }
}
