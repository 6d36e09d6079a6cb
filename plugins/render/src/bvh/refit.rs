//! Updates of a tree whose boxes have moved a little.

use super::{Bounds, EMPTY, LEAF, Node, Tree};

impl Tree {
    /// Sets the boxes of the leaves to `bounds` of their numbers, and those above accordingly, in time linear in their
    /// number. The result is correct wherever the boxes are; it is fast as long as neighbours are the same as when the
    /// tree was built, see [`cost`](Self::cost).
    pub fn refit(&mut self, bounds: impl Fn(u32) -> Bounds) {
        // Children have higher indices than their parents.
        for index in (0..self.nodes.len()).rev() {
            for slot in 0..4 {
                let child = self.nodes[index].children[slot];
                if child == EMPTY {
                    continue;
                }
                let bounds = match child & LEAF {
                    0 => self.nodes.get(child as usize).map_or(Bounds::EMPTY, Node::around),
                    _ => bounds(child & !LEAF),
                };
                self.nodes[index].set(slot, &bounds);
            }
        }
    }

    /// Sum of the surfaces of all boxes, m²: rays visit boxes in proportion to it.
    pub fn cost(&self) -> f32 {
        let boxes = self.nodes.iter().flat_map(|node| (0..4).map(|slot| node.child(slot)));
        boxes.map(|bounds| bounds.half_surface()).sum()
    }
}

impl Node {
    /// Box of a child; empty for an empty slot.
    fn child(&self, slot: usize) -> Bounds {
        let side = |bound: usize| self.bounds[bound].as_array_ref()[slot & 3];
        Bounds { min: [side(0), side(2), side(4)].into(), max: [side(1), side(3), side(5)].into() }
    }

    /// Box of all children.
    fn around(&self) -> Bounds {
        (0..4).fold(Bounds::EMPTY, |all, slot| all.union(&self.child(slot)))
    }

    fn set(&mut self, slot: usize, bounds: &Bounds) {
        for axis in 0..3 {
            self.bounds[2 * axis].as_array_mut()[slot & 3] = bounds.min[axis];
            self.bounds[2 * axis + 1].as_array_mut()[slot & 3] = bounds.max[axis];
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::super::build;
    use super::*;

    fn boxes(shift: f32) -> Vec<Bounds> {
        let corner = |number: u8| {
            let number = f32::from(number);
            Vector3::new((number * 1.7).sin() * 5.0, (number * 2.3).cos() * 4.0, number * 0.1) * (1.0 + shift)
        };
        (0..40).map(|number| Bounds { min: corner(number), max: corner(number).add_scalar(0.3 + shift) }).collect()
    }

    #[test]
    fn a_refitted_tree_has_the_boxes_of_a_new_one_in_its_leaves_and_encloses_them_above() {
        let single = |members: &[u32]| members[0];
        let mut tree = build(&boxes(0.0), 1, single);
        let before = tree.cost();
        tree.refit(|leaf| boxes(0.2)[leaf as usize]);
        assert!(tree.cost() > before);
        let mut leaves = 0;
        for node in &tree.nodes {
            for (slot, child) in node.children.iter().enumerate().filter(|(_, child)| **child != EMPTY) {
                let inner = match child & LEAF {
                    0 => tree.nodes[*child as usize].around(),
                    _ => boxes(0.2)[(child & !LEAF) as usize],
                };
                leaves += usize::from(child & LEAF != 0);
                assert_eq!(node.child(slot), inner);
            }
        }
        assert_eq!(leaves, 40);
        // Back where it was, it is the tree that was built.
        tree.refit(|leaf| boxes(0.0)[leaf as usize]);
        assert!((tree.cost() - before).abs() < 1e-3 * before);
    }
}
