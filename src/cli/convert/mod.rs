//! `bunraku convert`: writes files in other formats.

mod glb;
mod model;
mod motion;
mod project;

use std::path::PathBuf;

use bunraku::describe;
use bunraku::document::{Diagnostic, Severity};
use clap::Args;
use serde_json::json;

use super::common::{CommonArgs, Failure};
use super::messages;
use super::output::{document, line};

/// Write a model as .body, .urdf or MJCF, a motion as .seq, .json or .csv, a project or a model as .scene.yaml, results as .glb
///
/// A model becomes a `.body` file of format version 2.0 that reads back to the same model. What the model does not keep
/// is lost: comments, aliases and anchors, the names of transforms, and how it was put together from other models and
/// YAML files, whose links and shapes are all in the one file. Mesh files and textures are named relative to OUT.
/// Pictures inside a model are written beside OUT, as NAME-texture1.png and so on.
///
/// With OUT.urdf or OUT.xml (MJCF, for MuJoCo) the model is written for other programs, and its meshes beside it, as
/// NAME-mesh1.stl and so on. Warnings name what these formats have no place for.
///
/// A motion keeps every number to the last bit, unless another rate is asked for.
///
/// A project becomes a scene with its world, bodies and one of its simulators; what a scene has nothing for is noted.
/// A model becomes the scene in which `run` runs it: with a ground, and servos that hold its joints.
///
/// With OUT.glb the results of a run (a directory), a motion (with `--body`), a scene or a model become a glTF file for
/// Blender and browsers: a node for each link, and the motion as one animation at 60 Hz, or `--rate`.
#[derive(Args)]
pub struct ConvertArgs {
    /// A model (.body, .urdf, .xacro, .xml of MuJoCo, .wrl, or .yaml around one), a mesh file, a motion (.seq, .json, .csv), a
    /// project (.cnoid), or for OUT.glb also a scene or the directory of a run
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// File to write: a model as .body, .urdf or .xml (MJCF), a motion as .seq, .json or .csv, a project or a model as .scene.yaml,
    /// what is drawn as .glb; an existing file is replaced
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Allow OUT to be the same file as IN
    #[arg(long)]
    force: bool,
    /// Print one JSON document instead of a summary
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    motion: motion::MotionArgs,
}

pub fn convert(arguments: &ConvertArgs, common: &CommonArgs) -> Result<(), Failure> {
    let ConvertArgs { input, output, .. } = arguments;
    let extension = output.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let form = motion::Form::of(extension.as_deref().unwrap_or_default());
    let is_scene = project::is_scene(output);
    let model_format = model::Format::of(extension.as_deref().unwrap_or_default());
    let is_glb = extension.as_deref() == Some("glb");
    if form.is_none() && model_format.is_none() && !is_scene && !is_glb {
        return Err(Failure::Usage(format!(
            "OUT must end in `.body`, `.urdf` or `.xml` (MJCF) for a model, in `.seq`, `.json` or `.csv` for a motion, in `.scene.yaml` for a project or a model, or in `.glb` for an animation: {}",
            output.display()
        )));
    }
    if !arguments.force && model::is_same_file(input, output) {
        return Err(Failure::Usage(format!(
            "OUT is IN, which would lose its comments: {}; `--force` does it all the same",
            output.display()
        )));
    }
    let reporter = common.reporter([Some(input.as_path()), arguments.motion.body()].into_iter().flatten());
    let result = match form {
        Some(form) => motion::convert((input, output), &arguments.motion, form, common, &reporter),
        None if is_glb => match arguments.motion.of_animation() {
            Some(options) => glb::convert((input, output), options, common, &reporter),
            None => {
                Err(Failure::Usage("of the options for motions only `--body` and `--rate` go with OUT.glb".to_owned()))
            }
        },
        None if arguments.motion.are_given() => Err(Failure::Usage(format!(
            "`--body`, `--seq-version`, `--rate`, `--interpolate`, `--timed` and `--fixed` are for motions, and OUT is {}: {}",
            if is_scene { "a scene" } else { "a model" },
            output.display()
        ))),
        None if is_scene => project::convert((input, output), common, &reporter),
        None => model::convert((input, output), model_format.unwrap_or_default(), common, &reporter),
    };
    let has_errors = reporter.has_errors();
    let diagnostics = reporter.into_diagnostics();
    // Things without a counterpart in a scene are shown here, because the conversion is the only time to report them.
    let usual = if is_scene { Severity::Note } else { Severity::Warning };
    let least = if arguments.json && !has_errors && result.is_ok() { Severity::Error } else { usual };
    messages::diagnostics(&diagnostics, least);
    if arguments.json && matches!(result, Err(Failure::Reported)) {
        document(&describe::failure("the file cannot be converted", &diagnostics))?;
    }
    report(&result?, arguments.json, &diagnostics)
}

/// Reports the files that were written, the requested one first.
fn report(files: &[PathBuf], as_json: bool, diagnostics: &[Diagnostic]) -> Result<(), Failure> {
    let names: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
    if as_json {
        return document(&json!({ "files": names, "diagnostics": describe::diagnostics(diagnostics) }));
    }
    names.iter().try_for_each(|name| line(format!("written    {name}")))
}
