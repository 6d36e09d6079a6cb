//! A contact in a step: the impulse that it asks for.

use nalgebra::Vector3;

use super::contact::Contact;
use super::index::PartIndex;
use super::kinematics::Kinematics;
use super::parameters::Parameters;
use super::rows::{Rows, gather};
use super::spatial::Wrench;
use super::system::System;
use super::tangents::Tangents;

/// Rows of a contact: the normal and two tangents; a fourth number fills the lanes.
pub const LANES: usize = 4;

/// A contact in one island in one step.
#[derive(Clone, Copy, Debug)]
pub struct ContactBlock {
    pub contact: usize,
    pub point: Vector3<f64>,
    /// Its rows with loops taken into account, and without.
    pub rows: Rows,
    pub own: Rows,
    /// Normal and tangents.
    pub axes: [Vector3<f64>; 3],
    /// Velocity of the first against the second but for what the motion in the factor's coordinates adds, m/s.
    pub start: [f64; 3],
    /// Of the normal to itself and to the tangents.
    pub response: [f64; 3],
    pub tangents: Tangents,
    pub friction: f64,
    /// Smallest velocity along the normal, m/s.
    pub target: f64,
    /// The same of the motion that takes out depth.
    pub correction: f64,
    pub impulse: [f64; 3],
    pub corrective: f64,
    /// What impacts have done already; it is not taken back.
    pub impact: [f64; 3],
    /// m
    pub gap: f64,
    pub restitution: f64,
    /// How much forces change the velocity along the normal in the step, m/s.
    pub change: f64,
    /// Whether it takes part in what is being solved.
    pub acts: bool,
}

impl ContactBlock {
    /// How the surfaces meet with the present motion.
    pub fn meeting(&self, indices: &[u32], values: &[[f64; LANES]], motion: &[f64]) -> Meeting {
        let free = self.start[0] + gather(indices, values, self.rows, motion)[0];
        Meeting { before: free - self.change, free }
    }

    /// A better impulse: the normal first, then friction within its cone. Gives the change and how fast the point was wrong.
    pub fn improve(&mut self, change: &[f64; LANES]) -> ([f64; LANES], f64) {
        let [nn, n1, n2] = self.response;
        let normal = (self.impulse[0] - (self.start[0] + change[0] - self.target) / nn).max(0.0);
        let step = normal - self.impulse[0];
        let velocity = [self.start[1] + change[1] + n1 * step, self.start[2] + change[2] + n2 * step];
        let bound = self.friction * normal;
        let old = [self.impulse[1], self.impulse[2]];
        let tangents = self.tangents.slide(&velocity, &old, bound);
        let steps = [tangents[0] - old[0], tangents[1] - old[1]];
        self.impulse = [normal, tangents[0], tangents[1]];
        let own = self.tangents.own();
        let off = (step.abs() * nn).max(steps[0].abs() * own[0]).max(steps[1].abs() * own[1]);
        ([step, steps[0], steps[1], 0.0], off)
    }
}

/// Surfaces that are no farther apart touch, m. Points of one surface that differ by rounding would else be told to meet at different
/// speeds, and which of them carry the load would be chance.
const TOUCHING: f64 = 1e-6;

/// The smallest velocity along the normal with which surfaces do not come deeper into each other in a step than they may, m/s.
pub fn target(gap: f64, parameters: &Parameters) -> f64 {
    let rigid = if gap > TOUCHING { -gap / parameters.time_step } else { 0.0 };
    parameters.sinking.map_or(rigid, |sinking| rigid.min(sinking.speed(-gap)))
}

/// How two surfaces meet along their normal, m/s: positive apart.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    pub before: f64,
    /// After the step, if nothing touches.
    pub free: f64,
}

impl Meeting {
    /// Whether they meet faster than what merely rests does in a step.
    pub fn is_impact(&self, parameters: &Parameters) -> bool {
        -self.before.max(self.free) > parameters.bounce_speed
    }

    /// Whether the middle of this step is the nearest to the impact.
    pub fn is_now(&self, gap: f64, parameters: &Parameters) -> bool {
        gap + 0.5 * parameters.time_step * self.free <= 0.0
    }

    /// The velocity after the step with which they part.
    pub fn parting(&self, gap: f64, restitution: f64, parameters: &Parameters) -> f64 {
        let step = parameters.time_step;
        let acceleration = (self.free - self.before) / step;
        let here = self.before + 0.5 * step * acceleration;
        // Some way is left to the surface or has been gone beyond it: as high as from the surface itself.
        let at_surface = here * here - 2.0 * acceleration * gap;
        let back = (restitution * restitution * at_surface + 2.0 * acceleration * gap).max(0.0).sqrt();
        (back + 0.5 * step * acceleration).max(0.0)
    }
}

/// Adds a contact's force to its parts, about the origins of their trees.
pub fn add_contact_wrench(
    system: &System,
    kinematics: &Kinematics,
    contact: &Contact,
    force: &Vector3<f64>,
    wrenches: &mut [Wrench],
) {
    for (part, sign) in contact.parts.iter().zip([1.0, -1.0]) {
        let Some(PartIndex(part)) = *part else { continue };
        let offset = contact.point - kinematics.origins[system.parts[part].tree];
        wrenches[part].force += force * sign;
        wrenches[part].torque += offset.cross(force) * sign;
    }
}
