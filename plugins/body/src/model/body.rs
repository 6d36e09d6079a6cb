use bunraku_mesh::Shape;
use nalgebra::Point3;

use super::{
    CollisionRule, CollisionShape, Device, ExtraJoint, Joint, JointCoupling, JointIndex, JointSlot, Link, LinkIndex,
    Property, UnknownName,
};

/// Kind of file a model was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelFormat {
    /// Choreonoid's `.body`.
    ChoreonoidBody,
    /// OpenHRP's `.wrl`.
    OpenHrp,
    /// ROS's `.urdf`.
    Urdf,
    /// MuJoCo's `.xml`.
    Mjcf,
    /// A mesh or a scene: shapes without joints.
    Shapes,
}

impl ModelFormat {
    /// Name in the output of `info`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ChoreonoidBody => "ChoreonoidBody",
            Self::OpenHrp => "OpenHRP",
            Self::Urdf => "URDF",
            Self::Mjcf => "MJCF",
            Self::Shapes => "Shapes",
        }
    }
}

/// A model: a tree of links with their shapes, devices and extra joints.
#[derive(Clone, Debug)]
pub struct Body {
    /// Model name.
    pub name: String,
    /// Kind of file it was read from.
    pub format: ModelFormat,
    /// The links, depth-first from the root. Never empty.
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<JointSlot>,
    pub(crate) num_joint_ids: usize,
    pub(crate) guessed_inertias: Vec<LinkIndex>,
    /// Sensors, lights and other devices, by link and within a link in file order. Those of an OpenHRP model are in
    /// file order, where a device may come after the descendants of its link.
    pub devices: Vec<Device>,
    /// Loop closures, in file order.
    pub extra_joints: Vec<ExtraJoint>,
    /// Joints that follow others, each after its leader.
    pub(crate) joint_couplings: Vec<JointCoupling>,
    /// Rules for self-collision, in file order; `None` if the file has none.
    pub collision_rules: Option<Vec<CollisionRule>>,
    /// Joint displacements of the standard pose, rad or m, for the first joints in joint order. Further joints keep
    /// their initial displacement. `None` if the file gives none.
    pub standard_pose: Option<Vec<f64>>,
    /// Other keys at the top of the file, in file order: link groups, notes for other programs.
    pub info: Vec<(String, Property)>,
}

impl Body {
    /// A body of these links, root first, and nothing else. The caller fills in the joint vector.
    pub(crate) fn of_links(name: String, format: ModelFormat, links: Vec<Link>) -> Self {
        Self {
            name,
            format,
            links,
            joints: Vec::new(),
            num_joint_ids: 0,
            guessed_inertias: Vec::new(),
            devices: Vec::new(),
            extra_joints: Vec::new(),
            joint_couplings: Vec::new(),
            collision_rules: None,
            standard_pose: None,
            info: Vec::new(),
        }
    }

    /// Links, depth-first from the root, children in file order. There is always a root.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// One link.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "indices of links are those of links of the same body")]
    pub fn link(&self, index: LinkIndex) -> &Link {
        &self.links[index.0]
    }

    /// One link, for modification.
    #[expect(clippy::indexing_slicing, reason = "indices of links are those of links of the same body")]
    pub(crate) fn link_mut(&mut self, index: LinkIndex) -> &mut Link {
        &mut self.links[index.0]
    }

    /// The root link.
    pub fn root(&self) -> &Link {
        self.link(LinkIndex::ROOT)
    }

    /// Links with their indices.
    pub fn indexed_links(&self) -> impl DoubleEndedIterator<Item = (LinkIndex, &Link)> + ExactSizeIterator {
        self.links.iter().enumerate().map(|(index, link)| (LinkIndex(index), link))
    }

    /// Visual shapes of a link, in the link frame, for modification. `None` if the link does not exist.
    pub fn visual_mut(&mut self, link: LinkIndex) -> Option<&mut Vec<Shape>> {
        self.links.get_mut(link.0).map(|link| &mut link.visual)
    }

    /// The link with this name.
    pub fn find_link(&self, name: &str) -> Option<LinkIndex> {
        self.links.iter().position(|link| link.name == name).map(LinkIndex)
    }

    /// Links that move in this model and have a mass but no inertia in the file, in link order. Each gets 1 kg·m² about
    /// each axis, which is probably not intended.
    pub fn guessed_inertias(&self) -> impl Iterator<Item = LinkIndex> {
        self.guessed_inertias.iter().copied().filter(|link| self.moves(*link))
    }

    /// Whether a link can move: by its own joint, by one between it and the root, or because the root floats.
    fn moves(&self, mut link: LinkIndex) -> bool {
        loop {
            let Link { joint, parent, .. } = self.link(link);
            match parent {
                _ if !matches!(joint.kind, super::JointKind::Fixed | super::JointKind::PseudoContinuousTrack) => {
                    return true;
                }
                Some(parent) => link = *parent,
                None => return false,
            }
        }
    }

    /// Meaning of the entries of a joint vector: joint IDs first, then joints without an ID.
    pub fn joints(&self) -> &[JointSlot] {
        &self.joints
    }

