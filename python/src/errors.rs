//! Exceptions. Their classes are those of `bunraku/_errors.py`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bunraku::document::{Diagnostic, closest};
use pyo3::prelude::*;

/// An exception of this package.
pub fn error(py: Python<'_>, class: &str, message: impl Into<String>) -> PyErr {
    with_diagnostics(py, class, message, &[])
}

/// An exception with findings in files as its `diagnostics`.
pub fn with_diagnostics(py: Python<'_>, class: &str, message: impl Into<String>, findings: &[Diagnostic]) -> PyErr {
    let made = || {
        let findings = diagnostics(py, findings)?;
        py.import("bunraku._errors")?.getattr(class)?.call1((message.into(), findings))
    };
    match made() {
        Ok(exception) => PyErr::from_value(exception),
        Err(failure) => failure,
    }
}

/// Findings as a list of `bunraku.Diagnostic`.
pub fn diagnostics<'py>(py: Python<'py>, findings: &[Diagnostic]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let class = py.import("bunraku._errors")?.getattr("Diagnostic")?;
    let of = |finding: &Diagnostic| {
        let file = finding.file().map(|file| file.display().to_string());
        let (line, column) = finding.position().map(|position| (position.line, position.column)).unzip();
        class.call1((
            finding.severity.as_str(),
            finding.code,
            &finding.message,
            file,
            line,
            column,
            finding.help.as_deref(),
        ))
    };
    findings.iter().map(of).collect()
}

/// An `UnknownNameError`, with the name that was probably meant.
pub fn unknown<'a>(
    py: Python<'_>,
    what: &str,
    name: &str,
    owner: &str,
    names: impl IntoIterator<Item = &'a str> + Clone,
) -> PyErr {
    let help = match closest(name, names.clone()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => {
            let all: Vec<_> =
                names.into_iter().filter(|name| !name.is_empty()).map(|name| format!("`{name}`")).collect();
            match all.len() {
                0 => "there are none".to_owned(),
                1..=30 => format!("there are {}", all.join(", ")),
                _ => format!("there are {}, …", all[..30].join(", ")),
            }
        }
    };
    error(py, "UnknownNameError", format!("{owner} has no {what} `{name}`: {help}"))
}

/// Runs `work` without the GIL. A panic in it, which is a bug, becomes an `InternalError`.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|panic| internal(py, panic.as_ref()))
}

/// Runs `work`. A panic in it becomes an `InternalError`.
pub fn guarded<T>(py: Python<'_>, work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| internal(py, panic.as_ref()))
}

fn internal(py: Python<'_>, panic: &(dyn std::any::Any + Send)) -> PyErr {
    let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let message = format!("this is a bug of Bunraku, please report it: {}", said.unwrap_or("no reason is given"));
    error(py, "InternalError", message)
}
