//! Contact normals that the triangles of a mesh may have, by what their neighbours are.
//!
//! Collision detection sees each triangle alone. What slides on flat ground made of triangles then meets the side of the next triangle, which
//! the whole surface does not have ("internal" or "ghost" edges). The normal at an edge must lie between the normals of the two triangles that
//! share it: on a flat or concave edge only the normals of the faces are left.

use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, PI};

use parry3d_f64::math::Vector;
use parry3d_f64::query::details::NormalConstraints;

/// Sine of an angle that vertices in single precision cannot tell from zero.
const ROUNDING: f64 = 1e-4;
/// A normal that points into the surface by more than this, as a sine, belongs to its other side.
const INWARD: f64 = 0.1;
/// Two triangles folded back onto each other by nearly half a turn, rad, are one triangle that the file has twice.
const FOLDED: f64 = PI - 1e-3;

/// Of a mesh: which normals each triangle may have.
#[derive(Clone, Debug)]
pub(crate) struct MeshEdges {
    triangles: Vec<TriangleEdges>,
    /// Of the closed pieces, m³; `None` if there are others.
    volume: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct TriangleEdges {
    /// A corner, m, in the frame of the mesh.
    corner: Vector,
    /// By the order of the corners; zero for a triangle without area.
    normal: Vector,
    edges: [Edge; 3],
    /// Whether the triangle belongs to a closed surface, the normals of which point out of a volume.
    is_closed: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    /// Unit vector in the plane of the triangle, across the edge, away from the triangle.
    outward: Vector,
    /// The largest angles, rad, by which a normal may lean across the edge: on the side of the normal, and on the other.
    front: f64,
    back: f64,
}

impl MeshEdges {
    /// Of the vertices, m, and triangles of a mesh. Vertices in the same place are one.
    pub fn of(vertices: &[Vector], triangles: &[[u32; 3]]) -> Self {
        let corners: Vec<[Vector; 3]> = triangles
            .iter()
            .map(|triangle| triangle.map(|index| vertices.get(index as usize).copied().unwrap_or(Vector::ZERO)))
            .collect();
        let mut made: Vec<TriangleEdges> = corners.iter().map(alone).collect();
        let uses = uses_of_edges(&corners);
        for (triangle, edges) in uses.of_triangles.iter().enumerate() {
            for (side, &edge) in edges.iter().enumerate() {
                let others = uses.of_edges[edge].iter().filter(|&&(other, _)| other != triangle);
                let own = &made[triangle];
                let leans: Vec<f64> = others
                    .filter(|&&(other, _)| made[other].normal != Vector::ZERO)
                    .map(|&(other, other_side)| {
                        let away = corners[other][(other_side + 2) % 3] - corners[triangle][side];
                        lean(own, side, away)
                    })
                    .filter(|lean| lean.abs() < FOLDED)
                    .collect();
                let has_flat_neighbour = leans.is_empty() && uses.of_edges[edge].len() > 1;
                let bound = |lean: &dyn Fn(f64) -> f64| {
                    if has_flat_neighbour {
                        // A sliver without area, between triangles that go on.
                        return 0.0;
                    }
                    leans.iter().map(|&angle| lean(angle)).fold(PI, f64::min).max(0.0)
                };
                let (front, back) = (bound(&|angle| angle), bound(&|angle| -angle));
                (made[triangle].edges[side].front, made[triangle].edges[side].back) = (front, back);
            }
        }
        let mut all = Some(0.0);
        for piece in pieces(&uses) {
            let volume = piece.iter().map(|&triangle| six_volumes(&corners[triangle])).sum::<f64>() / 6.0;
            let is_closed = piece.iter().all(|&triangle| uses.is_closed_at(triangle));
            all = all.filter(|_| is_closed).map(|all| all + volume);
            if volume > 0.0 && is_closed {
                piece.iter().for_each(|&triangle| made[triangle].is_closed = true);
            }
        }
        Self { triangles: made, volume: all.map(f64::abs) }
    }

    /// Volume of a closed surface, m³; `None` for an open one.
    pub fn volume(&self) -> Option<f64> {
        self.volume
    }

