//! The output directory of a run.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use bunraku::document::write_atomically;

use super::common::Failure;
use super::messages;

/// `out/` followed by the name of the scene or model file without its extensions.
pub fn default_out(file: &Path) -> PathBuf {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.trim_end_matches(".yaml").trim_end_matches(".yml").trim_end_matches(".scene");
    let stem = [".cnoid", ".xacro", ".body", ".urdf", ".wrl", ".xml"]
        .iter()
        .fold(stem, |stem, ending| stem.trim_end_matches(ending));
    Path::new("out").join(stem)
}

/// The directory, or the first unused one of `<directory>-2`, `<directory>-3` and so on: nothing is replaced.
#[cfg(feature = "viewer")]
pub fn unused(directory: &Path) -> PathBuf {
    let is_unused = |path: &PathBuf| match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = (2_u64..).map(|number| directory.with_file_name(format!("{name}-{number}")));
    std::iter::once(directory.to_owned()).chain(numbered).find(is_unused).unwrap_or_else(|| directory.to_owned())
}

/// The output directory of a run, locked so that no other run writes to it.
#[derive(Debug)]
pub struct OutDirectory {
    path: PathBuf,
    lock: Option<Lock>,
    /// Disk space and a file handle kept for the end of the run, in case either is used up before. The file has no name
    /// and disappears with the process.
    reserve: Option<File>,
}

/// Name of the lock file. The lock belongs to the operating system and ends with the process in every case; the file
/// alone locks nobody out.
const LOCK_NAME: &str = ".bunraku.lock";
/// Size of the reserve, bytes: enough for the summary and for recordings of some seconds.
const RESERVE: usize = 256 << 10;
/// Name of the summary file.
pub const SUMMARY_NAME: &str = "summary.json";
/// Name of the file with the absolute path of a scene that is not below the directory in which the run was started. The
/// summary has no paths, because identical runs write identical summaries.
const SCENE_NOTE: &str = ".bunraku.scene";
/// Maximum length of a path, bytes: that of Linux.
const LONGEST_PATH: u64 = 4096;

impl OutDirectory {
    /// Creates the directory if it is missing and locks it for this process.
    ///
    /// # Errors
    /// If it cannot be created, or another run records into it.
    pub fn take(path: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(path).map_err(|error| {
            Failure::Message(format!("cannot make the directory for results: {error}: {}", path.display()))
        })?;
        let lock = match Lock::take(&path.join(LOCK_NAME)) {
            Ok(Some(lock)) => Some(lock),
            Ok(None) => {
                let message = format!(
                    "another run is recording into {}: wait for its end, or choose another directory with `--out`",
                    path.display()
                );
                return Err(Failure::Message(message));
            }
            // Some network file systems have no locks.
            Err(error) if matches!(error.kind(), io::ErrorKind::Unsupported) => {
                messages::warning(&format!("{} cannot be locked against a second run: {error}", path.display()));
                None
            }
            Err(error) => {
                return Err(Failure::Message(format!(
                    "cannot write to the directory for results: {error}: {}",
                    path.display()
                )));
            }
        };
        let mut reserve = tempfile::tempfile_in(path).ok();
        if let Some(file) = &mut reserve {
            // If there is no space for it, the handle is still kept.
            let _ = file.write_all(&[0; RESERVE]);
        }
        Ok(Self { path: path.to_owned(), lock, reserve })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The files that a run writes into a directory in addition to its results.
    pub fn own_files(path: &Path) -> [PathBuf; 3] {
        [SUMMARY_NAME, LOCK_NAME, SCENE_NOTE].map(|name| path.join(name))
    }

    /// Removes files that an older run left under the names of this run's results, so that nobody mistakes them for new
    /// ones, and the folders that are empty without them.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn remove_older(&self, results: &[PathBuf]) -> Result<(), Failure> {
        for path in results.iter().chain(&[SUMMARY_NAME, SCENE_NOTE].map(|name| self.path.join(name))) {
            match fs::remove_file(path) {
                Ok(()) => self.remove_empty_folders(path),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let message = format!("cannot remove what an older run has left: {error}: {}", path.display());
                    return Err(Failure::Message(message));
                }
            }
        }
        Ok(())
    }

    /// Removes the folders of a removed file that are empty now.
    fn remove_empty_folders(&self, file: &Path) {
        let mut folders = file.ancestors().skip(1).take_while(|folder| *folder != self.path);
        // A folder with other files stays, and so do those around it.
        while folders.next().is_some_and(|folder| fs::remove_dir(folder).is_ok()) {}
    }

    /// Notes where the scene is, if it would not be found below the present directory.
    ///
    /// # Errors
    /// If the note cannot be written.
    pub fn note_scene(&self, scene: &Path) -> io::Result<()> {
        let is_below = scene.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        match std::path::absolute(scene) {
            Ok(path) if !is_below => self.write(SCENE_NOTE, &format!("{}\n", path.display())),
            _ => Ok(()),
        }
    }

    /// Frees the disk space and the file handle kept for the end.
    pub fn release_reserve(&mut self) {
        self.reserve = None;
    }

    /// Writes a file atomically (completely or not at all), with the file mode of any other file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, text: &str) -> io::Result<()> {
        write_atomically(&self.path.join(name), |file| file.write_all(text.as_bytes()))
    }
}

