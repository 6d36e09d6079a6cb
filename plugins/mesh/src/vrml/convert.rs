//! Conversion of nodes to scenes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bunraku_document::{Diagnostic, Result};
use nalgebra::{Affine3, Matrix4, Rotation3, Scale3, Translation3, Unit, Vector3};

use super::inlined_files::Inlines;
use super::limits::MAX_HEIGHT;
use super::source::Problem;
use super::{Document, Image, Location, Node, NodeKind, NodeType, StandardNode};
use crate::{Appearance, Geometry, LoadContext, MeshScene, Pixels, SceneNode, Shape};

/// Converts the nodes of one file, and the files it inlines, to scenes.
///
/// Results are cached by node, so that a node that is used several times gives one mesh. The limits apply to all scenes
/// of a converter together.
#[derive(Debug)]
pub struct Converter<'a> {
    pub(super) document: &'a Document,
    pub(super) context: LoadContext<'a>,
    pub(super) budget: Budget,
    pub(super) inlines: Inlines,
    pub(super) geometries: Memory<Node, Option<Geometry>>,
    pub(super) appearances: Memory<Node, Appearance>,
    pub(super) pixels: Memory<Image, Option<Arc<Pixels>>>,
    /// `DEF` names of the nodes being converted, outermost first.
    pub(super) names: Vec<Arc<str>>,
    mentioned: HashSet<&'static str>,
}

/// Remedy for numbers that are not finite.
pub(super) const FINITE: &str = "write numbers, neither `inf` nor `nan`";

/// Cached results by the address of their source. The source is kept alive, so that its address is not reused.
pub(super) type Memory<T, R> = HashMap<*const T, (Arc<T>, R)>;

/// Remaining resources. `USE` can double a scene with each line. Each limit is a fixed amount far above that of real
/// files, or proportional to the size of the file if that is larger.
#[derive(Debug)]
pub(super) struct Budget {
    /// Node visits. A hostile file spends them on empty groups.
    visits: usize,
    /// Nodes and shapes of scenes, half a kilobyte each.
    parts: usize,
    /// Numbers of lists that are copied into meshes.
    pub numbers: usize,
    /// Vertices of extrusions; their number is the product of two list lengths.
    pub extruded: usize,
    /// Number of ancestors of the node being converted, across files.
    pub depth: u32,
}

impl Budget {
    /// Fixed amounts, for a file and all files it inlines.
    fn new(document: &Document) -> Self {
        let fixed = Self { visits: 1 << 19, parts: 1 << 16, numbers: 1 << 21, extruded: 1 << 19, depth: 0 };
        fixed.with(document)
    }

    /// The remaining budget plus the amounts for the size of an inlined file.
    pub fn with(&self, document: &Document) -> Self {
        let size = document.source.bytes().len();
        Self {
            visits: self.visits + 4 * document.node_count,
            parts: self.parts + size / 256,
            numbers: self.numbers + size,
            ..*self
        }
    }

    /// Subtracts what an inlined file spent beyond the amounts for its own size.
    pub fn take_back(&mut self, inner: &Self) {
        self.visits = self.visits.min(inner.visits);
        self.parts = self.parts.min(inner.parts);
        self.numbers = self.numbers.min(inner.numbers);
        self.extruded = self.extruded.min(inner.extruded);
    }
}

/// Subtracts from a budget; false if it is exhausted.
pub(super) fn spend(budget: &mut usize, amount: usize) -> bool {
    budget.checked_sub(amount).map(|left| *budget = left).is_some()
}

/// Removes the shapes of a node whose pose in the frame around `parent` is not finite; returns their number.
fn remove_lost(node: &mut SceneNode, parent: &Affine3<f64>) -> usize {
    let frame = parent * node.transform;
    let all = node.shapes.len();
    node.shapes.retain(|shape| is_finite(&(frame * shape.transform)));
    let lost = all - node.shapes.len();
    lost + node.children.iter_mut().map(|child| remove_lost(child, &frame)).sum::<usize>()
}

fn is_finite(transform: &Affine3<f64>) -> bool {
    transform.matrix().iter().all(|number| number.is_finite())
}

