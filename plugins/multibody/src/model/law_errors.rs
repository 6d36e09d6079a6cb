//! Deviations from the laws of contacts, limits and closures that a solve has left.

use crate::model::index::{ClosureIndex, CoordinateIndex};

/// The largest deviation from one law, and the constraint that has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawError<C> {
    /// m/s, or rad/s of a joint that turns and of a rotation that a closure holds.
    pub velocity: f64,
    /// The constraint.
    pub of: C,
}

/// The largest deviations from the laws of constraints in a step; `None` for a law without constraints. A contact is its index in
/// [`StepInput::contacts`](crate::StepInput::contacts).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LawErrors {
    /// Velocity with which surfaces approach that should not, m/s.
    pub penetration: Option<LawError<usize>>,
    /// Velocity with which surfaces part that still push each other, m/s.
    pub separation: Option<LawError<usize>>,
    /// Friction beyond its cone, as the velocity that the excess makes, m/s.
    pub cone: Option<LawError<usize>>,
    /// The excess of [`Self::cone`], N.
    pub cone_force: f64,
    /// Slip of a contact whose friction is inside its cone, m/s.
    pub slip: Option<LawError<usize>>,
    /// Ends of ranges, velocity limits and dry friction of joints, rad/s or m/s.
    pub joint: Option<LawError<CoordinateIndex>>,
    /// Velocity in a direction that a closure holds, rad/s or m/s.
    pub closure: Option<LawError<ClosureIndex>>,
}

impl LawErrors {
    /// Keeps the larger error of each law.
    pub fn add(&mut self, other: &Self) {
        if is_larger(other.cone.as_ref(), self.cone.as_ref()) {
            self.cone_force = other.cone_force;
        }
        keep(&mut self.penetration, other.penetration);
        keep(&mut self.separation, other.separation);
        keep(&mut self.cone, other.cone);
        keep(&mut self.slip, other.slip);
        keep(&mut self.joint, other.joint);
        keep(&mut self.closure, other.closure);
    }
}

fn is_larger<C>(new: Option<&LawError<C>>, known: Option<&LawError<C>>) -> bool {
    new.is_some_and(|new| new.velocity > known.map_or(0.0, |known| known.velocity))
}

/// Keeps the larger of two errors.
pub fn keep<C>(known: &mut Option<LawError<C>>, new: Option<LawError<C>>) {
    if is_larger(new.as_ref(), known.as_ref()) {
        *known = new;
    }
}
