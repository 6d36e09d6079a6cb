//! A contact in a step: the impulse that it asks for.

use nalgebra::Vector3;

use super::contact::Contact;
use super::index::PartIndex;
use super::kinematics::Kinematics;
use super::pair::{Six, add};
use super::parameters::Parameters;
use super::rows::dot;
use super::spatial::Wrench;
use super::system::System;
use super::tangents::Tangents;

/// A contact in one island in one step.
#[derive(Clone, Copy, Debug)]
pub struct ContactBlock {
    pub contact: usize,
    pub point: Vector3<f64>,
    /// By axis, the normal and two tangents: the wrench of an impulse along it. A twist times this is the velocity along the axis.
    pub wrenches: [Six; 3],
    /// By axis: the twist that an impulse along it makes.
    pub yields: [Six; 3],
    /// Velocity of the first against the second but for what the motion adds to the pair's twist, m/s.
    pub start: [f64; 3],
    /// Of the normal to itself, 1/kg.
    pub response: f64,
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
    /// Beside other points of the same parts, for how much it stands.
    pub share: f64,
    /// How much forces change the velocity along the normal in the step, m/s.
    pub change: f64,
    /// Whether it takes part in what is being solved.
    pub acts: bool,
}

impl ContactBlock {
    /// Normal and tangents.
    pub fn axes(&self) -> [Vector3<f64>; 3] {
        self.wrenches.map(|[x, y, z, ..]| Vector3::new(x, y, z))
    }

    /// How the surfaces meet with a twist that the motion makes.
    pub fn meeting(&self, twist: &Six) -> Meeting {
        let free = self.velocity(0, twist);
        Meeting { before: free - self.change, free }
    }

    /// Velocity along an axis, m/s.
    #[inline]
    pub fn velocity(&self, axis: usize, twist: &Six) -> f64 {
        self.start[axis] + dot(&self.wrenches[axis], twist)
    }

    /// A better impulse: the normal first, then friction within its cone. Gives how fast the point was wrong.
    pub fn improve(&mut self, twist: &mut Six, wrench: &mut Six) -> f64 {
        let response = self.response;
        let normal = (self.impulse[0] - (self.velocity(0, twist) - self.target) / response).max(0.0);
        let step = normal - self.impulse[0];
        if step != 0.0 {
            self.push(0, step, twist, wrench);
        }
        (step.abs() * response).max(self.rub(twist, wrench))
    }

    /// Better friction. Gives how fast the point was wrong.
    #[inline]
    pub fn rub(&mut self, twist: &mut Six, wrench: &mut Six) -> f64 {
        let [normal, one, two] = self.impulse;
        let bound = self.friction * normal;
        if bound <= 0.0 && one == 0.0 && two == 0.0 {
            return 0.0;
        }
        let velocity = [self.velocity(1, twist), self.velocity(2, twist)];
        let tangents = self.tangents.slide(&velocity, &[one, two], bound);
        let steps = [tangents[0] - one, tangents[1] - two];
        if steps == [0.0; 2] {
            return 0.0;
        }
        self.push(1, steps[0], twist, wrench);
        self.push(2, steps[1], twist, wrench);
        let own = self.tangents.own();
        (steps[0].abs() * own[0]).max(steps[1].abs() * own[1])
    }

    /// Adds to the impulse along an axis, and what that does.
    #[inline]
    pub fn push(&mut self, axis: usize, step: f64, twist: &mut Six, wrench: &mut Six) {
        self.impulse[axis] += step;
        add(twist, &self.yields[axis], step);
        add(wrench, &self.wrenches[axis], step);
    }

    /// Adds the wrench of an impulse.
    pub fn add_wrench(&self, impulse: &[f64; 3], wrench: &mut Six) {
        for (along, size) in self.wrenches.iter().zip(impulse) {
            add(wrench, along, *size);
        }
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
