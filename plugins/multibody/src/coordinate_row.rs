//! What a coordinate is held by, as a row.

use super::rows::Rows;

/// What a coordinate is held by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    Range = 0,
    Friction = 1,
    Velocity = 2,
}

/// A bounded impulse along a coordinate.
#[derive(Clone, Copy, Debug)]
pub struct CoordinateRow {
    pub coordinate: usize,
    pub hold: Hold,
    pub rows: Rows,
    pub own: Rows,
    pub start: f64,
    pub response: f64,
    pub target: f64,
    /// Allowed impulses, N·s or N·m·s.
    pub lower: f64,
    pub upper: f64,
    pub correction: f64,
    pub impulse: f64,
    pub corrective: f64,
}
