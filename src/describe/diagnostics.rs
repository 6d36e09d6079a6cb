use bunraku_document::Diagnostic;
use serde_json::{Value, json};

/// Findings as a list of `{severity, code, message, file, line, column}`; lines and columns count from 1.
pub fn diagnostics(diagnostics: &[Diagnostic]) -> Value {
    let list = diagnostics.iter().map(|diagnostic| {
        let message = match &diagnostic.help {
            Some(help) => format!("{} ({help})", diagnostic.message),
            None => diagnostic.message.clone(),
        };
        json!({
            "severity": diagnostic.severity.as_str(),
            "code": diagnostic.code,
            "message": message,
            "file": diagnostic.file().map(|file| file.display().to_string()),
            "line": diagnostic.position().map(|position| position.line),
            "column": diagnostic.position().map(|position| position.column),
        })
    });
    Value::Array(list.collect())
}
