//! Contacts of one surface that all hold: their impulses are found at once.
//!
//! Where nothing slides, a sole is to be stopped along each normal that bears something, and along its surface as a whole: in two
//! directions and about the normal. That is one small system; normals and friction in turns take a dozen passes to the same end. Friction is changed
//! alike at all points, with what turns them about their middle. Where a point slides or lifts off, there are the passes.

use super::contact_block::ContactBlock;
use super::pair::{Six, add};
use super::rows::dot;

/// The most contacts of a patch; rapier's manifolds have no more.
pub const MOST: usize = 4;
/// The normals and the surface's own three motions.
const ROWS: usize = MOST + 3;
/// Share of its own response by which a row yields: four points of one plane are one more than determine how they share a load.
const REGULARISATION: f64 = 1e-8;
/// A point that is this near to the bound of friction may slide, as a share of the bound's square.
const NEAR_BOUND: f64 = 0.999;
/// The most points that are let go.
const MOST_LET_GO: usize = 2;
/// What bears nothing comes no faster nearer than it may, m/s.
const ROUNDING: f64 = 1e-9;

type Impulses = [[f64; 3]; MOST];

/// Shares the friction of a surface as its points share the load.
fn share(blocks: &[ContactBlock], impulses: &mut Impulses) {
    let [_, one, two] = blocks[0].axes();
    let origin = blocks[0].point;
    let at = |block: &ContactBlock| {
        let offset = block.point - origin;
        [one.dot(&offset), two.dot(&offset)]
    };
    let (mut load, mut force, mut torque, mut middle) = (0.0, [0.0; 2], 0.0, [0.0; 2]);
    for (block, [normal, along_one, along_two]) in blocks.iter().zip(&*impulses) {
        let [x, y] = at(block);
        load += normal;
        force[0] += along_one;
        force[1] += along_two;
        torque += x * along_two - y * along_one;
        middle[0] += normal * x;
        middle[1] += normal * y;
    }
    let middle = middle.map(|sum| sum / load);
    torque -= middle[0] * force[1] - middle[1] * force[0];
    let mut extent = 0.0;
    for (block, [normal, ..]) in blocks.iter().zip(&*impulses) {
        let [x, y] = at(block);
        extent += normal * ((x - middle[0]).powi(2) + (y - middle[1]).powi(2));
    }
    let turning = if extent > f64::MIN_POSITIVE { torque / extent } else { 0.0 };
    for (block, impulse) in blocks.iter().zip(impulses) {
        let [x, y] = at(block);
        impulse[1] = impulse[0] * (force[0] / load - turning * (y - middle[1]));
        impulse[2] = impulse[0] * (force[1] / load + turning * (x - middle[0]));
    }
}

/// The system of those contacts of a patch that bear something.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    /// For which the rest is; all false before it is.
    bearing: [bool; MOST],
    /// By contact: what the three motions along the surface make of its friction, by tangent.
    shares: [[[f64; 3]; 2]; MOST],
    /// Wrenches of friction that goes with the three motions.
    wrenches: [Six; 3],
    /// Cholesky's, with the reciprocals of its diagonal.
    factor: [[f64; ROWS]; ROWS],
}

impl Hold {
    /// Of none.
    pub const NONE: Self = Self {
        bearing: [false; MOST],
        shares: [[[0.0; 3]; 2]; MOST],
        wrenches: [[0.0; 6]; 3],
        factor: [[0.0; ROWS]; ROWS],
    };

    /// Finds the impulses with which all contacts hold that bear something, if they do then. Gives how fast the worst was wrong, m/s, and the
    /// wrench that has been added.
    pub fn find(&mut self, blocks: &mut [ContactBlock], twist: &Six) -> Option<(f64, Six)> {
        let mut bearing = [false; MOST];
        let mut has_spare = false;
        for (bears, block) in bearing.iter_mut().zip(&*blocks) {
            let [normal, one, two] = block.impulse;
            let bound = block.friction * normal;
            *bears = block.acts && normal > 0.0;
            has_spare |= *bears && one * one + two * two < NEAR_BOUND * bound * bound;
        }
        if !has_spare {
            return None;
        }
        let mut impulses: Impulses = [[0.0; 3]; MOST];
        for (impulse, block) in impulses.iter_mut().zip(&*blocks) {
            *impulse = block.impulse;
        }
        let mut now = *twist;
        let mut worst = 0.0_f64;
        for (block, bears) in blocks.iter().zip(bearing).filter(|(block, _)| block.acts) {
            let off = block.velocity(0, twist) - block.target;
            worst = worst.max(if bears { off.abs() } else { -off });
            if bears {
                worst = worst.max(block.velocity(1, twist).abs()).max(block.velocity(2, twist).abs());
            }
        }
        let mut let_go = 0;
        loop {
            if !bearing.contains(&true) {
                return None;
            }
            if self.bearing != bearing {
                self.set(blocks, bearing);
            }
            let change = self.change(blocks, &now);
            let pulls = |index: usize| impulses[index][0] + change[index];
            let pulling = (0..blocks.len()).filter(|&index| bearing[index] && pulls(index) < 0.0);
            let Some(worst) = pulling.min_by(|&one, &other| pulls(one).total_cmp(&pulls(other))) else {
                self.add(&change, blocks, &mut impulses, &mut now);
                break;
            };
            if let_go == MOST_LET_GO {
                return None;
            }
            let_go += 1;
            bearing[worst] = false;
            let taken = std::mem::take(&mut impulses[worst]);
            for (yields, size) in blocks[worst].yields.iter().zip(taken) {
                add(&mut now, yields, -size);
            }
        }
        let lifts = |(index, block): (usize, &ContactBlock)| {
            block.acts && !bearing[index] && block.velocity(0, &now) < block.target - ROUNDING
        };
        if blocks.iter().enumerate().any(lifts) {
            return None;
        }
        let slides = |impulses: &Impulses| {
            blocks.iter().zip(impulses).any(|(block, [normal, one, two])| {
                let bound = block.friction * normal;
                one * one + two * two > bound * bound
            })
        };
        if slides(&impulses) {
            share(blocks, &mut impulses);
            if slides(&impulses) {
                return None;
            }
        }
        let mut wrench = [0.0; 6];
        for (block, impulse) in blocks.iter_mut().zip(&impulses) {
            let steps = std::array::from_fn(|axis| impulse[axis] - block.impulse[axis]);
            block.add_wrench(&steps, &mut wrench);
            block.impulse = *impulse;
        }
        Some((worst, wrench))
    }

