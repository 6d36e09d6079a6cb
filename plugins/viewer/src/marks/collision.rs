//! Collision shapes displayed as lines.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::prelude::{Entity, Resource, Vec3};
use bunraku_body::{Body, LinkIndex, Shape};
use nalgebra::Point3;

/// Maximum number of lines of a link; more would be illegible.
const MOST_LINES: usize = 30_000;
/// Triangles that meet at a smaller angle, rad, belong to one face: the line between them is left out.
const FLAT: f32 = 0.05;

/// Cached lines of the collision shapes of links, in the link frame.
#[derive(Resource, Default)]
pub struct CollisionLines(BTreeMap<(Entity, usize), Arc<Vec<[Vec3; 2]>>>);

impl CollisionLines {
    /// Lines of a link.
    pub fn of(&mut self, entity: Entity, body: &Body, link: LinkIndex) -> Arc<Vec<[Vec3; 2]>> {
        let lines = self.0.entry((entity, link.0)).or_insert_with(|| {
            let shapes = body.links().get(link.0).map_or(&[][..], |link| &link.collision);
            Arc::new(shapes.iter().flat_map(outline).take(MOST_LINES).collect())
        });
        Arc::clone(lines)
    }

    /// Removes the lines of despawned bodies.
    pub fn forget(&mut self, is_there: impl Fn(Entity) -> bool) {
        self.0.retain(|(entity, _), _| is_there(*entity));
    }
}

/// Edges of a shape where faces meet at an angle, and boundary edges.
pub fn outline(shape: &Shape) -> Vec<[Vec3; 2]> {
    let mesh = shape.geometry.triangles();
    let point = |index: u32| -> Option<Vec3> {
        let vertex = mesh.vertices.get(index as usize)?;
        let point = shape.transform * Point3::new(vertex.x, vertex.y, vertex.z).cast::<f64>();
        let point = point.cast::<f32>();
        Some(Vec3::new(point.x, point.y, point.z)).filter(|point| point.is_finite())
    };
    // Vertices at the same position are merged.
    let key = |point: Vec3| point.to_array().map(|value| (value + 0.0).to_bits());
    let mut normals: BTreeMap<[[u32; 3]; 2], (Vec3, [Vec3; 2], bool)> = BTreeMap::new();
    for triangle in &mesh.triangles {
        let Some(corners) = triangle.iter().map(|index| point(*index)).collect::<Option<Vec<_>>>() else { continue };
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        for side in 0..3 {
            let (from, to) = (corners[side], corners[(side + 1) % 3]);
            let mut ends = [key(from), key(to)];
            ends.sort_unstable();
            normals
                .entry(ends)
                .and_modify(|(other, _, is_edge)| {
                    *is_edge = other.angle_between(normal) > FLAT;
                })
                .or_insert((normal, [from, to], true));
        }
    }
    normals.into_values().filter(|(.., is_edge)| *is_edge).map(|(_, line, _)| line).collect()
}

#[cfg(test)]
mod tests {
    use bunraku_body::{Appearance, Geometry};
    use bunraku_mesh::Primitive;
    use nalgebra::{Affine3, Vector3};

    use super::*;

    #[test]
    fn a_box_has_twelve_edges() {
        let geometry = Geometry::primitive(Primitive::Box { size: Vector3::new(1.0, 2.0, 3.0) });
        let shape = Shape::new(geometry, Affine3::identity(), Appearance::default());
        let lines = outline(&shape);
        assert_eq!(lines.len(), 12);
        let length: f32 = lines.iter().map(|[from, to]| from.distance(*to)).sum();
        assert!((length - 4.0 * 6.0).abs() < 1e-4, "{length}");
    }
}
