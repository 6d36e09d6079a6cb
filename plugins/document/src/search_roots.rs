use std::path::{Path, PathBuf};

use crate::{Diagnostic, closest};

/// Where `${SHARE}` and its like lead.
///
/// A path in a file is relative to the file's own directory unless it is absolute or begins with a variable:
/// `${SHARE}` is the share directory of a Choreonoid installation (or a copy of it), `${HOME}` the user's home.
#[derive(Clone, Debug, Default)]
pub struct SearchRoots {
    share: Option<PathBuf>,
}

/// Why a path written in a file does not lead anywhere.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PathError {
    /// `${SHARE}` is used but nobody said where it is.
    #[error("`{0}` needs the share directory, and it is not set")]
    ShareNotSet(String),
    /// A variable nobody defined.
    #[error("unknown variable `${{{variable}}}` in the path `{path}`")]
    UnknownVariable {
        /// The name between the braces.
        variable: String,
        /// The whole path.
        path: String,
    },
    /// `${` without `}`.
    #[error("`${{` without `}}` in the path `{0}`")]
    Unterminated(String),
    /// No text at all.
    #[error("the path is empty")]
    Empty,
}

impl PathError {
    /// The same as a diagnostic without a place.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error("bad-path", self.to_string());
        match self {
            Self::ShareNotSet(_) => diagnostic.help(
                "pass `--share DIR` or set BUNRAKU_SHARE to Choreonoid's share directory (the one that contains `model/`)",
            ),
            Self::UnknownVariable { variable, .. } => match closest(variable, ["SHARE", "HOME"]) {
                Some(known) => diagnostic.help(format!("did you mean `${{{known}}}`?")),
                None => diagnostic.help("the variables are `${SHARE}` and `${HOME}`"),
            },
            Self::Unterminated(_) | Self::Empty => diagnostic,
        }
    }
}

impl SearchRoots {
    /// Roots with the given share directory, if any.
    pub fn new(share: Option<PathBuf>) -> Self {
        Self { share }
    }

    /// The share directory.
    pub fn share(&self) -> Option<&Path> {
        self.share.as_deref()
    }

    /// The path that `text`, written in a file in `directory`, stands for. Whether anything is there is not checked.
    ///
    /// # Errors
    /// If a variable is unknown or not set, or the text is empty.
    pub fn resolve(&self, directory: &Path, text: &str) -> Result<PathBuf, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        let Some(rest) = text.strip_prefix("${") else {
            return Ok(directory.join(text));
        };
        let Some((variable, rest)) = rest.split_once('}') else {
            return Err(PathError::Unterminated(text.to_owned()));
        };
        let root = match variable {
            "SHARE" => self.share.clone().ok_or_else(|| PathError::ShareNotSet(text.to_owned()))?,
            "HOME" => std::env::home_dir().unwrap_or_default(),
            _ => {
                return Err(PathError::UnknownVariable { variable: variable.to_owned(), path: text.to_owned() });
            }
        };
        Ok(root.join(rest.trim_start_matches('/')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_start_at_the_file() {
        let roots = SearchRoots::default();
        assert_eq!(
            roots.resolve(Path::new("assets/scenes"), "../floor.body"),
            Ok("assets/scenes/../floor.body".into())
        );
    }

    #[test]
    fn share_leads_to_the_given_directory() {
        let roots = SearchRoots::new(Some("/opt/share".into()));
        assert_eq!(roots.resolve(Path::new("x"), "${SHARE}/model/a.body"), Ok("/opt/share/model/a.body".into()));
    }

    #[test]
    fn mistakes_are_named() {
        let roots = SearchRoots::default();
        let error = roots.resolve(Path::new("."), "${SHARE}/a").unwrap_err();
        assert!(error.to_diagnostic().help.unwrap().contains("BUNRAKU_SHARE"));
        let error = roots.resolve(Path::new("."), "${SHRE}/a").unwrap_err();
        assert_eq!(error.to_diagnostic().help.unwrap(), "did you mean `${SHARE}`?");
        assert!(roots.resolve(Path::new("."), "${SHARE/a").is_err());
        assert!(roots.resolve(Path::new("."), "").is_err());
    }
}
