//! Blocks of rows of a Jacobian in the factor's coordinates, with nothing stored where there is nothing.

/// Where rows stand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rows {
    /// Of the first one, among all indices and values.
    pub start: usize,
    /// How many.
    pub len: usize,
}

/// The velocities of a block of rows.
pub fn gather<const N: usize>(indices: &[u32], values: &[[f64; N]], rows: Rows, motion: &[f64]) -> [f64; N] {
    let mut sum = [0.0; N];
    let span = rows.start..rows.start + rows.len;
    for (&index, row) in indices[span.clone()].iter().zip(&values[span]) {
        let moved = motion[index as usize];
        sum = std::array::from_fn(|lane| sum[lane] + row[lane] * moved);
    }
    sum
}

/// Adds what impulses along a block of rows do.
pub fn scatter<const N: usize>(
    indices: &[u32],
    values: &[[f64; N]],
    rows: Rows,
    impulses: &[f64; N],
    motion: &mut [f64],
) {
    let span = rows.start..rows.start + rows.len;
    for (&index, row) in indices[span.clone()].iter().zip(&values[span]) {
        motion[index as usize] += dot(row, impulses);
    }
}

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
