//! Lists of numbers, as YAML lists and, in files before 2019, as texts with commas.

use bunraku_document::{Mapping, Reporter, Value};

use crate::model::Frame;

/// A pose: exactly six numbers.
pub(super) fn frame(value: Value<'_>, reporter: &Reporter) -> Option<Frame> {
    match value.items() {
        Some(_) => reporter.keep(value.as_array::<6>(reporter)).map(Frame),
        None => {
            let numbers = numbers(value, reporter)?;
            let found = numbers.len();
            let array = <[f64; 6]>::try_from(numbers).ok();
            if array.is_none() {
                let diagnostic = value.error("wrong-length", format!("expected a list of 6 numbers, found {found}"));
                reporter.report(diagnostic.help("write `[x, y, z, roll, pitch, yaw]` in m and degrees"));
            }
            array.map(Frame)
        }
    }
}

/// Pose of a model before 2019: a key for each number; a missing one counts as 0.
pub(super) fn old_frame(entry: &Mapping<'_, '_>) -> Option<Frame> {
    const KEYS: [&[&str]; 6] = [&["pos_x"], &["pos_y"], &["pos_z"], &["rot_x"], &["rot_y"], &["rot_z"]];
    let found = KEYS.map(|key| entry.number(key));
    found.iter().any(Option::is_some).then(|| Frame(found.map(|number| number.unwrap_or(0.0))))
}

/// A list of any length: a list, one number, or a text of numbers with commas. An empty item of such a text is 0.
pub(super) fn numbers(value: Value<'_>, reporter: &Reporter) -> Option<Vec<f64>> {
    if value.items().is_some() {
        return reporter.keep(value.as_numbers(reporter));
    }
    let text = reporter.keep(value.as_text())?;
    let number = |item: &str| match item.trim() {
        "" => Some(0.0),
        item => item.parse().ok().filter(|number: &f64| number.is_finite()),
    };
    let numbers: Option<Vec<f64>> = text.split(',').map(number).collect();
    if numbers.is_none() {
        let diagnostic = value.error("not-a-number", format!("expected numbers, found `{text}`"));
        reporter.report(diagnostic.help("write numbers in brackets: `[0, 0, 0, 0, 0, 0]`"));
    }
    if text.split(',').any(|item| item.trim().is_empty()) && text.contains(',') {
        let diagnostic = value.note("empty-item", "an item of the list is empty and counts as 0");
        reporter.report(diagnostic.help("write the 0"));
    }
    numbers
}
