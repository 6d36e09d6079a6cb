use bunraku_mesh::Shape;
use nalgebra::Isometry3;

use super::{CollisionShape, Joint, JointKind, LinkIndex, MassProperties, Property, Scenery};

/// The key that says so of the first link of a continuous track.
pub(crate) const CONTINUOUS_TRACK: &str = "isContinuousTrack";

/// A rigid part of a body.
#[derive(Clone, Debug)]
pub struct Link {
    /// Name, unique within the body.
    pub name: String,
    /// The link it hangs on; `None` for the root.
    pub parent: Option<LinkIndex>,
    /// Pose of the link frame in the parent's frame (for the root: in the world) at zero displacement.
    pub offset: Isometry3<f64>,
    /// Its connection to the parent.
    pub joint: Joint,
    /// Mass, centre of mass and inertia.
    pub mass: MassProperties,
    /// Contact material; `None` for the default one.
    pub material: Option<String>,
    /// What is seen, in the link frame.
    pub visual: Vec<Shape>,
    /// What touches, in the link frame.
    pub collision: Vec<Shape>,
    /// What its meshes are to collision detection, if the model says so.
    pub collision_shape: Option<CollisionShape>,
    /// What belongs to pictures of it and is not drawn.
    pub scenery: Vec<Scenery>,
    /// Keys of the file that mean something to other programs, in its order.
    pub info: Vec<(String, Property)>,
}

impl Link {
    /// Whether it is the first link of a continuous track: a chain of links, each on a hinge on the one before, whose last
    /// is hinged to the first. That hinge is none of the joints of the model; engines close the ring.
    pub fn begins_continuous_track(&self) -> bool {
        let says_so = |(key, value): &(String, Property)| {
            key == CONTINUOUS_TRACK && matches!(value, Property::Text(text) if text == "true")
        };
        self.joint.kind == JointKind::Free && self.info.iter().any(says_so)
    }

    /// The joint's own name, or else the link's.
    pub fn joint_name(&self) -> &str {
        self.joint.name.as_deref().unwrap_or(&self.name)
    }
}
