//! Sensors of whole scenes: the files that the program writes.

mod demos;
mod keys;
mod kinematic_motion;
mod logs;
mod other_readers;
#[cfg(feature = "viewer")]
mod painted;
mod real_robots;
mod recorded_walk;
mod same_bytes;

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{bunraku, stderr};

/// The output directory of a run, which is removed when dropped.
pub struct Results(tempfile::TempDir);

impl Results {
    /// Runs a scene of the project, or at any path, without warnings.
    pub fn of(scene: &Path, arguments: &[&str]) -> Self {
        let (results, warnings) = Self::with_warnings(scene, arguments);
        assert_eq!(warnings, "", "it runs without a warning");
        results
    }

    /// Runs a scene with models of others; returns the messages as well.
    pub fn with_warnings(scene: &Path, arguments: &[&str]) -> (Self, String) {
        let results = Self(tempfile::tempdir().unwrap());
        let mut command = bunraku();
        command.arg("run").arg(scene).arg("--out").arg(results.0.path()).args(arguments);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        (results, stderr(&output))
    }

    pub fn of_ours(name: &str, arguments: &[&str]) -> Self {
        Self::of(&Path::new("assets/scenes").join(name), arguments)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn table(&self, name: &str) -> Table {
        Table::read(&self.path(name))
    }

    /// All files with their contents, by name.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                } else {
                    let name = entry.strip_prefix(self.0.path()).unwrap().to_owned();
                    files.push((name, fs::read(entry).unwrap()));
                }
            }
        }
        files.sort();
        files
    }
}

/// A table of numbers.
pub struct Table {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<f64>>,
}

impl Table {
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut lines = text.lines();
        let columns = lines.next().unwrap().split(',').map(str::to_owned).collect();
        let number = |text: &str| text.parse().unwrap_or(f64::NAN);
        let rows = lines.map(|line| line.split(',').map(number).collect()).collect();
        Self { columns, rows }
    }

    /// The values of a column, by the beginning of its name.
    pub fn column(&self, name: &str) -> Vec<f64> {
        let place = self.columns.iter().position(|column| column.starts_with(name)).unwrap_or_else(|| {
            panic!("no column {name} in {:?}", self.columns);
        });
        self.rows.iter().map(|row| row[place]).collect()
    }

    pub fn times(&self) -> Vec<f64> {
        self.column("time")
    }
}

/// The numbers of a `.npy` file and its shape.
pub fn npy(path: &Path) -> (Vec<f64>, [usize; 2]) {
    let bytes = fs::read(path).unwrap();
    let length = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..length]).unwrap();
    let shape = header.split("'shape': (").nth(1).unwrap().split(')').next().unwrap();
    let shape: Vec<usize> = shape.split(", ").map(|side| side.parse().unwrap()).collect();
    let values = if header.contains("<f8") {
        bytes[length..].chunks(8).map(|number| f64::from_le_bytes(number.try_into().unwrap())).collect()
    } else {
        bytes[length..].chunks(4).map(|number| f32::from_le_bytes(number.try_into().unwrap()).into()).collect()
    };
    (values, [shape[0], shape[1]])
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
