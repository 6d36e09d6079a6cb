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
    /// Keeps the worse error of each law.
    pub fn add(&mut self, other: &Self) {
        if is_worse(other.cone.as_ref(), self.cone.as_ref()) {
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

/// Whether an error is worse than another. Of equal ones that of the first constraint, so that the order in which islands are solved does not
/// matter.
fn is_worse<C: Ord>(new: Option<&LawError<C>>, known: Option<&LawError<C>>) -> bool {
    let Some(new) = new.filter(|new| new.velocity > 0.0) else { return false };
    known.is_none_or(|known| new.velocity > known.velocity || (new.velocity == known.velocity && new.of < known.of))
}

/// Keeps the worse of two errors.
pub fn keep<C: Ord>(known: &mut Option<LawError<C>>, new: Option<LawError<C>>) {
    if is_worse(new.as_ref(), known.as_ref()) {
        *known = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_errors_the_order_does_not_matter() {
        let of_contact = |contact: usize, force: f64| {
            let error = Some(LawError { velocity: 1e-3, of: contact });
            LawErrors { penetration: error, cone: error, cone_force: force, ..LawErrors::default() }
        };
        let [mut one, mut other] = [of_contact(5, 1.0), of_contact(7, 2.0)];
        let (first, second) = (one, other);
        one.add(&second);
        other.add(&first);
        assert_eq!(one, other);
        assert_eq!((one.cone.unwrap().of, one.cone_force), (5, 1.0));
    }
}
