use std::collections::BTreeSet;

use nalgebra::{Affine3, Matrix3};

use crate::{BoundingBox, Shape};

/// Content of a mesh file: a tree of nodes with shapes.
///
/// Lengths are metres and up is +Z, unless the file uses other conventions in a way its reader understands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshScene {
    /// Root nodes.
    pub nodes: Vec<SceneNode>,
}

/// A coordinate frame of a [`MeshScene`].
#[derive(Clone, Debug, PartialEq)]
pub struct SceneNode {
    /// Name in the file (`DEF` in VRML); empty if it has none.
    pub name: String,
    /// Transform from this node's frame to its parent's.
    pub transform: Affine3<f64>,
    /// Shapes in this node's frame.
    pub shapes: Vec<Shape>,
    /// Child nodes.
    pub children: Vec<SceneNode>,
}

impl Default for SceneNode {
    fn default() -> Self {
        Self { name: String::new(), transform: Affine3::identity(), shapes: Vec::new(), children: Vec::new() }
    }
}

impl MeshScene {
    /// All shapes of the scene in the scene frame, in file order.
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

    /// Bounding box of all triangles in the scene frame.
    pub fn bounding_box(&self) -> Option<BoundingBox> {
        self.shapes().iter().filter_map(Shape::bounding_box).reduce(BoundingBox::union)
    }
}

impl MeshScene {
    /// The scene without the named parts: for each name the first node, depth first, with its descendants.
    pub fn without(&self, taken: &BTreeSet<String>) -> Self {
        let taken = self.nodes_of(taken);
        Self { nodes: self.nodes.iter().filter_map(|node| node.without(&taken)).collect() }
    }

    /// The first node of this name, depth first, as a separate scene, without the parts named in `taken`.
    ///
    /// As in the original, its position in the file is ignored: its own translation and those of its ancestors are
    /// dropped, while their rotations and scales are kept.
    pub fn part(&self, name: &str, taken: &BTreeSet<String>) -> Option<Self> {
        let path = self.path_to(name)?;
        let linear = path
            .iter()
            .rev()
            .fold(Matrix3::identity(), |linear, node| linear * node.transform.matrix().fixed_view::<3, 3>(0, 0));
        let transform = Affine3::from_matrix_unchecked(linear.to_homogeneous());
        let part = path.first()?.without_below(&self.nodes_of(taken));
        Some(Self { nodes: vec![SceneNode { transform, ..part }] })
    }

    /// The first node of this name, followed by its ancestors up to the root.
    fn path_to(&self, name: &str) -> Option<Vec<&SceneNode>> {
        let mut path = Vec::new();
        self.nodes.iter().find_map(|node| node.find(name, &mut path))?;
        Some(path)
    }

    /// The first node of each name.
    fn nodes_of(&self, names: &BTreeSet<String>) -> Vec<*const SceneNode> {
        names.iter().filter_map(|name| Some(std::ptr::from_ref(*self.path_to(name)?.first()?))).collect()
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
    /// First node of this name in this subtree; `path` gets the nodes from it up to this one.
    fn find<'a>(&'a self, name: &str, path: &mut Vec<&'a Self>) -> Option<&'a Self> {
        let found =
            if self.name == name { Some(self) } else { self.children.iter().find_map(|child| child.find(name, path)) };
        if found.is_some() {
            path.push(self);
        }
        found
    }

    /// A copy without these nodes; `None` if this node is one of them.
    fn without(&self, taken: &[*const Self]) -> Option<Self> {
        (!taken.contains(&std::ptr::from_ref(self))).then(|| self.without_below(taken))
    }

    /// A copy without these nodes among its descendants.
    fn without_below(&self, taken: &[*const Self]) -> Self {
        Self {
            name: self.name.clone(),
            transform: self.transform,
            shapes: self.shapes.clone(),
            children: self.children.iter().filter_map(|child| child.without(taken)).collect(),
        }
    }

    /// Adds the shapes of this subtree, with `parent` applied after this node's transform.
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
    fn a_part_keeps_rotation_and_scale_and_loses_its_translation() {
        let turn: Affine3<f64> =
            nalgebra::convert(Rotation3::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2));
        let move_by: Affine3<f64> = nalgebra::convert(Translation3::new(5.0, 6.0, 7.0));
        let wide: Affine3<f64> = nalgebra::convert(Scale3::new(3.0, 1.0, 1.0));
        let leaf = node("LEAF", move_by * wide, vec![]);
        let scene =
            MeshScene { nodes: vec![node("A", Affine3::identity(), vec![]), node("TOP", move_by * turn, vec![leaf])] };
        let whole = scene.bounding_box().unwrap();
        assert!((whole.max - nalgebra::Point3::new(6.0, 14.0, 15.0)).norm() < 1e-9, "{whole:?}");
        let none = BTreeSet::new();
        let part = scene.part("LEAF", &none).unwrap().bounding_box().unwrap();
        assert!((part.max - nalgebra::Point3::new(1.0, 3.0, 1.0)).norm() < 1e-9, "{part:?}");
        assert!(scene.part("NONE", &none).is_none());
        assert_eq!(scene.names(), ["A", "TOP", "LEAF"]);
        let taken = ["LEAF".to_owned(), "NONE".to_owned()].into();
        assert_eq!(scene.part("TOP", &taken).unwrap().names(), ["TOP"]);
        assert_eq!(scene.part("LEAF", &taken).unwrap().names(), ["LEAF"]);
        assert_eq!(scene.without(&taken).names(), ["A", "TOP"]);
    }
}
