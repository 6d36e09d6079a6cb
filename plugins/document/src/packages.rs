//! What holds a file: ROS packages, share directories, repositories.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Names of the files that make a directory a ROS package: catkin's and ament's, then rosbuild's.
const MANIFESTS: [&str; 2] = ["package.xml", "manifest.xml"];

/// What makes a directory the top of a repository.
const REPOSITORIES: [&str; 3] = [".git", ".hg", ".svn"];

/// A manifest names its package within its first lines.
const MANIFEST_START: u64 = 64 << 10;

/// The directories that a file in `directory` belongs to, from the nearest on: its package, the share directory of a
/// Choreonoid installation, its repository. Without any, its folder of models, which is the directory above. `directory`
/// is absolute and without links.
pub(crate) fn surroundings(directory: &Path) -> Vec<PathBuf> {
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    // The whole disk, or all that a user has, belongs to no model.
    let is_root = |path: &&Path| path.parent().is_some() && Some(*path) != home.as_deref();
    let nearest = |holds: fn(&Path) -> bool| directory.ancestors().filter(is_root).find(|above| holds(above));
    let found = [nearest(is_package), nearest(is_share), nearest(is_repository)];
    let mut roots: Vec<PathBuf> = found.into_iter().flatten().map(Path::to_owned).collect();
    roots.dedup();
    if roots.is_empty() {
        roots.push(directory.parent().filter(is_root).unwrap_or(directory).to_owned());
    }
    roots
}

/// Whether a directory is the ROS package of this name: its manifest says so or, where that does not say, its own name.
pub(crate) fn is_package_called(directory: &Path, name: &str) -> bool {
    is_package(directory)
        && match manifest_name(&directory.join(MANIFESTS[0])) {
            Some(given) => given == name,
            None => directory.file_name() == Some(OsStr::new(name)),
        }
}

fn is_package(directory: &Path) -> bool {
    MANIFESTS.iter().any(|manifest| directory.join(manifest).is_file())
}

/// Choreonoid's share directory holds its models beside its default settings.
fn is_share(directory: &Path) -> bool {
    ["model", "default"].iter().all(|part| directory.join(part).is_dir())
}

fn is_repository(directory: &Path) -> bool {
    REPOSITORIES.iter().any(|mark| directory.join(mark).exists())
}

/// The text of `<name>`.
fn manifest_name(manifest: &Path) -> Option<String> {
    let mut start = Vec::new();
    if !manifest.is_file() {
        return None;
    }
    File::open(manifest).ok()?.take(MANIFEST_START).read_to_end(&mut start).ok()?;
    let text = String::from_utf8_lossy(&start);
    let (_, behind) = text.split_once("<name>")?;
    let (name, _) = behind.split_once("</name>")?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}
