//! Visual and collision shapes.

use std::sync::Arc;

use bunraku_mesh::{DEFAULT_DIVISIONS, Normals, Primitive, ShapeOrigin};

use super::Writer;
use super::yaml::{Map, Node, text};
use crate::{Geometry, Link, Shape};

/// Maximum number of pairs that are compared to find equal shapes in the two lists: about two thousand shapes in each.
const MOST_PAIRS: usize = 4_000_000;

/// Shapes that are written as one element: those of one file reference, or a single shape.
type Unit<'s> = &'s [Shape];

/// Purpose of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Both,
    Visual,
    Collision,
}

impl Writer<'_> {
    pub(super) fn shapes(&self, link: &Link) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut group: (Purpose, Vec<Node>) = (Purpose::Both, Vec::new());
        for (purpose, unit) in merged(&units(&link.visual), &units(&link.collision)) {
            if purpose != group.0 {
                close(&mut group, &mut nodes);
                group.0 = purpose;
            }
            let other = match purpose {
                Purpose::Both => &[][..],
                Purpose::Visual => &link.collision,
                Purpose::Collision => &link.visual,
            };
            group.1.extend(self.unit(unit, other, link));
        }
        close(&mut group, &mut nodes);
        nodes
    }

    /// Writes a unit. `other` is the list for the other purpose, if the unit is not in both.
    fn unit(&self, unit: Unit<'_>, other: &[Shape], link: &Link) -> Vec<Node> {
        let Some(origin) = unit.first().and_then(|shape| shape.origin.as_ref()).filter(|origin| !origin.as_geometry)
        else {
            return unit.iter().filter_map(|shape| self.shape(shape, link)).collect();
        };
        let of_other = other.iter().filter(|shape| is_of(shape, origin)).count();
        if of_other > unit.len() {
            // Only a part of the referenced file is present.
            return unit.iter().filter_map(|shape| self.shape(shape, link)).collect();
        }
        vec![self.placed("Resource", "", &origin.transform, |map| self.resource(map, origin))]
    }

    /// Writes the keys that refer to a file.
    fn resource(&self, map: &mut Map, origin: &ShapeOrigin) {
        map.scalar("uri", text(&self.uri(&origin.file)));
        if let Some(part) = &origin.part {
            map.scalar("node", text(part));
        }
        let mut metadata = Map::default();
        if origin.unit == 0.001 {
            metadata.scalar("length_unit", "millimeter");
        } else if origin.unit == 0.0254 {
            metadata.scalar("length_unit", "inch");
        }
        if origin.y_up {
            // Some YAML readers interpret `Y` as a boolean.
            metadata.scalar("upper_axis", text("Y"));
        }
        if !metadata.is_empty() {
            map.set("metadata", metadata.into());
        }
    }

    fn shape(&self, shape: &Shape, link: &Link) -> Option<Node> {
        let geometry = self.geometry(shape, link)?;
        Some(self.placed("Shape", "", &shape.transform, |map| {
            map.set("geometry", geometry);
            if let Some(appearance) = self.appearance(&shape.appearance) {
                map.set("appearance", appearance);
            }
        }))
    }

    fn geometry(&self, shape: &Shape, link: &Link) -> Option<Node> {
        match (&shape.geometry, shape.origin.as_deref().filter(|origin| origin.as_geometry)) {
            (Geometry::Primitive { primitive, divisions }, _) => Some(self.primitive(*primitive, *divisions).into()),
            (Geometry::Mesh(mesh), Some(origin)) => {
                let mut map = Map::of_type("Resource");
                self.resource(&mut map, origin);
                if let Normals::Crease(angle) = mesh.normals {
                    map.scalar("crease_angle", self.angle(angle));
                }
                Some(map.into())
            }
            (Geometry::Mesh(mesh), None) => self.mesh(mesh, link),
        }
    }

    fn primitive(&self, primitive: Primitive, divisions: u32) -> Map {
        let length = |map: &mut Map, key: &str, value: f64| self.set_number(map, key, value);
        let lid = |map: &mut Map, key: &str, closed: bool| {
            if !closed {
                map.flag(key, false);
            }
        };
        let mut map;
        match primitive {
            Primitive::Box { size } => {
                map = Map::of_type("Box");
                self.set_vector(&mut map, "size", size.as_slice());
            }
            Primitive::Sphere { radius } => {
                map = Map::of_type("Sphere");
                length(&mut map, "radius", radius);
            }
            Primitive::Cylinder { radius, height, top, bottom } => {
                map = Map::of_type("Cylinder");
                length(&mut map, "radius", radius);
                length(&mut map, "height", height);
                lid(&mut map, "top", top);
                lid(&mut map, "bottom", bottom);
            }
            Primitive::Cone { radius, height, bottom } => {
                map = Map::of_type("Cone");
                length(&mut map, "radius", radius);
                length(&mut map, "height", height);
                lid(&mut map, "bottom", bottom);
            }
            Primitive::Capsule { radius, height } => {
                map = Map::of_type("Capsule");
                length(&mut map, "radius", radius);
                length(&mut map, "height", height);
            }
        }
        if divisions != DEFAULT_DIVISIONS {
            map.scalar("division_number", divisions.to_string());
        }
        map
    }
}

