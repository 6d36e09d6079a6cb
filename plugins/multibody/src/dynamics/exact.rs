//! Runge and Kutta's method of fourth order, for trees that nothing touches.
//!
//! Orientations go along rotation vectors from the beginning of the step (H. Munthe-Kaas), whose rates are those of the angular
//! velocity by the first terms of the inverse of the exponential's derivative.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::model::state::State;
use crate::model::system::System;

/// Memory of a step, each by coordinate.
#[derive(Clone, Debug, Default)]
pub struct ExactStep {
    positions: Vec<f64>,
    velocities: Vec<f64>,
    /// Way from the beginning; a rotation vector for the orientation of the root.
    way: Vec<f64>,
    rates: Vec<f64>,
    way_sum: Vec<f64>,
    rate_sum: Vec<f64>,
}

impl ExactStep {
    /// Moves a tree by a time, s. `accelerations` gives those of its coordinates in a state.
    pub fn step(
        &mut self,
        system: &System,
        state: &mut State,
        tree: usize,
        step: f64,
        mut accelerations: impl FnMut(&State, &mut [f64]),
    ) {
        let span = system.trees[tree].coordinates.clone();
        self.positions.clone_from(&state.displacements);
        self.velocities.clone_from(&state.velocities);
        for list in [&mut self.way, &mut self.rates, &mut self.way_sum, &mut self.rate_sum] {
            list.clear();
            list.resize(state.velocities.len(), 0.0);
        }
        let pose = state.root_poses[tree];
        let is_free = system.trees[tree].is_free;
        // Time of each stage, and its weight.
        for (reach, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
            for coordinate in span.clone() {
                state.velocities[coordinate] = self.velocities[coordinate] + reach * step * self.rates[coordinate];
            }
            // The way of this stage goes along the velocities of the stage before.
            for value in &mut self.way[span.clone()] {
                *value *= reach * step;
            }
            self.place(state, tree, &pose, span.clone(), is_free);
            accelerations(state, &mut self.rates);
            let turned = is_free.then(|| vector(&self.way, span.start + 3));
            for coordinate in span.clone() {
                self.way[coordinate] = state.velocities[coordinate];
            }
            if let Some(turned) = turned {
                let spin = vector(&self.way, span.start + 3);
                let rate = spin - 0.5 * turned.cross(&spin) + turned.cross(&turned.cross(&spin)) / 12.0;
                self.way[span.start + 3..span.start + 6].copy_from_slice(rate.as_slice());
            }
            for coordinate in span.clone() {
                self.way_sum[coordinate] += weight * self.way[coordinate];
                self.rate_sum[coordinate] += weight * self.rates[coordinate];
            }
        }
        for coordinate in span.clone() {
            self.way[coordinate] = self.way_sum[coordinate] * step / 6.0;
            state.velocities[coordinate] = self.velocities[coordinate] + self.rate_sum[coordinate] * step / 6.0;
        }
        self.place(state, tree, &pose, span, is_free);
    }

    /// Moves the tree along the way from the beginning.
    fn place(
        &self,
        state: &mut State,
        tree: usize,
        pose: &Isometry3<f64>,
        span: std::ops::Range<usize>,
        is_free: bool,
    ) {
        for coordinate in span.clone() {
            state.displacements[coordinate] = self.positions[coordinate] + self.way[coordinate];
        }
        if is_free {
            let rotation = UnitQuaternion::from_scaled_axis(vector(&self.way, span.start + 3)) * pose.rotation;
            let position = pose.translation.vector + vector(&self.way, span.start);
            state.root_poses[tree] =
                Isometry3::from_parts(position.into(), UnitQuaternion::new_normalize(rotation.into_inner()));
        }
    }
}

fn vector(values: &[f64], first: usize) -> Vector3<f64> {
    Vector3::new(values[first], values[first + 1], values[first + 2])
}
