use std::collections::BTreeSet;

use super::{Body, CollisionRule, JointKind, LinkIndex};

/// Evaluated collision rules of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollisionFilter {
    /// Links that collide with nothing, not even other bodies.
    pub disabled_links: BTreeSet<LinkIndex>,
    /// Pairs of links of this body, the smaller index first, that do not collide with each other.
    pub ignored_pairs: BTreeSet<(LinkIndex, LinkIndex)>,
}

impl Body {
    /// Links that collide with nothing, and pairs of links that do not collide when self-collision is on.
    ///
    /// Without any rule in the file, neighbours in the tree do not collide.
    pub fn collision_filter(&self) -> CollisionFilter {
        let mut filter = CollisionFilter::default();
        for rule in self.collision_rules.as_deref().unwrap_or(&[CollisionRule::DisabledChainLevel(1)]) {
            match rule {
                CollisionRule::DisabledChainLevel(level) => {
                    filter.ignored_pairs.extend(self.pairs_within(*level));
                }
                CollisionRule::DisabledLinks(links) => filter.disabled_links.extend(links),
                CollisionRule::EnabledLinks(links) => {
                    for link in links {
                        filter.disabled_links.remove(link);
                    }
                }
                CollisionRule::DisabledGroup(links) => filter.ignored_pairs.extend(pairs(links)),
                CollisionRule::EnabledGroup(links) => {
                    for pair in pairs(links) {
                        filter.ignored_pairs.remove(&pair);
                    }
                }
            }
        }
        filter
    }

    /// Pairs of links at most `level` joints apart.
    #[expect(clippy::indexing_slicing, reason = "each link has a list of neighbours")]
    fn pairs_within(&self, level: usize) -> BTreeSet<(LinkIndex, LinkIndex)> {
        let mut neighbours = vec![Vec::new(); self.links().len()];
        for (index, link) in self.indexed_links() {
            if let Some(parent) = link.parent.filter(|_| link.joint.kind != JointKind::Free) {
                neighbours[parent.0].push(index);
                neighbours[index.0].push(parent);
            }
        }
        let mut pairs = BTreeSet::new();
        for (start, _) in self.indexed_links() {
            let mut edge = vec![(start, None)];
            for _ in 0..level.min(neighbours.len()) {
                let step = |&(link, from): &(LinkIndex, Option<LinkIndex>)| {
                    let onward = neighbours[link.0].iter().filter(move |&&next| Some(next) != from);
                    onward.map(move |&next| (next, Some(link)))
                };
                edge = edge.iter().flat_map(step).collect();
                pairs.extend(edge.iter().filter(|(link, _)| start < *link).map(|&(link, _)| (start, link)));
            }
        }
        pairs
    }
}

fn pairs(links: &[LinkIndex]) -> impl Iterator<Item = (LinkIndex, LinkIndex)> {
    let pair = |first: LinkIndex, second: LinkIndex| (first.min(second), first.max(second));
    links.iter().enumerate().flat_map(move |(index, &first)| {
        links.iter().skip(index + 1).filter(move |&&second| second != first).map(move |&second| pair(first, second))
    })
}
