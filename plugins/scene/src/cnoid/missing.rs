//! Parts of a project that its files name and that cannot be had.

use std::path::Path;

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Diagnostic, Place, Reporter, Severity};

/// A part of a project that is missing.
#[derive(Clone, Debug)]
pub struct MissingPart {
    /// Kind of the part.
    pub kind: MissingKind,
    /// Name of the item; empty for a world.
    pub name: String,
    /// The file as the project names it; empty for a world.
    pub file: String,
    /// Why the part is missing.
    pub reason: String,
    /// Location of the item in the project.
    pub place: Option<Place>,
}

/// Kind of a missing part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingKind {
    /// The model of a body, which is left out.
    Model,
    /// A table of contact materials.
    Materials,
    /// A project inside the project.
    Project,
    /// The world item: Choreonoid simulates only the bodies in a world.
    World,
}

impl MissingKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Materials => "materials",
            Self::Project => "project",
            Self::World => "world",
        }
    }
}

/// The finding about all missing parts: a warning if the project is used without them, or else an error.
pub(super) fn finding(missing: &[MissingPart], are_left_out: bool) -> Option<Diagnostic> {
    let first = missing.first()?;
    let many = match missing.len() {
        1 => "a part".to_owned(),
        number => format!("{number} parts"),
    };
    let names: Vec<String> = missing.iter().map(described).collect();
    let message = format!("{many} of the project cannot be had: {}", names.join(", "));
    let mut finding = match are_left_out {
        true => Diagnostic::warning("missing-parts", message).help("the project is opened without"),
        false => Diagnostic::error("missing-parts", message)
            .help("`bunraku info` lists them; `bunraku run --allow-missing` runs the project without"),
    };
    finding.place = missing.iter().find_map(|part| part.place.clone()).or_else(|| first.place.clone());
    Some(finding)
}

fn described(part: &MissingPart) -> String {
    match part.kind {
        MissingKind::World => "a world".to_owned(),
        MissingKind::Model => format!("the model of `{}`", part.name),
        kind => format!("the {} `{}`", kind.as_str(), part.file),
    }
}

/// Loads a model; the reason if it cannot be loaded. The findings in the model are those of the scene.
pub(super) fn model(directory: &Path, file: &str, load: &LoadOptions) -> Result<Body, String> {
    let path = load.roots.resolve(directory, file).map_err(|error| error.to_string())?;
    if !path.is_file() {
        return Err(format!("file not found: {}", path.display()));
    }
    let reporter = Reporter::new();
    reporter.quote_only(&load.roots.around_directory(directory));
    bunraku_body::load(&path, load, &reporter).ok_or_else(|| {
        let findings = reporter.into_diagnostics();
        let first = findings.iter().find(|finding| finding.severity == Severity::Error);
        first.map_or_else(|| format!("cannot be read: {}", path.display()), described_finding)
    })
}

fn described_finding(finding: &Diagnostic) -> String {
    let span = finding.place.as_ref().and_then(|place| place.span);
    match (finding.file(), span) {
        (Some(file), Some(span)) => {
            format!("{}:{}:{}: {}", file.display(), span.start.line, span.start.column, finding.message)
        }
        (Some(file), None) => format!("{}: {}", file.display(), finding.message),
        (None, _) => finding.message.clone(),
    }
}
