use std::ops::Range as Span;

use bunraku_body::{MassProperties, Range};
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};

use crate::model::closure::Closure;
use crate::model::coupling::Coupling;
use crate::model::index::{ClosureIndex, CoordinateIndex, PartIndex, TreeIndex};

/// How a part moves against its parent, or a root against the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointMotion {
    /// Not at all; only a root.
    Fixed,
    /// In all six directions; only a root. A part that moves freely inside a body is a root of its own.
    Free,
    /// By turning about an axis of the part's frame, rad, right-handed.
    Revolute(Vector3<f64>),
    /// By sliding along an axis of the part's frame: displacement × axis, m.
    Prismatic(Vector3<f64>),
}

/// A rigid part of a tree.
#[derive(Clone, Debug)]
pub struct Part {
    /// Index of its parent in its tree; `None` for the root.
    pub parent: Option<usize>,
    /// Pose of the part's frame in its parent's at displacement zero; of no meaning for a root.
    pub offset: Isometry3<f64>,
    /// Its joint.
    pub motion: JointMotion,
    /// Mass, centre of mass and inertia in the part's frame.
    pub mass: MassProperties,
    /// Properties of its coordinate; ignored unless it is revolute or prismatic.
    pub coordinate: Coordinate,
}

/// Properties of a revolute or prismatic joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinate {
    /// Inertia of the motor seen at the joint, kg·m² or kg.
    pub rotor_inertia: f64,
    /// Resistance to motion, N·m·s/rad or N·s/m.
    pub damping: f64,
    /// Stiffness of a spring, N·m/rad or N/m, that no motor has to hold.
    pub stiffness: f64,
    /// Displacement at which the spring is slack, rad or m.
    pub rest: f64,
    /// Largest effort of dry friction, N·m or N.
    pub friction: f64,
    /// Allowed displacements, rad or m.
    pub range: Range,
    /// Velocities that the joint never exceeds, rad/s or m/s, whatever that takes.
    pub velocity_range: Range,
}

impl Default for Coordinate {
    /// Moves without resistance or limit.
    fn default() -> Self {
        Self {
            rotor_inertia: 0.0,
            damping: 0.0,
            stiffness: 0.0,
            rest: 0.0,
            friction: 0.0,
            range: Range::UNLIMITED,
            velocity_range: Range::UNLIMITED,
        }
    }
}

/// Data of a part for the kinematics, in its order of access.
#[derive(Clone, Debug)]
pub(crate) struct PartData {
    pub parent: Option<usize>,
    pub motion: JointMotion,
    pub first_coordinate: usize,
    pub num_coordinates: usize,
    pub translation: Vector3<f64>,
    pub rotation: UnitQuaternion<f64>,
    /// The offset's rotation times the axis as a quaternion: cos·rotation + sin·this is the joint's whole rotation.
    pub rotation_axis: Quaternion<f64>,
    pub mass: MassProperties,
    pub tree: usize,
}

/// A tree: which of the system's parts and coordinates are its own.
#[derive(Clone, Debug)]
pub(crate) struct TreeData {
    pub parts: Span<usize>,
    pub coordinates: Span<usize>,
    pub is_free: bool,
    pub has_closures: bool,
    pub has_couplings: bool,
}

impl TreeData {
    /// Coordinates of joints, those of a free root left out.
    pub fn joints(&self) -> Span<usize> {
        let root = if self.is_free { 6 } else { 0 };
        self.coordinates.start + root..self.coordinates.end
    }
}

/// All trees of a world and what closes loops between their parts: what does not change while it is simulated.
#[derive(Clone, Debug, Default)]
pub struct System {
    pub(crate) parts: Vec<PartData>,
    pub(crate) coordinates: Vec<Coordinate>,
    pub(crate) coordinate_part: Vec<usize>,
    pub(crate) trees: Vec<TreeData>,
    pub(crate) closures: Vec<Closure>,
    /// By coordinate: what it follows.
    pub(crate) couplings: Vec<Option<Coupling>>,
    /// Changes with what is in it.
    pub(crate) version: u64,
}

