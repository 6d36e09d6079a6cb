//! Velocities that contacts allow.

use crate::model::parameters::Parameters;

/// Surfaces that are no farther apart touch, m. Points of one surface whose gaps differ by rounding would otherwise be allowed
/// different speeds, and which of them carry the load would be chance.
const TOUCHING: f64 = 1e-6;

/// The smallest velocity along the normal with which surfaces come no deeper into each other in a step than they may, m/s.
pub fn normal_target(gap: f64, parameters: &Parameters) -> f64 {
    let rigid = if gap > TOUCHING { -gap / parameters.time_step } else { 0.0 };
    parameters.sinking.map_or(rigid, |sinking| rigid.min(sinking.speed(-gap)))
}

/// Speed with which depth is taken out, m/s.
pub fn depth_speed(gap: f64, parameters: &Parameters) -> f64 {
    let parting = match parameters.sinking {
        None => (-gap - parameters.slop) * parameters.correction_share / parameters.time_step,
        Some(sinking) => sinking.speed(-gap),
    };
    parting.clamp(0.0, parameters.correction_speed)
}

/// How two surfaces meet along their normal, m/s: positive apart.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    pub before: f64,
    /// After the step, if nothing touches.
    pub free: f64,
}

impl Meeting {
    /// Whether they meet faster than surfaces at rest do in a step.
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
        // The surfaces meet before or after the middle: they part as fast as from the surface itself.
        let at_surface = here * here - 2.0 * acceleration * gap;
        let back = (restitution * restitution * at_surface + 2.0 * acceleration * gap).max(0.0).sqrt();
        (back + 0.5 * step * acceleration).max(0.0)
    }
}
