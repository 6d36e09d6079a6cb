//! The links of a body as nodes, and their motion as one animation.

use nalgebra::Isometry3;
use serde_json::{Value, json};

use super::super::super::replay::{Frames, ReplayBody};
use super::file::{File, Use, add};

/// Poses of a link that differ less than this, m and as a quaternion, are one: rounding of single precision.
const SAME: f32 = 1e-7;

/// An animation under construction.
pub(super) struct Animation {
    /// Accessor of the times.
    times: usize,
    channels: Vec<Value>,
    samplers: Vec<Value>,
}

impl Animation {
    /// An animation with frames at these times, which begin at 0, s.
    pub(super) fn new(times: &[f64], file: &mut File) -> Self {
        #[allow(clippy::cast_possible_truncation)]
        let times: Vec<[f32; 1]> = times.iter().map(|time| [*time as f32]).collect();
        Self { times: file.vectors(&times, Use::Other, true), channels: Vec::new(), samplers: Vec::new() }
    }

    fn channel<const N: usize>(&mut self, node: usize, path: &str, values: &[[f32; N]], file: &mut File) {
        let output = file.vectors(values, Use::Other, false);
        let sampler = json!({ "input": self.times, "output": output, "interpolation": "LINEAR" });
        let sampler = add(&mut self.samplers, sampler);
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    /// Adds the animation, if anything moves.
    pub(super) fn finish(self, name: &str, file: &mut File) {
        if !self.channels.is_empty() {
            let animation = json!({ "name": name, "channels": self.channels, "samplers": self.samplers });
            file.animations.push(animation);
        }
    }
}

/// Adds a node for a body and one for each link, below its parent's; returns that of the body.
pub(super) fn add_body(
    body: &ReplayBody,
    frames: &Frames,
    meshes: &[Option<usize>],
    animation: &mut Option<Animation>,
    file: &mut File,
) -> usize {
    let links = body.body.links();
    let first = file.nodes.len() + 1;
    let children_of = |parent: Option<usize>| {
        let children = links.iter().enumerate().filter(|(_, link)| link.parent.map(|parent| parent.0) == parent);
        children.map(|(index, _)| first + index).collect::<Vec<_>>()
    };
    let of_body = add(&mut file.nodes, json!({ "name": body.name, "children": children_of(None) }));
    for (index, link) in links.iter().enumerate() {
        let local: Vec<Isometry3<f64>> = frames
            .iter()
            .filter_map(|poses| {
                let pose = *poses.get(index)?;
                let parent = link.parent.and_then(|parent| poses.get(parent.0));
                Some(parent.map_or(pose, |parent| parent.inv_mul(&pose)))
            })
            .collect();
        let (translations, rotations) = tracks(&local);
        let mut node = json!({ "name": link.name });
        if let Some(mesh) = meshes.get(index).copied().flatten() {
            node["mesh"] = mesh.into();
        }
        let children = children_of(Some(index));
        if !children.is_empty() {
            node["children"] = children.into();
        }
        if let Some(start) = translations.first().filter(|start| **start != [0.0; 3]) {
            node["translation"] = json!(start);
        }
        if let Some(start) = rotations.first().filter(|start| **start != [0.0, 0.0, 0.0, 1.0]) {
            node["rotation"] = json!(start);
        }
        let node = add(&mut file.nodes, node);
        if let Some(animation) = animation.as_mut().filter(|_| local.len() > 1) {
            if moves(&translations) {
                animation.channel(node, "translation", &translations, file);
            }
            if moves(&rotations) {
                animation.channel(node, "rotation", &rotations, file);
            }
        }
    }
    of_body
}

/// Translations, and quaternions x, y, z, w of which each is near the one before, as they are interpolated.
#[allow(clippy::cast_possible_truncation)]
fn tracks(poses: &[Isometry3<f64>]) -> (Vec<[f32; 3]>, Vec<[f32; 4]>) {
    let mut before = nalgebra::Vector4::new(0.0, 0.0, 0.0, 1.0);
    let rotation = |pose: &Isometry3<f64>| {
        let coordinates = pose.rotation.coords;
        before = if coordinates.dot(&before) < 0.0 { -coordinates } else { coordinates };
        before.cast::<f32>().into()
    };
    (
        poses.iter().map(|pose| pose.translation.vector.cast::<f32>().into()).collect(),
        poses.iter().map(rotation).collect(),
    )
}

fn moves<const N: usize>(track: &[[f32; N]]) -> bool {
    let Some(first) = track.first() else { return false };
    track.iter().any(|next| next.iter().zip(first).any(|(next, first)| (next - first).abs() > SAME))
}