/// Moves the elements of one purpose into a separate node.
fn close(group: &mut (Purpose, Vec<Node>), nodes: &mut Vec<Node>) {
    let elements = std::mem::take(&mut group.1);
    let kind = match group.0 {
        Purpose::Both => return nodes.extend(elements),
        Purpose::Visual => "Visual",
        Purpose::Collision => "Collision",
    };
    if !elements.is_empty() {
        let mut map = Map::of_type(kind);
        map.set("elements", Node::Sequence(elements));
        nodes.push(map.into());
    }
}

fn is_of(shape: &Shape, origin: &Arc<ShapeOrigin>) -> bool {
    shape.origin.as_ref().is_some_and(|other| Arc::ptr_eq(other, origin))
}

fn units(shapes: &[Shape]) -> Vec<Unit<'_>> {
    let together = |first: &Shape, second: &Shape| {
        first.origin.as_ref().is_some_and(|origin| !origin.as_geometry && is_of(second, origin))
    };
    shapes.chunk_by(together).collect()
}

fn same_unit(first: Unit<'_>, second: Unit<'_>) -> bool {
    let same = |(first, second): (&Shape, &Shape)| {
        let same_origin = match (&first.origin, &second.origin) {
            (Some(first), Some(second)) => Arc::ptr_eq(first, second) || first == second,
            (first, second) => first.is_none() && second.is_none(),
        };
        let same_geometry = || match (&first.geometry, &second.geometry) {
            (Geometry::Mesh(first), Geometry::Mesh(second)) if Arc::ptr_eq(first, second) => true,
            (first, second) => first == second,
        };
        same_origin && first.transform == second.transform && first.appearance == second.appearance && same_geometry()
    };
    first.len() == second.len() && first.iter().zip(second).all(same)
}

/// Merges both lists, keeping their orders: a longest common subsequence is included once.
#[expect(clippy::indexing_slicing, reason = "rows and columns are those of the table, which has one more of each")]
fn merged<'s>(visual: &[Unit<'s>], collision: &[Unit<'s>]) -> Vec<(Purpose, Unit<'s>)> {
    let shared = |(first, second): (&Unit<'s>, &Unit<'s>)| same_unit(first, second);
    let begin = visual.iter().zip(collision).take_while(|&pair| shared(pair)).count();
    let mut merged: Vec<_> = visual[..begin].iter().map(|&unit| (Purpose::Both, unit)).collect();
    let (visual, collision) = (&visual[begin..], &collision[begin..]);
    let end = visual.iter().rev().zip(collision.iter().rev()).take_while(|&pair| shared(pair)).count();
    let (visual, last) = visual.split_at(visual.len() - end);
    let collision = &collision[..collision.len() - end];

    let (rows, columns) = (visual.len(), collision.len());
    let is_small = rows.saturating_mul(columns) <= MOST_PAIRS;
    // `longest[row][column]` is the length of the longest common subsequence of the remainders from these indices on.
    let mut longest = vec![vec![0_u32; columns + 1]; if is_small { rows + 1 } else { 0 }];
    if is_small {
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                longest[row][column] = if same_unit(visual[row], collision[column]) {
                    longest[row + 1][column + 1] + 1
                } else {
                    longest[row + 1][column].max(longest[row][column + 1])
                };
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    while row < rows || column < columns {
        let both = is_small && row < rows && column < columns;
        if both && same_unit(visual[row], collision[column]) {
            merged.push((Purpose::Both, visual[row]));
            (row, column) = (row + 1, column + 1);
        } else if row < rows && !(both && longest[row + 1][column] < longest[row][column + 1]) {
            merged.push((Purpose::Visual, visual[row]));
            row += 1;
        } else {
            merged.push((Purpose::Collision, collision[column]));
            column += 1;
        }
    }
    merged.extend(last.iter().map(|&unit| (Purpose::Both, unit)));
    merged
}
