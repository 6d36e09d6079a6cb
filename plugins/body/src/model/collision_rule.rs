use super::LinkIndex;

/// Rule about collisions between links of a body. Rules apply in file order; later ones override earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CollisionRule {
    /// Links at most this many joints apart do not collide with each other. A chain ends at a free joint.
    DisabledChainLevel(usize),
    /// These links collide with nothing, not even other bodies.
    DisabledLinks(Vec<LinkIndex>),
    /// These links collide again, despite earlier rules.
    EnabledLinks(Vec<LinkIndex>),
    /// No two of these links collide with each other.
    DisabledGroup(Vec<LinkIndex>),
    /// Any two of these links collide with each other, despite earlier rules.
    EnabledGroup(Vec<LinkIndex>),
}
