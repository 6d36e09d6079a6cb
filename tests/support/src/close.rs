//! Comparison of numbers up to rounding.

/// Rounding error of a dozen f64 operations on numbers of order 1.
const ROUNDING: f64 = 1e-12;

/// Asserts that two numbers are equal up to rounding.
#[track_caller]
pub fn assert_close(found: f64, expected: f64) {
    assert_all_close(&[found], [expected]);
}

/// Asserts that two lists of numbers are equal up to rounding, such as the components of vectors (of matrices: column
/// by column).
#[track_caller]
pub fn assert_all_close<'n>(found: impl IntoIterator<Item = &'n f64>, expected: impl IntoIterator<Item = f64>) {
    let found: Vec<f64> = found.into_iter().copied().collect();
    let expected: Vec<f64> = expected.into_iter().collect();
    assert_eq!(found.len(), expected.len());
    for (&number, &wanted) in found.iter().zip(&expected) {
        let near = number == wanted || (number - wanted).abs() <= ROUNDING * wanted.abs().max(1.0);
        assert!(near, "found {found:?}, expected {expected:?}");
    }
}
