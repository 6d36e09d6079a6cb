//! Inputs of a step that all islands share.

use nalgebra::{Isometry3, Vector3};

use crate::dynamics::factor::Structure;
use crate::dynamics::integration::Momentum;
use crate::dynamics::kinematics::Kinematics;
use crate::math::spatial::{Twist, Wrench};
use crate::model::closure::Closure;
use crate::model::contact::Contact;
use crate::model::drive::Drive;
use crate::model::index::PartIndex;
use crate::model::state::State;
use crate::model::system::System;
use crate::step::by_island::ByIsland;
use crate::step::islands::Islands;

/// Nothing of it changes while islands are solved.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    pub structure: Structure,
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
    /// By tree: its momentum at the beginning of the step, if nothing held its island in the step before.
    pub momenta: Vec<Option<Momentum>>,
    /// By part, about its frame's origin.
    pub applied: Vec<Wrench>,
    /// By part, about its tree's origin.
    pub external: Vec<Wrench>,
    /// Impulses of contacts in the step before, N·s, and their ages.
    pub warm_starts: Vec<Vector3<f64>>,
    pub warm_ages: Vec<u32>,
    /// By contact that was there in the step before: how fast its point has moved since then, and, if it was there for
    /// longer, how fast it moves now, m/s.
    pub point_velocities: Vec<Option<Vector3<f64>>>,
    pub velocities_of_points: Vec<Option<Vector3<f64>>>,
    /// By tree: whether anything outside it touches or holds it.
    pub is_held: Vec<bool>,
    /// By island: whether all its trees are free, and nothing outside it touches or holds it, so that it keeps its momentum.
    pub is_isolated: Vec<bool>,
    pub contacts: ByIsland,
    pub closures: ByIsland,
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
        self.kinematics.fit(system);
        for values in [&mut self.start, &mut self.rates] {
            values.resize(system.num_coordinates(), 0.0);
        }
        self.twists.resize(system.num_parts(), Twist::ZERO);
        self.applied.resize(system.num_parts(), Wrench::ZERO);
        self.external.resize(system.num_parts(), Wrench::ZERO);
        self.momenta.resize(system.num_trees(), None);
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

    /// Sorts trees, contacts and closures by island.
    pub fn find_islands(&mut self, system: &System, contacts: &[Contact]) {
        self.islands.begin(system);
        self.is_held.clear();
        self.is_held.resize(system.num_trees(), false);
        let sides = |closure: &Closure| closure.sides.map(|side| side.part);
        let of_contacts = contacts.iter().map(|contact| contact.parts);
        for parts in system.closures.iter().map(sides).chain(of_contacts.clone()) {
            self.mark_held(system, &parts);
            if let [Some(first), Some(second)] = parts.map(|part| self.moving_tree(system, part))
                && first != second
            {
                self.islands.join(first, second);
            }
        }
        self.islands.finish();
        let mut by_island = [std::mem::take(&mut self.contacts), std::mem::take(&mut self.closures)];
        let Self { islands, structure, .. } = &*self;
        let island = |parts: [Option<PartIndex>; 2]| {
            let tree = parts.into_iter().find_map(|part| moving_tree(system, structure, part));
            tree.map(|tree| islands.of_tree[tree])
        };
        let count = islands.len();
        by_island[0].sort(count, of_contacts.clone().map(&island));
        by_island[1].sort(count, system.closures.iter().map(sides).map(&island));
        [self.contacts, self.closures] = by_island;
        self.find_isolated(system, of_contacts);
    }

    /// Finds islands that nothing outside touches or holds.
    fn find_isolated(&mut self, system: &System, of_contacts: impl Iterator<Item = [Option<PartIndex>; 2]>) {
        self.is_isolated.clear();
        self.is_isolated.resize(self.islands.len(), true);
        let mut hold = |tree: Option<usize>| {
            if let Some(tree) = tree {
                self.is_isolated[self.islands.of_tree[tree] as usize] = false;
            }
        };
        for (tree, data) in system.trees.iter().enumerate() {
            if !data.is_free || self.drives[data.coordinates.start].given.is_some() {
                hold(Some(tree));
            }
        }
        let of_closures = system.closures.iter().map(|closure| closure.sides.map(|side| side.part));
        for parts in of_contacts.chain(of_closures) {
            let trees = parts.map(|part| moving_tree(system, &self.structure, part));
            if trees.contains(&None) {
                trees.into_iter().for_each(&mut hold);
            }
        }
    }

    /// Takes over what [`Self::find_islands`] has found of the same contacts.
    pub fn take_islands(&mut self, from: &Self) {
        self.islands.clone_from(&from.islands);
        self.is_held.clone_from(&from.is_held);
        self.is_isolated.clone_from(&from.is_isolated);
        self.contacts.clone_from(&from.contacts);
        self.closures.clone_from(&from.closures);
    }

    fn moving_tree(&self, system: &System, part: Option<PartIndex>) -> Option<usize> {
        moving_tree(system, &self.structure, part)
    }

    /// Marks the trees of two sides that are not one tree.
    fn mark_held(&mut self, system: &System, sides: &[Option<PartIndex>; 2]) {
        let trees = sides.map(|part| part.map(|part| system.parts[part.0].tree));
        if trees[0] != trees[1] {
            trees.iter().flatten().for_each(|&tree| self.is_held[tree] = true);
        }
    }

    /// Impulses and ages of the step before, found by the ids of contacts.
    pub fn warm_start(&mut self, state: &State, contacts: &[Contact]) {
        self.warm_starts.clear();
        self.warm_ages.clear();
        self.point_velocities.clear();
        self.velocities_of_points.clear();
        // Contacts mostly stand in the order in which they stood before.
        let known = &state.warm.contacts;
        let mut next = 0;
        for contact in contacts {
            let found = known[next..]
                .iter()
                .position(|known| known.id == contact.id)
                .map(|index| next + index)
                .or_else(|| known[..next].iter().position(|known| known.id == contact.id));
            self.warm_starts.push(found.map_or_else(Vector3::zeros, |index| known[index].impulse));
            let loaded = found.filter(|&index| known[index].impulse != Vector3::zeros());
            let velocity = loaded.map(|index| (contact.point - known[index].point) / self.time_step);
            self.point_velocities.push(velocity);
            // Half a step later, as it has changed in the step before.
            let before = loaded.and_then(|index| known[index].velocity);
            let smooth = velocity.zip(before).filter(|(now, before)| {
                (now - before).norm_squared() <= JUMPED * JUMPED * now.norm_squared().max(STANDING * STANDING)
            });
            self.velocities_of_points.push(smooth.map(|(now, before)| now + 0.5 * (now - before)));
            self.warm_ages.push(found.map_or(0, |index| known[index].age));
            if let Some(index) = found {
                next = index + 1;
            }
        }
    }
}

/// Share of its velocity, or of the smallest one that counts, m/s, by which the velocity of a point that has not jumped changes in a step.
const JUMPED: f64 = 0.1;
const STANDING: f64 = 1e-3;

/// The tree of a part that moves with a coordinate that is not prescribed.
fn moving_tree(system: &System, structure: &Structure, part: Option<PartIndex>) -> Option<usize> {
    part.filter(|part| !structure.path(part.0).is_empty()).map(|part| system.parts[part.0].tree)
}

/// From wrenches about the frames of a tree's parts to wrenches about its origin.
pub fn shift_wrenches(system: &System, kinematics: &Kinematics, tree: usize, from: &[Wrench], to: &mut [Wrench]) {
    let origin = kinematics.origins[tree];
    for index in system.trees[tree].parts.clone() {
        let Wrench { force, torque } = from[index];
        to[index] = Wrench { force, torque: torque + (kinematics.positions[index] - origin).cross(&force) };
    }
}
