//! From a model to trees.

use bunraku_body::{Body, JointIndex, JointKind, LinkIndex, MassProperties, Range};
use nalgebra::Isometry3;

use super::index::{CoordinateIndex, PartIndex, TreeIndex};
use super::state::State;
use super::system::{Coordinate, JointMotion, Part, System};

/// How the root of a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RootMotion {
    /// As the model says.
    #[default]
    Modelled,
    /// Not at all.
    Fixed,
    /// By forces, or as it is told: a guided root is a free one all whose velocities are given.
    Free,
}

/// Where the links and joints of a body are in a [`System`].
#[derive(Clone, Debug)]
pub struct CompiledBody {
    /// Its trees: that of the root, then those of parts that move freely inside it.
    pub trees: Vec<TreeIndex>,
    /// By link: its rigid part and its pose in the part's frame.
    pub links: Vec<(PartIndex, Isometry3<f64>)>,
    /// By joint index: its coordinate, if it has one.
    pub coordinates: Vec<Option<CoordinateIndex>>,
}

/// A rigid part while it is being put together.
struct PartDraft {
    carrier: LinkIndex,
    parent: Option<usize>,
    offset: Isometry3<f64>,
    tree: usize,
    masses: Vec<MassProperties>,
}

impl System {
    /// Adds a body: links that cannot move against each other become one part, whose frame is that of the topmost of them.
    ///
    /// Of its joints it takes displacement ranges and rotor inertias; what else slows or limits them is for the caller to say
    /// by [`System::coordinate_mut`].
    pub fn add_body(&mut self, body: &Body, root: RootMotion) -> CompiledBody {
        let root_motion = match root {
            RootMotion::Modelled if body.is_fixed() => JointMotion::Fixed,
            RootMotion::Fixed => JointMotion::Fixed,
            RootMotion::Modelled | RootMotion::Free => JointMotion::Free,
        };
        let (drafts, links) = drafts(body);
        let num_trees = drafts.iter().map(|draft| draft.tree + 1).max().unwrap_or(0);
        let mut trees = Vec::with_capacity(num_trees);
        let mut parts_of_drafts = vec![PartIndex(0); drafts.len()];
        for tree in 0..num_trees {
            let members: Vec<usize> = (0..drafts.len()).filter(|&draft| drafts[draft].tree == tree).collect();
            let parts: Vec<Part> = members
                .iter()
                .map(|&member| {
                    let draft = &drafts[member];
                    let joint = &body.link(draft.carrier).joint;
                    let parent = draft.parent.and_then(|parent| members.iter().position(|&other| other == parent));
                    let motion = match (parent, joint.kind) {
                        (Some(_), JointKind::Revolute) => JointMotion::Revolute(joint.axis),
                        (Some(_), JointKind::Prismatic) => JointMotion::Prismatic(joint.axis),
                        _ if tree == 0 => root_motion,
                        _ => JointMotion::Free,
                    };
                    let Range { lower, upper } = joint.displacement_range;
                    let coordinate = Coordinate {
                        rotor_inertia: joint.equivalent_rotor_inertia,
                        range: if lower <= upper { joint.displacement_range } else { Range::UNLIMITED },
                        ..Coordinate::default()
                    };
                    let mass = MassProperties::combine(&draft.masses);
                    Part { parent, offset: draft.offset, motion, mass, coordinate }
                })
                .collect();
            let first = self.num_parts();
            for (number, &member) in members.iter().enumerate() {
                parts_of_drafts[member] = PartIndex(first + number);
            }
            trees.extend(self.add_tree(&parts));
        }
        let links = links.into_iter().map(|(draft, pose)| (parts_of_drafts[draft], pose)).collect::<Vec<_>>();
        let coordinates = (0..body.num_joints()).map(|joint| {
            let link = body.joint_link(JointIndex(joint)).filter(|link| *link != LinkIndex::ROOT)?;
            body.link(link).joint.kind.has_displacement().then(|| self.coordinate_of(links[link.0].0)).flatten()
        });
        let coordinates = coordinates.collect();
        CompiledBody { trees, links, coordinates }
    }
}

impl CompiledBody {
    /// Puts the body somewhere: its root at a pose in the world, its joints at displacements (rad or m, joint order).
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

/// The rigid parts of a body, parents before children, and for each link its part and its pose there.
fn drafts(body: &Body) -> (Vec<PartDraft>, Vec<(usize, Isometry3<f64>)>) {
    let mut drafts: Vec<PartDraft> = Vec::new();
    let mut links: Vec<(usize, Isometry3<f64>)> = Vec::with_capacity(body.links().len());
    let mut num_trees = 0;
    for (index, link) in body.indexed_links() {
        let above = link.parent.map(|parent| links[parent.0]);
        let link_in = match (above, link.joint.kind) {
            (Some((draft, pose)), JointKind::Fixed | JointKind::PseudoContinuousTrack) => (draft, pose * link.offset),
            _ => {
                let is_root = above.is_none() || link.joint.kind == JointKind::Free;
                let tree = match above {
                    Some((draft, _)) if !is_root => drafts[draft].tree,
                    _ => {
                        num_trees += 1;
                        num_trees - 1
                    }
                };
                let offset = above.map_or(link.offset, |(_, pose)| pose * link.offset);
                let parent = if is_root { None } else { above.map(|(draft, _)| draft) };
                drafts.push(PartDraft { carrier: index, parent, offset, tree, masses: Vec::new() });
                (drafts.len() - 1, Isometry3::identity())
            }
        };
        drafts[link_in.0].masses.push(link.mass.transformed(&link_in.1));
        links.push(link_in);
    }
    (drafts, links)
}
