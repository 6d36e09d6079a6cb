//! Requirements of tests that are not met on every machine.

use std::fmt::Display;
use std::path::{Path, PathBuf};

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

/// Reports on stderr that a test is skipped because of a missing requirement, and why.
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
}

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
