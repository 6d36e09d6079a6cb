//! What is known of a step before its islands are solved.

use nalgebra::{Isometry3, Vector3};

use super::contact::Contact;
use super::drive::Drive;
use super::equalities::LoopGroups;
use super::factor::Structure;
use super::index::PartIndex;
use super::integration::Momentum;
use super::islands::Islands;
use super::kinematics::Kinematics;
use super::spatial::{Twist, Wrench};
use super::state::State;
use super::system::System;

/// Nothing of it changes while islands are solved.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    pub structure: Structure,
    pub groups: LoopGroups,
    /// In the middle of the step.
    pub kinematics: Kinematics,
    pub islands: Islands,
    /// Twists of parts at the beginning, given velocities being those of the step.
    pub twists: Vec<Twist>,
    /// Velocities at the beginning, given ones being those of the step.
    pub start: Vec<f64>,
    /// Accelerations of given coordinates, 0 of others.
    pub rates: Vec<f64>,
    pub has_given: bool,
    /// By tree: its momentum at the beginning of the step, if nothing held it in the step before.
    pub momenta: Vec<Option<Momentum>>,
    /// By part, about its frame's origin.
    pub applied: Vec<Wrench>,
    /// By part, about its tree's origin.
    pub external: Vec<Wrench>,
    /// Impulses of contacts in the step before, N·s.
    pub warm_starts: Vec<Vector3<f64>>,
    contact_islands: Vec<u32>,
    /// By tree: whether anything outside it touches or holds it.
    pub is_held: Vec<bool>,
    /// By group of loops: its island.
    pub group_islands: Vec<Option<usize>>,
    /// Contacts sorted by island, and where those of each island begin.
    pub order: Vec<u32>,
    pub starts: Vec<u32>,
    /// Displacements and root poses at the beginning.
    pub saved: (Vec<f64>, Vec<Isometry3<f64>>),
    /// Drives of the step.
    pub drives: Vec<Drive>,
    pub time_step: f64,
    pub gravity: Vector3<f64>,
}

impl Setting {
    /// Room for a system.
    pub fn fit(&mut self, system: &System) {
        self.groups.fit(system);
        self.kinematics.fit(system);
        for values in [&mut self.start, &mut self.rates] {
            values.resize(system.num_coordinates(), 0.0);
        }
        self.twists.resize(system.num_parts(), Twist::ZERO);
        self.applied.resize(system.num_parts(), Wrench::ZERO);
        self.external.resize(system.num_parts(), Wrench::ZERO);
        self.momenta.resize(system.num_trees(), None);
    }

    /// Contacts of an island.
    pub fn contacts(&self, island: usize) -> &[u32] {
        &self.order[self.starts[island] as usize..self.starts[island + 1] as usize]
    }

    /// Forces from outside.
    pub fn apply(&mut self, system: &System, wrenches: &[(PartIndex, Wrench)]) {
        self.applied.fill(Wrench::ZERO);
        for (PartIndex(part), wrench) in wrenches {
            if let Some(sum) = self.applied.get_mut(*part) {
                sum.force += wrench.force;
                sum.torque += wrench.torque;
            }
        }
        if wrenches.is_empty() {
            self.external.fill(Wrench::ZERO);
            return;
        }
        for tree in 0..system.num_trees() {
            shift_wrenches(system, &self.kinematics, tree, &self.applied, &mut self.external);
        }
    }

    /// Sorts trees and contacts by island.
    pub fn find_islands(&mut self, system: &System, contacts: &[Contact]) {
        self.islands.begin(system);
        self.group_islands.clear();
        self.is_held.clear();
        self.is_held.resize(system.num_trees(), false);
        for closure in &system.closures {
            self.mark_held(system, &closure.sides.map(|side| side.part));
        }
        for contact in contacts {
            self.mark_held(system, &contact.parts);
        }
        for group in &self.groups.groups {
            let mut first = None;
            for &closure in group {
                for PartIndex(part) in system.closures[closure].sides.iter().filter_map(|side| side.part) {
                    let tree = system.parts[part].tree;
                    if !system.trees[tree].coordinates.is_empty() {
                        self.islands.join(*first.get_or_insert(tree), tree);
                    }
                }
            }
            self.group_islands.push(first);
        }
        let moves = |part: &Option<PartIndex>| {
            part.filter(|part| !self.structure.path(part.0).is_empty()).map(|part| system.parts[part.0].tree)
        };
        for contact in contacts {
            if let [Some(first), Some(second)] = [moves(&contact.parts[0]), moves(&contact.parts[1])]
                && first != second
            {
                self.islands.join(first, second);
            }
        }
        self.islands.finish();
        for first in self.group_islands.iter_mut().flatten() {
            *first = self.islands.of_tree[*first] as usize;
        }
        let nowhere = u32::MAX;
        self.contact_islands.clear();
        self.contact_islands.extend(contacts.iter().map(|contact| {
            let tree = moves(&contact.parts[0]).or(moves(&contact.parts[1]));
            tree.map_or(nowhere, |tree| self.islands.of_tree[tree])
        }));
        // Counting sort: stable, so that the order is the caller's.
        self.starts.clear();
        self.starts.resize(self.islands.len() + 1, 0);
        for &island in self.contact_islands.iter().filter(|&&island| island != nowhere) {
            self.starts[island as usize + 1] += 1;
        }
        for island in 0..self.islands.len() {
            self.starts[island + 1] += self.starts[island];
        }
        self.order.clear();
        self.order.resize(contacts.len(), 0);
        for (index, &island) in self.contact_islands.iter().enumerate().rev() {
            if island != nowhere {
                let end = &mut self.starts[island as usize + 1];
                *end -= 1;
                // Fewer than four thousand million contacts.
                #[allow(clippy::cast_possible_truncation)]
                {
                    self.order[*end as usize] = index as u32;
                }
            }
        }
        // The ends have become the beginnings.
        let all = self.contact_islands.iter().filter(|&&island| island != nowhere).count();
        self.starts.remove(0);
        #[allow(clippy::cast_possible_truncation)]
        self.starts.push(all as u32);
    }

    /// Marks the trees of two sides that are not one tree.
    fn mark_held(&mut self, system: &System, sides: &[Option<PartIndex>; 2]) {
        let trees = sides.map(|part| part.map(|part| system.parts[part.0].tree));
        if trees[0] != trees[1] {
            trees.iter().flatten().for_each(|&tree| self.is_held[tree] = true);
        }
    }

    /// Impulses of the step before, found by the numbers of contacts.
    pub fn warm_start(&mut self, state: &State, contacts: &[Contact]) {
        self.warm_starts.clear();
        // Contacts mostly stand in the order in which they stood before.
        let known = &state.warm.contacts;
        let mut next = 0;
        for contact in contacts {
            let found = known[next..]
                .iter()
                .position(|(id, _)| *id == contact.id)
                .map(|index| next + index)
                .or_else(|| known[..next].iter().position(|(id, _)| *id == contact.id));
            self.warm_starts.push(found.map_or_else(Vector3::zeros, |index| known[index].1));
            if let Some(index) = found {
                next = index + 1;
            }
        }
    }
}

/// From wrenches about the frames of a tree's parts to wrenches about its origin.
pub fn shift_wrenches(system: &System, kinematics: &Kinematics, tree: usize, from: &[Wrench], to: &mut [Wrench]) {
    let origin = kinematics.origins[tree];
    for index in system.trees[tree].parts.clone() {
        let Wrench { force, torque } = from[index];
        to[index] = Wrench { force, torque: torque + (kinematics.positions[index] - origin).cross(&force) };
    }
}
