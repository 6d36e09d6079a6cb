//! The `.seq` format.

mod component;
mod frames;
pub(crate) mod number;
pub(crate) mod part;
mod read;
pub(crate) mod relocate;
pub(crate) mod scan;
mod split;
mod version;
pub(crate) mod write;

use bunraku_document::Limits;
pub(crate) use read::read;
pub use write::{WriteError, write_seq, write_seq_to};

/// What a motion may cost. Twenty minutes of a humanoid's links and joints at 1 kHz are some 2 GB; only what is not
/// in the usual style becomes nodes of a tree.
pub(crate) const LIMITS: Limits = Limits { file_size: 4 << 30, depth: 64, nodes: 16_000_000, merged_keys: 100_000 };
