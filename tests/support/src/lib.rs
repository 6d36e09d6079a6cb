//! Code that the tests of all crates share. It does not depend on Bevy; helpers that step a world are in the tests that
//! need one.
//!
//! Tests run with `cargo test` alone. Further requirements of some tests are listed in [`Needed`]: without them these
//! tests report that they are skipped, or fail if `BUNRAKU_REQUIRE` names the requirement.

// Tests panic and print on purpose when they cannot continue.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used
)]

mod close;
mod files;
#[cfg(feature = "memory")]
mod memory;
#[cfg(feature = "body")]
mod models;
#[cfg(feature = "motion")]
mod motions;
mod needed;
mod pictures;
mod random;
#[cfg(feature = "body")]
mod random_model;
#[cfg(feature = "body")]
mod same_body;

pub use close::{assert_all_close, assert_close};
pub use files::{TestFolder, files_below};
#[cfg(feature = "memory")]
pub use memory::{Allocations, allocations};
#[cfg(feature = "body")]
pub use models::{MODEL_HEAD, model_text, read_links, read_model, share_model};
#[cfg(feature = "motion")]
pub use motions::{read_clean_motion, read_motion};
pub use needed::{Needed, corpus, golden, manuals, project, share, skip};
pub use pictures::png_with_a_broken_palette;
pub use random::Random;
#[cfg(feature = "body")]
pub use random_model::random_model;
#[cfg(feature = "body")]
pub use same_body::assert_same_body;
