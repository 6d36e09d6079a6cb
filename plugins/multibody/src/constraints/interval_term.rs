//! The term of a single direction: an impulse within an interval.

/// A part of a law with two bounds on which impulses are linear in velocities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Piece {
    Lower,
    #[default]
    Between,
    Upper,
}

impl Piece {
    /// The piece on which the law without its bounds gives this value.
    #[inline]
    pub fn of(value: f64, lower: f64, upper: f64) -> Self {
        if value < lower {
            Self::Lower
        } else if value > upper {
            Self::Upper
        } else {
            Self::Between
        }
    }
}

/// A closure's row, the end of a range, a velocity limit or dry friction: γ = clamp(γ⁻ − (u − û)/R, lower, upper).
#[derive(Clone, Copy, Debug)]
pub struct IntervalTerm {
    /// Velocity before forces and constraints act, m/s or rad/s.
    pub start: f64,
    /// Velocity that the term tends to, m/s or rad/s.
    pub target: f64,
    /// Response to the term's own impulse, 1/kg or 1/(kg·m²), and the same times the regularisation.
    pub response: f64,
    pub compliance: f64,
    /// Allowed impulses, N·s or N·m·s.
    pub lower: f64,
    pub upper: f64,
    /// Speed with which an error of position is taken out, m/s or rad/s.
    pub correction: f64,
    /// Proximal point: the impulse of the previous iterate.
    pub anchor: f64,
    pub impulse: f64,
    /// Velocity at the present iterate, and how it changes along the search direction.
    pub velocity: f64,
    pub direction: f64,
    /// −dγ/du, and the piece of the law that has it.
    pub stiffness: f64,
    pub piece: Piece,
    /// Whether the term takes part in the solve.
    pub acts: bool,
    /// Impulse of the step before.
    pub warm: f64,
    /// Impulse with which the solve has begun.
    pub start_impulse: f64,
    /// Impulse of impacts in this step; it is not taken back.
    pub impact: f64,
}

impl IntervalTerm {
    pub const NONE: Self = Self {
        start: 0.0,
        target: 0.0,
        response: 0.0,
        compliance: 0.0,
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
        correction: 0.0,
        anchor: 0.0,
        impulse: 0.0,
        velocity: 0.0,
        direction: 0.0,
        stiffness: 0.0,
        piece: Piece::Between,
        acts: true,
        warm: 0.0,
        start_impulse: 0.0,
        impact: 0.0,
    };

    /// Impulse for a velocity.
    #[inline]
    pub fn respond(&self, velocity: f64) -> f64 {
        self.trial(velocity).min(self.upper).max(self.lower)
    }

    #[inline]
    fn trial(&self, velocity: f64) -> f64 {
        self.anchor - (velocity - self.target) / self.compliance
    }

    /// Finds impulse and stiffness at the present velocity. Returns whether the term is now on another piece of its law.
    pub fn evaluate(&mut self) -> bool {
        let trial = self.trial(self.velocity);
        self.impulse = trial.min(self.upper).max(self.lower);
        self.set_piece(Piece::of(trial, self.lower, self.upper))
    }

    /// Returns whether the piece is another one.
    fn set_piece(&mut self, piece: Piece) -> bool {
        self.stiffness = if piece == Piece::Between { self.compliance.recip() } else { 0.0 };
        std::mem::replace(&mut self.piece, piece) != piece
    }

    /// The law linearised about the impulse of the step before, as if the velocity were at its target.
    pub fn linearise(&mut self) {
        let known = self.impulse;
        let off = self.velocity - self.target;
        self.set_piece(if known <= self.lower && off >= 0.0 {
            Piece::Lower
        } else if known >= self.upper && off <= 0.0 {
            Piece::Upper
        } else {
            Piece::Between
        });
        self.impulse = known - self.stiffness * (off - self.compliance * (self.anchor - known));
    }

    /// Distance of the velocity from those that the hard constraint allows for the impulse, m/s or rad/s.
    pub fn violation(&self) -> f64 {
        let off = self.velocity - self.target;
        let below = if self.impulse > self.lower { off.max(0.0) } else { 0.0 };
        let above = if self.impulse < self.upper { (-off).max(0.0) } else { 0.0 };
        below.max(above)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both bounds have the same stiffness: a step from one to the other is no step to the minimum.
    #[test]
    fn the_other_bound_is_another_piece_of_the_law() {
        let mut term = IntervalTerm { compliance: 1.0, lower: -1.0, upper: 1.0, velocity: 5.0, ..IntervalTerm::NONE };
        term.evaluate();
        assert!(!term.evaluate());
        term.velocity = -5.0;
        assert!(term.evaluate());
    }
}
