//! M = Lᵀ·D·L with nothing stored between branches of a tree (Featherstone §6.5).
//!
//! The row of a coordinate holds the entries of its ancestors by their depth, root first, and its own last. The ancestors of an
//! ancestor are then the beginning of the row: all inner loops run over consecutive numbers. Rows are padded to whole lanes, and
//! what stands in the padding is never used.

use super::system::System;

/// Numbers a loop takes at once.
const LANES: usize = 4;

/// Marks a coordinate that is given.
const GIVEN: usize = usize::MAX;

/// A coordinate that moves nothing has no inertia: it is left where it is. Smaller than this, kg or kg·m², is nothing.
const NO_INERTIA: f64 = 1e-30;

/// Which coordinates stand between which parts and their roots, given ones left out.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    version: u64,
    is_given: Vec<bool>,
    /// The paths of all parts, one after the other, each from the root.
    path: Vec<u32>,
    /// By part: where its path begins and how long it is.
    of_part: Vec<(usize, usize)>,
    /// By coordinate: how many free ones are before it on its path.
    depth: Vec<usize>,
    /// By coordinate: where its row begins.
    row: Vec<usize>,
    len: usize,
}

impl Structure {
    /// Follows the system and which coordinates are given. Gives whether anything has changed.
    pub fn fit(&mut self, system: &System, is_given: impl Fn(usize) -> bool) -> bool {
        let is_as_before = self.version == system.version
            && self.is_given.len() == system.num_coordinates()
            && self.of_part.len() == system.num_parts()
            && self.is_given.iter().enumerate().all(|(index, &given)| given == is_given(index));
        if is_as_before {
            return false;
        }
        *self = Self { version: system.version, ..Self::default() };
        self.is_given.extend((0..system.num_coordinates()).map(&is_given));
        for part in &system.parts {
            let start = self.path.len();
            if let Some(parent) = part.parent {
                let (first, len) = self.of_part[parent];
                self.path.extend_from_within(first..first + len);
            }
            for coordinate in part.first_coordinate..part.first_coordinate + part.num_coordinates {
                self.row.push(self.len);
                if is_given(coordinate) {
                    self.depth.push(GIVEN);
                    continue;
                }
                let depth = self.path.len() - start;
                self.depth.push(depth);
                // A system of four thousand million coordinates does not fit into memory.
                #[allow(clippy::cast_possible_truncation)]
                self.path.push(coordinate as u32);
                self.len += padded(depth + 1);
            }
            self.of_part.push((start, self.path.len() - start));
        }
        true
    }

    /// Free coordinates from the root to a part.
    pub fn path(&self, part: usize) -> &[u32] {
        let (start, len) = self.of_part[part];
        &self.path[start..start + len]
    }

    /// Free coordinates before this one on its path; `None` if it is given.
    pub fn depth(&self, coordinate: usize) -> Option<usize> {
        let depth = self.depth[coordinate];
        (depth != GIVEN).then_some(depth)
    }

    /// Length of the rows of all coordinates.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Where the row of a coordinate is: its ancestors and itself.
    pub fn row(&self, coordinate: usize) -> usize {
        self.row[coordinate]
    }
}

/// The factor of the mass matrices of all trees.
#[derive(Clone, Debug, Default)]
pub struct Factor {
    /// L, row by row; the diagonal is of no meaning.
    rows: Vec<f64>,
    /// 1/√D, 0 for coordinates that have no inertia.
    scale: Vec<f64>,
}

impl Factor {
    pub fn fit(&mut self, structure: &Structure, num_coordinates: usize) {
        self.rows.resize(structure.len(), 0.0);
        self.scale.resize(num_coordinates, 0.0);
    }

