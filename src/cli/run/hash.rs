//! SHA-256 of the files of a run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bunraku::scene::{Hashes, Scene};
use sha2::{Digest, Sha256};

/// The hashes of a run's input files, computed by `hash`; files without one are left out.
pub fn of_inputs(scene: &Scene, shares: &[PathBuf], hash: impl Fn(&Path) -> Option<String>) -> Hashes {
    let directory = scene.file.parent().unwrap_or(Path::new(""));
    let files = [&scene.file].into_iter().chain(&scene.sources);
    // Each file once, however often it is named.
    let named: BTreeMap<String, &PathBuf> = files.map(|file| (input_name(file, directory, shares), file)).collect();
    let inputs = named.into_iter().filter_map(|(name, file)| Some((name, hash(file)?)));
    Hashes { inputs: inputs.collect(), files: BTreeMap::new() }
}

/// The hashes of the files in an output directory; files that cannot be read are left out.
pub fn of_results(files: &[PathBuf], directory: &Path) -> BTreeMap<String, String> {
    let hash = |file: &PathBuf| Some((portable(file.strip_prefix(directory).unwrap_or(file)), of_file(file).ok()?));
    files.iter().filter_map(hash).collect()
}

/// A path with `/` on every system.
fn portable(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The name of a file, independent of the directory of the scene.
pub fn input_name(file: &Path, directory: &Path, shares: &[PathBuf]) -> String {
    // The same file may be named through different directories.
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let file = whole(file);
    let directory = whole(if directory.as_os_str().is_empty() { Path::new(".") } else { directory });
    if let Ok(inside) = file.strip_prefix(&directory) {
        return portable(inside);
    }
    if let Some(inside) = shares.iter().find_map(|share| file.strip_prefix(whole(share)).ok().map(Path::to_owned)) {
        return format!("${{SHARE}}/{}", portable(&inside));
    }
    // Up to the common ancestor, and down again.
    let common = file.ancestors().find(|above| directory.starts_with(above)).unwrap_or(Path::new(""));
    let up = directory.strip_prefix(common).map_or(0, |rest| rest.components().count());
    let down = file.strip_prefix(common).unwrap_or(&file);
    portable(&Path::new(&"../".repeat(up)).join(down))
}

/// SHA-256 of a file.
///
/// # Errors
/// If it cannot be read.
pub fn of_file(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hasher.update(buffer.get(..read).unwrap_or_default()),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_matches_the_standard() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        // FIPS 180-2, appendix B.1.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of_file(file.path()).unwrap(), expected);
    }

    #[test]
    fn inputs_are_named_relative_to_the_scene() {
        let folder = tempfile::tempdir().unwrap();
        for directory in ["scenes", "models", "share/model"] {
            std::fs::create_dir_all(folder.path().join(directory)).unwrap();
        }
        let name = |file: &str| {
            let path = folder.path().join(file);
            std::fs::write(&path, "").unwrap();
            input_name(&path, &folder.path().join("scenes"), &[folder.path().join("share")])
        };
        assert_eq!(name("scenes/a.body"), "a.body");
        assert_eq!(name("models/b.body"), "../models/b.body");
        assert_eq!(name("share/model/c.body"), "${SHARE}/model/c.body");
    }
}
