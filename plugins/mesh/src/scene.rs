use nalgebra::{Affine3, Matrix3};

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

impl MeshScene {
    /// The first node of this name, depth first, as a scene of its own.
    ///
    /// As in the original, where it stands in the file does not count: its own translation and those of the nodes above
    /// it are dropped, while their rotations and scales are kept.
    pub fn part(&self, name: &str) -> Option<Self> {
        let mut path = Vec::new();
        let found = self.nodes.iter().find_map(|node| node.find(name, &mut path))?;
        let linear = path
            .iter()
            .rev()
            .fold(Matrix3::identity(), |linear, node| linear * node.transform.matrix().fixed_view::<3, 3>(0, 0));
        let transform = Affine3::from_matrix_unchecked(linear.to_homogeneous());
        Some(Self { nodes: vec![SceneNode { transform, ..found.clone() }] })
    }

    /// The names of all nodes that have one, in file order.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut pending: Vec<&SceneNode> = self.nodes.iter().rev().collect();
        while let Some(node) = pending.pop() {
            if !node.name.is_empty() {
                names.push(node.name.as_str());
            }
            pending.extend(node.children.iter().rev());
        }
        names
    }
}

impl SceneNode {
    /// The first node of this name here or below; the nodes from it up to here are put into `path`.
    fn find<'a>(&'a self, name: &str, path: &mut Vec<&'a Self>) -> Option<&'a Self> {
        let found =
            if self.name == name { Some(self) } else { self.children.iter().find_map(|child| child.find(name, path)) };
        if found.is_some() {
            path.push(self);
        }
        found
    }

    /// Adds the shapes of this node and those below it, with `parent` applied after this node's transform.
    pub fn collect(&self, parent: &Affine3<f64>, shapes: &mut Vec<Shape>) {
        let frame = parent * self.transform;
        shapes.extend(self.shapes.iter().map(|shape| Shape { transform: frame * shape.transform, ..shape.clone() }));
        for child in &self.children {
            child.collect(&frame, shapes);
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Rotation3, Scale3, Translation3, Vector3};

    use super::*;
    use crate::{Geometry, Primitive};

    fn node(name: &str, transform: Affine3<f64>, children: Vec<SceneNode>) -> SceneNode {
        let geometry = Geometry::primitive(Primitive::Box { size: Vector3::repeat(2.0) });
        let shape = Shape::new(geometry, Affine3::identity(), Default::default());
        SceneNode { name: name.to_owned(), transform, shapes: vec![shape], children }
    }

    #[test]
    fn a_part_keeps_rotation_and_scale_and_loses_its_place() {
        let turn: Affine3<f64> =
            nalgebra::convert(Rotation3::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2));
        let move_by: Affine3<f64> = nalgebra::convert(Translation3::new(5.0, 6.0, 7.0));
        let wide: Affine3<f64> = nalgebra::convert(Scale3::new(3.0, 1.0, 1.0));
        let leaf = node("LEAF", move_by * wide, vec![]);
        let scene =
            MeshScene { nodes: vec![node("A", Affine3::identity(), vec![]), node("TOP", move_by * turn, vec![leaf])] };
        let whole = scene.bounding_box().unwrap();
        assert!((whole.max - nalgebra::Point3::new(6.0, 14.0, 15.0)).norm() < 1e-9, "{whole:?}");
        let part = scene.part("LEAF").unwrap().bounding_box().unwrap();
        assert!((part.max - nalgebra::Point3::new(1.0, 3.0, 1.0)).norm() < 1e-9, "{part:?}");
        assert!(scene.part("NONE").is_none());
        assert_eq!(scene.names(), ["A", "TOP", "LEAF"]);
    }
}
