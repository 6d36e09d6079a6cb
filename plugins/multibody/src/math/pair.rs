//! Six numbers of a twist or a wrench.

/// A twist, the velocity of a point first and then the angular velocity, or a wrench about the same point, a force and then a torque.
pub type Six = [f64; 6];

/// Adds a multiple.
#[inline]
pub fn add(sum: &mut Six, other: &Six, times: f64) {
    *sum = std::array::from_fn(|index| sum[index] + other[index] * times);
}
