//! Islands: trees that contacts or closures connect.

use crate::model::system::System;

/// Trees by island, in the order of their first trees.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    above: Vec<u32>,
    /// By tree.
    pub of_tree: Vec<u32>,
    /// Where the trees of each island begin, and one more.
    starts: Vec<u32>,
    trees: Vec<u32>,
}

#[allow(clippy::cast_possible_truncation)] // Trees fit in u32.
impl Islands {
    /// Every tree for itself.
    pub fn begin(&mut self, system: &System) {
        self.above.clear();
        self.above.extend(0..system.num_trees() as u32);
    }

    /// Joins two trees.
    pub fn join(&mut self, first: usize, second: usize) {
        let (first, second) = (self.top(first as u32), self.top(second as u32));
        self.above[first.max(second) as usize] = first.min(second);
    }

    fn top(&mut self, mut tree: u32) -> u32 {
        while self.above[tree as usize] != tree {
            let above = self.above[tree as usize];
            self.above[tree as usize] = self.above[above as usize];
            tree = above;
        }
        tree
    }

    /// Sorts the trees.
    pub fn finish(&mut self) {
        self.of_tree.clear();
        self.starts.clear();
        let mut count = 0;
        for tree in 0..self.above.len() as u32 {
            let top = self.top(tree);
            let island = if top == tree {
                count += 1;
                count - 1
            } else {
                self.of_tree[top as usize]
            };
            self.of_tree.push(island);
        }
        self.starts.resize(count as usize + 1, 0);
        for &island in &self.of_tree {
            self.starts[island as usize + 1] += 1;
        }
        for island in 0..count as usize {
            self.starts[island + 1] += self.starts[island];
        }
        self.trees.clear();
        self.trees.resize(self.of_tree.len(), 0);
        // Filled from the back, so that the starts are right again in the end.
        for (tree, &island) in self.of_tree.iter().enumerate().rev() {
            let end = &mut self.starts[island as usize + 1];
            *end -= 1;
            self.trees[*end as usize] = tree as u32;
        }
        let all = self.trees.len() as u32;
        self.starts.remove(0);
        self.starts.push(all);
    }

    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub fn trees(&self, island: usize) -> &[u32] {
        &self.trees[self.starts[island] as usize..self.starts[island + 1] as usize]
    }
}
