//! Results on stdout.

use std::io::{ErrorKind, Write};

use super::Failure;

/// Prints a line. A reader that has gone away (`bunraku info … | head`) has seen enough: no failure.
///
/// # Errors
/// If the output cannot be written, for example because the disk is full.
pub fn line(text: impl AsRef<str>) -> Result<(), Failure> {
    match writeln!(std::io::stdout().lock(), "{}", text.as_ref()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Message(format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}
