//! Converts a model to a `.body`, URDF or MJCF file.

use std::io::Write;
use std::path::{Path, PathBuf};

use bunraku::body::{self, WriteOptions};
use bunraku::document::{Reporter, SearchRoots, write_atomically};

use super::super::common::{CommonArgs, Failure};
use super::super::files::{self, Loaded};

/// Format of a model that is written.
#[derive(Clone, Copy, Default)]
pub(super) enum Format {
    #[default]
    Body,
    Urdf,
    Mjcf,
}

impl Format {
    /// The format of an extension in lower case.
    pub(super) fn of(extension: &str) -> Option<Self> {
        match extension {
            "body" => Some(Self::Body),
            "urdf" => Some(Self::Urdf),
            "xml" => Some(Self::Mjcf),
            _ => None,
        }
    }
}

/// Writes the model with its embedded pictures or its meshes; returns the files, the model first.
pub(super) fn convert(
    (input, output): (&Path, &Path),
    format: Format,
    common: &CommonArgs,
    reporter: &Reporter,
) -> Result<Vec<PathBuf>, Failure> {
    let loaded = files::load(input, common, reporter).ok_or(Failure::Reported)?;
    let what = match loaded {
        Loaded::Model(model) => {
            let roots: &SearchRoots = &common.load_options().roots;
            let options = WriteOptions { path: output, roots };
            let written = match format {
                Format::Body => body::write(&model, &options, reporter),
                Format::Urdf => body::write_urdf(&model, &options, reporter),
                Format::Mjcf => body::write_mjcf(&model, &options, reporter),
            };
            return if reporter.has_errors() { Err(Failure::Reported) } else { save(&written, input, output) };
        }
        Loaded::Motion(_) => "a motion",
        Loaded::Scene(_) if bunraku::scene::is_project(input) => "a project becomes a scene (`OUT.scene.yaml`); it",
        Loaded::Scene(_) => "a scene",
        Loaded::Tasks(_) | Loaded::Robot(_) => "a task",
    };
    Err(Failure::Usage(format!("{what} cannot become a model: {}", input.display())))
}

fn save(written: &body::WrittenModel, input: &Path, output: &Path) -> Result<Vec<PathBuf>, Failure> {
    // The model is written last, so that all files it names exist once it does.
    let mut files: Vec<(&Path, &[u8])> =
        written.files.iter().map(|file| (file.path.as_path(), file.bytes.as_slice())).collect();
    files.push((output, written.text.as_bytes()));
    if let Some((path, _)) = files.iter().rev().skip(1).find(|(path, _)| is_same_file(input, path)) {
        return Err(Failure::Message(format!("a picture of the model would replace IN: {}", path.display())));
    }
    for (path, bytes) in &files {
        write_atomically(path, |file| file.write_all(bytes))
            .map_err(|error| Failure::Message(format!("cannot write the file: {error}: {}", path.display())))?;
    }
    Ok(files.iter().rev().map(|(path, _)| path.to_path_buf()).collect())
}

/// Whether both paths exist and lead to the same file.
pub(super) fn is_same_file(first: &Path, second: &Path) -> bool {
    matches!((first.canonicalize(), second.canonicalize()), (Ok(first), Ok(second)) if first == second)
}
