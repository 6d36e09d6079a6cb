//! Closed loops, solved directly: all loops that hang together are one small linear system, and every other row is freed of
//! what would move them.
//!
//! Rows that a mechanism holds already have nothing to be divided by. The system is regularised with a small part of what
//! the parts would yield, and the error of that is taken off by solving again for what is left.

use nalgebra::Vector3;

use super::closure_rows::ClosureRows;
use super::dynamics::Dynamics;
use super::factor::{Factor, Structure};
use super::index::PartIndex;
use super::kinematics::Kinematics;
use super::spatial::{Twist, Wrench, velocity_at};
use super::system::System;

/// Share of a part's compliance that regularises.
const REGULARISATION: f64 = 1e-7;
/// Times the system is solved for what is left.
const REFINEMENTS: usize = 2;
/// Marks a coordinate that no loop moves.
const NOWHERE: u32 = u32::MAX;

/// Which trees loops tie together.
#[derive(Clone, Debug, Default)]
pub struct LoopGroups {
    version: u64,
    /// The closures of each group, in order.
    pub groups: Vec<Vec<usize>>,
    /// By tree: its group, if any.
    pub of_tree: Vec<Option<usize>>,
}

impl LoopGroups {
    /// Follows the system.
    pub fn fit(&mut self, system: &System) {
        if self.version == system.version {
            return;
        }
        self.version = system.version;
        self.groups.clear();
        self.of_tree = vec![None; system.num_trees()];
        for (index, closure) in system.closures.iter().enumerate() {
            // What has no coordinate is as good as the world.
            let moves = |&tree: &usize| !system.trees[tree].coordinates.is_empty();
            let trees = closure.sides.map(|side| side.part.map(|part| system.parts[part.0].tree).filter(moves));
            let groups: Vec<usize> = trees.iter().flatten().filter_map(|&tree| self.of_tree[tree]).collect();
            let group = groups.first().copied().unwrap_or_else(|| {
                self.groups.push(Vec::new());
                self.groups.len() - 1
            });
            self.groups[group].push(index);
            trees.iter().flatten().for_each(|&tree| self.of_tree[tree] = Some(group));
            if let Some(&other) = groups.get(1).filter(|&&other| other != group) {
                let moved = std::mem::take(&mut self.groups[other]);
                self.groups[group].extend(moved);
                self.groups[group].sort_unstable();
                self.of_tree.iter_mut().filter(|of| **of == Some(other)).for_each(|of| *of = Some(group));
            }
        }
    }
}

/// The loops of a group in one step.
#[derive(Clone, Debug, Default)]
pub struct Equalities {
    closures: Vec<(usize, ClosureRows)>,
    /// Coordinates that the loops move.
    pub support: Vec<u32>,
    /// By coordinate: its index in the support.
    column_of: Vec<u32>,
    /// Rows in the factor's coordinates, by row and support.
    rows: Vec<f64>,
    /// Rows × rows: what an impulse along one does to another.
    response: Vec<f64>,
    /// Its regularised Cholesky factor.
    factor: Vec<f64>,
    /// Velocities along the rows without any impulse, m/s or rad/s.
    start: Vec<f64>,
    /// Velocities they shall have.
    target: Vec<f64>,
    errors: Vec<f64>,
    pub impulses: Vec<f64>,
    scratch: [Vec<f64>; 3],
    along: Vec<[f64; 6]>,
    dense: Vec<f64>,
    /// Right-hand sides.
    wanted: Vec<f64>,
}

impl Equalities {
    /// No loops.
    pub fn clear(&mut self) {
        self.closures.clear();
        self.errors.clear();
        self.impulses.clear();
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.errors.len()
    }

