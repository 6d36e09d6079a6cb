//! Meshes, written as lists of numbers.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use bunraku_mesh::{Normals, TriangleMesh};

use super::Writer;
use super::numbers::shortest_single;
use super::yaml::{Map, Node};
use crate::Link;

impl Writer<'_> {
    /// A `TriangleMesh` geometry; `None` for a mesh without triangles, which a file cannot express.
    pub(super) fn mesh(&self, mesh: &Arc<TriangleMesh>, link: &Link) -> Option<Node> {
        const WORD: &str = "mesh";
        if mesh.triangles.is_empty() || mesh.vertices.is_empty() {
            let message = format!("a shape of link `{}` has no triangles and is left out", link.name);
            self.warn("empty-mesh", message);
            return None;
        }
        let known =
            self.meshes.borrow().iter().find(|(known, _)| Arc::ptr_eq(known, mesh)).map(|(_, node)| Rc::clone(node));
        let node = known.unwrap_or_else(|| {
            if !mesh.colors.is_empty() {
                let message = format!("a mesh of link `{}` has colours at its corners, which are lost", link.name);
                self.warn("lost-colors", message);
            }
            let node = Rc::new(self.triangle_mesh(mesh).into());
            self.meshes.borrow_mut().push((Arc::clone(mesh), Rc::clone(&node)));
            node
        });
        Some(Node::Shared(WORD, node))
    }

    fn triangle_mesh(&self, mesh: &TriangleMesh) -> Map {
        let mut map = Map::of_type("TriangleMesh");
        let vertices = mesh.vertices.iter().flat_map(|vertex| vertex.coords.iter());
        map.set("vertices", Node::Flow(vertices.map(|&number| self.single(number)).collect(), 3));
        let faces = mesh.triangles.iter().flatten().map(u32::to_string);
        map.set("faces", Node::Flow(faces.collect(), 3));
        match &mesh.normals {
            Normals::Crease(angle) => self.angle_unless(&mut map, "crease_angle", *angle, 0.0),
            Normals::Given(normals) => {
                let corners = normals.iter().flatten().map(|normal| [normal.x, normal.y, normal.z]);
                self.attribute(&mut map, ["normals", "normal_indices"], corners);
            }
        }
        if !mesh.texture_coordinates.is_empty() {
            let corners = mesh.texture_coordinates.iter().flatten().map(|place| [place.x, place.y]);
            self.attribute(&mut map, ["tex_coords", "tex_coord_indices"], corners);
        }
        if mesh.solid {
            map.flag("solid", true);
        }
        map
    }

    /// Attribute of corners: distinct values, and the index for each corner.
    fn attribute<const N: usize>(&self, map: &mut Map, keys: [&str; 2], corners: impl Iterator<Item = [f32; N]>) {
        let mut numbers: HashMap<[u32; N], usize> = HashMap::new();
        let mut values = Vec::new();
        let mut indices = Vec::new();
        for corner in corners {
            // Adding zero turns −0 into +0.
            let next = numbers.len();
            let number = *numbers.entry(corner.map(|part| (part + 0.0).to_bits())).or_insert(next);
            if number == next {
                values.extend(corner.map(|part| self.single(part)));
            }
            indices.push(number.to_string());
        }
        map.set(keys[0], Node::Flow(values, N));
        map.set(keys[1], Node::Flow(indices, 3));
    }

    fn single(&self, number: f32) -> String {
        if number.is_finite() { shortest_single(number) } else { self.number(f64::from(number)) }
    }
}
