//! Joints that follow other joints.

use crate::model::index::CoordinateIndex;
use crate::model::system::System;

/// Coefficients of a polynomial of the leader's displacement, constant first.
pub type Polynomial = [f64; 5];

/// The law of a coordinate that follows another of its tree: displacement = Σ polynomial[k]·leaderᵏ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Coupling {
    /// Coordinate that leads.
    pub leader: usize,
    pub polynomial: Polynomial,
}

impl Coupling {
    /// Displacement of the follower, and its first and second derivative with respect to the leader's displacement.
    pub fn at(&self, leader: f64) -> [f64; 3] {
        self.polynomial.iter().rev().fold([0.0; 3], |[value, slope, curvature], coefficient| {
            [value * leader + coefficient, slope * leader + value, curvature * leader + 2.0 * slope]
        })
    }
}

impl System {
    /// Makes a joint follow another one of its tree: its displacement is a polynomial of the leader's, rad or m. A leader may follow a
    /// third joint. Returns whether that is possible: not for joints of different trees, a joint that follows already, and a leader that
    /// itself follows the joint.
    pub fn add_coupling(&mut self, follower: CoordinateIndex, leader: CoordinateIndex, polynomial: Polynomial) -> bool {
        let (CoordinateIndex(follower), CoordinateIndex(leader)) = (follower, leader);
        let tree = |coordinate: usize| {
            let tree = self.parts[*self.coordinate_part.get(coordinate)?].tree;
            self.trees[tree].joints().contains(&coordinate).then_some(tree)
        };
        let is_of_one_tree = tree(follower).is_some() && tree(follower) == tree(leader);
        let leads = |&coordinate: &usize| self.couplings[coordinate].map(|coupling| coupling.leader);
        if !is_of_one_tree
            || self.couplings[follower].is_some()
            || std::iter::successors(Some(leader), leads).any(|above| above == follower)
            || !polynomial.iter().all(|coefficient| coefficient.is_finite())
        {
            return false;
        }
        self.version += 1;
        if let Some(tree) = tree(follower) {
            self.trees[tree].has_couplings = true;
        }
        self.couplings[follower] = Some(Coupling { leader, polynomial });
        true
    }

    /// The joint that a joint follows.
    pub fn leader_of(&self, follower: CoordinateIndex) -> Option<CoordinateIndex> {
        self.couplings.get(follower.0).copied().flatten().map(|coupling| CoordinateIndex(coupling.leader))
    }
}
