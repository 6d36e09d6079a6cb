//! The term of a servo or motor with an implicit law and limited effort.

use bunraku_body::Range;

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
    /// The bound at which the effort is: −1 or 1, or 0 between them.
    pub side: i8,
}

impl ServoTerm {
    /// Impulse of the term for a velocity, and its stiffness −dγ/du.
    #[inline]
    pub fn respond(&self, velocity: f64) -> (f64, f64) {
        let wanted = self.wanted(velocity);
        let given = wanted.min(self.bounds.upper).max(self.bounds.lower);
        let is_clamped = given != wanted;
        match (self.at_limit, is_clamped) {
            (None, true) => (given - wanted, -self.slope),
            (None, false) => (0.0, 0.0),
            (Some(limit), true) => (given - limit, 0.0),
            (Some(limit), false) => (given - limit, self.slope),
        }
    }

    /// Finds impulse and stiffness at the present velocity. Returns whether another part of the law is now valid: the stiffness is the
    /// same at both bounds.
    pub fn evaluate(&mut self) -> bool {
        let before = (self.stiffness, self.side);
        let wanted = self.wanted(self.velocity);
        self.side = i8::from(wanted > self.bounds.upper) - i8::from(wanted < self.bounds.lower);
        (self.impulse, self.stiffness) = self.respond(self.velocity);
        (self.stiffness, self.side) != before
    }

    /// Impulse of the law without its bounds.
    #[inline]
    fn wanted(&self, velocity: f64) -> f64 {
        self.effort - self.slope * (velocity - self.start)
    }
}
