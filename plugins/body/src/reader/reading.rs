//! Options of a load, and state shared by its parts.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use bunraku_document::{Limits, Reporter, SearchRoots};

use super::allowance::Allowance;
use super::pose::AngleUnit;
use super::scene_cache::SceneCache;

/// Search roots, limits and checks of a load.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Search roots: `${SHARE}` and similar variables.
    pub roots: SearchRoots,
    /// Limits on the size of one document.
    pub limits: Limits,
    /// Whether to report implausible values; see [`Body::implausibilities`](crate::Body::implausibilities).
    pub check_plausibility: bool,
    /// Keyframe of an MJCF model in which it starts; `None` for the pose of its file.
    pub keyframe: Option<String>,
    /// Values of `xacro:arg` by name, in place of their defaults.
    pub xacro_arguments: Vec<(String, String)>,
}

/// State shared by the parts of a load.
#[derive(Clone, Copy)]
pub(super) struct Reading<'c> {
    /// Angle unit of the file.
    pub(super) unit: AngleUnit,
    pub(super) options: &'c LoadOptions,
    /// Search roots: those of the options, and the unit that contains the first file.
    pub(super) roots: &'c SearchRoots,
    /// Base directory of relative paths.
    pub(super) directory: &'c Path,
    /// Files that are being read, from the outermost model to this one.
    pub(super) chain: &'c [PathBuf],
    /// Number of included models read so far.
    pub(super) sub_bodies: &'c Cell<usize>,
    /// Remaining resources for the elements of the models that follow.
    pub(super) allowance: &'c Cell<Allowance>,
    /// Whether this is an included model.
    pub(super) is_sub_body: bool,
    /// Cached mesh files.
    pub(super) scenes: &'c SceneCache,
    /// Default number of segments of round shapes.
    pub(super) divisions: u32,
    pub(super) reporter: &'c Reporter,
}
