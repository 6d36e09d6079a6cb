//! Panics of rapier.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a part of rapier.
///
/// # Errors
/// The message, if it panics. Rapier's world is then unusable, and the run ends.
pub(crate) fn unless_it_breaks_down(run: impl FnOnce()) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        format!(
            "the physics engine broke down ({}); positions, sizes or speeds far beyond those of a robot are the usual causes",
            text.unwrap_or("without a word")
        )
    })
}