impl<'a> Converter<'a> {
    /// A converter of the nodes of `document`. Referenced files are searched with the roots of `context`, and findings
    /// go to its reporter.
    pub fn new(document: &'a Document, context: LoadContext<'a>) -> Self {
        Self {
            document,
            context,
            budget: Budget::new(document),
            inlines: Inlines::default(),
            geometries: HashMap::new(),
            appearances: HashMap::new(),
            pixels: HashMap::new(),
            names: Vec::new(),
            mentioned: HashSet::new(),
        }
    }

    /// Sets the names of the ancestors of the nodes to be converted, outermost first, for messages.
    pub fn set_way(&mut self, names: Vec<Arc<str>>) {
        self.names = names;
    }

    /// Converts the whole file.
    ///
    /// # Errors
    /// As [`Converter::node`].
    pub fn scene(&mut self) -> Result<MeshScene> {
        let document = self.document;
        let mut scene = MeshScene { nodes: self.list(&document.nodes)? };
        let lost = scene.nodes.iter_mut().map(|node| remove_lost(node, &Affine3::identity())).sum();
        self.warn_of_lost(document.start(), lost);
        if scene.nodes.is_empty() {
            let warning = Diagnostic::warning("empty-scene", "the file contains no shapes");
            let warning = warning.help("only `Shape` nodes are visible, and `Inline` nodes whose files contain some");
            let at = document.nodes.first().map_or(document.start(), |node| node.location);
            self.context.reporter.report(warning.at(document.source.file(), document.source.span(at)));
        }
        Ok(scene)
    }

    /// Converts a node of the file and its descendants; `None` if they show nothing. The transform of the result is
    /// that of the node itself.
    ///
    /// # Errors
    /// If an inlined VRML file is invalid or contains itself, or the scene would be too large for a file of this size.
    /// Missing, unsupported or invalid parts are left out with a warning.
    pub fn node(&mut self, node: &Arc<Node>) -> Result<Option<SceneNode>> {
        let mut scene = Vec::new();
        self.push(node, &mut scene)?;
        // A node gives at most one scene node.
        Ok(scene.pop())
    }

    /// The shapes of a node of the file and its descendants, in the frame of the node's parent.
    ///
    /// # Errors
    /// As [`Converter::node`].
    pub fn shapes(&mut self, node: &Arc<Node>) -> Result<Vec<Shape>> {
        let mut shapes = Vec::new();
        if let Some(scene) = self.node(node)? {
            scene.collect(&Affine3::identity(), &mut shapes);
            let all = shapes.len();
            shapes.retain(|shape| is_finite(&shape.transform));
            self.warn_of_lost(node.location, all - shapes.len());
        }
        Ok(shapes)
    }

    /// Each `Transform` is finite, but the product of nested ones may overflow.
    fn warn_of_lost(&self, at: Location, count: usize) {
        if count > 0 {
            let message = match count {
                1 => "a shape is scaled or moved beyond all numbers; it is left out".to_owned(),
                many => format!("{many} shapes are scaled or moved beyond all numbers; they are left out"),
            };
            self.warn(at, "not-finite", message, "write smaller numbers in the `Transform` nodes around them");
        }
    }

    /// Converts a node and appends the result to `scene`.
    ///
    /// Each nesting level must use little stack. Scenes are therefore appended instead of returned, and the work after
    /// the children is in separate functions.
    fn push(&mut self, node: &Arc<Node>, scene: &mut Vec<SceneNode>) -> Result<()> {
        self.enter(node)?;
        let before = scene.len();
        let outcome = match &node.kind {
            NodeKind::Standard(standard) => match standard.members() {
                Some(members) => {
                    let mut children = Vec::new();
                    let outcome = members.iter().try_for_each(|member| self.push(member, &mut children));
                    outcome.and_then(|()| self.group(node, children, scene))
                }
                None => self.leaf(node, standard, scene),
            },
            NodeKind::Instance(instance) => match &instance.actual {
                Some(actual) => self.push(actual, scene),
                None => Ok(()),
            },
        };
        self.budget.depth -= 1;
        // Not undone after an error, whose message needs the names; nothing is converted after an error.
        outcome?;
        if node.name.is_some() {
            self.names.pop();
        }
        if scene.len() > before && node.name.is_some() { self.name(node, scene) } else { Ok(()) }
    }

