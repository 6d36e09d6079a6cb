use std::path::{Path, PathBuf};

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Diagnostic, Reporter, SearchRoots, closest};

use crate::model::Origin;

/// Reference of a mapping to a model file, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyFile {
    /// The path in the file: relative to it, absolute, or with a variable such as `${SHARE}`.
    pub text: String,
    /// The directory of the mapping file.
    pub directory: PathBuf,
    /// Location in the file.
    pub origin: Origin,
}

impl BodyFile {
    /// Path of the model file. A missing file is reported at the key of the mapping.
    pub fn find(&self, roots: &SearchRoots, reporter: &Reporter) -> Option<PathBuf> {
        let path = match roots.resolve(&self.directory, &self.text) {
            Ok(path) => path,
            Err(error) => {
                reporter.report(self.located(error.to_diagnostic()));
                return None;
            }
        };
        if path.is_file() {
            return Some(path);
        }
        let text = &self.text;
        reporter.report(if path.is_dir() {
            let message = format!("the model of the robot is a directory: {text}");
            self.origin.error("file-unreadable", message).help("name a model file in it")
        } else {
            self.origin.error("file-not-found", format!("file not found: {text}")).help(match meant(text, &path) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("it was looked for at {}", path.display()),
            })
        });
        None
    }

    /// Loads the model. Findings about the whole file are located in the mapping. `None` if at least one finding is an
    /// error.
    pub fn load(&self, options: &LoadOptions, reporter: &Reporter) -> Option<Body> {
        let path = self.find(&options.roots, reporter)?;
        let found = Reporter::new();
        let body = bunraku_body::load(&path, options, &found);
        for finding in found.into_diagnostics() {
            reporter.report(self.located(finding));
        }
        body
    }

    /// Locates a finding without location in the mapping.
    fn located(&self, mut finding: Diagnostic) -> Diagnostic {
        if finding.place.is_none() {
            finding.place.clone_from(&self.origin.0);
        }
        finding
    }
}

/// Path of an existing file that differs from `text` by the spelling of one name. `path` is the resolved `text`.
fn meant(text: &str, path: &Path) -> Option<String> {
    /// Maximum number of directory entries that are compared.
    const MOST: usize = 10_000;
    let above = path.ancestors().skip(1).find(|above| above.as_os_str().is_empty() || above.is_dir())?;
    let rest = path.strip_prefix(above).ok()?;
    let mut names = rest.components();
    let missing = names.next()?.as_os_str().to_str()?;
    let directory = if above.as_os_str().is_empty() { Path::new(".") } else { above };
    let entries = std::fs::read_dir(directory).ok()?.take(MOST).flatten();
    let mut entries: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    entries.sort();
    let meant = closest(missing, entries.iter().map(String::as_str))?;
    let found = names.clone().fold(directory.join(meant), |path, name| path.join(name));
    if !found.is_file() {
        return None;
    }
    let (before, _) = text.rsplit_once(&rest.to_str()?.replace('\\', "/"))?;
    let after = names.as_path().to_str()?.replace('\\', "/");
    Some(if after.is_empty() { format!("{before}{meant}") } else { format!("{before}{meant}/{after}") })
}
