//! Atomic writing of files.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use bunraku_document::write_atomically;

use super::LogError;

/// Writes a file atomically: under another name beside it, which is renamed when it is complete. Creates the folder if
/// it is missing.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&fs::File>) -> Result<(), String>,
) -> Result<(), LogError> {
    let failed = |reason: String| LogError::File { path: path.to_owned(), reason };
    let io = |error: io::Error| failed(error.to_string());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(io)?;
    }
    let write = |file: &mut fs::File| {
        let mut writer = BufWriter::new(&*file);
        write(&mut writer).map_err(io::Error::other)?;
        writer.flush()
    };
    write_atomically(path, write).map_err(io)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/picture.png");
        let error = write_whole(&path, |writer| {
            writer.write_all(&[0; 100_000]).map_err(|error| error.to_string())?;
            Err("no space left".to_owned())
        });
        let message = error.unwrap_err().to_string();
        assert!(message.contains("picture.png cannot be written: no space left"), "{message}");
        assert_eq!(fs::read_dir(folder.path().join("new")).unwrap().count(), 0);
        write_whole(&path, |writer| writer.write_all(b"whole").map_err(|error| error.to_string())).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
    }

    #[cfg(unix)]
    #[test]
    fn whoever_reads_other_files_of_a_run_reads_these() {
        let folder = tempfile::tempdir().unwrap();
        let [whole, plain] = ["whole.png", "plain.csv"].map(|name| folder.path().join(name));
        write_whole(&whole, |_| Ok(())).unwrap();
        fs::write(&plain, "").unwrap();
        let [whole, plain] = [whole, plain].map(|path| fs::metadata(path).unwrap().permissions());
        assert_eq!(whole, plain);
    }
}
