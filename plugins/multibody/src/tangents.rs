//! Friction of one contact.
//!
//! Exact for what is known of the rest: where many contacts are near their bounds, a step that only leads towards the sliding makes
//! sweeps go in circles.

/// Response below this, 1/kg, is that of something that nothing moves.
pub const NO_RESPONSE: f64 = 1e-14;

/// Share of the response that is added to one that is nearly singular.
const SOFTNESS: f64 = 1e-9;
/// The most steps of Newton's method for friction at its bound, and when that is reached.
const MAX_NEWTON_STEPS: usize = 12;
const SIZE_TOLERANCE: f64 = 1e-10;

/// How impulses along the two tangents change the velocities along them.
#[derive(Clone, Copy, Debug)]
pub struct Tangents {
    /// 11, 22, 12; 1/kg.
    response: [f64; 3],
    /// The same of its inverse, kg; `None` if it is nearly singular.
    inverse: Option<[f64; 3]>,
}

impl Tangents {
    /// From the response: 11, 22, 12.
    pub fn new(response: [f64; 3]) -> Self {
        let [r11, r22, r12] = response;
        let determinant = r11 * r22 - r12 * r12;
        let inverse = (determinant > 1e-12 * r11 * r22).then(|| inverse_of(response, 0.0));
        Self { response, inverse }
    }

    /// Of each tangent to itself, 1/kg.
    pub fn own(&self) -> [f64; 2] {
        [self.response[0], self.response[1]]
    }

    /// Friction within a bound: the impulse that stops the sliding or else, at the bound, is just against what is left of it.
    pub fn slide(&self, velocity: &[f64; 2], old: &[f64; 2], bound: f64) -> [f64; 2] {
        let [r11, r22, r12] = self.response;
        if bound <= 0.0 {
            return [0.0; 2];
        }
        if let Some(inverse) = &self.inverse {
            let change = times(inverse, velocity);
            let stop = [old[0] - change[0], old[1] - change[1]];
            if stop[0] * stop[0] + stop[1] * stop[1] <= bound * bound {
                return stop;
            }
        }
        if r11 + r22 <= NO_RESPONSE {
            return *old;
        }
        // What is left of the sliding is against the impulse: response·impulse − wanted = −multiplier·impulse. The multiplier with
        // which it is as large as the bound is found by Newton's method on the reciprocal of its size, nearly a straight line
        // (Moré and Sorensen, "Computing a trust region step", 1983).
        let wanted = [r11 * old[0] + r12 * old[1] - velocity[0], r12 * old[0] + r22 * old[1] - velocity[1]];
        let largest = 0.5 * (r11 + r22) + (0.25 * (r11 - r22).powi(2) + r12 * r12).sqrt();
        let least = if self.inverse.is_some() { 0.0 } else { SOFTNESS * largest };
        // Exact where the response is the same in all directions; elsewhere it is larger.
        let mut multiplier = ((wanted[0] * wanted[0] + wanted[1] * wanted[1]).sqrt() / bound - largest).max(least);
        if !multiplier.is_finite() {
            return [0.0; 2];
        }
        let mut impulse = *old;
        for _ in 0..MAX_NEWTON_STEPS {
            let inverse = inverse_of(self.response, multiplier);
            impulse = times(&inverse, &wanted);
            let square = impulse[0] * impulse[0] + impulse[1] * impulse[1];
            let size = square.sqrt();
            if size <= bound * (1.0 + SIZE_TOLERANCE) {
                break;
            }
            let yields = times(&inverse, &impulse);
            let slope = impulse[0] * yields[0] + impulse[1] * yields[1];
            multiplier += square / slope * (size - bound) / bound;
        }
        let size = (impulse[0] * impulse[0] + impulse[1] * impulse[1]).sqrt();
        if size <= bound { impulse } else { impulse.map(|value| value * (bound / size)) }
    }
}

/// Inverse of a symmetric matrix, 11, 22, 12, with `more` on its diagonal.
fn inverse_of([r11, r22, r12]: [f64; 3], more: f64) -> [f64; 3] {
    let (r11, r22) = (r11 + more, r22 + more);
    let share = (r11 * r22 - r12 * r12).recip();
    [r22 * share, r11 * share, -r12 * share]
}

/// A symmetric matrix, 11, 22, 12, times a vector.
fn times([m11, m22, m12]: &[f64; 3], [one, two]: &[f64; 2]) -> [f64; 2] {
    [m11 * one + m12 * two, m12 * one + m22 * two]
}
