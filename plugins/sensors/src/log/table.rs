//! Tables of numbers as CSV.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::LogError;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name, such as `ax`.
    pub name: String,
    /// Unit, such as `m/s^2`; empty for dimensionless values.
    pub unit: String,
}

/// Output of a table.
pub trait Target: Write {
    /// Truncates the output to the first `bytes` bytes.
    ///
    /// # Errors
    /// If that is impossible.
    fn keep(&mut self, bytes: u64) -> io::Result<()>;
}

/// Writer of rows; each row is written completely or not at all.
#[derive(Debug)]
pub struct Rows<T: Target> {
    target: T,
    path: PathBuf,
    /// Rows that are not written yet.
    waiting: Vec<u8>,
    waiting_rows: u64,
    /// Number of bytes written.
    bytes: u64,
    rows: u64,
    broken: bool,
}

/// A table with a row for each sample: its time and its values.
///
/// The file begins with the names of the columns, with their units in brackets. Numbers are the shortest that read back
/// to the same double.
#[derive(Debug)]
pub struct VectorLog<T: Target = File> {
    rows: Rows<T>,
    columns: usize,
    line: String,
}

/// Number of bytes that are buffered before they are written.
const BUFFER: usize = 1 << 16;

impl Target for File {
    fn keep(&mut self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)?;
        self.seek(SeekFrom::Start(bytes)).map(|_| ())
    }
}

impl<T: Target> Rows<T> {
    /// Rows for an empty target; `path` is its name in messages.
    pub fn new(target: T, path: PathBuf) -> Self {
        Self { target, path, waiting: Vec::new(), waiting_rows: 0, bytes: 0, rows: 0, broken: false }
    }

    /// Adds a row; a line end is appended.
    ///
    /// # Errors
    /// If rows cannot be written. All earlier rows are kept, except those that could not be written; nothing can be
    /// added after that.
    pub fn push(&mut self, row: &str) -> Result<(), LogError> {
        if self.broken {
            return Ok(());
        }
        self.waiting.extend_from_slice(row.as_bytes());
        self.waiting.push(b'\n');
        self.waiting_rows += 1;
        if self.waiting.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Writes the buffered rows.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn flush(&mut self) -> Result<(), LogError> {
        if self.broken || self.waiting.is_empty() {
            return Ok(());
        }
        match self.write_waiting() {
            Ok(()) => {
                self.bytes += self.waiting.len() as u64;
                self.rows += self.waiting_rows;
                self.waiting.clear();
                self.waiting_rows = 0;
                Ok(())
            }
            Err((source, written)) => {
                self.broken = true;
                let whole = self.waiting[..written].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
                self.rows += self.waiting[..whole].iter().filter(|&&byte| byte == b'\n').count() as u64;
                self.bytes += whole as u64;
                self.waiting = Vec::new();
                // If this fails too, only a part of a row is left at the end.
                let _ = self.target.keep(self.bytes);
                Err(LogError::Table { path: self.path.clone(), source, rows: self.rows })
            }
        }
    }

    /// Writes as much as possible; on failure returns the number of bytes written.
    fn write_waiting(&mut self) -> Result<(), (io::Error, usize)> {
        let mut written = 0;
        while written < self.waiting.len() {
            match self.target.write(&self.waiting[written..]) {
                Ok(0) => return Err((io::ErrorKind::WriteZero.into(), written)),
                Ok(more) => written += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err((error, written)),
            }
        }
        self.target.flush().map_err(|error| (error, written))
    }

    /// Output of the table.
    pub fn target(&self) -> &T {
        &self.target
    }
}

impl Rows<File> {
    /// Removes the first row that is later than `time` (s), and all rows after it. `column` is the index of the time in
    /// a row; lines without a number there are headings.
    ///
    /// # Errors
    /// If the file cannot be read or truncated; nothing can be added after that.
    pub fn cut_after(&mut self, time: f64, column: usize) -> Result<(), LogError> {
        self.flush()?;
        if self.broken {
            return Ok(());
        }
        let (mut bytes, mut rows) = (0, 0);
        let cut = fs::read(&self.path).and_then(|text| {
            for row in text.split_inclusive(|&byte| byte == b'\n') {
                let field = row.split(|&byte| byte == b',').nth(column);
                let number = field.and_then(|field| std::str::from_utf8(field).ok()?.trim().parse::<f64>().ok());
                if number.is_some_and(|number| number > time) {
                    break;
                }
                bytes += row.len() as u64;
                rows += u64::from(number.is_some());
            }
            self.target.keep(bytes)
        });
        match cut {
            Ok(()) => {
                (self.bytes, self.rows) = (bytes, rows);
                Ok(())
            }
            Err(source) => {
                self.broken = true;
                Err(LogError::Table { path: self.path.clone(), source, rows: self.rows })
            }
        }
    }
}

impl<T: Target> Drop for Rows<T> {
    /// Errors cannot be reported here; call [`flush`](Self::flush) before.
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

impl VectorLog {
    /// Removes the rows later than `time`, s.
    ///
    /// # Errors
    /// As [`Rows::cut_after`].
    pub fn cut_after(&mut self, time: f64) -> Result<(), LogError> {
        self.rows.cut_after(time, 0)
    }

