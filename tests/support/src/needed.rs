//! Requirements of tests that are not met on every machine.

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// A requirement of some tests beyond the project itself. `BUNRAKU_REQUIRE` names it by its [`Needed::word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// Real models and motions, in the directory `BUNRAKU_CORPUS`.
    Corpus,
    /// Results of Choreonoid for them, in the directory `BUNRAKU_GOLDEN`.
    Golden,
    /// The manuals of the file formats, in the directory `BUNRAKU_MANUALS`.
    Manuals,
    /// A renderer: a graphics card or a software driver.
    Graphics,
    /// A display for a window.
    Display,
    /// `python3` with packages that read motions (PyYAML) and sensor recordings, for comparison.
    Python,
}

impl Needed {
    const ALL: [Self; 6] = [Self::Corpus, Self::Golden, Self::Manuals, Self::Graphics, Self::Display, Self::Python];

    /// Its name in `BUNRAKU_REQUIRE`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Corpus => "corpus",
            Self::Golden => "golden",
            Self::Manuals => "manuals",
            Self::Graphics => "graphics",
            Self::Display => "display",
            Self::Python => "python",
        }
    }
}

/// Reports on stderr that a test is skipped because of a missing requirement, and why; a list of all of them is printed
/// when the program of the tests ends.
///
/// # Panics
/// If `BUNRAKU_REQUIRE`, a comma-separated list of words, names the requirement, or contains an unknown word.
#[track_caller]
pub fn skip(needed: Needed, reason: impl Display) {
    let required = std::env::var("BUNRAKU_REQUIRE").unwrap_or_default();
    if let Err(message) = check(&required, needed, &reason) {
        panic!("{message}");
    }
    eprintln!("skipped: {reason}");
    list_at_the_end(&reason.to_string());
}

/// Lists the skipped tests of this program, by reason, once it has ended: what a test prints itself is hidden if it
/// passes. The list is printed by a process that reads their names until this one ends, because nothing is called after
/// the last test.
// The process is waited for by nobody: it ends after this one.
#[allow(clippy::zombie_processes)]
fn list_at_the_end(reason: &str) {
    static LIST: Mutex<Option<ChildStdin>> = Mutex::new(None);
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let mut list = LIST.lock().unwrap_or_else(PoisonError::into_inner);
    if list.is_none() {
        *list = Command::new("awk")
            .args(["-F\t", GROUPED])
            .stdin(Stdio::piped())
            .stdout(std::io::stderr())
            .spawn()
            .ok()
            .and_then(|mut child| child.stdin.take());
    }
    // Without `awk` the names are printed at once; `stderr` itself is not hidden, unlike `eprintln`.
    let is_listed = list.as_mut().is_some_and(|list| writeln!(list, "{reason}\t{test}").is_ok());
    if !is_listed {
        let _ = writeln!(std::io::stderr(), "skipped {test}: {reason}");
    }
}

/// Program for `awk`: groups lines of reason and name by reason.
const GROUPED: &str = r#"
!seen[$0]++ { names[$1] = names[$1] "\n  " $2; number[$1]++ }
END { for (reason in names) print "skipped " number[reason] " tests, because " reason ":" names[reason] }
"#;

fn check(required: &str, needed: Needed, reason: &dyn Display) -> Result<(), String> {
    for word in required.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        if !Needed::ALL.iter().any(|needed| needed.word() == word) {
            let known = Needed::ALL.map(Needed::word).join(", ");
            return Err(format!("BUNRAKU_REQUIRE: `{word}` is unknown; known are {known}"));
        }
        if word == needed.word() {
            return Err(format!("BUNRAKU_REQUIRE names `{word}`, but {reason}"));
        }
    }
    Ok(())
}

/// The root of the project.
pub fn project() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The directory of real models and motions; [skipped](skip) without it.
#[track_caller]
pub fn corpus() -> Option<PathBuf> {
    directory(Needed::Corpus, "BUNRAKU_CORPUS")
}

/// Choreonoid's share directory in the [`corpus`].
#[track_caller]
pub fn share() -> Option<PathBuf> {
    corpus().map(|corpus| corpus.join("share"))
}

/// The directory of models and recordings that Choreonoid made from the corpus; [skipped](skip) without it.
#[track_caller]
pub fn golden() -> Option<PathBuf> {
    directory(Needed::Golden, "BUNRAKU_GOLDEN")
}

/// The directory of the manuals; [skipped](skip) without it.
#[track_caller]
pub fn manuals() -> Option<PathBuf> {
    directory(Needed::Manuals, "BUNRAKU_MANUALS")
}

/// The directory that an environment variable names; a relative path is relative to the root of the project.
#[track_caller]
fn directory(needed: Needed, variable: &str) -> Option<PathBuf> {
    let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty()) else {
        skip(needed, format_args!("{variable} is not set"));
        return None;
    };
    let path = project().canonicalize().expect("the root of the project").join(value);
    assert!(path.is_dir(), "{variable} is set, but there is no directory {}", path.display());
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_requirement_is_a_failure_if_it_is_named() {
        let missing = |required: &str| check(required, Needed::Golden, &"it is not here");
        assert_eq!(missing(""), Ok(()));
        assert_eq!(missing("corpus, graphics"), Ok(()));
        assert_eq!(missing("corpus,golden").unwrap_err(), "BUNRAKU_REQUIRE names `golden`, but it is not here");
        assert_eq!(
            missing("gold").unwrap_err(),
            "BUNRAKU_REQUIRE: `gold` is unknown; known are corpus, golden, manuals, graphics, display, python"
        );
    }
}
