//! Index of the files of samples.

use std::fs::{self, File};
use std::path::Path;

use nalgebra::Isometry3;

use super::LogError;
use super::table::{Rows, quoted};

/// A table with a row for each sample that has its own files: its number, its time, the world pose of the device frame
/// at that time (m; quaternion w x y z), and its files.
#[derive(Debug)]
pub struct IndexLog {
    rows: Rows<File>,
}

impl IndexLog {
    /// Names of the first columns.
    pub const COLUMNS: &str = "sample,time [s],x [m],y [m],z [m],qw,qx,qy,qz";

    /// Creates a table. `files` are the names of the columns of files.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(path: &Path, files: &[&str]) -> Result<Self, LogError> {
        let failed = |error: std::io::Error| LogError::File { path: path.to_owned(), reason: error.to_string() };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut rows = Rows::new(File::create(path).map_err(failed)?, path.to_owned());
        let files: String = files.iter().map(|file| format!(",{}", quoted(file))).collect();
        rows.push(&format!("{}{files}", Self::COLUMNS))?;
        rows.flush()?;
        Ok(Self { rows })
    }

    /// Adds a sample. It is written to the disk at once, like its files.
    ///
    /// # Errors
    /// If it cannot be written; the rows before are kept.
    pub fn push(&mut self, sample: u64, time: f64, pose: &Isometry3<f64>, files: &[&str]) -> Result<(), LogError> {
        let (translation, rotation) = (pose.translation.vector, pose.rotation);
        let numbers =
            [time, translation.x, translation.y, translation.z, rotation.w, rotation.i, rotation.j, rotation.k];
        let mut row = sample.to_string();
        let mut buffer = zmij::Buffer::new();
        for number in numbers {
            row.push(',');
            row.push_str(buffer.format(number));
        }
        for file in files {
            row.push(',');
            row.push_str(&quoted(file));
        }
        self.rows.push(&row)?;
        self.rows.flush()
    }

    /// Removes the samples later than `time`, s. Their files remain, and are overwritten by the following samples.
    ///
    /// # Errors
    /// As [`Rows::cut_after`].
    pub fn cut_after(&mut self, time: f64) -> Result<(), LogError> {
        self.rows.cut_after(time, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_names_time_pose_and_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Kinect/index.csv");
        let mut index = IndexLog::create(&path, &["color", "depth"]).unwrap();
        let pose = Isometry3::translation(1.0, 2.0, 0.5);
        index.push(0, 0.0, &pose, &["000000.png", "000000.npy"]).unwrap();
        index.push(1, 0.034, &pose, &["a,b.png", ""]).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "sample,time [s],x [m],y [m],z [m],qw,qx,qy,qz,color,depth");
        assert_eq!(lines[1], "0,0.0,1.0,2.0,0.5,1.0,0.0,0.0,0.0,000000.png,000000.npy");
        assert_eq!(lines[2], "1,0.034,1.0,2.0,0.5,1.0,0.0,0.0,0.0,\"a,b.png\",");
    }
}
