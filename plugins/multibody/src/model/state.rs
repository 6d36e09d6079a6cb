use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use crate::math::spatial::Twist;
use crate::model::index::{CoordinateIndex, TreeIndex};
use crate::model::system::{JointMotion, System};

/// Where everything is and how it moves at the end of a step, and what the next step remembers: all that changes. Going on from a
/// clone is going on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// World poses of the roots, by tree.
    pub root_poses: Vec<Isometry3<f64>>,
    /// rad or m, by coordinate; those of free roots are of no meaning.
    pub displacements: Vec<f64>,
    /// rad/s or m/s, by coordinate.
    pub velocities: Vec<f64>,
    /// At the end of the step before this one.
    pub(crate) velocities_before: Vec<f64>,
    /// By tree: whether nothing outside it touched or held it in the last step.
    pub(crate) is_floating: Vec<bool>,
    pub(crate) warm: WarmStart,
}

/// Impulses of the last step, with which the solve begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WarmStart {
    /// By contact, in the order of the step.
    pub contacts: Vec<WarmContact>,
    /// By closure: force and torque of its impulse on its second side, N·s and N·m·s, world axes.
    pub closures: Vec<[Vector3<f64>; 2]>,
    /// By coordinate: of its range, its dry friction, its largest velocity and what it follows.
    pub coordinates: Vec<[f64; NUM_HOLDS]>,
    /// By coordinate.
    pub regimes: Vec<Regime>,
}

/// Number of constraints that a coordinate may have, each with its impulse.
pub(crate) const NUM_HOLDS: usize = 4;

/// A contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WarmContact {
    pub id: u64,
    /// On the first part, N·s, world axes.
    pub impulse: Vector3<f64>,
    /// Where it was in the middle of the step, m, in the world.
    pub point: Vector3<f64>,
    /// Velocity of the point from the middle of one step to the next, m/s, if it was there before.
    pub velocity: Option<Vector3<f64>>,
    /// Steps since impulses in its island have changed noticeably, up to a maximum.
    pub age: u32,
}

/// Regime of a motor's effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Regime {
    /// Its lower bound.
    Lower,
    /// Its own.
    Free,
    /// Its upper bound.
    Upper,
}

impl State {
    /// All joints at zero, all roots at the world origin, and at rest.
    pub fn new(system: &System) -> Self {
        let mut state = Self {
            root_poses: Vec::new(),
            displacements: Vec::new(),
            velocities: Vec::new(),
            velocities_before: Vec::new(),
            is_floating: Vec::new(),
            warm: WarmStart::default(),
        };
        state.fit(system);
        state
    }

    /// Makes room for what has been added to the system since.
    pub fn fit(&mut self, system: &System) {
        let count = system.num_coordinates();
        self.root_poses.resize(system.num_trees(), Isometry3::identity());
        self.displacements.resize(count, 0.0);
        self.velocities.resize(count, 0.0);
        self.velocities_before.resize(count, 0.0);
        self.warm.coordinates.resize(count, [0.0; NUM_HOLDS]);
        self.warm.regimes.resize(count, Regime::Free);
        self.warm.closures.resize(system.closures.len(), [Vector3::zeros(); 2]);
        self.is_floating.resize(system.num_trees(), true);
    }

    /// Displacement of a coordinate, rad or m. Those of free roots have none that counts.
    pub fn displacement(&self, coordinate: CoordinateIndex) -> f64 {
        self.displacements[coordinate.0]
    }

    /// Velocity of a coordinate, rad/s or m/s.
    pub fn velocity(&self, coordinate: CoordinateIndex) -> f64 {
        self.velocities[coordinate.0]
    }

    /// Sets the velocity of a coordinate as if it had always moved like that.
    pub fn set_velocity(&mut self, coordinate: CoordinateIndex, velocity: f64) {
        self.velocities[coordinate.0] = velocity;
        self.velocities_before[coordinate.0] = velocity;
    }

    /// Twist of a root at its origin, world axes; zero if it is fixed.
    pub fn root_twist(&self, system: &System, tree: TreeIndex) -> Twist {
        let root = &system.parts[system.trees[tree.0].parts.start];
        match root.motion {
            JointMotion::Free => twist_at(&self.velocities, root.first_coordinate),
            _ => Twist::ZERO,
        }
    }

    /// Sets the twist of a free root, as [`Self::set_velocity`] does.
    pub fn set_root_twist(&mut self, system: &System, tree: TreeIndex, twist: &Twist) {
        let root = &system.parts[system.trees[tree.0].parts.start];
        if root.motion == JointMotion::Free {
            for (offset, value) in twist.linear.iter().chain(twist.angular.iter()).enumerate() {
                self.set_velocity(CoordinateIndex(root.first_coordinate + offset), *value);
            }
        }
    }
}

/// Six values as a twist.
pub(crate) fn twist_at(values: &[f64], first: usize) -> Twist {
    Twist {
        linear: Vector3::new(values[first], values[first + 1], values[first + 2]),
        angular: Vector3::new(values[first + 3], values[first + 4], values[first + 5]),
    }
}