    /// As [`joints`](Self::joints), with their indices.
    pub fn indexed_joints(&self) -> impl DoubleEndedIterator<Item = (JointIndex, JointSlot)> + ExactSizeIterator {
        self.joints.iter().enumerate().map(|(index, slot)| (JointIndex(index), *slot))
    }

    /// Length of a joint vector.
    pub fn num_joints(&self) -> usize {
        self.joints.len()
    }

    /// Number of entries of a joint vector that belong to joint IDs: the highest ID + 1.
    pub fn num_joint_ids(&self) -> usize {
        self.num_joint_ids
    }

    /// The link that a joint moves; `None` if the ID is unused.
    pub fn joint_link(&self, joint: JointIndex) -> Option<LinkIndex> {
        match self.joints.get(joint.0)? {
            JointSlot::Link(link) => Some(*link),
            JointSlot::Unused => None,
        }
    }

    /// Joint of an entry of joint vectors; `None` if the ID is unused.
    pub fn joint(&self, joint: JointIndex) -> Option<&Joint> {
        self.joint_link(joint).map(|link| &self.link(link).joint)
    }

    /// Name of the joint of an entry of joint vectors; empty if the ID is unused.
    pub fn joint_name(&self, joint: JointIndex) -> &str {
        self.joint_link(joint).map_or("", |link| self.link(link).joint_name())
    }

    /// The joint with this name: joint names are tried first, then link names.
    pub fn find_joint(&self, name: &str) -> Option<JointIndex> {
        let index = |matches: &dyn Fn(&Link) -> bool| {
            self.joints.iter().position(|slot| matches!(slot, JointSlot::Link(link) if matches(self.link(*link))))
        };
        index(&|link| link.joint.name.as_deref() == Some(name))
            .or_else(|| index(&|link| link.name == name))
            .map(JointIndex)
    }

    /// The joint with this name, as [`find_joint`](Self::find_joint).
    ///
    /// # Errors
    /// If no such name exists; the message suggests a similar one, or lists all.
    pub fn joint_named(&self, name: &str) -> Result<JointIndex, UnknownName> {
        let known = || self.indexed_joints().map(|(index, _)| self.joint_name(index)).filter(|name| !name.is_empty());
        self.find_joint(name).ok_or_else(|| UnknownName::of("joint", name, &self.name, known()))
    }

    /// The link with this name.
    ///
    /// # Errors
    /// If no such name exists; the message suggests a similar one, or lists all.
    pub fn link_named(&self, name: &str) -> Result<LinkIndex, UnknownName> {
        let known = || self.links.iter().map(|link| link.name.as_str());
        self.find_link(name).ok_or_else(|| UnknownName::of("link", name, &self.name, known()))
    }

    /// Displacement of each joint in the model's initial pose, rad or m. Joints that follow others are where their
    /// leaders put them.
    pub fn initial_displacements(&self) -> Vec<f64> {
        let own = |joint| self.joint(JointIndex(joint)).map_or(0.0, |joint| joint.initial_displacement);
        let mut displacements = (0..self.num_joints()).map(own).collect::<Vec<_>>();
        self.follow_leaders(&mut displacements);
        displacements
    }

    /// Displacement of each joint in the standard pose, rad or m: that of [`Body::standard_pose`], or the initial
    /// displacement if it has no entry.
    pub fn standard_displacements(&self) -> Vec<f64> {
        let mut displacements = self.initial_displacements();
        for (slot, &value) in displacements.iter_mut().zip(self.standard_pose.iter().flatten()) {
            *slot = value;
        }
        self.follow_leaders(&mut displacements);
        displacements
    }

    /// Total mass, kg.
    pub fn mass(&self) -> f64 {
        self.links.iter().map(|link| link.mass.mass).sum()
    }

    /// Centre of mass in the world, m, for given link poses (one per link, see [`crate::kinematics`]).
    /// The origin of the root link if the body has no mass.
    pub fn center_of_mass(&self, link_poses: &[nalgebra::Isometry3<f64>]) -> Point3<f64> {
        let mass = self.mass();
        if mass <= 0.0 {
            return link_poses.first().map_or_else(Point3::origin, |pose| Point3::from(pose.translation.vector));
        }
        let moment = self.links.iter().zip(link_poses).fold(nalgebra::Vector3::zeros(), |sum, (link, pose)| {
            sum + link.mass.mass * (pose * link.mass.center_of_mass).coords
        });
        Point3::from(moment / mass)
    }

    /// Whether the root link is fixed to the world.
    pub fn is_fixed(&self) -> bool {
        self.root().joint.kind != super::JointKind::Free
    }

    /// Fixes the root link to the world, or lets it float.
    pub fn set_fixed(&mut self, fixed: bool) {
        self.link_mut(LinkIndex::ROOT).joint.kind =
            if fixed { super::JointKind::Fixed } else { super::JointKind::Free };
    }

    /// Sets the collision shape of the meshes of a link.
    pub fn set_collision_shape(&mut self, link: LinkIndex, shape: CollisionShape) {
        self.link_mut(link).collision_shape = Some(shape);
    }
}