impl System {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tree; its parts stand with parents before children, the root first. Gives nothing for a list that is no such
    /// tree: empty, a parent behind its child, a second root, a fixed or free part that is not a root.
    pub fn add_tree(&mut self, parts: &[Part]) -> Option<TreeIndex> {
        let is_sound = |(index, part): (usize, &Part)| match part.motion {
            JointMotion::Fixed | JointMotion::Free => index == 0 && part.parent.is_none(),
            JointMotion::Revolute(_) | JointMotion::Prismatic(_) => part.parent.is_some_and(|parent| parent < index),
        };
        if parts.is_empty() || !parts.iter().enumerate().all(is_sound) {
            return None;
        }
        let (first_part, first_coordinate) = (self.parts.len(), self.coordinates.len());
        self.version += 1;
        let tree = self.trees.len();
        for part in parts {
            let first = self.coordinates.len();
            let (motion, axis) = match part.motion {
                JointMotion::Revolute(axis) => {
                    let axis = axis.try_normalize(0.0).unwrap_or_else(Vector3::z);
                    (JointMotion::Revolute(axis), axis)
                }
                motion => (motion, Vector3::zeros()),
            };
            let count = match motion {
                JointMotion::Fixed => 0,
                JointMotion::Free => 6,
                JointMotion::Revolute(_) | JointMotion::Prismatic(_) => 1,
            };
            let coordinate = if count == 1 { part.coordinate } else { Coordinate::default() };
            self.coordinates.extend(std::iter::repeat_n(coordinate, count));
            self.couplings.extend(std::iter::repeat_n(None, count));
            self.coordinate_part.extend(std::iter::repeat_n(self.parts.len(), count));
            // Where a model gives an inertia that is not symmetric, its symmetric part counts.
            let inertia = (part.mass.inertia + part.mass.inertia.transpose()) * 0.5;
            self.parts.push(PartData {
                parent: part.parent.map(|parent| first_part + parent),
                motion,
                first_coordinate: first,
                num_coordinates: count,
                translation: part.offset.translation.vector,
                rotation: part.offset.rotation,
                rotation_axis: part.offset.rotation.quaternion() * Quaternion::from_imag(axis),
                mass: MassProperties { inertia, ..part.mass },
                tree,
            });
        }
        self.trees.push(TreeData {
            parts: first_part..self.parts.len(),
            coordinates: first_coordinate..self.coordinates.len(),
            is_free: parts[0].motion == JointMotion::Free,
            has_closures: false,
            has_couplings: false,
        });
        Some(TreeIndex(tree))
    }

    /// Adds something that holds two parts, or a part and the world, together.
    pub fn add_closure(&mut self, closure: Closure) -> ClosureIndex {
        self.version += 1;
        for PartIndex(part) in closure.sides.iter().filter_map(|anchor| anchor.part) {
            self.trees[self.parts[part].tree].has_closures = true;
        }
        self.closures.push(closure);
        ClosureIndex(self.closures.len() - 1)
    }

    /// A closure.
    pub fn closure(&self, closure: ClosureIndex) -> &Closure {
        &self.closures[closure.0]
    }

    /// Number of rigid parts.
    pub fn num_parts(&self) -> usize {
        self.parts.len()
    }

    /// Number of velocities.
    pub fn num_coordinates(&self) -> usize {
        self.coordinates.len()
    }

    /// Number of trees.
    pub fn num_trees(&self) -> usize {
        self.trees.len()
    }

    /// The root of a tree.
    pub fn root(&self, tree: TreeIndex) -> PartIndex {
        PartIndex(self.trees[tree.0].parts.start)
    }

    /// The tree of a part.
    pub fn tree_of(&self, part: PartIndex) -> TreeIndex {
        TreeIndex(self.parts[part.0].tree)
    }

    /// Whether anything but joints holds a part of a tree.
    pub fn has_closures(&self, tree: TreeIndex) -> bool {
        self.trees[tree.0].has_closures
    }

    /// The first coordinate of a part's joint, if it moves.
    pub fn coordinate_of(&self, part: PartIndex) -> Option<CoordinateIndex> {
        let part = &self.parts[part.0];
        (part.num_coordinates > 0).then_some(CoordinateIndex(part.first_coordinate))
    }

    /// Properties of a coordinate.
    pub fn coordinate(&self, coordinate: CoordinateIndex) -> &Coordinate {
        &self.coordinates[coordinate.0]
    }

    /// The same, to be changed between steps.
    pub fn coordinate_mut(&mut self, coordinate: CoordinateIndex) -> &mut Coordinate {
        &mut self.coordinates[coordinate.0]
    }
}
