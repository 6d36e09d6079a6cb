//! Trees and closures that leave a system, and where everything else is then.

use crate::model::index::{ClosureIndex, CoordinateIndex, PartIndex, TreeIndex};
use crate::model::state::State;
use crate::model::system::System;

/// Indices before and after something has left a system: `None` for what is gone.
#[derive(Clone, Debug, Default)]
pub struct Moved {
    parts: Vec<Option<usize>>,
    coordinates: Vec<Option<usize>>,
    trees: Vec<Option<usize>>,
    closures: Vec<Option<usize>>,
}

impl Moved {
    /// Where a part is now.
    pub fn part(&self, part: PartIndex) -> Option<PartIndex> {
        self.parts.get(part.0).copied().flatten().map(PartIndex)
    }

    /// Where a coordinate is now.
    pub fn coordinate(&self, coordinate: CoordinateIndex) -> Option<CoordinateIndex> {
        self.coordinates.get(coordinate.0).copied().flatten().map(CoordinateIndex)
    }

    /// Where a tree is now.
    pub fn tree(&self, tree: TreeIndex) -> Option<TreeIndex> {
        self.trees.get(tree.0).copied().flatten().map(TreeIndex)
    }

    /// Where a closure is now.
    pub fn closure(&self, closure: ClosureIndex) -> Option<ClosureIndex> {
        self.closures.get(closure.0).copied().flatten().map(ClosureIndex)
    }
}

/// New indices, in order, of those that stay.
fn renumbered(stays: impl Iterator<Item = bool>) -> Vec<Option<usize>> {
    let mut next = 0;
    let mut number = || {
        next += 1;
        next - 1
    };
    stays.map(|stays| stays.then(&mut number)).collect()
}

/// Keeps those that have a new index.
fn keep<T>(values: &mut Vec<T>, moved: &[Option<usize>]) {
    let mut moved = moved.iter();
    values.retain(|_| moved.next().is_none_or(Option::is_some));
}

impl System {
    /// Removes trees, the closures at their parts and other closures. Everything else keeps its order; the state must
    /// [`State::follow`].
    pub fn remove(&mut self, trees: &[TreeIndex], closures: &[ClosureIndex]) -> Moved {
        let goes = |tree: usize| trees.contains(&TreeIndex(tree));
        let holds_gone = |index: usize| {
            let sides = self.closures[index].sides;
            sides.iter().filter_map(|side| side.part).any(|part| goes(self.parts[part.0].tree))
        };
        let moved = Moved {
            parts: renumbered(self.parts.iter().map(|part| !goes(part.tree))),
            coordinates: renumbered(self.coordinate_part.iter().map(|&part| !goes(self.parts[part].tree))),
            trees: renumbered((0..self.trees.len()).map(|tree| !goes(tree))),
            closures: renumbered(
                (0..self.closures.len()).map(|index| !closures.contains(&ClosureIndex(index)) && !holds_gone(index)),
            ),
        };
        keep(&mut self.parts, &moved.parts);
        keep(&mut self.coordinates, &moved.coordinates);
        keep(&mut self.couplings, &moved.coordinates);
        keep(&mut self.coordinate_part, &moved.coordinates);
        keep(&mut self.trees, &moved.trees);
        keep(&mut self.closures, &moved.closures);
        // A tree's parts and coordinates follow each other: all of them move by as much as the first.
        let (mut part, mut coordinate) = (0, 0);
        for (index, tree) in self.trees.iter_mut().enumerate() {
            let (parts, coordinates) = (tree.parts.clone(), tree.coordinates.clone());
            let (parts_back, back) = (parts.start - part, coordinates.start - coordinate);
            tree.parts = part..parts.end - parts_back;
            tree.coordinates = coordinate..coordinates.end - back;
            (part, coordinate) = (tree.parts.end, tree.coordinates.end);
            for data in &mut self.parts[tree.parts.clone()] {
                data.tree = index;
                data.first_coordinate -= back;
                data.parent = data.parent.map(|parent| parent - parts_back);
            }
            self.coordinate_part[tree.coordinates.clone()].iter_mut().for_each(|of| *of -= parts_back);
            for coupling in self.couplings[tree.coordinates.clone()].iter_mut().flatten() {
                coupling.leader -= back;
            }
        }
        for side in self.closures.iter_mut().flat_map(|closure| &mut closure.sides) {
            side.part = side.part.and_then(|part| moved.part(part));
        }
        self.trees.iter_mut().for_each(|tree| tree.has_closures = false);
        for PartIndex(part) in self.closures.iter().flat_map(|closure| closure.sides).filter_map(|side| side.part) {
            self.trees[self.parts[part].tree].has_closures = true;
        }
        self.version += 1;
        moved
    }
}

impl State {
    /// Follows a system from which something has been removed.
    pub fn follow(&mut self, moved: &Moved) {
        keep(&mut self.root_poses, &moved.trees);
        keep(&mut self.is_floating, &moved.trees);
        for values in [&mut self.displacements, &mut self.velocities, &mut self.velocities_before] {
            keep(values, &moved.coordinates);
        }
        keep(&mut self.warm.coordinates, &moved.coordinates);
        keep(&mut self.warm.regimes, &moved.coordinates);
        keep(&mut self.warm.closures, &moved.closures);
    }
}
