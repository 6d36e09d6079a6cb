//! Messages about broken OpenHRP models: the printed message of each error, stored in `snapshots/`.
//!
//! After a change, `INSTA_UPDATE=always cargo test` rewrites the files. Review the changes as a user who reads the
//! message for the first time.

mod attacks;
mod files;
mod nodes;
mod prototypes;
mod text;
mod values;

use std::fs;

use bunraku_body::LoadOptions;
use bunraku_document::{Reporter, Severity, render};
use tempfile::TempDir;

use crate::common::printed::{assert_helpful, without_directory};

/// Path of the model; other files may be beside it.
const MODEL: &str = "models/arm/arm.wrl";

/// Declarations for the models here, on few lines.
const PROTOS: &str = r#"#VRML V2.0 utf8
PROTO Humanoid [ exposedField MFNode humanoidBody [ ] ] { Group { children IS humanoidBody } }
PROTO Joint [ exposedField SFVec3f translation 0 0 0 exposedField SFRotation rotation 0 0 1 0 exposedField MFNode children [ ] exposedField SFString jointType "" exposedField SFInt32 jointId -1 exposedField SFVec3f jointAxis 0 0 1 exposedField MFFloat ulimit [ ] ] { Transform { children IS children rotation IS rotation translation IS translation } }
PROTO Segment [ exposedField MFNode children [ ] exposedField SFVec3f centerOfMass 0 0 0 exposedField SFFloat mass 0 exposedField MFFloat momentsOfInertia [ 0 0 0 0 0 0 0 0 0 ] ] { Group { children IS children } }
"#;

/// A directory with a faulty model.
struct Mistake {
    directory: TempDir,
    strict: bool,
    without_place: Option<&'static str>,
}

impl Mistake {
    /// A file with this text.
    fn file(text: impl AsRef<[u8]>) -> Self {
        Self { directory: tempfile::tempdir().unwrap(), strict: false, without_place: None }.with(MODEL, text)
    }

    /// A file with this text after the declarations; it begins on line 5.
    fn model(text: impl AsRef<[u8]>) -> Self {
        Self::file([PROTOS.as_bytes(), text.as_ref()].concat())
    }

    /// A robot `ARM` with a root joint `BASE` around this text, which begins on line 6.
    fn base(text: impl AsRef<[u8]>) -> Self {
        let head = b"DEF ARM Humanoid { humanoidBody DEF BASE Joint { jointType \"fixed\" children [\n";
        Self::model([head, text.as_ref(), b"\n] } }\n"].concat())
    }

    /// A robot with a joint `ELBOW` that has these fields on line 7.
    fn elbow(fields: &str) -> Self {
        Self::base(format!("DEF ELBOW Joint {{\n{fields} }}"))
    }

    /// A robot with a segment `HAND` that has these fields on line 7.
    fn hand(fields: &str) -> Self {
        Self::base(format!("DEF HAND Segment {{\n{fields} }}"))
    }

    /// Adds a file.
    fn with(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Turns warnings into errors.
    fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// Findings need no line and column, for the given reason.
    fn without_place(self, reason: &'static str) -> Self {
        Self { without_place: Some(reason), ..self }
    }

    /// Reads the model and compares the printed messages with the snapshot of this name.
    #[track_caller]
    fn shows(self, snapshot: &str) {
        self.compare(snapshot, usize::MAX);
    }

    /// As [`shows`](Self::shows), with additional declarations.
    #[track_caller]
    fn shows_behind(self, declarations: &str, snapshot: &str) {
        let text = fs::read_to_string(self.directory.path().join(MODEL)).unwrap();
        self.with(MODEL, text.replace(PROTOS, &format!("{PROTOS}{declarations}"))).shows(snapshot);
    }

    /// As [`shows`](Self::shows), for the last of many findings.
    #[track_caller]
    fn shows_last(self, snapshot: &str) {
        self.compare(snapshot, 1);
    }

    #[track_caller]
    fn compare(self, snapshot: &str, most: usize) {
        let reporter = if self.strict { Reporter::strict() } else { Reporter::new() };
        let body = bunraku_body::load(&self.directory.path().join(MODEL), &LoadOptions::default(), &reporter);
        let findings = reporter.into_diagnostics();
        assert!(!findings.is_empty(), "the mistake was not noticed");
        let failed = findings.iter().any(|finding| finding.severity == Severity::Error);
        assert_eq!(body.is_none(), failed, "a body comes out exactly if there is no error");
        let shown = findings.get(findings.len().saturating_sub(most)..).unwrap();
        let printed: Vec<String> = shown.iter().map(render::plain).collect();
        insta::with_settings!({ prepend_module_to_snapshot => false }, { insta::assert_snapshot!(snapshot, without_directory(&printed.join("\n\n"), self.directory.path())) });
        for finding in &findings {
            assert_helpful(finding, self.without_place);
        }
    }
}
