//! What connects parts beyond their trees.

use bunraku_body::ExtraJointKind;
use nalgebra::Isometry3;

use super::index::PartIndex;

/// One side of a closure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// What it is fixed to; `None` for the world.
    pub part: Option<PartIndex>,
    /// The joint frame in the part's frame, or in the world.
    pub frame: Isometry3<f64>,
}

/// A connection of two parts beyond their trees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closure {
    /// What it holds together.
    pub kind: ExtraJointKind,
    /// The two sides; axes are in the first one's frame, where it has a say.
    pub sides: [Anchor; 2],
}
