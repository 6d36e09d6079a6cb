/// Index of a rigid part in a [`System`](crate::System): tree by tree, parents before children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartIndex(pub usize);

/// Index of a velocity in a [`System`](crate::System): tree by tree, those of a part behind those of its parent.
///
/// A free root has six: the velocity of its origin (m/s), then its angular velocity (rad/s), both along world axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoordinateIndex(pub usize);

/// Index of a tree in a [`System`](crate::System).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeIndex(pub usize);

/// Index of a closure in a [`System`](crate::System).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClosureIndex(pub usize);

/// An index and its number, both ways, for vectors that are read by it alone.
macro_rules! number {
    ($($index:ident),*) => {$(
        impl From<usize> for $index {
            #[inline]
            fn from(index: usize) -> Self {
                Self(index)
            }
        }

        impl From<$index> for usize {
            #[inline]
            fn from(index: $index) -> Self {
                index.0
            }
        }
    )*};
}

number!(PartIndex, CoordinateIndex, TreeIndex, ClosureIndex);
