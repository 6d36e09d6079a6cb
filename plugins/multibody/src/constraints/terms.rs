//! The terms, and where they act.

use bunraku_body::Range;
use nalgebra::Vector3;

use super::interval_term::IntervalTerm;
use super::servo_term::ServoTerm;
use crate::math::pair::Six;
use crate::model::index::PartIndex;

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
