//! Extra joints of models and scenes: connections beyond the tree, which close loops.

pub(crate) mod between;
pub(crate) mod findings;
pub(crate) mod geometry;
mod rows;
pub(crate) mod rows_of_kind;
pub(crate) mod tracks;
