//! The unknowns of an island: one block for each tree that a term acts on.
//!
//! In the factor's coordinates w = √D·L·v the mass matrix is the identity. A tree that is touched at few of its parts needs fewer
//! unknowns than it has coordinates: with the rows J̃ of the touched parts' twists and W = J̃·J̃ᵀ = L·Lᵀ, the unknowns y with
//! J̃·w = L·y have the identity for their mass matrix, too, and the rows L.

use nalgebra::Vector3;

use super::StepContext;
use crate::math::pair::{Six, add};
use crate::math::rows::dot;
use crate::math::spatial::Twist;

/// Share of a row's response below which what is left of it is rounding: the row depends on those before it.
const DEPENDENT: f64 = 1e-13;

/// The unknowns of one tree.
#[derive(Clone, Debug)]
pub struct Block {
    pub tree: usize,
    /// First unknown, and their number.
    pub start: usize,
    pub size: usize,
    /// Where the rows L begin in `lower`; `None` if the unknowns are the tree's own coordinates in the factor.
    lower: Option<usize>,
    /// Touched parts and coordinates of the tree, as ranges of the lists.
    parts: (usize, usize),
    coordinates: (usize, usize),
}

/// A part that a term acts on.
#[derive(Clone, Copy, Debug)]
struct TouchedPart {
    block: usize,
    part: usize,
    /// Where its response along its path begins in `responses`.
    response: usize,
}

/// A coordinate that a term acts on.
#[derive(Clone, Copy, Debug)]
struct TouchedCoordinate {
    block: usize,
    coordinate: usize,
    response: usize,
    len: usize,
}

/// The unknowns of an island and what the touched parts make of them.
#[derive(Clone, Debug, Default)]
pub struct Unknowns {
    pub blocks: Vec<Block>,
    /// By tree and part: one more than the index of its block or entry; 0 for none.
    block_of_tree: Vec<u32>,
    entry_of_part: Vec<u32>,
    parts: Vec<TouchedPart>,
    coordinates: Vec<TouchedCoordinate>,
    /// Along the path of each touched part: what a force along each axis does, then a torque about its tree's origin, in the
    /// factor's coordinates.
    responses: Vec<Six>,
    coordinate_responses: Vec<[f64; 1]>,
    lower: Vec<f64>,
    /// By block and unknown: the motion if no constraint acts.
    pub free: Vec<f64>,
}

#[allow(clippy::cast_possible_truncation)] // The system has fewer than 2³² parts.
impl Unknowns {
    /// Forgets the island before.
    pub fn clear(&mut self, num_trees: usize, num_parts: usize) {
        for block in self.blocks.drain(..) {
            self.block_of_tree[block.tree] = 0;
        }
        for touched in self.parts.drain(..) {
            self.entry_of_part[touched.part] = 0;
        }
        self.coordinates.clear();
        self.responses.clear();
        self.coordinate_responses.clear();
        self.lower.clear();
        self.free.clear();
        self.block_of_tree.resize(num_trees, 0);
        self.entry_of_part.resize(num_parts, 0);
    }

    fn block(&mut self, tree: usize) -> usize {
        if let Some(known) = (self.block_of_tree[tree] as usize).checked_sub(1) {
            return known;
        }
        self.blocks.push(Block { tree, start: 0, size: 0, lower: None, parts: (0, 0), coordinates: (0, 0) });
        self.block_of_tree[tree] = self.blocks.len() as u32;
        self.blocks.len() - 1
    }

    /// Announces a term that acts on a part.
    pub fn touch_part(&mut self, context: &StepContext<'_>, part: usize) {
        if self.entry_of_part[part] != 0 || context.structure.path(part).is_empty() {
            return;
        }
        let block = self.block(context.system.parts[part].tree);
        self.entry_of_part[part] = 1;
        self.parts.push(TouchedPart { block, part, response: 0 });
    }

    /// Announces a term that acts on a coordinate. Returns whether it can move.
    pub fn touch_coordinate(&mut self, context: &StepContext<'_>, coordinate: usize) -> bool {
        if context.structure.depth(coordinate).is_none() {
            return false;
        }
        let block = self.block(context.system.parts[context.system.coordinate_part[coordinate]].tree);
        if self.coordinates.last().is_none_or(|last| last.coordinate != coordinate) {
            self.coordinates.push(TouchedCoordinate { block, coordinate, response: 0, len: 0 });
        }
        true
    }

