//! The `.seq` format.

mod assembly;
mod at_start;
pub(crate) mod check;
mod collect;
mod component;
mod frames;
pub(crate) mod header;
mod headers;
mod kept;
pub(crate) mod keys;
#[cfg(test)]
mod layouts;
pub(crate) mod limits;
mod lines;
pub(crate) mod part;
pub(crate) mod part_text;
pub(crate) mod pose_format;
mod read;
pub(crate) mod scan;
mod shape;
mod split;
mod stop;
mod stream;
mod version;
pub(crate) mod write;

pub use keys::SeqVersion;
pub(crate) use read::{load, read};
pub use stream::{ComponentHeader, FrameStream, MotionReader, StateStream};
pub use write::{WriteOptions, write_seq, write_seq_to, write_seq_to_with, write_seq_with};
