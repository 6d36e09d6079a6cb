//! Numbers that are the same but for rounding.

/// What a dozen f64 operations on numbers of the order of 1 may round.
const ROUNDING: f64 = 1e-12;

/// Asserts that two numbers are the same but for rounding.
#[track_caller]
pub fn assert_close(found: f64, expected: f64) {
    assert_all_close(&[found], [expected]);
}

/// The same for lists of numbers, such as the components of vectors (of matrices: column by column).
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
