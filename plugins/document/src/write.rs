//! Atomic writing of files.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::{NamedTempFile, TempPath};

/// Writes a file atomically: to a temporary file beside it, which is renamed once all data is on the disk. The file
/// gets the usual permissions under the user's umask. A symbolic link stays one: its target is replaced.
///
/// # Errors
/// If the file cannot be written or `write` fails. The old file is then unchanged and no temporary file remains.
pub fn write_atomically<T>(path: &Path, write: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    refuse_directory(&path)?;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bunraku-");
    // By default a temporary file is accessible to its owner only.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    put(builder.tempfile_in(directory)?, &path, write)
}

/// As [`write_atomically`], through `next`, a new file in the same directory. The caller can thus find and remove it if
/// the process is killed. A symbolic link at `path` is replaced.
///
/// # Errors
/// As for [`write_atomically`], and if a file `next` exists already.
pub fn write_atomically_by<T>(
    path: &Path,
    next: &Path,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    refuse_directory(path)?;
    let file = OpenOptions::new().write(true).create_new(true).open(next)?;
    put(NamedTempFile::from_parts(file, TempPath::try_from_path(next)?), path, write)
}

/// Fails early: otherwise only the renaming would fail, after all data is written.
fn refuse_directory(path: &Path) -> io::Result<()> {
    if path.is_dir() { Err(io::Error::from(io::ErrorKind::IsADirectory)) } else { Ok(()) }
}

fn put<T>(mut temporary: NamedTempFile, path: &Path, write: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    let value = write(temporary.as_file_mut())?;
    temporary.as_file_mut().flush()?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_failed_write_leaves_only_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        write_atomically(&path, |file| file.write_all(b"old")).unwrap();
        let fail = |file: &mut File| {
            file.write_all(b"half")?;
            Err::<(), _>(io::Error::other("full"))
        };
        assert_eq!(write_atomically(&path, fail).unwrap_err().to_string(), "full");
        let next = directory.path().join("a.next");
        assert_eq!(write_atomically_by(&path, &next, fail).unwrap_err().to_string(), "full");
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(names(directory.path()), ["a.txt"]);
        write_atomically_by(&path, &next, |file| file.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(names(directory.path()), ["a.txt"]);
        assert_eq!(
            write_atomically(directory.path(), fail).unwrap_err().kind(),
            io::ErrorKind::IsADirectory,
            "before anything is written"
        );
    }

    #[cfg(unix)]
    #[test]
    fn permissions_follow_the_umask_and_links_stay_links() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let [path, plain, link] = ["a", "plain", "link"].map(|name| directory.path().join(name));
        write_atomically(&path, |_| Ok(())).unwrap();
        File::create(&plain).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&plain));
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_atomically(&link, |file| file.write_all(b"by the link")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&path).unwrap(), b"by the link");
    }
}
