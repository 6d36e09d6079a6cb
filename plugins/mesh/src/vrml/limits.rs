//! Resource limits of a file.

/// Maximum nesting depth of nodes in the text, including nested bodies of prototypes. The deepest known file nests
/// about 50 levels; each level needs a few hundred bytes of stack.
pub const MAX_DEPTH: u32 = 300;

/// Maximum height of the tree after resolving `USE` and `PROTO`. A joint counts twice (the instance and its actual
/// node), so this allows chains of about 300 joints.
pub const MAX_HEIGHT: u32 = 700;

/// Remedy for too many levels and for too large a file.
pub(super) const FLATTER: &str = "put fewer nodes into each other; is a bracket missing above?";

/// Minimum for the number of nodes that may be created by reading bodies of prototypes repeatedly; more in a large
/// file. A humanoid of 50 links creates about 300.
pub const MIN_INSTANCE_NODES: u32 = 50_000;

/// Minimum for the bytes of bodies that may be read repeatedly for instances; more in a large file.
const MIN_EXPANSION: usize = 4 << 20;

/// Bytes of bodies that may be read repeatedly in a file of `size` bytes. The cost stays proportional to the file.
pub(super) fn expansion_limit(size: usize) -> usize {
    size.saturating_mul(4).max(MIN_EXPANSION)
}

/// Number of nodes that may be created in bodies in a file of `size` bytes.
pub(super) fn instance_node_limit(size: usize) -> u32 {
    u32::try_from(size / 20).unwrap_or(u32::MAX).max(MIN_INSTANCE_NODES)
}