    /// Builds the rows of a group of closures. `twists` are those of the parts at the beginning of the step.
    #[allow(clippy::too_many_arguments)]
    pub fn build(
        &mut self,
        system: &System,
        structure: &Structure,
        kinematics: &Kinematics,
        dynamics: &Dynamics,
        factor: &Factor,
        twists: &[Twist],
        closures: &[usize],
        time_step: f64,
    ) {
        self.column_of.clear();
        self.column_of.resize(system.num_coordinates(), NOWHERE);
        self.support.clear();
        for list in [&mut self.start, &mut self.target, &mut self.errors] {
            list.clear();
        }
        self.closures.clear();
        for &index in closures {
            let closure = &system.closures[index];
            self.closures.push((index, ClosureRows::of(system, kinematics, dynamics, closure)));
            for PartIndex(part) in closure.sides.iter().filter_map(|side| side.part) {
                for &coordinate in structure.path(part) {
                    if self.column_of[coordinate as usize] == NOWHERE {
                        // Fewer than four thousand million.
                        #[allow(clippy::cast_possible_truncation)]
                        {
                            self.column_of[coordinate as usize] = self.support.len() as u32;
                        }
                        self.support.push(coordinate);
                    }
                }
            }
        }
        let width = self.support.len();
        let count: usize = self.closures.iter().map(|(_, rows)| rows.rows().len()).sum();
        self.rows.clear();
        self.rows.resize(count * width, 0.0);
        let [scales, block, ..] = &mut self.scratch;
        scales.clear();
        let mut first = 0;
        for (index, rows) in &self.closures {
            let closure = &system.closures[*index];
            // What a force and what a torque along any axis would do, by axis and support.
            block.clear();
            block.resize(6 * width, 0.0);
            let mut at_start = [Twist::ZERO; 2];
            for (side, (anchor, sign)) in closure.sides.iter().zip([-1.0, 1.0]).enumerate() {
                let Some(PartIndex(part)) = anchor.part else { continue };
                let offset = rows.point - kinematics.origins[system.parts[part].tree];
                at_start[side] = Twist { linear: velocity_at(&twists[part], &offset), angular: twists[part].angular };
                let path = structure.path(part);
                let along = &mut self.along;
                along.clear();
                along.resize(path.len(), [0.0; 6]);
                for (row, &coordinate) in along.iter_mut().zip(path) {
                    let direction = &kinematics.directions[coordinate as usize];
                    let velocity = velocity_at(direction, &offset);
                    *row = [
                        velocity.x,
                        velocity.y,
                        velocity.z,
                        direction.angular.x,
                        direction.angular.y,
                        direction.angular.z,
                    ];
                }
                factor.half_solve_rows(path, along);
                for (row, &coordinate) in along.iter().zip(path) {
                    let column = self.column_of[coordinate as usize] as usize;
                    for (axis, value) in row.iter().enumerate() {
                        block[axis * width + column] += sign * value;
                    }
                }
            }
            let norm = |axes: std::ops::Range<usize>| {
                block[axes.start * width..axes.end * width].iter().map(|value| value * value).sum::<f64>() / 3.0
            };
            let compliance = [norm(0..3), norm(3..6)];
            for row in rows.rows() {
                let (axes, kind) = if row.is_angular { (3, 1) } else { (0, 0) };
                let into = &mut self.rows[first * width..(first + 1) * width];
                for axis in 0..3 {
                    let share = row.direction[axis];
                    for (value, from) in into.iter_mut().zip(&block[(axes + axis) * width..]) {
                        *value += share * from;
                    }
                }
                let [one, two] = at_start.map(|twist| if row.is_angular { twist.angular } else { twist.linear });
                self.start.push(row.direction.dot(&(two - one)));
                self.target.push(-0.5 * time_step * row.acceleration);
                // What is told of a step are its ends, half a step from here: there the loop shall be closed.
                self.errors.push(row.error - 0.125 * time_step * time_step * row.acceleration);
                scales.push(compliance[kind]);
                first += 1;
            }
        }
        self.decompose(count, width);
        self.impulses.clear();
        self.impulses.resize(count, 0.0);
    }

    /// Response and its factor, out of the rows and the scales.
    fn decompose(&mut self, count: usize, width: usize) {
        self.response.clear();
        self.response.resize(count * count, 0.0);
        for row in 0..count {
            for column in 0..=row {
                let value = dot(&self.rows[row * width..][..width], &self.rows[column * width..][..width]);
                self.response[row * count + column] = value;
                self.response[column * count + row] = value;
            }
        }
        self.factor.clear();
        self.factor.extend_from_slice(&self.response);
        for row in 0..count {
            // A row that moves nothing at all holds nothing.
            let scale = self.scratch[0][row];
            self.factor[row * count + row] += if scale > 0.0 { REGULARISATION * scale } else { 1.0 };
        }
        for column in 0..count {
            for row in column..count {
                let [one, two] = [row, column].map(|row| &self.factor[row * count..][..column]);
                let value = self.factor[row * count + column] - dot(one, two);
                self.factor[row * count + column] = if row == column {
                    value.max(f64::MIN_POSITIVE).sqrt()
                } else {
                    value / self.factor[column * count + column]
                };
            }
        }
    }

    /// Impulses along the rows that change their velocities by `values`; in place.
    fn solve(&mut self, values: &mut [f64]) {
        let count = self.len();
        let [_, rest, step] = &mut self.scratch;
        rest.clear();
        rest.extend_from_slice(values);
        values.fill(0.0);
        for _ in 0..=REFINEMENTS {
            step.clear();
            step.extend_from_slice(rest);
            for row in 0..count {
                let known = dot(&self.factor[row * count..][..row], &step[..row]);
                step[row] = (step[row] - known) / self.factor[row * count + row];
            }
            for row in (0..count).rev() {
                step[row] /= self.factor[row * count + row];
                let value = step[row];
                for (column, other) in step[..row].iter_mut().enumerate() {
                    *other -= self.factor[row * count + column] * value;
                }
            }
            for row in 0..count {
                rest[row] -= dot(&self.response[row * count..][..count], step);
                values[row] += step[row];
            }
        }
    }

