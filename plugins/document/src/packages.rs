//! Directories that contain a file as part of a larger unit: ROS packages, share directories, repositories.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files that mark a directory as a ROS package: catkin's and ament's manifest, then rosbuild's.
const MANIFESTS: [&str; 2] = ["package.xml", "manifest.xml"];

/// Directories that mark the top of a repository.
const REPOSITORIES: [&str; 3] = [".git", ".hg", ".svn"];

/// Bytes of a manifest that are read: the package name stands in its first lines.
const MANIFEST_START: u64 = 64 << 10;

/// Directories that contain a file in `directory` as part of a unit, innermost first: its ROS package, the share
/// directory of a Choreonoid installation, its repository. Without one, its folder of models, the parent
/// directory. `directory` is canonical.
pub(crate) fn surroundings(directory: &Path) -> Vec<PathBuf> {
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    // The root directory and the home directory are not the directory of a model.
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

/// Whether a directory is the ROS package of this name. Its manifest decides; without a name there, the name of the
/// directory.
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

/// Whether a directory is Choreonoid's share directory: models beside default settings.
fn is_share(directory: &Path) -> bool {
    ["model", "default"].iter().all(|part| directory.join(part).is_dir())
}

fn is_repository(directory: &Path) -> bool {
    REPOSITORIES.iter().any(|mark| directory.join(mark).exists())
}

/// Text of the element `<name>`.
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
