use bunraku_mesh::Shape;
use nalgebra::Isometry3;

use super::{CollisionShape, Joint, JointKind, LinkIndex, MassProperties, Property, Scenery};

/// Key that marks the first link of a continuous track.
pub(crate) const CONTINUOUS_TRACK: &str = "isContinuousTrack";

/// A rigid part of a body.
#[derive(Clone, Debug)]
pub struct Link {
    /// Name, unique within the body.
    pub name: String,
    /// Parent link; `None` for the root.
    pub parent: Option<LinkIndex>,
    /// Pose of the link frame in the parent's frame (for the root: in the world) at zero displacement.
    pub offset: Isometry3<f64>,
    /// Joint to the parent.
    pub joint: Joint,
    /// Mass, centre of mass and inertia.
    pub mass: MassProperties,
    /// Contact material; `None` for the default one.
    pub material: Option<String>,
    /// Visual shapes, in the link frame.
    pub visual: Vec<Shape>,
    /// Collision shapes, in the link frame.
    pub collision: Vec<Shape>,
    /// Collision shape of its meshes, if specified in the model.
    pub collision_shape: Option<CollisionShape>,
    /// Nodes for rendering that are kept but not rendered.
    pub scenery: Vec<Scenery>,
    /// Keys for other programs, in file order.
    pub info: Vec<(String, Property)>,
}

impl Link {
    /// A link without mass, shapes or anything else.
    pub fn new(name: String, parent: Option<LinkIndex>, offset: Isometry3<f64>, joint: Joint) -> Self {
        Self {
            name,
            parent,
            offset,
            joint,
            mass: MassProperties::ZERO,
            material: None,
            visual: Vec::new(),
            collision: Vec::new(),
            collision_shape: None,
            scenery: Vec::new(),
            info: Vec::new(),
        }
    }

    /// Whether it is the first link of a continuous track: a chain of links in which each is hinged to the one before,
    /// and the last to the first. The closing hinge is not a joint of the model; physics engines close the ring.
    pub fn begins_continuous_track(&self) -> bool {
        let says_so = |(key, value): &(String, Property)| {
            key == CONTINUOUS_TRACK && matches!(value, Property::Text(text) if text == "true")
        };
        self.joint.kind == JointKind::Free && self.info.iter().any(says_so)
    }

    /// Name of the joint, or else of the link.
    pub fn joint_name(&self) -> &str {
        self.joint.name.as_deref().unwrap_or(&self.name)
    }
}
