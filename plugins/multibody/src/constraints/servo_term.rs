//! The term of a servo or motor with an implicit law and limited effort.

use bunraku_body::Range;

use super::interval_term::Piece;

/// An implicit law, clamped: γ = clamp(dt·(e₀ − k·(u − u₀)), dt·bounds).
///
/// A servo that was below its limits is part of the mass matrix, and its term is what the limits take off: nothing, until the servo
/// reaches one of them. One that was at a limit in the step before is not in the mass matrix: the limit acts as a force, also before impacts, and
/// the term is what the law differs from it.
#[derive(Clone, Copy, Debug)]
pub struct ServoTerm {
    pub coordinate: usize,
    /// The impulse of the limit that acts as a force already, N·m·s or N·s; `None` if the law is part of the mass matrix.
    pub at_limit: Option<f64>,
    /// Velocity at which the law gives `effort`, rad/s or m/s.
    pub start: f64,
    /// Impulse of the law at that velocity, N·m·s or N·s.
    pub effort: f64,
    /// How the impulse falls with the velocity, kg·m² or kg.
    pub slope: f64,
    /// Allowed impulses, N·m·s or N·s.
    pub bounds: Range,
    /// Impulse of the term.
    pub impulse: f64,
    pub velocity: f64,
    pub direction: f64,
    pub stiffness: f64,
    /// The piece of the clamped law that is valid.
    pub piece: Piece,
}

impl ServoTerm {
    /// Impulse of the term for a velocity.
    #[inline]
    pub fn respond(&self, velocity: f64) -> f64 {
        self.at(velocity).0
    }

    /// Finds impulse and stiffness at the present velocity. Returns whether the term is now on another piece of its law.
    pub fn evaluate(&mut self) -> bool {
        let before = self.piece;
        (self.impulse, self.stiffness, self.piece) = self.at(self.velocity);
        self.piece != before
    }

    /// Impulse of the term for a velocity, its stiffness −dγ/du, and the piece that is valid.
    #[inline]
    fn at(&self, velocity: f64) -> (f64, f64, Piece) {
        let Range { lower, upper } = self.bounds;
        let wanted = self.effort - self.slope * (velocity - self.start);
        let given = wanted.min(upper).max(lower);
        let piece = Piece::of(wanted, lower, upper);
        let (impulse, stiffness) = match (self.at_limit, piece) {
            (None, Piece::Between) => (0.0, 0.0),
            (None, _) => (given - wanted, -self.slope),
            (Some(limit), Piece::Between) => (given - limit, self.slope),
            (Some(limit), _) => (given - limit, 0.0),
        };
        (impulse, stiffness, piece)
    }
}
