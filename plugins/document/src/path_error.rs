//! Why a path written in a file could not be resolved.

use std::path::PathBuf;

use crate::{Diagnostic, closest};

/// Maximum length of a path, bytes: `PATH_MAX` of Linux. No system call accepts a longer one.
pub(crate) const LONGEST_PATH: usize = 4096;

pub(crate) const PROGRAM_TOP: &str = "PROGRAM_TOP";
pub(crate) const PROJECT_DIR: &str = "PROJECT_DIR";
const VARIABLES: [&str; 4] = ["SHARE", "HOME", PROGRAM_TOP, PROJECT_DIR];

/// Reason why a path written in a file could not be resolved.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PathError {
    /// `${SHARE}` is used but not set.
    #[error("`{0}` needs the share directory, and it is not set")]
    ShareNotSet(String),
    /// A known variable is used but not set.
    #[error("`{path}` needs the directory that `${{{variable}}}` stands for, and it is not set")]
    VariableNotSet {
        /// The name between the braces.
        variable: &'static str,
        /// The whole path.
        path: String,
    },
    /// The variable is unknown.
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
    /// The path is empty.
    #[error("the path is empty")]
    Empty,
    /// The text is longer than any path.
    #[error("the path has {length} bytes, and no path has more than {LONGEST_PATH}: {start}…")]
    TooLong {
        /// Length of the text, bytes.
        length: usize,
        /// First characters of the text.
        start: String,
    },
    /// The scheme is unknown, for example `http`.
    #[error("`{scheme}://` cannot be read: {uri}")]
    UnknownScheme {
        /// The text before `://`.
        scheme: String,
        /// The whole text.
        uri: String,
    },
    /// No root contains the ROS package.
    #[error("package `{package}` not found: {uri}")]
    PackageNotFound {
        /// Name of the package.
        package: String,
        /// The whole text.
        uri: String,
        /// Directories that were searched.
        searched: Vec<PathBuf>,
    },
    /// The file does not exist.
    #[error("file not found: {}", .path.display())]
    NotFound {
        /// Expected path.
        path: PathBuf,
        /// The directory that the text is relative to, or the directories searched for packages.
        searched: Vec<PathBuf>,
    },
    /// The file lies outside the roots.
    #[error("the path is outside the search roots: {}", .path.display())]
    Outside {
        /// Path of the file.
        path: PathBuf,
        /// Directories from which files may be read.
        roots: Vec<PathBuf>,
    },
}

impl PathError {
    /// Converts the error to a diagnostic without a location.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let code = match self {
            Self::NotFound { .. } | Self::PackageNotFound { .. } => "file-not-found",
            Self::Outside { .. } => "outside-roots",
            _ => "bad-path",
        };
        let diagnostic = Diagnostic::error(code, self.to_string());
        match self {
            Self::ShareNotSet(_) => diagnostic.help(
                "pass `--share DIR` or set BUNRAKU_SHARE to Choreonoid's share directory (the one that contains `model/`)",
            ),
            Self::VariableNotSet { variable: PROGRAM_TOP, .. } => diagnostic.help(
                "pass `--program-top DIR` or set BUNRAKU_PROGRAM_TOP to the directory that Choreonoid is installed in",
            ),
            Self::VariableNotSet { .. } => diagnostic
                .help("pass `--project-dir DIR` or set BUNRAKU_PROJECT_DIR to the directory of the Choreonoid project"),
            Self::UnknownVariable { variable, .. } => match closest(variable, VARIABLES) {
                Some(known) => diagnostic.help(format!("did you mean `${{{known}}}`?")),
                None => {
                    let known: Vec<_> = VARIABLES.iter().map(|name| format!("`${{{name}}}`")).collect();
                    diagnostic.help(format!("the variables are {}", known.join(", ")))
                }
            },
            Self::UnknownScheme { .. } => diagnostic.help("write a path, `file://` or `package://`"),
            Self::PackageNotFound { searched, .. } if searched.is_empty() => {
                diagnostic.help("set ROS_PACKAGE_PATH or AMENT_PREFIX_PATH to where ROS packages are")
            }
            Self::PackageNotFound { searched, .. } => diagnostic.help(format!("searched in {}", list(searched))),
            Self::NotFound { searched, .. } if !searched.is_empty() => {
                diagnostic.help(format!("searched in {}: is the path spelt right?", list(searched)))
            }
            Self::Outside { roots, .. } => diagnostic.help(format!(
                "the roots are {}; `--allow-outside` reads files anywhere",
                list(roots)
            )),
            Self::NotFound { .. } => diagnostic.help("is the path spelt right?"),
            Self::Unterminated(_) => diagnostic.help("write `${SHARE}/…`"),
            Self::TooLong { .. } => diagnostic.help("is a closing quote missing, or is this something else than a path?"),
            Self::Empty => diagnostic.help("write the path of a file, relative to this file"),
        }
    }
}

/// Paths for a message.
pub(crate) fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
