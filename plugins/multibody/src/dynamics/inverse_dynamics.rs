//! Inertias and bias.

use nalgebra::Vector3;

use crate::dynamics::kinematics::Kinematics;
use crate::math::spatial::{SpatialInertia, Twist, Wrench, power};
use crate::model::system::System;

/// The terms of M·v̇ + bias = efforts + Jᵀ·wrenches for some velocities.
#[derive(Clone, Debug, Default)]
pub struct Dynamics {
    /// By part, about its tree's origin.
    pub inertias: Vec<SpatialInertia>,
    /// By part, with the velocities at which the bias is taken.
    pub twists: Vec<Twist>,
    /// By part, spatial, without any acceleration of a coordinate.
    pub accelerations: Vec<Twist>,
    /// By part: composite inertia of the part and its descendants about its tree's origin.
    pub wrenches: Vec<Wrench>,
    /// By coordinate.
    pub bias: Vec<f64>,
}

impl Dynamics {
    pub fn fit(&mut self, system: &System) {
        let parts = system.num_parts();
        self.inertias.resize(parts, SpatialInertia::default());
        self.twists.resize(parts, Twist::ZERO);
        self.accelerations.resize(parts, Twist::ZERO);
        self.wrenches.resize(parts, Wrench::ZERO);
        self.bias.resize(system.num_coordinates(), 0.0);
    }

    /// Inertias of a tree's parts.
    pub fn weigh(&mut self, system: &System, kinematics: &Kinematics, tree: usize) {
        let origin = kinematics.origins[tree];
        for index in system.trees[tree].parts.clone() {
            let offset = kinematics.positions[index] - origin;
            self.inertias[index] = SpatialInertia::of(&system.parts[index].mass, &kinematics.matrices[index], &offset);
        }
    }

    /// Twists and accelerations of a tree for some velocities. Gives the largest square of an angular velocity.
    pub fn set_velocities(&mut self, system: &System, kinematics: &Kinematics, tree: usize, velocities: &[f64]) -> f64 {
        let (twists, accelerations) = (&mut self.twists, &mut self.accelerations);
        kinematics.twists_and_accelerations(system, tree, velocities, twists, accelerations)
    }

    /// Generalized forces by recursive Newton–Euler, against these wrenches from outside. Without the rotors' own share.
    ///
    /// `rates` are what accelerations of the coordinates add to the acceleration of each part, by [`Kinematics::twists`]; `None` if no
    /// coordinate accelerates.
    ///
    /// `gravity` is the acceleration of free fall, m/s².
    pub fn inverse(
        &mut self,
        system: &System,
        kinematics: &Kinematics,
        tree: usize,
        gravity: &Vector3<f64>,
        rates: Option<&[Twist]>,
        external: &[Wrench],
    ) {
        let parts = system.trees[tree].parts.clone();
        if let Some(more) = rates {
            for index in parts.clone() {
                let base = &self.accelerations[index];
                let acceleration = Twist {
                    linear: base.linear + more[index].linear - gravity,
                    angular: base.angular + more[index].angular,
                };
                self.wrenches[index] = self.effort_of_motion(index, &acceleration, &external[index]);
            }
        } else {
            for index in parts.clone() {
                let base = &self.accelerations[index];
                let acceleration = Twist { linear: base.linear - gravity, angular: base.angular };
                self.wrenches[index] = self.effort_of_motion(index, &acceleration, &external[index]);
            }
        }
        for index in parts.rev() {
            let part = &system.parts[index];
            let wrench = self.wrenches[index];
            for coordinate in part.first_coordinate..part.first_coordinate + part.num_coordinates {
                self.bias[coordinate] = power(&kinematics.directions[coordinate], &wrench);
            }
            if let Some(parent) = part.parent {
                self.wrenches[parent].force += wrench.force;
                self.wrenches[parent].torque += wrench.torque;
            }
        }
    }

    /// Wrench that this motion of one part requires.
    fn effort_of_motion(&self, index: usize, acceleration: &Twist, external: &Wrench) -> Wrench {
        let (inertia, twist) = (&self.inertias[index], &self.twists[index]);
        let momentum = inertia.momentum(twist);
        let change = inertia.momentum(acceleration);
        Wrench {
            force: change.force + twist.angular.cross(&momentum.force) - external.force,
            torque: change.torque + twist.angular.cross(&momentum.torque) + twist.linear.cross(&momentum.force)
                - external.torque,
        }
    }
}