    /// The normals that a triangle may have where a shape touches it whose middle is at `center`, m, in the frame of the mesh: out of a closed
    /// surface, else on the side of the middle. `None` for a triangle without area, or one that is not there.
    pub fn normals(&self, triangle: u32, center: Vector) -> Option<TriangleNormals> {
        let TriangleEdges { corner, normal, edges, is_closed } = *self.triangles.get(triangle as usize)?;
        if normal == Vector::ZERO {
            return None;
        }
        let is_front = is_closed || (center - corner).dot(normal) >= 0.0;
        let edges = edges.map(|edge| (edge.outward, if is_front { edge.front } else { edge.back }));
        Some(TriangleNormals { face: if is_front { normal } else { -normal }, edges })
    }
}

/// Without neighbours.
fn alone(&[a, b, c]: &[Vector; 3]) -> TriangleEdges {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let edge =
        |from: Vector, to: Vector| Edge { outward: (to - from).cross(normal).normalize_or_zero(), ..Edge::default() };
    TriangleEdges { corner: a, normal, edges: [edge(a, b), edge(b, c), edge(c, a)], is_closed: false }
}

/// By how much a neighbour leans away from the normal of a triangle, rad: zero if both are flat, positive over a convex edge. `away` is a vector
/// from the edge to the far corner of the neighbour.
fn lean(own: &TriangleEdges, side: usize, away: Vector) -> f64 {
    libm::atan2(-away.dot(own.normal), away.dot(own.edges[side].outward))
}

fn six_volumes(corners: &[Vector; 3]) -> f64 {
    let [a, b, c] = *corners;
    a.dot(b.cross(c))
}

/// The triangles at each edge.
struct Uses {
    /// By edge: triangles, and which of its edges it is.
    of_edges: Vec<Vec<(usize, usize)>>,
    /// By triangle, in the order of its corners.
    of_triangles: Vec<[usize; 3]>,
    /// Whether an edge has two triangles that go along it in opposite directions.
    is_shared_by_two: Vec<bool>,
}

impl Uses {
    fn is_closed_at(&self, triangle: usize) -> bool {
        self.of_triangles[triangle].iter().all(|&edge| self.is_shared_by_two[edge])
    }
}

fn uses_of_edges(corners: &[[Vector; 3]]) -> Uses {
    let mut places: HashMap<[u64; 3], usize> = HashMap::new();
    // Adding zero makes one of both zeros.
    let mut place_of = |corner: Vector| {
        let bits = (corner + Vector::ZERO).to_array().map(f64::to_bits);
        let next = places.len();
        *places.entry(bits).or_insert(next)
    };
    let places: Vec<[usize; 3]> = corners.iter().map(|corners| corners.map(&mut place_of)).collect();
    let mut edges: HashMap<[usize; 2], usize> = HashMap::new();
    let mut uses = Uses { of_edges: Vec::new(), of_triangles: Vec::new(), is_shared_by_two: Vec::new() };
    let mut forward = Vec::new();
    for (triangle, places) in places.iter().enumerate() {
        uses.of_triangles.push([0, 1, 2].map(|side| {
            let (from, to) = (places[side], places[(side + 1) % 3]);
            let edge = *edges.entry([from.min(to), from.max(to)]).or_insert_with(|| {
                uses.of_edges.push(Vec::new());
                forward.push(0);
                uses.of_edges.len() - 1
            });
            uses.of_edges[edge].push((triangle, side));
            forward[edge] += usize::from(from < to);
            edge
        }));
    }
    let counts = uses.of_edges.iter().zip(&forward);
    uses.is_shared_by_two = counts.map(|(users, &forward)| users.len() == 2 && forward == 1).collect();
    uses
}

/// Triangles that are connected by edges, as lists.
fn pieces(uses: &Uses) -> Vec<Vec<usize>> {
    let mut is_taken = vec![false; uses.of_triangles.len()];
    let mut pieces = Vec::new();
    for first in 0..is_taken.len() {
        if std::mem::replace(&mut is_taken[first], true) {
            continue;
        }
        let mut piece = vec![first];
        let mut next = 0;
        while let Some(&triangle) = piece.get(next) {
            next += 1;
            for &(other, _) in uses.of_triangles[triangle].iter().flat_map(|&edge| &uses.of_edges[edge]) {
                if !std::mem::replace(&mut is_taken[other], true) {
                    piece.push(other);
                }
            }
        }
        pieces.push(piece);
    }
    pieces
}

/// The normals that one side of a triangle may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriangleNormals {
    /// Unit vector.
    face: Vector,
    /// By edge: the unit vector across it, and by how much a normal may lean that way, rad.
    edges: [(Vector, f64); 3],
}

impl TriangleNormals {
    /// The nearest normal that the triangle may have; `None` for one that points into the surface.
    pub fn nearest(&self, normal: Vector) -> Option<Vector> {
        let height = normal.dot(self.face);
        let leans = self.across_edges(normal - self.face * height);
        // A normal that leans over an edge that allows nothing is noise, or the edge is internal.
        let is_within = |(lean, (_, most)): (&f64, &(Vector, f64))| {
            *lean == 0.0 || *most > 0.0 && libm::atan2(*lean, height) <= most + ROUNDING
        };
        let is_outward = height > 0.0 || leans.iter().any(|lean| *lean > 0.0);
        if is_outward && leans.iter().zip(&self.edges).all(is_within) {
            return Some(normal);
        }
        if height < -INWARD {
            return None;
        }
        let height = height.max(0.0);
        let mut nearest = self.face * height;
        for (lean, (outward, most)) in leans.iter().zip(&self.edges) {
            let most = if *most < FRAC_PI_2 { height * libm::tan(*most) } else { *lean };
            nearest += *outward * lean.min(most);
        }
        Some(nearest.try_normalize().unwrap_or(self.face))
    }

