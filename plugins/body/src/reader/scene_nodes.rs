//! Nodes of a scene file (`.scen`) by their names.

use bunraku_document::{Mapping, Reporter, Value, ValueKind};
use nalgebra::{Affine3, Matrix3, Translation3};

use super::pose::{AngleUnit, read_transform, read_translation};

/// Scene files nest some ten levels deep.
const DEEPEST: usize = 100;
/// Nodes that are looked at; aliases may repeat them without end.
const MOST_NODES: usize = 100_000;

/// What a Resource means of a YAML file.
pub(super) struct YamlPart<'d> {
    /// A node, or the elements.
    pub(super) value: Value<'d>,
    /// The type of the node, if the key above it says so; `None` for elements and nodes that say it themselves.
    pub(super) kind: Option<&'d str>,
    /// The frame that the node is put into.
    pub(super) frame: Affine3<f64>,
}

impl<'d> From<Value<'d>> for YamlPart<'d> {
    fn from(value: Value<'d>) -> Self {
        Self { value, kind: None, frame: Affine3::identity() }
    }
}

/// A node on the way through a scene.
#[derive(Clone, Copy)]
struct Node<'d> {
    value: Value<'d>,
    kind: Option<&'d str>,
    /// Turns and scales of the nodes above it.
    linear: Matrix3<f64>,
    depth: usize,
}

/// The first node of this name, depth first. As of a node of a mesh file, where it stands does not count: its own
/// translation and those of the nodes above it are dropped, their rotations and scales are kept.
pub(super) fn find<'d>(elements: Value<'d>, name: &str, unit: AngleUnit) -> Option<YamlPart<'d>> {
    // What is wrong with a transform is told when it is read for good.
    let quiet = Reporter::new();
    let mut found = None;
    visit(elements, &mut |node| {
        let mapping = Mapping::new(node.value, "a node", &quiet)?;
        if node.value.get("name").and_then(Value::text) == Some(name) {
            let own = node.value.get("translation").and_then(|value| read_translation(value, &quiet).ok());
            let back = Translation3::from(-own.unwrap_or_default()).to_homogeneous();
            let frame = Affine3::from_matrix_unchecked(node.linear.to_homogeneous() * back);
            found = Some(YamlPart { value: node.value, kind: node.kind, frame });
            return None;
        }
        let is_group = node.kind.or_else(|| node.value.get("type")?.text()) == Some("Group");
        let own = if is_group { Affine3::identity() } else { read_transform(&mapping, unit) };
        Some(node.linear * own.matrix().fixed_view::<3, 3>(0, 0))
    });
    found
}

/// The names of all nodes that have one.
pub(super) fn names(elements: Value<'_>) -> Vec<&str> {
    let mut names = Vec::new();
    visit(elements, &mut |node| {
        names.extend(node.value.get("name").and_then(Value::text));
        Some(node.linear)
    });
    names
}

/// Goes through nodes, depth first, until `enter` gives nothing; it gives the turns and scales for what is below.
fn visit<'d>(elements: Value<'d>, enter: &mut impl FnMut(Node<'d>) -> Option<Matrix3<f64>>) {
    let mut pending = Vec::new();
    push(elements, Matrix3::identity(), 0, &mut pending);
    for _ in 0..MOST_NODES {
        let Some(node) = pending.pop() else { return };
        let Some(linear) = enter(node) else { return };
        if let Some(below) = node.value.get("elements").filter(|_| node.depth < DEEPEST) {
            push(below, linear, node.depth + 1, &mut pending);
        }
    }
}

/// The nodes of an `elements` value, the first on top.
fn push<'d>(elements: Value<'d>, linear: Matrix3<f64>, depth: usize, pending: &mut Vec<Node<'d>>) {
    let node = |kind, value| Node { value, kind, linear, depth };
    let room = MOST_NODES.saturating_sub(pending.len());
    let mut nodes: Vec<Node<'d>> = match elements.kind() {
        ValueKind::Sequence => elements.items().into_iter().flatten().take(room).map(|item| node(None, item)).collect(),
        ValueKind::Mapping if elements.get("type").is_some_and(|kind| kind.text().is_some()) => {
            vec![node(None, elements)]
        }
        ValueKind::Mapping => {
            let entries = elements.entries().into_iter().flatten().take(room);
            let mut nodes: Vec<_> = entries.map(|(kind, _, value)| node(Some(kind), value)).collect();
            nodes.sort_by_key(|node| node.kind);
            nodes
        }
        ValueKind::Scalar | ValueKind::Null => vec![],
    };
    nodes.retain(|node| node.value.kind() == ValueKind::Mapping);
    pending.extend(nodes.into_iter().rev());
}