    /// Finds the unknowns after everything has been announced. `motion` is the motion if no constraint acts, in the factor's
    /// coordinates.
    pub fn finish(&mut self, context: &StepContext<'_>, motion: &[f64]) {
        self.parts.sort_unstable_by_key(|touched| (touched.block, touched.part));
        self.coordinates.sort_unstable_by_key(|touched| (touched.block, touched.coordinate));
        self.coordinates.dedup_by_key(|touched| touched.coordinate);
        for (index, touched) in self.parts.iter_mut().enumerate() {
            self.entry_of_part[touched.part] = index as u32 + 1;
            touched.response = self.responses.len();
            let path = context.structure.path(touched.part);
            self.responses.extend(path.iter().map(|&coordinate| {
                let Twist { linear, angular } = context.kinematics.directions[coordinate as usize];
                [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
            }));
            context.factor.half_solve_rows(path, &mut self.responses[touched.response..]);
        }
        for touched in &mut self.coordinates {
            let path = context.structure.path(context.system.coordinate_part[touched.coordinate]);
            let depth = context.structure.depth(touched.coordinate).unwrap_or(0);
            (touched.response, touched.len) = (self.coordinate_responses.len(), depth + 1);
            self.coordinate_responses.resize(touched.response + depth + 1, [0.0]);
            self.coordinate_responses[touched.response + depth] = [1.0];
            let rows = &mut self.coordinate_responses[touched.response..];
            context.factor.half_solve_rows(&path[..=depth], rows);
        }
        let (mut part, mut coordinate, mut start) = (0, 0, 0);
        for index in 0..self.blocks.len() {
            let first = (part, coordinate);
            while self.parts.get(part).is_some_and(|touched| touched.block == index) {
                part += 1;
            }
            while self.coordinates.get(coordinate).is_some_and(|touched| touched.block == index) {
                coordinate += 1;
            }
            let tree = &context.system.trees[self.blocks[index].tree];
            let (all, touched) = (tree.coordinates.len(), 6 * (part - first.0) + coordinate - first.1);
            let block = &mut self.blocks[index];
            (block.parts, block.coordinates) = ((first.0, part), (first.1, coordinate));
            block.start = start;
            if tree.parts.len() == 1 || touched >= all {
                block.size = all;
                self.free.extend_from_slice(&motion[tree.coordinates.clone()]);
            } else {
                block.size = touched;
                self.reduce(context, index, motion);
            }
            start += self.blocks[index].size;
        }
    }

    /// Finds the rows L of a block, and its free motion.
    fn reduce(&mut self, context: &StepContext<'_>, index: usize, motion: &[f64]) {
        let Block { size, parts, coordinates, .. } = self.blocks[index];
        let start = self.lower.len();
        self.blocks[index].lower = Some(start);
        self.lower.resize(start + size * size, 0.0);
        let first = self.free.len();
        self.free.resize(first + size, 0.0);
        let Self { lower, free, responses, coordinate_responses, .. } = self;
        let (lower, free) = (&mut lower[start..], &mut free[first..]);
        let path = |touched: &TouchedPart| context.structure.path(touched.part);
        let touched_parts = &self.parts[parts.0..parts.1];
        let own_path = |touched: &TouchedCoordinate| {
            &context.structure.path(context.system.coordinate_part[touched.coordinate])[..touched.len]
        };
        // Paths of one tree have their beginnings in common, and nothing else.
        let shared = |one: &[u32], other: &[u32]| one.iter().zip(other).take_while(|(one, other)| one == other).count();
        for (number, touched) in touched_parts.iter().enumerate() {
            let row = 6 * number;
            let own = path(touched);
            let rows = &responses[touched.response..][..own.len()];
            for (values, &coordinate) in rows.iter().zip(own) {
                let moved = motion[coordinate as usize];
                free[row..row + 6].iter_mut().zip(values).for_each(|(sum, value)| *sum += value * moved);
            }
            for (other_number, other) in touched_parts[..=number].iter().enumerate() {
                let common = shared(own, path(other));
                let mut product = [[0.0; 6]; 6];
                for (one, two) in rows[..common].iter().zip(&responses[other.response..]) {
                    product.iter_mut().zip(one).for_each(|(sum, value)| add(sum, two, *value));
                }
                for (axis, values) in product.iter().enumerate() {
                    lower[(row + axis) * size + 6 * other_number..][..6].copy_from_slice(values);
                }
            }
        }
        for (number, touched) in self.coordinates[coordinates.0..coordinates.1].iter().enumerate() {
            let row = 6 * touched_parts.len() + number;
            let own = own_path(touched);
            let values = &coordinate_responses[touched.response..][..touched.len];
            free[row] = values.iter().zip(own).map(|([value], &at)| value * motion[at as usize]).sum();
            for (other_number, other) in touched_parts.iter().enumerate() {
                let common = shared(own, path(other));
                let mut sum = [0.0; 6];
                for ([value], other) in values[..common].iter().zip(&responses[other.response..]) {
                    add(&mut sum, other, *value);
                }
                lower[row * size + 6 * other_number..][..6].copy_from_slice(&sum);
            }
            for (other_number, other) in self.coordinates[coordinates.0..=coordinates.0 + number].iter().enumerate() {
                let common = shared(own, own_path(other));
                let others = &coordinate_responses[other.response..];
                let product = values[..common].iter().zip(others).map(|([one], [two])| one * two).sum();
                lower[row * size + 6 * touched_parts.len() + other_number] = product;
            }
        }
        factor_semidefinite(lower, size);
        for row in 0..size {
            let entries = &lower[row * size..][..=row];
            let known: f64 = entries[..row].iter().zip(&free[..row]).map(|(entry, value)| entry * value).sum();
            free[row] = if entries[row] > 0.0 { (free[row] - known) / entries[row] } else { 0.0 };
        }
    }

    /// Appends the columns of a part's twist about a point, times a sign. Returns its block.
    pub fn columns(
        &self,
        context: &StepContext<'_>,
        part: usize,
        point: &Vector3<f64>,
        sign: f64,
        (indices, columns): (&mut Vec<u32>, &mut Vec<Six>),
    ) -> Option<usize> {
        let entry = (self.entry_of_part[part] as usize).checked_sub(1)?;
        let TouchedPart { block, response, .. } = self.parts[entry];
        let Block { tree, size, lower, parts, .. } = self.blocks[block];
        let offset = point - context.kinematics.origins[tree];
        let moved = |[x, y, z, turning_x, turning_y, turning_z]: Six| {
            let angular = Vector3::new(turning_x, turning_y, turning_z) * sign;
            let linear = Vector3::new(x, y, z) * sign + angular.cross(&offset);
            [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
        };
        match lower {
            None => {
                let first = context.system.trees[tree].coordinates.start as u32;
                let path = context.structure.path(part);
                indices.extend(path.iter().map(|coordinate| coordinate - first));
                columns.extend(self.responses[response..][..path.len()].iter().map(|row| moved(*row)));
            }
            Some(lower) => {
                let row = 6 * (entry - parts.0);
                for column in 0..row + 6 {
                    indices.push(column as u32);
                    let entry = |axis: usize| self.lower[lower + (row + axis) * size + column];
                    columns.push(moved(std::array::from_fn(entry)));
                }
            }
        }
        Some(block)
    }

    /// Appends the row of a coordinate's velocity. Returns its block.
    pub fn row(
        &self,
        context: &StepContext<'_>,
        coordinate: usize,
        (indices, values): (&mut Vec<u32>, &mut Vec<f64>),
    ) -> Option<usize> {
        let tree = context.system.parts[context.system.coordinate_part[coordinate]].tree;
        let block = (self.block_of_tree[tree] as usize).checked_sub(1)?;
        let Block { size, lower, parts, coordinates, .. } = self.blocks[block];
        let own = &self.coordinates[coordinates.0..coordinates.1];
        let number = own.binary_search_by_key(&coordinate, |touched| touched.coordinate).ok()?;
        match lower {
            None => {
                let TouchedCoordinate { response, len, .. } = own[number];
                let first = context.system.trees[tree].coordinates.start as u32;
                let path = &context.structure.path(context.system.coordinate_part[coordinate])[..len];
                indices.extend(path.iter().map(|coordinate| coordinate - first));
                values.extend(self.coordinate_responses[response..][..len].iter().map(|[value]| *value));
            }
            Some(lower) => {
                let row = 6 * (parts.1 - parts.0) + number;
                indices.extend(0..=row as u32);
                values.extend_from_slice(&self.lower[lower + row * size..][..=row]);
            }
        }
        Some(block)
    }

    /// Adds what a wrench on a part does, about its tree's origin, to a motion in the factor's coordinates.
    pub fn push_part(&self, context: &StepContext<'_>, part: usize, wrench: &Six, motion: &mut [f64]) {
        let Some(entry) = (self.entry_of_part[part] as usize).checked_sub(1) else { return };
        let path = context.structure.path(part);
        let rows = &self.responses[self.parts[entry].response..][..path.len()];
        for (row, &coordinate) in rows.iter().zip(path) {
            motion[coordinate as usize] += dot(row, wrench);
        }
    }

    /// Adds what an impulse along a coordinate does.
    pub fn push_coordinate(&self, context: &StepContext<'_>, coordinate: usize, impulse: f64, motion: &mut [f64]) {
        let part = context.system.coordinate_part[coordinate];
        let Some(block) = (self.block_of_tree[context.system.parts[part].tree] as usize).checked_sub(1) else { return };
        let (first, last) = self.blocks[block].coordinates;
        let own = &self.coordinates[first..last];
        let Ok(number) = own.binary_search_by_key(&coordinate, |touched| touched.coordinate) else { return };
        let TouchedCoordinate { response, len, .. } = own[number];
        let path = &context.structure.path(part)[..len];
        for ([value], &at) in self.coordinate_responses[response..][..len].iter().zip(path) {
            motion[at as usize] += value * impulse;
        }
    }
}

/// Cholesky's factor of a positive semidefinite matrix in place, lower triangle; columns of dependent rows are zero.
fn factor_semidefinite(values: &mut [f64], size: usize) {
    for row in 0..size {
        let (above, rest) = values.split_at_mut(row * size);
        let entries = &mut rest[..=row];
        for column in 0..row {
            let other = &above[column * size..][..=column];
            let known: f64 = entries[..column].iter().zip(other).map(|(one, other)| one * other).sum();
            entries[column] = if other[column] > 0.0 { (entries[column] - known) / other[column] } else { 0.0 };
        }
        let known: f64 = entries[..row].iter().map(|value| value * value).sum();
        let left = entries[row] - known;
        entries[row] = if left > DEPENDENT * entries[row] { left.sqrt() } else { 0.0 };
        rest[row + 1..size].fill(0.0);
    }
}
