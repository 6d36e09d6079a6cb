//! The `.seq` format.

pub(crate) mod check;
mod component;
mod frames;
pub(crate) mod header;
pub(crate) mod number;
pub(crate) mod part;
pub(crate) mod part_text;
mod read;
pub(crate) mod relocate;
pub(crate) mod scan;
mod split;
mod version;
pub(crate) mod write;

use bunraku_document::Limits;
pub(crate) use read::read;
pub use write::{SeqVersion, WriteOptions, write_seq, write_seq_to, write_seq_to_with, write_seq_with};

/// What a motion may cost. Twenty minutes of a humanoid's links and joints at 1 kHz are some 2 GB; only what is not
/// in the usual style becomes nodes of a tree.
pub(crate) const LIMITS: Limits = Limits { file_size: 4 << 30, depth: 64, nodes: 16_000_000, merged_keys: 100_000 };
