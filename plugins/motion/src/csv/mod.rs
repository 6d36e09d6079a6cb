//! Motions as tables for spreadsheets and plotting: a line of names, then one row for each frame.
//!
//! `time` (s); `LINK.x .y .z .qw .qx .qy .qz` for each link; a column for each joint, by its name; `zmp.x .y .z`, or
//! `zmp_relative.…` in the frame of the root link; then further sequences: `CONTENT.PART` of values,
//! `CONTENT.PART.x … .qz` of poses, `CONTENT.x .y .z` of vectors. Without names, links are `link0`, `link1`…, joints
//! `joint0`…, and parts numbers, unless they have labels.

mod columns;
mod rate;
mod read;
pub(crate) mod write;

pub use read::{ReadCsvOptions, load_csv, read_csv};
pub use write::{write_csv, write_csv_to};

/// Names of the links and joints of a body. Without a body, or for empty names, indices are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CsvNames<'a> {
    /// Names of the links, in link index order.
    pub links: &'a [String],
    /// Names of the joints, in the order of their displacements. They may contain dots.
    pub joints: &'a [String],
}
