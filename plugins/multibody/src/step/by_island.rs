//! Contacts and closures sorted by island.

/// Indices of something, sorted by island, in their order within each.
#[derive(Clone, Debug, Default)]
pub struct ByIsland {
    islands: Vec<u32>,
    order: Vec<u32>,
    starts: Vec<u32>,
}

#[allow(clippy::cast_possible_truncation)] // Counts fit in u32.
impl ByIsland {
    /// Sorts things whose islands these are; those without an island are left out.
    pub fn sort(&mut self, num_islands: usize, islands: impl Iterator<Item = Option<u32>>) {
        const NOWHERE: u32 = u32::MAX;
        self.islands.clear();
        self.islands.extend(islands.map(|island| island.unwrap_or(NOWHERE)));
        // Counting sort: stable.
        self.starts.clear();
        self.starts.resize(num_islands + 1, 0);
        for &island in self.islands.iter().filter(|&&island| island != NOWHERE) {
            self.starts[island as usize + 1] += 1;
        }
        for island in 0..num_islands {
            self.starts[island + 1] += self.starts[island];
        }
        self.order.clear();
        self.order.resize(self.starts[num_islands] as usize, 0);
        for (index, &island) in self.islands.iter().enumerate().rev() {
            if island != NOWHERE {
                let end = &mut self.starts[island as usize + 1];
                *end -= 1;
                self.order[*end as usize] = index as u32;
            }
        }
        // The ends have become the beginnings.
        self.starts.remove(0);
        self.starts.push(self.order.len() as u32);
    }

    /// The indices of an island.
    pub fn of(&self, island: usize) -> &[u32] {
        &self.order[self.starts[island] as usize..self.starts[island + 1] as usize]
    }
}
