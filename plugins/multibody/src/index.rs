/// Index of a rigid part in a [`System`](super::System): tree by tree, parents before children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartIndex(pub usize);

/// Index of a velocity in a [`System`](super::System): tree by tree, those of a part behind those of its parent.
///
/// A free root has six: the velocity of its origin (m/s), then its angular velocity (rad/s), both along world axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoordinateIndex(pub usize);

/// Index of a tree in a [`System`](super::System).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeIndex(pub usize);

/// Index of a closure in a [`System`](super::System).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClosureIndex(pub usize);