    /// The rows times `motion`, in the factor's coordinates.
    fn velocities(&self, motion: &[f64], out: &mut Vec<f64>) {
        let width = self.support.len();
        out.clear();
        out.extend((0..self.len()).map(|row| {
            let along = self.rows[row * width..][..width].iter().zip(&self.support);
            along.map(|(value, &coordinate)| value * motion[coordinate as usize]).sum::<f64>()
        }));
    }

    /// Adds what impulses along the rows do.
    fn push(&self, impulses: &[f64], motion: &mut [f64]) {
        let width = self.support.len();
        for (row, impulse) in impulses.iter().enumerate() {
            for (value, &coordinate) in self.rows[row * width..][..width].iter().zip(&self.support) {
                motion[coordinate as usize] += value * impulse;
            }
        }
    }

    /// Brings the rows to their targets; `motion` is the change since the beginning of the step.
    pub fn satisfy(&mut self, motion: &mut [f64]) {
        let mut wanted = std::mem::take(&mut self.wanted);
        self.velocities(motion, &mut wanted);
        for (value, (start, target)) in wanted.iter_mut().zip(self.start.iter().zip(&self.target)) {
            *value = target - start - *value;
        }
        self.solve(&mut wanted);
        self.push(&wanted, motion);
        self.wanted = wanted;
    }

    /// What moves the loops of this motion, as impulses: a motion that loops alone have made gives theirs.
    pub fn tell(&mut self, motion: &[f64]) {
        let mut impulses = std::mem::take(&mut self.impulses);
        self.velocities(motion, &mut impulses);
        self.solve(&mut impulses);
        self.impulses = impulses;
    }

    /// Adds the velocities that take out the errors in a step, none faster than `speed`.
    pub fn correct(&mut self, motion: &mut [f64], time_step: f64, speed: f64) -> bool {
        if self.errors.iter().all(|error| *error == 0.0) {
            return false;
        }
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.clear();
        wanted.extend(self.errors.iter().map(|error| (-error / time_step).min(speed).max(-speed)));
        self.solve(&mut wanted);
        self.push(&wanted, motion);
        self.wanted = wanted;
        true
    }

    /// Takes from a block of rows what would move the loops. What has no coordinate in common stays as it is.
    pub fn free<const N: usize>(&mut self, indices: &mut Vec<u32>, values: &mut Vec<[f64; N]>, start: usize) {
        let width = self.support.len();
        let touches = indices[start..].iter().any(|&index| self.column_of[index as usize] != NOWHERE);
        if !touches || self.len() == 0 {
            return;
        }
        // Lane by lane, one after the other.
        let mut dense = std::mem::take(&mut self.dense);
        dense.clear();
        dense.resize(N * width, 0.0);
        let mut kept = start;
        for index in start..indices.len() {
            match self.column_of[indices[index] as usize] {
                NOWHERE => {
                    indices[kept] = indices[index];
                    values[kept] = values[index];
                    kept += 1;
                }
                at => (0..N).for_each(|lane| dense[lane * width + at as usize] = values[index][lane]),
            }
        }
        indices.truncate(kept);
        values.truncate(kept);
        let mut impulses = std::mem::take(&mut self.wanted);
        for lane in 0..N {
            impulses.clear();
            let lane = lane * width..(lane + 1) * width;
            impulses.extend((0..self.len()).map(|row| dot(&self.rows[row * width..][..width], &dense[lane.clone()])));
            if impulses.iter().all(|value| *value == 0.0) {
                continue;
            }
            self.solve(&mut impulses);
            for (row, impulse) in impulses.iter().enumerate() {
                for (value, other) in self.rows[row * width..][..width].iter().zip(&mut dense[lane.clone()]) {
                    *other -= value * impulse;
                }
            }
        }
        self.wanted = impulses;
        indices.extend_from_slice(&self.support);
        values.extend((0..width).map(|index| std::array::from_fn(|lane| dense[lane * width + index])));
        self.dense = dense;
    }

    /// Adds what the closures do to the parts in a step, about the origins of their trees, and tells each closure's own: on
    /// its second side, about its anchor there.
    pub fn wrenches(
        &self,
        system: &System,
        kinematics: &Kinematics,
        time_step: f64,
        on_parts: &mut [Wrench],
        of_closures: &mut [Wrench],
    ) {
        let mut first = 0;
        for (index, rows) in &self.closures {
            let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
            for (row, impulse) in rows.rows().iter().zip(&self.impulses[first..]) {
                let along = row.direction * (impulse / time_step);
                if row.is_angular { torque += along } else { force += along }
            }
            first += rows.rows().len();
            of_closures[*index] = Wrench { force, torque };
            for (anchor, sign) in system.closures[*index].sides.iter().zip([-1.0, 1.0]) {
                let Some(PartIndex(part)) = anchor.part else { continue };
                let offset = rows.point - kinematics.origins[system.parts[part].tree];
                on_parts[part].force += force * sign;
                on_parts[part].torque += (torque + offset.cross(&force)) * sign;
            }
        }
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
