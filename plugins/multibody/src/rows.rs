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
        let mut change = row[0] * impulses[0];
        // Of a contact's four numbers the last one only fills the lanes.
        for lane in 1..N.min(3) {
            change += row[lane] * impulses[lane];
        }
        motion[index as usize] += change;
    }
}
