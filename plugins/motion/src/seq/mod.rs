//! The `.seq` format.

mod assembly;
pub(crate) mod check;
mod collect;
mod component;
mod frames;
pub(crate) mod header;
mod headers;
mod kept;
#[cfg(test)]
mod layouts;
mod lines;
pub(crate) mod number;
pub(crate) mod part;
pub(crate) mod part_text;
mod read;
pub(crate) mod scan;
mod shape;
mod split;
mod stop;
mod stream;
mod version;
pub(crate) mod write;

use bunraku_document::Limits;
pub(crate) use read::{load, read};
pub use stream::{ComponentHeader, ComponentKind, ComponentRole, FrameStream, MotionReader, StateStream};
pub use write::{SeqVersion, WriteOptions, write_seq, write_seq_to, write_seq_to_with, write_seq_with};

/// What a motion may cost that has to be seen as a whole: twenty minutes of a humanoid's links and joints at 1 kHz are some
/// 2 GB. The usual one is read line by line at any size, and of that only the few lines without frames become nodes.
pub(crate) const LIMITS: Limits = Limits { file_size: 4 << 30, depth: 64, nodes: 16_000_000, merged_keys: 100_000 };
