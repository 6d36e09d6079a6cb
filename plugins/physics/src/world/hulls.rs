//! Moving meshes that collide as convex hulls much larger than themselves.

use bevy_rapier3d::parry::mass_properties::MassProperties;
use bevy_rapier3d::parry::transformation::try_convex_hull;
use bevy_rapier3d::rapier::math::Vector;
use bunraku_body::{Body, Geometry, LinkIndex, RigidParts, Shape};

use super::convert::to_vec3;
use crate::world::mesh_edges::MeshEdges;

/// Excess of a hull's volume over its mesh, relative to the mesh, from which the hull fills a hole or a hook.
pub const LARGER_HULL: f64 = 0.25;

/// A moving link whose meshes collide as convex hulls by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullFinding {
    /// The link.
    pub link: LinkIndex,
    /// Volume of the hulls over that of the meshes.
    pub ratio: f64,
}

/// The links of a body that forces or a motion move, with hulls larger than their meshes by more than [`LARGER_HULL`]. Only closed meshes
/// have a volume; others are left out.
pub fn hull_findings(body: &Body) -> Vec<HullFinding> {
    let parts = RigidParts::of(body);
    let disabled = body.collision_filter().disabled_links;
    let links = body.indexed_links().filter(|(index, link)| {
        let moves = !body.is_fixed() || parts.links[*index].part != parts.links[LinkIndex::ROOT].part;
        moves && link.collision_shape.is_none() && !disabled.contains(index)
    });
    let findings = links.filter_map(|(link, data)| {
        let volumes = data.collision.iter().filter_map(volumes);
        let [mesh, hull] = volumes.fold([0.0; 2], |[mesh, hull], [one, other]| [mesh + one, hull + other]);
        let ratio = hull / mesh;
        (ratio > 1.0 + LARGER_HULL).then_some(HullFinding { link, ratio })
    });
    findings.collect()
}

/// Of a closed mesh and its hull, m³.
fn volumes(shape: &Shape) -> Option<[f64; 2]> {
    if !matches!(shape.geometry, Geometry::Mesh(_)) {
        return None;
    }
    let mesh = shape.geometry.triangles();
    let points: Vec<Vector> =
        mesh.vertices.iter().map(|vertex| to_vec3(&(shape.transform * vertex.cast::<f64>()).coords)).collect();
    let own =
        MeshEdges::of(&points.iter().map(|point| point.as_dvec3()).collect::<Vec<_>>(), &mesh.triangles).volume()?;
    let (corners, faces) = try_convex_hull(&points).ok()?;
    let hull = MassProperties::from_convex_polyhedron(1.0, &corners, &faces).mass();
    Some([own, f64::from(hull)])
}

#[cfg(test)]
mod tests {
    use bunraku_test_support::{model_text, read_model};

    use super::*;

    /// Tetrahedra of 1/6 m³: one, and two that are 3 m apart.
    const ONE: &str =
        "{ type: TriangleMesh, vertices: [ 0,0,0, 1,0,0, 0,1,0, 0,0,1 ], faces: [ 0,2,1, 0,1,3, 0,3,2, 1,2,3 ] }";
    const TWO: &str = "{ type: TriangleMesh, vertices: [ 0,0,0, 1,0,0, 0,1,0, 0,0,1, 3,0,0, 4,0,0, 3,1,0, 3,0,1 ], \
        faces: [ 0,2,1, 0,1,3, 0,3,2, 1,2,3, 4,6,5, 4,5,7, 4,7,6, 5,6,7 ] }";

    #[test]
    fn a_hull_that_fills_in_what_the_mesh_leaves_open_is_found_on_links_that_move() {
        let link = |geometry: &str, joint: &str, more: &str| {
            let text = format!(
                "  - {{ name: A, joint_type: {joint}, mass: 1, inertia: [ 1, 0, 0, 1, 0, 1 ]{more}, elements: [ {{ type: Shape, geometry: \
                 {geometry} }} ] }}"
            );
            hull_findings(&read_model(&model_text(&text)).0.unwrap())
        };
        let [finding] = link(TWO, "free", "")[..] else { panic!("none found") };
        // The hull is one of them and a prism 3 m long over a triangle of 1/2 m².
        assert_eq!(finding.link, LinkIndex::ROOT);
        assert!((finding.ratio - (1.5 + 1.0 / 6.0) * 3.0).abs() < 1e-5, "{}", finding.ratio);
        assert!(link(ONE, "free", "").is_empty());
        assert!(link(TWO, "fixed", "").is_empty());
        assert!(link(TWO, "free", ", collision_shape: parts").is_empty());
    }
}
