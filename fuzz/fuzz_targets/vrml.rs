//! Any bytes as a `.wrl` file: none may panic, hang or eat memory.
#![no_main]

mod vrml_properties;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// Where the file is written that is loaded as a model.
static DIRECTORY: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a directory for the file"));

fuzz_target!(|bytes: &[u8]| vrml_properties::check(DIRECTORY.path(), bytes));
