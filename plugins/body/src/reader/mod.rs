//! Reading model files.

mod allowance;
mod appearance;
mod budget;
mod continuous_track;
mod devices;
mod elements;
mod extra_joints;
mod file_names;
mod finite;
mod inherited;
mod joint_couplings;
mod joints;
mod link;
mod link_entry;
mod links;
mod mass_keys;
mod meshes;
mod mjcf;
mod model;
mod openhrp;
mod per_entry;
mod pose;
mod property;
mod reading;
mod resource_geometry;
mod resources;
mod scene_cache;
mod scene_nodes;
mod self_collision;
mod shape_mass;
mod shapes;
mod single_link;
mod sub_bodies;
mod tree;
mod urdf;
mod wrapper;
mod xacro;
mod xml_text;

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Reporter, SourceFile};
use bunraku_mesh::DEFAULT_DIVISIONS;

pub use extra_joints::ExtraJointForm;
pub use reading::LoadOptions;

use crate::Body;
use file_names::identity;
use model::{read_model, read_model_file};
use pose::AngleUnit;
use reading::Reading;
use scene_cache::SceneCache;
use urdf::read_xml;

/// Loads a model file (`.body`, `.urdf`, `.wrl`, a mesh); the extension determines the format. A `.wrl` file is an
/// OpenHRP model if it has a `Humanoid` node. Other mesh and scene files give a body with one fixed link.
///
/// Findings go to `reporter`. `None` if at least one of them is an error.
pub fn load(path: &Path, options: &LoadOptions, reporter: &Reporter) -> Option<Body> {
    start(path, options, reporter, |reading| read_model_file(path, reading))
}

impl Body {
    /// Loads a model file (`.body`, `.urdf`, `.wrl`, a mesh) like [`load`], without options: warnings are dropped, and
    /// `${SHARE}` is not set.
    ///
    /// # Errors
    /// The first error, with its location.
    pub fn open(path: impl AsRef<Path>) -> bunraku_document::Result<Self> {
        let path = path.as_ref();
        let reporter = Reporter::new();
        load(path, &LoadOptions::default(), &reporter).ok_or_else(|| reporter.into_error(path))
    }
}

/// Reads a text: XML as URDF or MJCF, with macros of xacro, any other as `.body`. Findings go to `reporter`. `None` if at
/// least one of them is an error.
pub fn read(source: &Arc<SourceFile>, options: &LoadOptions, reporter: &Reporter) -> Option<Body> {
    let is_xml = source.text().trim_start().starts_with('<');
    start(source.path(), options, reporter, |reading| {
        if is_xml { read_xml(source, reading) } else { read_model(source, reading) }
    })
}

fn start(
    path: &Path,
    options: &LoadOptions,
    reporter: &Reporter,
    read: impl Fn(&Reading<'_>) -> Option<Body>,
) -> Option<Body> {
    let roots = options.roots.around(path);
    // A bare file name is in the current directory, for which messages need a name.
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let scenes = SceneCache::default();
    let read = || {
        read(&Reading {
            unit: AngleUnit::Degree,
            options,
            roots: &roots,
            directory,
            chain: &[identity(path)],
            sub_bodies: &Cell::new(0),
            allowance: &Cell::default(),
            is_sub_body: false,
            scenes: &scenes,
            divisions: DEFAULT_DIVISIONS,
            reporter,
        })
    };
    let mut body = read();
    if body.is_some() && scenes.is_late() {
        body = read();
    }
    if let Some(body) = &body
        && !reporter.has_errors()
    {
        finite::check(body, path, reporter);
    }
    if reporter.has_errors() { None } else { body }
}
