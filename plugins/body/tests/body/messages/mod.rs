//! Messages about errors in models: the printed message of each, stored in `snapshots/`.
//!
//! After a change, `INSTA_UPDATE=always cargo test` rewrites the files. Review the changes as a user who reads the
//! message for the first time.

mod attacks;
mod elements;
mod files;
mod joints;
mod numbers;
mod text;
mod tree;

use std::fs;

use bunraku_body::LoadOptions;
use bunraku_document::{Reporter, Severity, render};
use tempfile::TempDir;

use crate::common::printed::{assert_helpful, without_directory};

/// Path of the model; other files may be beside it.
const MODEL: &str = "models/arm/arm.body";

/// A directory with a faulty model.
struct Mistake {
    directory: TempDir,
    without_place: Option<&'static str>,
}

impl Mistake {
    /// A model with this text.
    fn model(text: impl AsRef<[u8]>) -> Self {
        Self { directory: tempfile::tempdir().unwrap(), without_place: None }.with(MODEL, text)
    }

    /// A model of these links, each indented by two.
    fn links(links: &str) -> Self {
        Self::model(format!("format: ChoreonoidBody\nformat_version: 2.0\nname: Arm\nlinks:\n{links}"))
    }

    /// A model of one link with these elements, each indented by six.
    fn elements(elements: &str) -> Self {
        Self::links(&format!("  - name: BASE\n    elements:\n{elements}"))
    }

    /// Adds a file.
    fn with(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Findings need no line and column, for the given reason.
    fn without_place(self, reason: &'static str) -> Self {
        Self { without_place: Some(reason), ..self }
    }

    /// Reads the model and compares the printed messages with the snapshot of this name.
    #[track_caller]
    fn shows(self, snapshot: &str) {
        self.read(MODEL, snapshot);
    }

    /// As [`shows`](Self::shows), for another path.
    #[track_caller]
    fn read(self, path: &str, snapshot: &str) {
        let reporter = Reporter::new();
        let options = LoadOptions { check_plausibility: true, ..LoadOptions::default() };
        let body = bunraku_body::load(&self.directory.path().join(path), &options, &reporter);
        let findings = reporter.into_diagnostics();
        assert!(!findings.is_empty(), "the mistake was not noticed");
        let failed = findings.iter().any(|finding| finding.severity == Severity::Error);
        assert_eq!(body.is_none(), failed, "a body comes out exactly if there is no error");
        let printed: Vec<String> = findings.iter().map(render::plain).collect();
        insta::with_settings!({ prepend_module_to_snapshot => false }, { insta::assert_snapshot!(snapshot, without_directory(&printed.join("\n\n"), self.directory.path())) });
        for finding in &findings {
            assert_helpful(finding, self.without_place);
        }
    }
}
