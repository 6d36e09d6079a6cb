//! Models from strings.

use std::path::Path;

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Diagnostic, Reporter, SearchRoots, SourceFile};

/// The lines before the first link in [`model_text`]; there are three of them.
pub const MODEL_HEAD: &str = "format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n";

/// The text of a `.body` file around the items of `links`, each indented by two. Version 2.0: angles in degrees.
pub fn model_text(links: &str) -> String {
    format!("{MODEL_HEAD}{links}")
}

/// Reads the text of a `.body` file: the body, and all findings.
pub fn read_model(text: &str) -> (Option<Body>, Vec<Diagnostic>) {
    let reporter = Reporter::new();
    let body = bunraku_body::read(&SourceFile::from_text("x.body", text), &LoadOptions::default(), &reporter);
    (body, reporter.into_diagnostics())
}

/// The body of [`model_text`].
///
/// # Panics
/// If there are any findings.
#[track_caller]
pub fn read_links(links: &str) -> Body {
    let text = model_text(links);
    let (body, findings) = read_model(&text);
    let findings: Vec<_> = findings.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{}\n{text}", findings.join("\n"));
    body.expect("a body without findings")
}

/// A model by its path in Choreonoid's share directory, such as `model/SR1/SR1.body`; [skipped](crate::skip) without
/// it.
///
/// # Panics
/// If it does not load.
#[track_caller]
pub fn share_model(file: impl AsRef<Path>) -> Option<Body> {
    let share = crate::share()?;
    let file = share.join(file);
    let options = LoadOptions { roots: SearchRoots::new(Some(share)), ..LoadOptions::default() };
    let reporter = Reporter::new();
    let body = bunraku_body::load(&file, &options, &reporter);
    Some(body.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics())))
}
