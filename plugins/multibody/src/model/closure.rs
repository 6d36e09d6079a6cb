//! Constraints that close loops.

use bunraku_body::ExtraJointKind;
use nalgebra::Isometry3;

use crate::model::index::PartIndex;

/// One side of a closure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The part; `None` for the world.
    pub part: Option<PartIndex>,
    /// The joint frame in the part's frame, or in the world.
    pub frame: Isometry3<f64>,
}

/// A constraint between two parts, beside the joints of their trees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closure {
    /// Kind of joint.
    pub kind: ExtraJointKind,
    /// The two sides; an axis is in the frame of the first.
    pub sides: [Anchor; 2],
}