impl Drop for OutDirectory {
    fn drop(&mut self) {
        if let Some(lock) = self.lock.take() {
            lock.release();
        }
    }
}

/// The path that a run noted for its scene, if it did.
pub fn noted_scene(results: &Path) -> Option<PathBuf> {
    let note = results.join(SCENE_NOTE);
    // Only a file is opened: opening a pipe blocks until it has a writer.
    let is_note = fs::symlink_metadata(&note).is_ok_and(|there| there.is_file() && there.len() <= LONGEST_PATH);
    let text = is_note.then(|| fs::read_to_string(&note).ok()).flatten()?;
    Some(PathBuf::from(text.trim_end_matches('\n')))
}

/// Whether another run is recording into a directory.
pub fn is_taken(path: &Path) -> bool {
    let lock = path.join(LOCK_NAME);
    // Only a file is opened: opening a pipe blocks until it has a reader.
    let is_file = fs::symlink_metadata(&lock).is_ok_and(|there| there.is_file());
    let locked = |file: File| matches!(file.try_lock(), Err(TryLockError::WouldBlock));
    is_file && OpenOptions::new().write(true).open(lock).is_ok_and(locked)
}

/// A file locked by this process.
#[derive(Debug)]
struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Locks the file; `None` if another process has locked it.
    fn take(path: &Path) -> io::Result<Option<Self>> {
        loop {
            // Checked before opening: opening a pipe blocks until it has a reader.
            if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
                let name = path.file_name().unwrap_or_default().display();
                return Err(io::Error::other(format!("`{name}` in it is not a file; remove it")));
            }
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // The previous holder may have removed the file while this process opened it. The lock is then on a file
            // that nobody else sees.
            if is_at(&file, path)? {
                return Ok(Some(Self { path: path.to_owned(), file }));
            }
        }
    }

    fn release(self) {
        // Removed before unlocking, so that nobody locks a file that is about to disappear.
        let _ = fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

/// Whether a path leads to this open file, as far as the operating system can tell.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let open = file.metadata()?;
        Ok(fs::metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == (open.dev(), open.ino())))
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        Ok(true)
    }
}

/// The first of `results` that would replace one of `sources`, with that source.
pub fn replaced_source<'a>(results: &[PathBuf], sources: &'a [PathBuf]) -> Option<(PathBuf, &'a Path)> {
    let mut places = BTreeMap::new();
    for source in sources {
        let found = fs::canonicalize(source).ok();
        for place in place(source).into_iter().chain(found) {
            places.entry(place).or_insert(source.as_path());
        }
    }
    results.iter().find_map(|result| Some((result.clone(), *places.get(&place(result)?)?)))
}

/// The path at which a file is or would be created. A link there is not followed, because the link itself is replaced.
fn place(path: &Path) -> Option<PathBuf> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(fs::canonicalize(parent).ok()?.join(path.file_name()?))
}
