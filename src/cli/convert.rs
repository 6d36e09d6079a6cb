//! `bunraku convert`: a model as a `.body` file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bunraku::body::{self, WriteOptions};
use bunraku::describe;
use bunraku::document::{SearchRoots, Severity};
use clap::Args;
use serde_json::json;

use super::files::{self, Loaded};
use super::output::line;
use super::{CommonArgs, Failure, messages};

/// Write a model of any format as a .body file
///
/// The file has format version 2.0 and reads back to the same model. What the model does not keep is lost: comments,
/// aliases and anchors, the names of transforms, and how it was put together from other models and YAML files, whose
/// links and shapes are all in the one file. Mesh files and textures are named relative to OUT. Pictures inside a model
/// are written beside OUT, as NAME-texture1.png and so on.
#[derive(Args)]
pub struct ConvertArgs {
    /// A model (.body, .wrl, or .yaml around one) or a mesh file
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The model to write (.body); a file that is there is replaced
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Let OUT be IN itself
    #[arg(long)]
    force: bool,
    /// Print one JSON document instead of a summary
    #[arg(long)]
    json: bool,
}

pub fn convert(arguments: &ConvertArgs, common: &CommonArgs) -> Result<(), Failure> {
    let ConvertArgs { input, output, .. } = arguments;
    if output.extension().is_none_or(|extension| extension != "body") {
        return Err(Failure::Usage(format!(
            "only models can be written so far: OUT must end in `.body`: {}",
            output.display()
        )));
    }
    if !arguments.force && is_same_file(input, output) {
        return Err(Failure::Usage(format!(
            "OUT is IN, which would lose its comments: {}; `--force` does it all the same",
            output.display()
        )));
    }
    let reporter = common.reporter();
    let loaded = files::load(input, common, &reporter);
    let written = match &loaded {
        Some(Loaded::Model(model)) => {
            let roots: &SearchRoots = &common.load_options().roots;
            Some(body::write(model, &WriteOptions { path: output, roots }, &reporter))
        }
        _ => None,
    };
    let has_errors = reporter.has_errors();
    let diagnostics = reporter.into_diagnostics();
    let least = if arguments.json && !has_errors { Severity::Error } else { Severity::Warning };
    messages::diagnostics(&diagnostics, least);
    let Some(written) = written else {
        let what = match loaded {
            Some(Loaded::Motion(_)) => "a motion",
            Some(Loaded::Scene(_)) => "a scene",
            Some(Loaded::Model(_)) | None => return Err(Failure::Reported),
        };
        return Err(Failure::Usage(format!("{what} cannot become a model: {}", input.display())));
    };
    if has_errors {
        return Err(Failure::Reported);
    }

    // The model comes last: once it is there, all that it names is there.
    let mut files: Vec<(&Path, &[u8])> =
        written.files.iter().map(|file| (file.path.as_path(), file.bytes.as_slice())).collect();
    files.push((output, written.text.as_bytes()));
    if let Some((path, _)) = files.iter().rev().skip(1).find(|(path, _)| is_same_file(input, path)) {
        return Err(Failure::Message(format!("a picture of the model would replace IN: {}", path.display())));
    }
    for (path, bytes) in &files {
        replace(path, bytes)
            .map_err(|error| Failure::Message(format!("cannot write the file: {error}: {}", path.display())))?;
    }
    let names: Vec<String> = files.iter().rev().map(|(path, _)| path.display().to_string()).collect();
    if arguments.json {
        line(format!("{:#}", json!({ "files": names, "diagnostics": describe::diagnostics(&diagnostics) })))?;
    } else {
        for name in names {
            line(format!("written    {name}"))?;
        }
    }
    Ok(())
}

/// Whether both are there and lead to one file.
fn is_same_file(first: &Path, second: &Path) -> bool {
    matches!((first.canonicalize(), second.canonicalize()), (Ok(first), Ok(second)) if first == second)
}

/// Writes a file beside its place and renames it, so that there is a whole file at any time.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link stays a link: what it leads to is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bunraku-");
    // A temporary file is private by default, but this one becomes an ordinary file under the user's umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(directory)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}
