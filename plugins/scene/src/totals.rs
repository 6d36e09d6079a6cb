//! Limits for all bodies of a scene together, because copies multiply the sizes of models.

use bunraku_body::Body;
use bunraku_document::{Reporter, Value};

/// A step needs some kilobytes of memory for each link; a thousand humanoids have 40 000.
const MOST_LINKS: usize = 200_000;
/// Real robots have about ten.
const MOST_DEVICES: usize = 200_000;
/// Collision triangles: each copy has a mesh of its own in the world. A large robot has half a million.
const MOST_TRIANGLES: usize = 20_000_000;

/// The amounts that may still be added to a scene.
pub(super) struct Totals {
    links: usize,
    devices: usize,
    triangles: usize,
}

impl Default for Totals {
    fn default() -> Self {
        Self { links: MOST_LINKS, devices: MOST_DEVICES, triangles: MOST_TRIANGLES }
    }
}

impl Totals {
    /// Subtracts `copies` of a body; false after an error at `place`.
    pub(super) fn take(&mut self, body: &Body, copies: usize, place: Value<'_>, reporter: &Reporter) -> bool {
        let shapes = body.links().iter().flat_map(|link| &link.collision);
        let triangles = shapes.map(|shape| shape.geometry.num_mesh_triangles()).sum();
        let wanted = [
            (&mut self.links, body.links().len(), MOST_LINKS, "links"),
            (&mut self.devices, body.devices.len(), MOST_DEVICES, "devices"),
            (&mut self.triangles, triangles, MOST_TRIANGLES, "triangles to collide with"),
        ];
        for (left, one, most, what) in wanted {
            let Some(rest) = left.checked_sub(one.saturating_mul(copies)) else {
                let all = if copies == 1 { String::new() } else { format!(", {copies} times {one} in these copies") };
                let message = format!("the bodies of the scene have more than {most} {what} together{all}");
                let help = "use fewer copies, or a simpler model";
                reporter.report(place.error("limit-scene", message).help(help));
                return false;
            };
            *left = rest;
        }
        true
    }
}
