use bunraku_document::{Diagnostic, Severity};
use serde_json::{Value, json};

/// Why there is nothing to describe: the first error's message, or `message` if something else is at fault, and all
/// findings.
pub fn failure(message: &str, diagnostics: &[Diagnostic]) -> Value {
    let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    json!({
        "failure": error.map_or(message, |error| &error.message),
        "diagnostics": super::diagnostics(diagnostics),
    })
}