    #[inline(never)]
    fn enter(&mut self, node: &Arc<Node>) -> Result<()> {
        if !spend(&mut self.budget.visits, 1) {
            return Err(self.limit(node.location, "`USE` and `PROTO` repeat nodes too often"));
        }
        if self.budget.depth >= MAX_HEIGHT {
            return Err(self.limit(node.location, &format!("nodes are more than {MAX_HEIGHT} levels deep")));
        }
        self.budget.depth += 1;
        self.names.extend(node.name.clone());
        Ok(())
    }

    /// Sets the name of the last node of `scene` to that of its source node. If it has a name already, from the body of
    /// a `PROTO`, a node is wrapped around it.
    #[inline(never)]
    fn name(&mut self, node: &Arc<Node>, scene: &mut Vec<SceneNode>) -> Result<()> {
        let Some(mut last) = scene.pop() else { return Ok(()) };
        if !last.name.is_empty() {
            self.part(node.location)?;
            last = SceneNode { children: vec![last], ..SceneNode::default() };
        }
        node.name().clone_into(&mut last.name);
        scene.push(last);
        Ok(())
    }

    /// Converts a node that is not a group, or an `Inline`.
    #[inline(never)]
    fn leaf(&mut self, node: &Arc<Node>, standard: &StandardNode, scene: &mut Vec<SceneNode>) -> Result<()> {
        match standard.node_type {
            NodeType::Inline => {
                let children = self.inline(node, standard)?;
                self.group(node, children, scene)
            }
            NodeType::Shape => {
                if let Some(shape) = self.shape(standard)? {
                    self.parts(node.location, 2)?;
                    scene.push(SceneNode { shapes: vec![shape], ..SceneNode::default() });
                }
                Ok(())
            }
            other => {
                self.not_shown(node, other);
                Ok(())
            }
        }
    }

    /// Reports a node that is neither a group nor a shape.
    fn not_shown(&mut self, node: &Arc<Node>, node_type: NodeType) {
        let what = match node_type {
            NodeType::DirectionalLight | NodeType::PointLight | NodeType::SpotLight => {
                "lights in mesh files have no effect"
            }
            NodeType::Fog => "there is no fog",
            NodeType::Viewpoint | NodeType::WorldInfo => return,
            other if other.is_skipped() => return,
            _ => {
                let message = format!("a node of type `{}` has no effect here", node_type.name());
                return self.warn(node.location, "misplaced-node", message, "put it into the field it is meant for");
            }
        };
        self.mention(node.location, node_type, what);
    }

    /// Reports a warning about nodes of a type, once for each file.
    pub(super) fn mention(&mut self, at: Location, node_type: NodeType, what: &str) {
        if self.first(node_type.name()) {
            let message = format!("{what} (`{}`)", node_type.name());
            self.warn(at, "unsupported-node", message, "nothing needs to be done if the rest is what you want");
        }
    }

    /// Whether this finding is the first of its kind.
    pub(super) fn first(&mut self, what: &'static str) -> bool {
        self.mentioned.insert(what)
    }

    pub(super) fn list(&mut self, nodes: &[Arc<Node>]) -> Result<Vec<SceneNode>> {
        let mut scene = Vec::new();
        nodes.iter().try_for_each(|node| self.push(node, &mut scene))?;
        Ok(scene)
    }

    /// Adds a node with these children, unless the list is empty. Children that only contain shapes are merged into it,
    /// unless the order of shapes would change.
    #[inline(never)]
    fn group(&mut self, node: &Arc<Node>, children: Vec<SceneNode>, scene: &mut Vec<SceneNode>) -> Result<()> {
        if children.is_empty() {
            return Ok(());
        }
        self.part(node.location)?;
        self.note_of_switch(node);
        let plain = |child: &SceneNode| {
            child.name.is_empty() && child.children.is_empty() && child.transform == Affine3::identity()
        };
        let mut group = SceneNode { transform: self.transform(node), ..SceneNode::default() };
        if children.iter().all(plain) {
            group.shapes = children.into_iter().flat_map(|child| child.shapes).collect();
        } else {
            group.children = children;
        }
        scene.push(group);
        Ok(())
    }

