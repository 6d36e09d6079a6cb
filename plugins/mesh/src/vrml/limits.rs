//! What a file may cost.

/// Deepest nesting of nodes in the text, bodies of prototypes that stand in each other included. The deepest known file
/// nests some 50; each level costs a few hundred bytes of the program's stack.
pub const MAX_DEPTH: u32 = 300;

/// Most nodes above each other when `USE` and `PROTO` are followed. A joint counts twice (the instance and its actual
/// node), so that this allows chains of some 300 joints.
pub const MAX_HEIGHT: u32 = 700;

/// What to do about too many levels, and about too large a file.
pub(super) const FLATTER: &str = "put fewer nodes into each other; is a bracket missing above?";

/// Nodes that may be made by reading bodies of prototypes again and again: this many, or more in a large file. A humanoid
/// of 50 links makes some 300.
pub const MIN_INSTANCE_NODES: u32 = 50_000;

/// Bytes of bodies that are read again for instances: this many, or more in a large file.
const MIN_EXPANSION: usize = 4 << 20;

/// How many bytes of bodies may be read again in a file of `size` bytes. The cost stays in proportion to the file.
pub(super) fn expansion_limit(size: usize) -> usize {
    size.saturating_mul(4).max(MIN_EXPANSION)
}

/// How many nodes may be made in bodies in a file of `size` bytes.
pub(super) fn instance_node_limit(size: usize) -> u32 {
    u32::try_from(size / 20).unwrap_or(u32::MAX).max(MIN_INSTANCE_NODES)
}