    /// Makes the system of those that bear something.
    fn set(&mut self, blocks: &[ContactBlock], bearing: [bool; MOST]) {
        self.bearing = bearing;
        let borne = || blocks.iter().zip(bearing).filter(|(_, bears)| *bears).map(|(block, _)| block);
        let count = borne().count() as f64;
        let [_, one, two] = blocks[0].axes();
        let middle = borne().map(|block| block.point).sum::<nalgebra::Vector3<f64>>() / count;
        let mut offsets = [[0.0; 2]; MOST];
        let mut extent = 0.0;
        for ((offset, block), _) in offsets.iter_mut().zip(blocks).zip(bearing).filter(|(_, bears)| *bears) {
            let from_middle = block.point - middle;
            *offset = [one.dot(&from_middle), two.dot(&from_middle)];
            extent += offset[0] * offset[0] + offset[1] * offset[1];
        }
        let turns = extent > f64::MIN_POSITIVE;
        let (mut wrenches, mut yields) = ([[0.0; 6]; ROWS], [[0.0; 6]; ROWS]);
        for ((index, block), _) in blocks.iter().enumerate().zip(bearing).filter(|(_, bears)| *bears) {
            (wrenches[index], yields[index]) = (block.wrenches[0], block.yields[0]);
            let [x, y] = offsets[index];
            let [along_one, along_two] = if turns { [-y / extent, x / extent] } else { [0.0; 2] };
            self.shares[index] = [[1.0 / count, 0.0, along_one], [0.0, 1.0 / count, along_two]];
            for (tangent, shares) in self.shares[index].iter().enumerate() {
                for (motion, share) in shares.iter().enumerate().filter(|(_, share)| **share != 0.0) {
                    add(&mut wrenches[MOST + motion], &block.wrenches[1 + tangent], *share);
                    add(&mut yields[MOST + motion], &block.yields[1 + tangent], *share);
                }
            }
        }
        for (column, yields) in yields.iter().enumerate() {
            for (row, wrench) in wrenches.iter().enumerate().skip(column) {
                let known: f64 = (0..column).map(|index| self.factor[row][index] * self.factor[column][index]).sum();
                let value = dot(wrench, yields);
                self.factor[row][column] = if row != column {
                    (value - known) * self.factor[column][column]
                } else if value > 0.0 {
                    (value * (1.0 + REGULARISATION) - known).max(f64::MIN_POSITIVE).sqrt().recip()
                } else {
                    // What bears nothing.
                    1.0
                };
            }
        }
        self.wrenches.copy_from_slice(&wrenches[MOST..]);
    }

    /// What stops everything that is to be stopped: impulses along the normals, and of the three motions along the surface.
    fn change(&self, blocks: &[ContactBlock], twist: &Six) -> [f64; ROWS] {
        let mut values = [0.0; ROWS];
        // Motions along the surface begin with those of the points, surfaces that run included.
        let mut along = [0.0; 3];
        for ((index, block), _) in blocks.iter().enumerate().zip(self.bearing).filter(|(_, bears)| *bears) {
            values[index] = block.target - block.velocity(0, twist);
            for (tangent, shares) in self.shares[index].iter().enumerate() {
                for (sum, share) in along.iter_mut().zip(shares) {
                    *sum -= share * block.start[1 + tangent];
                }
            }
        }
        for (motion, along) in along.into_iter().enumerate() {
            values[MOST + motion] = along - dot(&self.wrenches[motion], twist);
        }
        for row in 0..ROWS {
            let known: f64 = (0..row).map(|index| self.factor[row][index] * values[index]).sum();
            values[row] = (values[row] - known) * self.factor[row][row];
        }
        for row in (0..ROWS).rev() {
            let known: f64 = (row + 1..ROWS).map(|index| self.factor[index][row] * values[index]).sum();
            values[row] = (values[row] - known) * self.factor[row][row];
        }
        values
    }

    fn add(&self, change: &[f64; ROWS], blocks: &[ContactBlock], impulses: &mut Impulses, twist: &mut Six) {
        for ((index, block), _) in blocks.iter().enumerate().zip(self.bearing).filter(|(_, bears)| *bears) {
            let along = &change[MOST..];
            let tangent = |shares: &[f64; 3]| shares.iter().zip(along).map(|(share, size)| share * size).sum::<f64>();
            let [one, two] = &self.shares[index];
            let steps = [change[index], tangent(one), tangent(two)];
            for ((impulse, yields), step) in impulses[index].iter_mut().zip(&block.yields).zip(steps) {
                *impulse += step;
                add(twist, yields, step);
            }
        }
    }
}