    /// Factors the matrix of a tree, given row by row, with `more` on its diagonal.
    pub fn factor(
        &mut self,
        structure: &Structure,
        system: &System,
        tree: usize,
        mass: &[f64],
        more: impl Fn(usize) -> f64,
    ) {
        let coordinates = system.trees[tree].coordinates.clone();
        let Some(last) = coordinates.clone().last() else { return };
        let end = structure.row.get(last + 1).copied().unwrap_or(structure.len);
        let all = structure.row[coordinates.start]..end;
        self.rows[all.clone()].copy_from_slice(&mass[all]);
        let mut next = coordinates.end;
        while next > coordinates.start {
            let coordinate = next - 1;
            let Some(depth) = structure.depth(coordinate) else {
                self.scale[coordinate] = 0.0;
                next -= 1;
                continue;
            };
            let path = structure.path(system.coordinate_part[coordinate]);
            let (above, own) = self.rows.split_at_mut(structure.row[coordinate]);
            let inverse = inverse_pivot(own[depth] + more(coordinate));
            self.scale[coordinate] = inverse.sqrt();
            // With the one just before it on the path, all others above take both at once: half the way through memory.
            let before = depth.checked_sub(1).filter(|&index| path[index] as usize + 1 == coordinate);
            let Some(before) = before else {
                for index in (0..depth).rev() {
                    let share = own[index] * inverse;
                    let row = structure.row[path[index] as usize];
                    subtract(&mut above[row..], &own[..padded(index + 1)], share);
                    own[index] = share;
                }
                next -= 1;
                continue;
            };
            let (above, second) = above.split_at_mut(structure.row[coordinate - 1]);
            let share = own[before] * inverse;
            subtract(second, &own[..padded(before + 1)], share);
            own[before] = share;
            let second_inverse = inverse_pivot(second[before] + more(coordinate - 1));
            self.scale[coordinate - 1] = second_inverse.sqrt();
            for index in (0..before).rev() {
                let shares = [own[index] * inverse, second[index] * second_inverse];
                let row = structure.row[path[index] as usize];
                let len = padded(index + 1);
                subtract_both(&mut above[row..], [&own[..len], &second[..len]], shares);
                [own[index], second[index]] = shares;
            }
            next -= 2;
        }
    }

    /// From forces to the factor's own coordinates: D^−½·L^−ᵀ·`values`, in place, for a tree.
    pub fn half_solve(&self, structure: &Structure, system: &System, tree: usize, values: &mut [f64]) {
        for coordinate in system.trees[tree].coordinates.clone().rev() {
            let Some(depth) = structure.depth(coordinate) else {
                values[coordinate] = 0.0;
                continue;
            };
            let value = values[coordinate];
            let path = structure.path(system.coordinate_part[coordinate]);
            let row = &self.rows[structure.row[coordinate]..];
            for (&ancestor, share) in path[..depth].iter().zip(row) {
                values[ancestor as usize] -= share * value;
            }
            values[coordinate] = value * self.scale[coordinate];
        }
    }

    /// From the factor's own coordinates to velocities: L⁻¹·D^−½·`values`, in place, for a tree. Given coordinates get 0.
    pub fn back_solve(&self, structure: &Structure, system: &System, tree: usize, values: &mut [f64]) {
        for coordinate in system.trees[tree].coordinates.clone() {
            let Some(depth) = structure.depth(coordinate) else {
                values[coordinate] = 0.0;
                continue;
            };
            let path = structure.path(system.coordinate_part[coordinate]);
            let row = &self.rows[structure.row[coordinate]..];
            let mut value = values[coordinate] * self.scale[coordinate];
            for (&ancestor, share) in path[..depth].iter().zip(row) {
                value -= share * values[ancestor as usize];
            }
            values[coordinate] = value;
        }
    }

    /// A block of rows of a Jacobian along a path, in place: `rows` by depth on the path, root first.
    pub fn half_solve_rows<const N: usize>(&self, structure: &Structure, path: &[u32], rows: &mut [[f64; N]]) {
        for index in (0..path.len()).rev() {
            let coordinate = path[index] as usize;
            let shares = &self.rows[structure.row[coordinate]..];
            let (above, own) = rows.split_at_mut(index);
            let [own, ..] = own else { return };
            for (row, &share) in above.iter_mut().zip(shares) {
                *row = std::array::from_fn(|lane| row[lane] - share * own[lane]);
            }
            let scale = self.scale[coordinate];
            *own = std::array::from_fn(|lane| own[lane] * scale);
        }
    }
}

/// What a pivot is divided by; 0 for a coordinate that has no inertia.
fn inverse_pivot(pivot: f64) -> f64 {
    if pivot > NO_INERTIA { pivot.recip() } else { 0.0 }
}

/// `row` − Σ share·other over whole lanes.
fn subtract_both(row: &mut [f64], others: [&[f64]; 2], shares: [f64; 2]) {
    let others = others[0].as_chunks::<LANES>().0.iter().zip(others[1].as_chunks::<LANES>().0);
    for (row, (one, two)) in row.as_chunks_mut::<LANES>().0.iter_mut().zip(others) {
        // Whole arrays, which the compiler turns into whole registers.
        *row = std::array::from_fn(|lane| row[lane] - (shares[0] * one[lane] + shares[1] * two[lane]));
    }
}

/// `row` − `share`·`other` over whole lanes.
fn subtract(row: &mut [f64], other: &[f64], share: f64) {
    let lanes = row.as_chunks_mut::<LANES>().0.iter_mut().zip(other.as_chunks::<LANES>().0);
    for (row, other) in lanes {
        *row = std::array::from_fn(|lane| row[lane] - share * other[lane]);
    }
}

/// A length in whole lanes.
fn padded(len: usize) -> usize {
    len.next_multiple_of(LANES)
}
