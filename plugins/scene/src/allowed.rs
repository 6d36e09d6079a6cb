//! Numbers that are allowed for a key.

use bunraku_document::{Mapping, Reporter};

/// Set of allowed numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allowed {
    Positive,
    NotNegative,
    /// From 0 to 1.
    Fraction,
}

/// Reports a number that is not allowed, at its key.
pub(super) fn check(mapping: &Mapping<'_, '_>, key: &'static str, allowed: Allowed) {
    let Some(place) = mapping.get(&[key]) else { return };
    // A value that is not a number is reported where it is read.
    let Ok(number) = place.as_number(&Reporter::new()) else { return };
    let (is_allowed, range) = match allowed {
        Allowed::Positive => (number > 0.0, "above 0"),
        Allowed::NotNegative => (number >= 0.0, "not negative"),
        Allowed::Fraction => ((0.0..=1.0).contains(&number), "from 0 to 1"),
    };
    if !is_allowed {
        mapping.reporter().report(place.error("out-of-range", format!("`{key}` must be {range}")));
    }
}
