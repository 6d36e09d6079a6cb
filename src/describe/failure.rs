use bunraku_document::{Diagnostic, Severity};
use serde_json::{Value, json};

/// The JSON document of a failure: all findings, with the message of the first error, or `message` if there is no error
/// among them.
pub fn failure(message: &str, diagnostics: &[Diagnostic]) -> Value {
    let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    json!({
        "failure": error.map_or(message, |error| &error.message),
        "diagnostics": super::diagnostics(diagnostics),
    })
}
