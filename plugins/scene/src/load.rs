use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Reporter, SourceFile};

use super::context::SceneOptions;
use super::model::Scene;
use super::{around_model, cnoid, other_files};

impl Scene {
    /// Loads a scene file, or a Choreonoid project (`.cnoid`), and all files that it names. Of a model (`.body`, `.urdf`,
    /// `.xacro`, `.wrl`, MuJoCo's `.xml`) it makes a scene of 5 s with a ground, and servos that hold its joints.
    ///
    /// Reports to `reporter`; returns `None` after at least one error.
    pub fn load(path: &Path, options: &SceneOptions, reporter: &Reporter) -> Option<Self> {
        reporter.quote_only(&options.load.roots.around(path));
        if cnoid::is_project(path) {
            return cnoid::load(path, options, reporter);
        }
        if around_model::is_model(path) {
            return around_model::load(path, options, reporter);
        }
        if let Some(error) = other_files::report(path) {
            reporter.report(error);
            return None;
        }
        let source = match SourceFile::read(path, &options.load.limits, reporter) {
            Ok(source) => source,
            Err(error) => {
                reporter.report(error.to_diagnostic());
                return None;
            }
        };
        Self::load_source(path, &source, options, reporter)
    }

    /// Reads a scene from a text. Relative paths in it start from the directory of the source's path, which needs no
    /// file.
    ///
    /// Reports to `reporter`; returns `None` after at least one error.
    pub fn read(source: &Arc<SourceFile>, options: &SceneOptions, reporter: &Reporter) -> Option<Self> {
        reporter.quote_only(&options.load.roots.around(source.path()));
        Self::load_source(source.path(), source, options, reporter)
    }
}
