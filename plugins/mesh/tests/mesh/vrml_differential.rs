//! Two independent VRML97 readers agree on every `.wrl` file of the corpus. The other reader is the crate `vrml97`,
//! which follows the X3D browser X_ITE.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Limits, Reporter, read_bytes};
use bunraku_mesh::vrml::{Document, Node, NodeType, Value};
use vrml97::fields::{FieldValue, NodeId};

use crate::common::wrl_files;

/// Files of the corpus on which the readers differ, with the reason. All of them are refused by the other reader only.
const DIFFERENT: &[(&str, &str)] = &[
    ("share/model/Tank/resource/tank.wrl", "`DEF Transform {` leaves out the type of the node"),
    ("share/model/misc/4wheelsVehicle.wrl", "`DEF 4wheelsVehicle`: VRML97 forbids names that begin with a digit"),
    ("share/model/misc/plane.wrl", "the `size` of `Box` is a `field`, and `IS` makes it an `exposedField`"),
];

/// Statistics of a file's content.
#[derive(Debug, Default, PartialEq)]
struct Content {
    /// Number of nodes by type; shared nodes count once. Not counted are nodes inside nodes that Bunraku skips, and the
    /// bodies of prototypes, which the other reader does not instantiate.
    nodes: BTreeMap<String, usize>,
    /// Number of point coordinates, and their sum.
    coordinates: usize,
    sum: f64,
    /// Number of faces in `coordIndex` fields, of their corners, and the sum of the indices. The other reader adds a -1
    /// after the last face of each list if it is missing.
    faces: usize,
    corners: usize,
    index_sum: i64,
}

impl Content {
    fn node(&mut self, type_name: &str) {
        *self.nodes.entry(type_name.to_owned()).or_default() += 1;
    }

    fn points(&mut self, coordinates: impl Iterator<Item = f64>) {
        for coordinate in coordinates {
            self.coordinates += 1;
            self.sum += coordinate;
        }
    }

    fn faces(&mut self, indices: &[i32]) {
        for face in indices.split(|&index| index < 0).filter(|face| !face.is_empty()) {
            self.faces += 1;
            self.corners += face.len();
            self.index_sum += face.iter().map(|&index| i64::from(index)).sum::<i64>();
        }
    }
}

/// The other reader stores points in single precision, so both sums use such numbers.
fn ours(document: &Document) -> Content {
    let mut content = Content::default();
    let mut seen = HashSet::new();
    let mut left: Vec<&Arc<Node>> = document.nodes().iter().rev().collect();
    while let Some(node) = left.pop() {
        if !seen.insert(Arc::as_ptr(node)) {
            continue;
        }
        content.node(node.type_name());
        let mut below = Vec::new();
        for field in node.fields() {
            match (field.name, field.value) {
                ("point", Value::MFVec3f(points)) => {
                    content.points(points.as_flattened().iter().map(|&coordinate| f64::from(coordinate as f32)));
                }
                ("coordIndex", Value::MFInt32(indices)) => content.faces(indices),
                (_, value) => below.extend(value.nodes()),
            }
        }
        left.extend(below.into_iter().rev());
    }
    content
}

fn theirs(scene: &vrml97::Scene) -> Content {
    let mut content = Content::default();
    let mut seen = HashSet::new();
    let mut left: Vec<NodeId> = scene.ctx(vrml97::scene::ROOT).root_nodes.iter().rev().flatten().copied().collect();
    while let Some(id) = left.pop() {
        if !seen.insert(id) {
            continue;
        }
        let name = scene.type_name(id);
        content.node(&name);
        if NodeType::from_name(&name).is_some_and(NodeType::is_skipped) {
            continue;
        }
        let node = scene.node(id);
        for field in node.fields.iter().chain(&node.user_fields) {
            match (field.name.as_str(), &field.value) {
                ("point", FieldValue::MFVec3f(points)) => content.points(points.iter().copied().map(f64::from)),
                ("coordIndex", FieldValue::MFInt32(indices)) => content.faces(indices),
                (_, FieldValue::SFNode(node)) => left.extend(node),
                (_, FieldValue::MFNode(nodes)) => left.extend(nodes.iter().flatten()),
                _ => {}
            }
        }
    }
    content
}

/// Results of both readers for a file.
fn read(path: &Path) -> (Result<Content, String>, Result<Content, String>) {
    let bytes = read_bytes(path, &Limits::default()).unwrap();
    let other = std::panic::catch_unwind(|| vrml97::parse_bytes(&bytes, "").map(|scene| theirs(&scene)));
    let other = match other {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("a panic".to_owned()),
    };
    let own = Document::parse(path, bytes, &Limits::default(), &Reporter::new());
    (own.map(|document| ours(&document)).map_err(|error| error.to_string()), other)
}

/// The first difference, in a line.
fn difference(own: &Result<Content, String>, other: &Result<Content, String>) -> Option<String> {
    let (own, other) = match (own, other) {
        (Ok(own), Ok(other)) => (own, other),
        (Err(_), Err(_)) => return None,
        (Ok(_), Err(error)) => return Some(format!("only the other reader refuses it: {error}")),
        (Err(error), Ok(_)) => return Some(format!("only Bunraku refuses it: {error}")),
    };
    let count = |content: &Content, name: &str| content.nodes.get(name).copied().unwrap_or(0);
    let mut lines: Vec<_> = own
        .nodes
        .keys()
        .chain(other.nodes.keys().filter(|name| !own.nodes.contains_key(*name)))
        .filter(|name| count(own, name) != count(other, name))
        .map(|name| format!("{} {name}, not {}", count(own, name), count(other, name)))
        .collect();
    let counts = |content: &Content| (content.coordinates, content.faces, content.corners, content.index_sum);
    if counts(own) != counts(other) {
        lines.push(format!(
            "coordinates, faces, corners and sum of indices {:?}, not {:?}",
            counts(own),
            counts(other)
        ));
    }
    // The traversal orders differ.
    if (own.sum - other.sum).abs() > 1e-9 * own.sum.abs().max(1.0) {
        lines.push(format!("a sum of coordinates of {}, not {}", own.sum, other.sum));
    }
    (!lines.is_empty()).then(|| lines.join("; "))
}

#[test]
fn both_readers_agree_on_every_file_of_the_corpus() {
    let Some((corpus, files)) = wrl_files::corpus() else { return };
    let (mut different, mut nodes, mut coordinates) = (Vec::new(), 0, 0);
    for path in &files {
        let (own, other) = read(path);
        if let Ok(content) = &own {
            nodes += content.nodes.values().sum::<usize>();
            coordinates += content.coordinates;
        }
        if let Some(difference) = difference(&own, &other) {
            let name = path.strip_prefix(&corpus).unwrap().display().to_string();
            println!("{name}: {difference}");
            different.push(name);
        }
    }
    for (name, reason) in DIFFERENT {
        println!("known: {name}: {reason}");
    }
    println!("{} files, {nodes} nodes, {coordinates} coordinates", files.len());
    let known: Vec<_> = DIFFERENT.iter().map(|(name, _)| *name).collect();
    assert_eq!(different, known, "the list of files that are read differently is out of date");
}
