use nalgebra::Affine3;

use crate::{BoundingBox, Shape};

/// What a mesh file contains: nodes in a tree, with shapes on them.
///
/// Lengths are metres and up is +Z unless the file means something else and says so in a way its reader understands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshScene {
    /// The top nodes.
    pub nodes: Vec<SceneNode>,
}

/// A coordinate frame of a [`MeshScene`].
#[derive(Clone, Debug, PartialEq)]
pub struct SceneNode {
    /// Name in the file (`DEF` in VRML); empty if it has none.
    pub name: String,
    /// From this node's frame to that of the node above it.
    pub transform: Affine3<f64>,
    /// Shapes in this node's frame.
    pub shapes: Vec<Shape>,
    /// Nodes below this one.
    pub children: Vec<SceneNode>,
}

impl Default for SceneNode {
    fn default() -> Self {
        Self { name: String::new(), transform: Affine3::identity(), shapes: Vec::new(), children: Vec::new() }
    }
}

impl MeshScene {
    /// All shapes of the scene in its own frame, in file order.
    pub fn shapes(&self) -> Vec<Shape> {
        let mut shapes = Vec::new();
        for node in &self.nodes {
            node.collect(&Affine3::identity(), &mut shapes);
        }
        shapes
    }

    /// Number of triangles of all shapes.
    pub fn triangle_count(&self) -> usize {
        self.shapes().iter().map(|shape| shape.geometry.triangles().triangles.len()).sum()
    }

    /// The smallest box around all triangles, in the frame of the scene.
    pub fn bounding_box(&self) -> Option<BoundingBox> {
        self.shapes().iter().filter_map(Shape::bounding_box).reduce(BoundingBox::union)
    }
}

impl SceneNode {
    /// Adds the shapes of this node and those below it, with `parent` applied after this node's transform.
    pub fn collect(&self, parent: &Affine3<f64>, shapes: &mut Vec<Shape>) {
        let frame = parent * self.transform;
        shapes.extend(self.shapes.iter().map(|shape| Shape { transform: frame * shape.transform, ..shape.clone() }));
        for child in &self.children {
            child.collect(&frame, shapes);
        }
    }
}
