//! Names of bodies, which are also used as file names.

use std::collections::BTreeMap;

use bunraku_document::{Reporter, Value};

use super::model::SceneBody;

/// Maximum length of a name, bytes. File systems allow 255; the longest suffix is `.joints.csv.partial.next`.
const LONGEST: usize = 224;

/// Device names on Windows, which are reserved with any extension, too.
const RESERVED: &[&str] = &["con", "prn", "aux", "nul"];
/// Reserved names that end in a digit from 1 to 9.
const NUMBERED: &[&str] = &["com", "lpt"];

/// Reports a name that cannot be used in a file name.
pub(super) fn report(place: Value<'_>, name: &str, reporter: &Reporter) {
    if let Some(why) = objection(name) {
        // Control characters are escaped, so that they do not reach the terminal.
        let shown: String = name.chars().take(80).flat_map(char::escape_debug).collect();
        let message = format!("`{shown}` cannot be the name of a body: recordings are files called after it, {why}");
        reporter.report(place.error("bad-body-name", message).help("give the body another `name` in the scene"));
    }
}

/// Why a name cannot be a file name; `None` if it can.
pub(super) fn objection(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("and it is empty".to_owned());
    }
    if name.starts_with('.') {
        return Some("and a dot at the beginning hides them".to_owned());
    }
    if name.contains(['/', '\\']) {
        return Some("and it has the separator of a path".to_owned());
    }
    if name.chars().any(char::is_control) {
        return Some("and it has a control character".to_owned());
    }
    if name.len() > LONGEST {
        return Some(format!("and it has {} bytes where {LONGEST} leave room for their endings", name.len()));
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_lowercase();
    let is_numbered =
        |device: &&str| stem.strip_prefix(device).is_some_and(|digit| matches!(digit.as_bytes(), [b'1'..=b'9']));
    let is_reserved = RESERVED.contains(&stem.as_str()) || NUMBERED.iter().any(is_numbered);
    is_reserved.then(|| "and Windows keeps it for a device".to_owned())
}

/// Names of the recorded bodies, compared without regard to case.
#[derive(Debug, Default)]
pub(super) struct RecordedNames(BTreeMap<String, (String, u32)>);

impl RecordedNames {
    /// Adds a body; reports an error if its files would be another's on a file system that ignores case.
    pub fn add(&mut self, place: Value<'_>, body: &SceneBody, reporter: &Reporter) {
        if !body.is_recorded() {
            return;
        }
        let entry = (body.name.clone(), place.span().start.line);
        if let Some((other, line)) = self.0.insert(body.name.to_lowercase(), entry) {
            let message = format!("body name `{}` differs from `{other}` on line {line} in case only", body.name);
            let help = "recordings are called after bodies, and on some systems the two would be one file";
            reporter.report(place.error("duplicate-body-name", message).help(help));
        }
    }
}