    /// Notes once that all choices of a `Switch` are shown.
    fn note_of_switch(&mut self, node: &Arc<Node>) {
        let Some(switch) = node.standard().filter(|node| node.node_type == NodeType::Switch) else { return };
        let shows_all = switch.nodes("choice").len() == 1 && switch.integer("whichChoice", -1) == 0;
        if !shows_all && self.first(NodeType::Switch.name()) {
            let message = "all choices of a `Switch` are shown, as Choreonoid does; VRML97 shows that of `whichChoice`";
            let problem = Problem::new(node.location, "switch", message, "remove the unwanted choices");
            self.document.source.note(self.context.reporter, problem, &self.names);
        }
    }

    /// Transform from the frame of a node to that of its parent: T · C · R · SR · S · SR⁻¹ · C⁻¹ for a `Transform` or a
    /// node resolved to one (VRML97 §6.52), the identity for others. The original ignores the centre of scaled shapes.
    pub fn transform(&self, node: &Arc<Node>) -> Affine3<f64> {
        match node.resolve().and_then(|node| node.standard()) {
            Some(standard) if standard.node_type == NodeType::Transform => self.matrix(node, standard),
            _ => Affine3::identity(),
        }
    }

    fn matrix(&self, node: &Arc<Node>, standard: &StandardNode) -> Affine3<f64> {
        let vector = |name, default| Vector3::from(standard.vector(name, default));
        let turn = |name| {
            let [x, y, z, angle] = standard.rotation(name, [0.0, 0.0, 1.0, 0.0]);
            Rotation3::from_axis_angle(&Unit::new_unchecked(Vector3::new(x, y, z)), angle).to_homogeneous()
        };
        let center = Translation3::from(vector("center", [0.0; 3]));
        let tilt = turn("scaleOrientation");
        let matrix: Matrix4<f64> = Translation3::from(vector("translation", [0.0; 3])).to_homogeneous()
            * center.to_homogeneous()
            * turn("rotation")
            * tilt
            * Scale3::from(vector("scale", [1.0; 3])).to_homogeneous()
            * tilt.transpose()
            * center.inverse().to_homogeneous();
        if matrix.iter().all(|number| number.is_finite()) {
            return Affine3::from_matrix_unchecked(matrix);
        }
        let message = "the numbers of this `Transform` are too large or not finite; it has no effect";
        self.warn(node.location, "not-finite", message.to_owned(), FINITE);
        Affine3::identity()
    }

    fn shape(&mut self, standard: &StandardNode) -> Result<Option<Shape>> {
        let Some(form) = standard.nodes("geometry").first() else { return Ok(None) };
        let Some(form) = form.resolve() else { return Ok(None) };
        let Some(geometry) = self.geometry(form)? else { return Ok(None) };
        let appearance = self.appearance(standard);
        Ok(Some(Shape::new(geometry, Affine3::identity(), appearance)))
    }

    /// The node in a field that accepts certain types.
    pub(super) fn slot<'n>(
        &self,
        standard: &'n StandardNode,
        field: &str,
        allowed: &[NodeType],
    ) -> Option<(&'n Arc<Node>, &'n StandardNode)> {
        let node = standard.nodes(field).first()?.resolve()?;
        let inner = node.standard()?;
        if allowed.contains(&inner.node_type) {
            return Some((node, inner));
        }
        let message =
            format!("a `{}` cannot be the `{field}` of a `{}`", inner.node_type.name(), standard.node_type.name());
        let names: Vec<_> = allowed.iter().map(|allowed| format!("`{}`", allowed.name())).collect();
        let at = standard.location(field).unwrap_or(node.location);
        self.warn(at, "misplaced-node", message, &format!("it takes {}", names.join(", ")));
        None
    }

    /// Counts a node or shape of a scene.
    pub(super) fn part(&mut self, at: Location) -> Result<()> {
        self.parts(at, 1)
    }

    pub(super) fn parts(&mut self, at: Location, count: usize) -> Result<()> {
        if spend(&mut self.budget.parts, count) {
            return Ok(());
        }
        Err(self.limit(at, "`USE`, `PROTO` and `Inline` repeat shapes too often"))
    }

    pub(super) fn limit(&self, at: Location, message: &str) -> Box<Diagnostic> {
        let message = format!("the scene is too large: {message}");
        let problem = Problem::new(at, "limit-scene", message, "make it smaller, or divide the file");
        self.document.source.error(problem.within(&self.names))
    }

    pub(super) fn warn(&self, at: Location, code: &'static str, message: String, help: &str) {
        self.document.source.warn(self.context.reporter, Problem::new(at, code, message, help), &self.names);
    }
}
