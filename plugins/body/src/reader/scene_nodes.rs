//! Lookup of nodes of a scene file (`.scen`) by name.

use bunraku_document::{Mapping, Reporter, Value, ValueKind};
use nalgebra::{Affine3, Matrix3, Translation3};

use super::pose::{AngleUnit, read_transform, read_translation};

/// Maximum nesting depth; scene files have about ten levels.
const DEEPEST: usize = 100;
/// Maximum number of visited nodes; aliases may repeat them without limit.
const MOST_NODES: usize = 100_000;

/// Part of a YAML file that a Resource refers to.
pub(super) struct YamlPart<'d> {
    /// A node, or the elements.
    pub(super) value: Value<'d>,
    /// Type of the node, if it is given by the key; `None` for elements and nodes with the key `type`.
    pub(super) kind: Option<&'d str>,
    /// Frame of the node.
    pub(super) frame: Affine3<f64>,
}

impl<'d> From<Value<'d>> for YamlPart<'d> {
    fn from(value: Value<'d>) -> Self {
        Self { value, kind: None, frame: Affine3::identity() }
    }
}

/// A node visited in a scene.
#[derive(Clone, Copy)]
struct Node<'d> {
    value: Value<'d>,
    kind: Option<&'d str>,
    /// Product of the rotations and scales of its ancestors.
    linear: Matrix3<f64>,
    depth: usize,
}

/// The first node with this name, depth first. As for nodes of a mesh file, its position is ignored: its own
/// translation and those of its ancestors are dropped, their rotations and scales are kept.
pub(super) fn find<'d>(elements: Value<'d>, name: &str, unit: AngleUnit) -> Option<YamlPart<'d>> {
    // Errors in a transform are reported when the node is read.
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

/// Names of all nodes that have one.
pub(super) fn names(elements: Value<'_>) -> Vec<&str> {
    let mut names = Vec::new();
    visit(elements, &mut |node| {
        names.extend(node.value.get("name").and_then(Value::text));
        Some(node.linear)
    });
    names
}

/// Visits nodes, depth first, until `enter` returns `None`; otherwise it returns the rotation and scale for the
/// children.
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

/// Pushes the nodes of an `elements` value, the first on top.
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
