use super::LinkIndex;

/// One of the rules that say which links of a body are checked for collisions; they apply in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CollisionRule {
    /// Links at most this many joints apart do not collide with each other. A chain ends at a free joint.
    DisabledChainLevel(usize),
    /// These links touch nothing, other bodies included.
    DisabledLinks(Vec<LinkIndex>),
    /// These links touch again what an earlier rule forbade.
    EnabledLinks(Vec<LinkIndex>),
    /// No two of these links collide with each other.
    DisabledGroup(Vec<LinkIndex>),
    /// Any two of these links collide with each other, whatever an earlier rule says.
    EnabledGroup(Vec<LinkIndex>),
}
