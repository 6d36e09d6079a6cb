//! `bunraku check`: reports findings and does nothing else.

use std::path::{Path, PathBuf};

use bunraku::document::{Diagnostic, Reporter, Severity};
use clap::Args;

use super::common::{CommonArgs, Failure};
use super::files;
use super::messages::{self, count};
use super::missing;
use super::output::line;

#[derive(Args)]
pub struct CheckArgs {
    /// Models (.body, .urdf, .wrl), motions (.seq), scenes (.scene.yaml), projects (.cnoid), tasks and their robots
    /// (.yaml), or directories that are searched for them
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub fn check(arguments: &CheckArgs, common: &CommonArgs) -> Result<(), Failure> {
    let mut all = Vec::new();
    let (mut errors, mut warnings) = (0, 0);
    for path in &arguments.files {
        if path.is_dir() {
            let reporter = common.reporter([path]);
            let found = find_files(path, &reporter);
            (errors, warnings) =
                (errors + reporter.count(Severity::Error), warnings + reporter.count(Severity::Warning));
            messages::diagnostics(&reporter.into_diagnostics(), Severity::Note);
            if found.is_empty() {
                return Err(Failure::Message(format!("there is nothing to check in {}", path.display())));
            }
            all.extend(found.into_iter().map(|file| (file, path.clone())));
        } else {
            all.push((path.clone(), path.clone()));
        }
    }
    check_each(&all, (errors, warnings), common, &|file, reporter| {
        missing::print(&files::check(file, common, reporter))
    })
}

/// Checks the files one after the other, each with the file or directory that the user named for it. Adds their errors
/// and warnings to those counted so far.
pub fn check_each(
    all: &[(PathBuf, PathBuf)],
    (mut errors, mut warnings): (usize, usize),
    common: &CommonArgs,
    check: &dyn Fn(&Path, &Reporter),
) -> Result<(), Failure> {
    let (mut notes, mut unusable) = (0, 0);
    for (file, named) in all {
        let reporter = common.reporter([named]);
        check(file, &reporter);
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

/// The files to check in a directory and its subdirectories, sorted by name. Links to directories are not followed.
/// Directories that cannot be read, and pipes and devices with one of our file names, are reported and skipped.
fn find_files(directory: &Path, reporter: &Reporter) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let entries = match std::fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) => {
                reporter.report(unreadable(&directory, &error));
                continue;
            }
        };
        for entry in entries {
            match entry.and_then(|entry| Ok((entry.file_type()?, entry))) {
                Ok((_, entry)) if entry.file_name().to_string_lossy().starts_with('.') => {}
                Ok((kind, entry)) if kind.is_dir() => pending.push(entry.path()),
                Ok((_, entry)) => found.extend(worth_checking(entry.path(), reporter)),
                Err(error) => reporter.report(unreadable(&directory, &error)),
            }
        }
    }
    found.sort();
    found
}

/// `path` unless it is a directory or need not be checked.
fn worth_checking(path: PathBuf, reporter: &Reporter) -> Option<PathBuf> {
    match std::fs::metadata(&path) {
        // A link to a directory.
        Ok(target) if target.is_dir() => None,
        Ok(target) if !target.is_file() => {
            if files::is_called_like_ours(&path) {
                let message = format!("a pipe or a device is not checked: {}", path.display());
                reporter.report(Diagnostic::warning("not-a-file", message));
            }
            None
        }
        // A broken link is reported when it is read.
        _ => files::is_worth_checking(&path).then_some(path),
    }
}

fn unreadable(directory: &Path, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot look into the directory: {error}: {}", directory.display());
    Diagnostic::error("directory-unreadable", message).help("is there permission to read it?")
}
