//! Poses of links over time: positions in 10 µm, quaternions in 32767ths.

use serde_json::{Value, json};

use super::super::replay::{Frames, ReplayBody};
use super::pack::Pack;

/// Unit of positions, m.
pub(super) const UNIT: f64 = 1e-5;

/// Describes a body with its links, their meshes and poses.
pub(super) fn describe(body: &ReplayBody, frames: &Frames, meshes: &[Option<usize>], pack: &mut Pack) -> Value {
    let links = body.body.links();
    let described: Vec<Value> = links
        .iter()
        .enumerate()
        .map(|(index, link)| json!({ "name": link.name, "mesh": meshes.get(index).copied().flatten() }))
        .collect();
    let (mut positions, mut rotations) = (Vec::new(), Vec::new());
    for pose in frames.iter().flat_map(|poses| poses.iter().take(links.len())) {
        positions.extend(pose.translation.vector.iter().map(|part| whole(*part)));
        let coordinates = pose.rotation.coords;
        #[allow(clippy::cast_possible_truncation)]
        rotations.extend(coordinates.iter().map(|part| (part * 32767.0).round() as i16));
    }
    near(&mut rotations, 4 * links.len());
    json!({
        "name": body.name,
        "moves": body.motion.is_some(),
        "links": described,
        "frames": frames.len(),
        "positions": pack.i32s(&positions, 3 * links.len()),
        "rotations": pack.i16s(&rotations, 4 * links.len()),
    })
}

/// A length in whole units.
#[allow(clippy::cast_possible_truncation)]
pub(super) fn whole(length: f64) -> i32 {
    (length / UNIT).round() as i32
}

/// Chooses of the two quaternions of a rotation the one near that of the frame before, so that differences are small.
fn near(rotations: &mut [i16], stride: usize) {
    for start in (stride..rotations.len()).step_by(4) {
        let dot: i64 =
            (start..start + 4).map(|index| i64::from(rotations[index]) * i64::from(rotations[index - stride])).sum();
        if dot < 0 {
            rotations[start..start + 4].iter_mut().for_each(|part| *part = -*part);
        }
    }
}
