//! Sums of products.

/// The sum of products.
#[inline]
pub fn dot<const N: usize>(one: &[f64; N], other: &[f64; N]) -> f64 {
    let (one, one_left) = one.as_chunks::<2>();
    let (other, other_left) = other.as_chunks::<2>();
    // Two sums abreast fill a register.
    let sums = one
        .iter()
        .zip(other)
        .fold([0.0; 2], |sums, (one, other)| [sums[0] + one[0] * other[0], sums[1] + one[1] * other[1]]);
    let left = one_left.iter().zip(other_left).map(|(one, other)| one * other).sum::<f64>();
    sums[0] + sums[1] + left
}
