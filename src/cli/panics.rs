//! Panics of libraries: they become an error about the file being read, or end the run, but never end the program.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bunraku::document::{Diagnostic, Reporter, SourceFile};

/// The message of a panic, and the source file and line where it was raised.
#[derive(Clone, Debug, Default)]
pub struct Panic {
    message: String,
    place: Option<(String, u32)>,
}

impl fmt::Display for Panic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match &self.place {
            Some((file, line)) => write!(formatter, " ({}:{line})", in_its_crate(file)),
            None => Ok(()),
        }
    }
}

/// Runs `work`. A panic in it is not printed, wherever it is caught; one that is not caught inside is returned.
///
/// # Errors
/// The panic.
pub fn guard<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    let last = Arc::new(Mutex::new(Panic::default()));
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new({
        let last = Arc::clone(&last);
        move |info| {
            let message = info.payload_as_str().unwrap_or("no reason is given").replace('\n', " ");
            let place = info.location().map(|place| (place.file().to_owned(), place.line()));
            *last.lock().unwrap_or_else(PoisonError::into_inner) = Panic { message, place };
        }
    }));
    let result = catch_unwind(AssertUnwindSafe(work));
    std::panic::set_hook(hook);
    result.map_err(|_| std::mem::take(&mut *last.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Reads a file with `read`. A panic, which would be a bug of this program or of a library, becomes an error about the
/// file, so that the remaining work continues.
pub fn caught<T>(path: &Path, reporter: &Reporter, read: impl FnOnce() -> Option<T>) -> Option<T> {
    // Partially read data is dropped; the reporter holds only complete findings at any time.
    guard(read).unwrap_or_else(|panic| {
        let diagnostic = Diagnostic::error("internal", format!("reading the file came to a stop: {panic}"));
        let help = "this is a bug of the program: please report it";
        reporter.report(diagnostic.in_file(&SourceFile::from_text(path, "")).help(help));
        None
    })
}

/// The path of a source file from its crate on, without the directories of the build machine.
fn in_its_crate(file: &str) -> &str {
    let start = file.rfind("/src/").and_then(|source| file.get(..source)?.rfind('/'));
    start.and_then(|start| file.get(start + 1..)).unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_library_is_an_error_about_the_file() {
        let reporter = Reporter::new();
        let none = caught(Path::new("a.body"), &reporter, || -> Option<()> { panic!("out of bounds: {}", 7) });
        assert!(none.is_none());
        let found = reporter.into_diagnostics();
        let text = found[0].to_string();
        assert!(
            text.starts_with("a.body: error[internal]: reading the file came to a stop: out of bounds: 7 ("),
            "{text}"
        );
        assert_eq!(caught(Path::new("b.body"), &Reporter::new(), || Some(1)), Some(1));
        assert_eq!(
            in_its_crate("/home/me/.cargo/registry/src/index/yaml-0.3.0/src/scan/a.rs"),
            "yaml-0.3.0/src/scan/a.rs"
        );
    }
}