    /// Creates a file, and its folder if it is missing.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path, columns: &[Column]) -> Result<Self, LogError> {
        let failed = |error: io::Error| LogError::File { path: path.to_owned(), reason: error.to_string() };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        Self::new(File::create(path).map_err(failed)?, path.to_owned(), columns)
    }
}

impl<T: Target> VectorLog<T> {
    /// A table for an empty target; `path` is its name in messages.
    ///
    /// # Errors
    /// If the header cannot be written.
    pub fn new(target: T, path: PathBuf, columns: &[Column]) -> Result<Self, LogError> {
        let mut rows = Rows::new(target, path);
        let mut line = "time [s]".to_owned();
        for Column { name, unit } in columns {
            let name = if unit.is_empty() { name.clone() } else { format!("{name} [{unit}]") };
            line.push(',');
            line.push_str(&quoted(&name));
        }
        rows.push(&line)?;
        rows.flush()?;
        // The header is not counted as a row.
        rows.rows = 0;
        Ok(Self { rows, columns: columns.len(), line })
    }

    /// Adds a sample: its time, s, and a value for each column; missing values are NaN.
    ///
    /// # Errors
    /// If rows cannot be written; those before are kept.
    pub fn push(&mut self, time: f64, values: &[f64]) -> Result<(), LogError> {
        let mut buffer = zmij::Buffer::new();
        self.line.clear();
        self.line.push_str(buffer.format(time));
        for column in 0..self.columns {
            self.line.push(',');
            self.line.push_str(buffer.format(values.get(column).copied().unwrap_or(f64::NAN)));
        }
        self.rows.push(&self.line)
    }

    /// Writes the buffered rows.
    ///
    /// # Errors
    /// If rows cannot be written; those before are kept.
    pub fn flush(&mut self) -> Result<(), LogError> {
        self.rows.flush()
    }

    /// Output of the table.
    pub fn target(&self) -> &T {
        self.rows.target()
    }
}

/// A text as a CSV field, in quotes if necessary; line ends become blanks.
pub fn quoted(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with a limited number of bytes.
    #[derive(Debug)]
    struct Disk {
        bytes: Vec<u8>,
        room: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let count = bytes.len().min(self.room - self.bytes.len());
            if count == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.bytes.extend_from_slice(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Target for Disk {
        fn keep(&mut self, bytes: u64) -> io::Result<()> {
            self.bytes.truncate(usize::try_from(bytes).unwrap());
            Ok(())
        }
    }

    fn columns() -> Vec<Column> {
        [("ax", "m/s^2"), ("count", "")].map(|(name, unit)| Column { name: name.into(), unit: unit.into() }).into()
    }

    #[test]
    fn a_table_has_units_and_keeps_every_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sensors/SR1/Imu.csv");
        let mut log = VectorLog::create(&path, &columns()).unwrap();
        log.push(0.0, &[0.1 + 0.2, 1.0]).unwrap();
        log.push(0.002, &[f64::INFINITY]).unwrap();
        log.flush().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let expected = "time [s],ax [m/s^2],count\n0.0,0.30000000000000004,1.0\n0.002,inf,NaN\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_full_disk_keeps_complete_rows_and_reports_their_number() {
        let disk = Disk { bytes: Vec::new(), room: 100_000 };
        let mut log = VectorLog::new(disk, "Imu.csv".into(), &columns()).unwrap();
        let mut failed = Vec::new();
        for sample in 0..20_000 {
            failed.extend(log.push(f64::from(sample) * 0.001, &[1.5, 2.5]).err());
        }
        failed.extend(log.flush().err());
        let text = String::from_utf8(log.target().bytes.clone()).unwrap();
        assert!(text.ends_with(",1.5,2.5\n") && text.len() > 99_970, "{}", text.len());
        let rows = text.lines().count() - 1;
        assert_eq!(failed.len(), 1);
        let message = failed[0].to_string();
        assert!(
            message.starts_with("Imu.csv cannot be written any further") && message.contains(&format!("{rows} rows")),
            "{message}"
        );
    }
}
