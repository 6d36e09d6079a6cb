//! What the tests of all crates share. It knows no Bevy; helpers that step a world are beside the tests that need one.
//!
//! Tests run with nothing but `cargo test`. What some of them need beyond that is [`Needed`]: without it they say that they
//! are skipped, or fail where `BUNRAKU_REQUIRE` names it.

// A test that cannot go on says so loudly.
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
