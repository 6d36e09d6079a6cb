//! `bunraku check`: findings only.

use std::path::{Path, PathBuf};

use bunraku::document::Severity;
use clap::Args;

use super::messages::{self, count};
use super::output::line;
use super::{CommonArgs, Failure, files};

#[derive(Args)]
pub struct CheckArgs {
    /// Models (.body, .wrl), motions (.seq), scenes (.scene.yaml), or directories that are searched for them
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub fn check(arguments: &CheckArgs, common: &CommonArgs) -> Result<(), Failure> {
    let mut all = Vec::new();
    for path in &arguments.files {
        if path.is_dir() {
            let found = find_files(path).map_err(|error| {
                Failure::Message(format!("cannot look into the directory: {error}: {}", path.display()))
            })?;
            if found.is_empty() {
                return Err(Failure::Message(format!("there is nothing to check in {}", path.display())));
            }
            all.extend(found);
        } else {
            all.push(path.clone());
        }
    }
    let (mut errors, mut warnings, mut notes, mut unusable) = (0, 0, 0, 0);
    for file in &all {
        let reporter = common.reporter();
        files::check(file, common, &reporter);
        let of = |severity| reporter.count(severity);
        let found = (of(Severity::Error), of(Severity::Warning), of(Severity::Note));
        (errors, warnings, notes) = (errors + found.0, warnings + found.1, notes + found.2);
        unusable += usize::from(found.0 > 0);
        messages::diagnostics(&reporter.into_diagnostics(), Severity::Note);
        if all.len() > 1 {
            line(format!("{}: {}", file.display(), summary(found)))?;
        }
    }
    let of_files = if unusable > 0 { format!(", {unusable} not usable") } else { String::new() };
    line(format!("{}{of_files}: {}", count(all.len(), "file"), summary((errors, warnings, notes))))?;
    if errors > 0 { Err(Failure::Reported) } else { Ok(()) }
}

fn summary((errors, warnings, notes): (usize, usize, usize)) -> String {
    format!("{}, {}, {}", count(errors, "error"), count(warnings, "warning"), count(notes, "note"))
}

/// The files of a directory and those below it that can be checked, in the order of their names. Links to directories
/// are not followed.
fn find_files(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let mut entries = std::fs::read_dir(&directory)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if entry.file_type()?.is_dir() && !hidden {
                pending.push(entry.path());
            } else if !hidden && files::is_worth_checking(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}
