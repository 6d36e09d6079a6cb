//! How contacts of the same two parts go on to share what they carry.
//!
//! Their force and torque stay what they were, or every step would have to find anew what holds a wall together. Of all impulses
//! along one normal with the same force and torque, those with the least sum of squares are a linear function of the point: each
//! step begins half of the way nearer to those.

use std::ops::Range;

use nalgebra::Vector3;

use super::contact_block::ContactBlock;
use super::patch::Patch;

/// How much of what is uneven is evened out from one step to the next. A fiftieth is not enough where some of the points slide: friction
/// pushes their load from one to the other, and a vehicle with two tracks between casters came to stand on the casters.
const EVENING: f64 = 0.5;
/// Normals are one whose cosine differs from 1 by less.
const ONE_NORMAL: f64 = 1e-6;
/// Points within such a share of their extent from a line lie on it: they tell no torque about it.
const ON_A_LINE: f64 = 1e-6;

/// Makes the impulses that a step begins with more alike among contacts of the same parts.
pub fn even_out(patches: &[Patch], contacts: &mut [ContactBlock]) {
    for (_, span) in pairs(patches) {
        for blocks in contacts[span].chunk_by_mut(have_one_normal) {
            even_out_pair(blocks);
        }
    }
}

/// The index of each two parts, and where their contacts stand in the list.
pub fn pairs(patches: &[Patch]) -> impl Iterator<Item = (usize, Range<usize>)> {
    patches.chunk_by(|one, next| one.pair == next.pair).filter_map(|touching| {
        let [Patch { start, pair, .. }, ..] = touching else { return None };
        Some((*pair, *start..start + touching.iter().map(|patch| patch.len).sum::<usize>()))
    })
}

/// What is along one normal has another force along the next.
fn have_one_normal(one: &ContactBlock, other: &ContactBlock) -> bool {
    one.axes()[0].dot(&other.axes()[0]) > 1.0 - ONE_NORMAL
}

/// The same for contacts of two parts that have one normal.
fn even_out_pair(blocks: &mut [ContactBlock]) {
    // Three points are needed to tell a force and a torque.
    if blocks.len() < 4 {
        return;
    }
    let count = blocks.len() as f64;
    let middle = blocks.iter().map(|block| block.point).sum::<Vector3<f64>>() / count;
    let mean = blocks.iter().map(|block| block.impulse[0]).sum::<f64>() / count;
    let [_, one, two] = blocks[0].axes();
    let (mut xx, mut xy, mut yy, mut x, mut y) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for block in &*blocks {
        let offset = block.point - middle;
        let at = [one.dot(&offset), two.dot(&offset)];
        xx += at[0] * at[0];
        xy += at[0] * at[1];
        yy += at[1] * at[1];
        x += at[0] * block.impulse[0];
        y += at[1] * block.impulse[0];
    }
    let determinant = xx * yy - xy * xy;
    if determinant <= ON_A_LINE * (xx + yy).powi(2) {
        return;
    }
    let slope = [(x * yy - y * xy) / determinant, (y * xx - x * xy) / determinant];
    for block in blocks {
        let offset = block.point - middle;
        let even = mean + slope[0] * one.dot(&offset) + slope[1] * two.dot(&offset);
        block.impulse[0] += EVENING * (even.max(0.0) - block.impulse[0]);
    }
}
