//! What a load is told, and what its parts share.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use bunraku_document::{Limits, Reporter, SearchRoots};

use super::allowance::Allowance;
use super::pose::AngleUnit;
use super::scene_cache::SceneCache;

/// What a load may use and cost.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Where `${SHARE}` and its like lead.
    pub roots: SearchRoots,
    /// How much one document may cost.
    pub limits: Limits,
    /// Whether to warn of what a simulation takes and that yet cannot be meant; see
    /// [`Body::implausibilities`](crate::Body::implausibilities).
    pub check_plausibility: bool,
}

/// What the parts of a load share.
#[derive(Clone, Copy)]
pub(super) struct Reading<'c> {
    /// Unit of angles in the file.
    pub(super) unit: AngleUnit,
    pub(super) options: &'c LoadOptions,
    /// What may be read: that of the options, and what is around the file the load started from.
    pub(super) roots: &'c SearchRoots,
    /// Where relative paths start.
    pub(super) directory: &'c Path,
    /// The files that are being read, from the outermost model to this one.
    pub(super) chain: &'c [PathBuf],
    /// How many models inside others were read so far.
    pub(super) sub_bodies: &'c Cell<usize>,
    /// What the elements of the models that are read next may still cost.
    pub(super) allowance: &'c Cell<Allowance>,
    /// Whether this is a model inside another one.
    pub(super) is_sub_body: bool,
    /// Mesh files that were read already.
    pub(super) scenes: &'c SceneCache,
    /// Segments around a full turn of round shapes that do not say.
    pub(super) divisions: u32,
    pub(super) reporter: &'c Reporter,
}