    /// A vector in the plane of the triangle as a sum of those across the edges, none of them negative and two at most.
    fn across_edges(&self, flat: Vector) -> [f64; 3] {
        let mut leans = [0.0; 3];
        for (one, other) in [(0, 1), (1, 2), (2, 0)] {
            let [(first, _), (second, _)] = [self.edges[one], self.edges[other]];
            let (along_first, along_second) = (self.face.cross(first), self.face.cross(second));
            let shares =
                [flat.dot(along_second) / first.dot(along_second), flat.dot(along_first) / second.dot(along_first)];
            if shares[0] >= -ROUNDING && shares[1] >= -ROUNDING {
                (leans[one], leans[other]) = (shares[0].max(0.0), shares[1].max(0.0));
                break;
            }
        }
        leans
    }
}

impl NormalConstraints for TriangleNormals {
    fn project_local_normal_mut(&self, normal: &mut Vector) -> bool {
        let nearest = self.nearest(*normal);
        *normal = nearest.unwrap_or(*normal);
        nearest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles with a common edge along Y through the origin: one in the plane z = 0 at −X, the other at +X, falling by an angle, rad.
    fn fold(angle: f64) -> MeshEdges {
        let far = Vector::new(angle.cos(), 0.0, -angle.sin());
        let vertices = [Vector::new(0.0, -1.0, 0.0), Vector::new(0.0, 1.0, 0.0), Vector::new(-1.0, 0.0, 0.0), far];
        MeshEdges::of(&vertices, &[[0, 1, 2], [1, 0, 3]])
    }

    fn normals(edges: &MeshEdges, triangle: u32, height: f64) -> TriangleNormals {
        edges.normals(triangle, Vector::new(-0.1, 0.0, height)).unwrap()
    }

    fn leaning(angle: f64) -> Vector {
        Vector::new(angle.sin(), 0.0, angle.cos())
    }

    fn near(one: Option<Vector>, other: Vector) -> bool {
        one.is_some_and(|one| (one - other).length() < 1e-4)
    }

    #[test]
    fn at_a_flat_or_concave_edge_only_the_normal_of_the_face_is_left() {
        for angle in [0.0, -0.5, -1.5] {
            let above = normals(&fold(angle), 0, 0.1);
            for lean in [0.0, 0.3, 1.0, 1.57] {
                assert!(near(above.nearest(leaning(lean)), Vector::Z), "{angle} {lean}");
            }
            assert!(above.nearest(-Vector::Z).is_none());
        }
    }

    #[test]
    fn at_a_convex_edge_the_normal_is_between_those_of_the_faces() {
        for angle in [0.2, 1.0, FRAC_PI_2, 2.5] {
            let (edges, above) = (fold(angle), normals(&fold(angle), 0, 0.1));
            for share in [0.1, 0.5, 0.99] {
                assert!(near(above.nearest(leaning(share * angle)), leaning(share * angle)), "{angle} {share}");
            }
            if angle < 1.3 {
                assert!(near(above.nearest(leaning(angle + 0.2)), leaning(angle)), "{angle}");
            }
            // From below it is concave.
            let below = normals(&edges, 0, -0.1);
            assert!(near(below.nearest(Vector::new(0.7, 0.0, -0.7)), -Vector::Z), "{angle}");
        }
    }

    #[test]
    fn across_an_edge_without_a_neighbour_any_normal_is_right() {
        let above = normals(&fold(0.0), 0, 0.1);
        let out = Vector::new(-0.6, -0.6, 0.2).normalize();
        assert!(near(above.nearest(out), out));
    }

    #[test]
    fn a_triangle_that_a_file_has_twice_has_the_neighbours_of_one() {
        let vertices = [[0.0, -1.0], [0.0, 1.0], [-1.0, 0.0], [1.0, 0.0]].map(|[x, y]| Vector::new(x, y, 0.0));
        let edges = MeshEdges::of(&vertices, &[[0, 1, 2], [1, 0, 3], [1, 0, 2], [0, 1, 3]]);
        assert!(near(normals(&edges, 0, 0.1).nearest(leaning(1.2)), Vector::Z));
    }

    #[test]
    fn a_closed_surface_has_normals_to_its_outside_alone() {
        let corner = |x: f64, y: f64, z: f64| Vector::new(x, y, z);
        let vertices = [corner(0.0, 0.0, 0.0), corner(1.0, 0.0, 0.0), corner(0.0, 1.0, 0.0), corner(0.0, 0.0, 1.0)];
        let outwards = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let inside = Vector::new(0.1, 0.1, 0.1);
        let face = |edges: &MeshEdges| edges.normals(0, inside).unwrap().face;
        assert_eq!(face(&MeshEdges::of(&vertices, &outwards)), -Vector::Z);
        // Turned inside out, or open: on the side of what touches it.
        let inwards = outwards.map(|[a, b, c]| [c, b, a]);
        assert_eq!(face(&MeshEdges::of(&vertices, &inwards)), Vector::Z);
        assert_eq!(face(&MeshEdges::of(&vertices, &outwards[..3])), Vector::Z);
    }
}
