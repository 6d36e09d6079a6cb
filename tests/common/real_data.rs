//! Where the real data is; shared by the tests of all rooms.

// A test that cannot go on should say so loudly.
#![allow(clippy::panic, clippy::print_stderr)]

use std::path::{Path, PathBuf};

/// A directory named by an environment variable; a relative path starts at the root of the project. Without it the test
/// says that it is skipped.
pub fn real_data(variable: &str) -> Option<PathBuf> {
    let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty()) else {
        eprintln!("skipped: {variable} is not set");
        return None;
    };
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().find(|directory| directory.join("Cargo.lock").exists()).unwrap_or(here);
    let path = root.join(value);
    assert!(path.is_dir(), "{variable} is set, but there is no directory {}", path.display());
    Some(path)
}
