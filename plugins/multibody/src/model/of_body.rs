//! From a model to trees.

use bunraku_body::{Body, JointIndex, JointKind, LinkIndex, Range, RigidPart, RigidPartIndex, RigidParts};
use nalgebra::Isometry3;
use typed_index_collections::{TiVec, ti_vec};

use crate::model::index::{CoordinateIndex, PartIndex, TreeIndex};
use crate::model::state::State;
use crate::model::system::{Coordinate, JointMotion, Part, System};

/// Motion of the root of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RootMotion {
    /// As in the model.
    #[default]
    Modelled,
    /// Static.
    Fixed,
    /// Dynamic, or kinematic with prescribed velocities.
    Free,
}

/// Indices of the links and joints of a body in a [`System`].
#[derive(Clone, Debug)]
pub struct CompiledBody {
    /// Its trees: that of the root, then those below free joints.
    pub trees: Vec<TreeIndex>,
    /// By link: its rigid part and its pose in the part's frame.
    pub links: Vec<(PartIndex, Isometry3<f64>)>,
    /// By joint index: its coordinate, if it has one.
    pub coordinates: Vec<Option<CoordinateIndex>>,
}

impl System {
    /// Adds a body: links that cannot move against each other become one part, whose frame is that of the topmost of them.
    ///
    /// Displacement ranges, rotor inertias and couplings are those of the joints; the caller sets losses and velocity ranges by
    /// [`System::coordinate_mut`].
    pub fn add_body(&mut self, body: &Body, root: RootMotion) -> CompiledBody {
        let root_motion = match root {
            RootMotion::Modelled if body.is_fixed() => JointMotion::Fixed,
            RootMotion::Fixed => JointMotion::Fixed,
            RootMotion::Modelled | RootMotion::Free => JointMotion::Free,
        };
        let RigidParts { parts, links } = RigidParts::of(body);
        let mut trees = Vec::new();
        let mut indices: TiVec<RigidPartIndex, PartIndex> = ti_vec![PartIndex(0); parts.len()];
        let roots = parts.iter_enumerated().filter(|(_, part)| part.parent.is_none()).map(|(root, _)| root);
        for root in roots {
            let mut members = vec![root];
            // Parents come before children.
            members.extend(parts.keys().filter(|&part| part != root && tree_root(&parts, part) == root));
            let of_tree: Vec<Part> = members
                .iter()
                .map(|&member| {
                    let RigidPart { carrier, parent, offset, ref mass } = parts[member];
                    let joint = &body.link(carrier).joint;
                    let parent = parent.and_then(|parent| members.iter().position(|&other| other == parent));
                    let motion = match (parent, joint.kind) {
                        (Some(_), JointKind::Revolute) => JointMotion::Revolute(joint.axis),
                        (Some(_), JointKind::Prismatic) => JointMotion::Prismatic(joint.axis),
                        _ if root == RigidPartIndex::ROOT => root_motion,
                        _ => JointMotion::Free,
                    };
                    let Range { lower, upper } = joint.displacement_range;
                    let coordinate = Coordinate {
                        rotor_inertia: joint.equivalent_rotor_inertia,
                        range: if lower <= upper { joint.displacement_range } else { Range::UNLIMITED },
                        ..Coordinate::default()
                    };
                    Part { parent, offset, motion, mass: *mass, coordinate }
                })
                .collect();
            for (number, &member) in members.iter().enumerate() {
                indices[member] = PartIndex(self.num_parts() + number);
            }
            trees.extend(self.add_tree(&of_tree));
        }
        let links: Vec<_> = links.iter().map(|link| (indices[link.part], link.pose)).collect();
        let coordinates = (0..body.num_joints()).map(|joint| {
            let link = body.joint_link(JointIndex(joint)).filter(|link| *link != LinkIndex::ROOT)?;
            body.link(link).joint.kind.has_displacement().then(|| self.coordinate_of(links[link.0].0)).flatten()
        });
        let coordinates: Vec<Option<CoordinateIndex>> = coordinates.collect();
        let coordinate = |link: LinkIndex| body.joint_of(link).and_then(|JointIndex(joint)| coordinates[joint]);
        for coupling in body.joint_couplings() {
            if let (Some(follower), Some(leader)) = (coordinate(coupling.follower), coordinate(coupling.leader)) {
                // The model accepts only couplings within a tree and without cycles.
                self.add_coupling(follower, leader, coupling.polynomial);
            }
        }
        CompiledBody { trees, links, coordinates }
    }
}

impl CompiledBody {
    /// Sets the pose of the root in the world, and displacements of the joints (rad or m, joint order).
    pub fn place(&self, body: &Body, state: &mut State, system: &System, root: &Isometry3<f64>, displacements: &[f64]) {
        state.fit(system);
        let poses = bunraku_body::kinematics::link_poses(body, root, displacements);
        for (coordinate, value) in self.coordinates.iter().zip(displacements) {
            if let Some(CoordinateIndex(coordinate)) = coordinate {
                state.displacements[*coordinate] = *value;
            }
        }
        for &tree in &self.trees {
            let root = system.root(tree);
            let carrier = self.links.iter().position(|(part, pose)| *part == root && *pose == Isometry3::identity());
            if let Some(carrier) = carrier {
                state.root_poses[tree.0] = poses[carrier];
            }
        }
    }
}

/// The part at the root of a part's tree.
fn tree_root(parts: &TiVec<RigidPartIndex, RigidPart>, part: RigidPartIndex) -> RigidPartIndex {
    std::iter::successors(Some(part), |part| parts[*part].parent).last().unwrap_or(part)
}
