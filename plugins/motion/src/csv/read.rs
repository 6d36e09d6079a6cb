//! Reading of a motion from a table.

use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, Result, SourceFile, Span};
use csv::{ByteRecord, ReaderBuilder, StringRecord};
use nalgebra::{Isometry3, Vector3};

use super::CsvNames;
use super::columns::{Columns, Labelled, OtherColumns, columns};
use super::rate::steady_rate;
use crate::number::leading_number;
use crate::seq::limits::LIMITS;
use crate::seq::part::{Converted, Part};
use crate::seq::pose_format::PoseFormat;
use crate::sequence::{DEFAULT_RATE, is_rate};
use crate::{BodyMotion, OtherFrames, OtherSequence, Sequence, SequenceError, Zmp};

/// Information that a table does not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReadCsvOptions {
    /// Frame rate of a table without a column `time`, Hz. For a table with irregular times it is the rate for a later
    /// import.
    pub frame_rate: Option<f64>,
}

/// Reads a file as [`read_csv`] reads a text.
///
/// # Errors
/// If the file cannot be read, or as for [`read_csv`].
pub fn load_csv(
    path: &Path,
    names: &CsvNames<'_>,
    options: &ReadCsvOptions,
    reporter: &Reporter,
) -> Result<BodyMotion> {
    let source = SourceFile::read(path, &LIMITS, reporter).map_err(|error| error.to_diagnostic())?;
    read_csv(&source, names, options, reporter)
}

/// Reads a motion from a table. The columns, in any order, are those of `docs/reference/motion-format.md`.
///
/// With names, links and joints are those of the body: an unknown one is an error, a joint without a column stays at 0
/// with a warning. Links may end early (often only the root is present) but must have no gaps. Without names, links and
/// joints are in the order of their numbers, or else of their columns, whose names become part labels.
///
/// Times at a fixed rate, to a millionth of a frame, give frames at that rate; others give timed frames.
///
/// # Errors
/// If a column is unknown, duplicate or missing, if a cell is not a finite number, if times decrease, or if there is
/// neither a column `time` nor a rate; with the line and column.
pub fn read_csv(
    source: &Arc<SourceFile>,
    names: &CsvNames<'_>,
    options: &ReadCsvOptions,
    reporter: &Reporter,
) -> Result<BodyMotion> {
    let whole = source.text();
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    let place = Places { source, start: whole.len() - text.len() };
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut header = StringRecord::new();
    if !reader.read_record(&mut header).map_err(|error| place.broken(&error))? {
        let diagnostic = Diagnostic::error("csv-header", "the file is empty").in_file(source);
        return Err(Box::new(diagnostic.help("begin with a line of names, such as `time,joint0,joint1`")));
    }
    let header_at = position(header.position());
    let header: Vec<_> = header.iter().map(str::trim).collect();
    check_separator(&header, &place, header_at)?;
    let columns = columns(&header, names).map_err(|fault| {
        let diagnostic = Diagnostic::error(fault.code, fault.message).at(source, place.cell(header_at, fault.column));
        Box::new(match fault.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        })
    })?;
    let fixed_rate = check_rate(&columns, options, &place, header_at)?;
    warn_of_missing_joints(&columns, names, &place, header_at, reporter);

    let mut rows = Rows::new(&columns, &place, reporter);
    let mut record = ByteRecord::new();
    let mut numbers = Vec::with_capacity(header.len());
    while reader.read_byte_record(&mut record).map_err(|error| place.broken(&error))? {
        let at = position(record.position());
        place.numbers(&record, at, &header, &mut numbers)?;
        rows.add(&numbers, at)?;
    }
    rows.finish(fixed_rate, options, header_at)
}

/// Byte offset of a record.
fn position(position: Option<&csv::Position>) -> usize {
    position.map_or(0, |position| usize::try_from(position.byte()).unwrap_or(usize::MAX))
}

/// A table with another separator has a single column, whose name contains all names.
fn check_separator(header: &[&str], place: &Places<'_>, at: usize) -> Result<()> {
    let [only] = header else { return Ok(()) };
    for (separator, name) in [(';', "`;`"), ('\t', "tabs")] {
        if only.contains(separator) {
            let message = format!("the columns are separated by {name}, not by commas");
            let diagnostic = Diagnostic::error("csv-separator", message).at(place.source, place.cell(at, 0));
            return Err(Box::new(
                diagnostic.help("export the table with commas between columns and points in numbers"),
            ));
        }
    }
    Ok(())
}

/// Frame rate of a table without times.
fn check_rate(columns: &Columns, options: &ReadCsvOptions, place: &Places<'_>, at: usize) -> Result<Option<f64>> {
    let error = |message: String| Diagnostic::error("frame-rate", message).at(place.source, place.cell(at, 0));
    match options.frame_rate {
        Some(rate) if !is_rate(rate) => Err(Box::new(error(SequenceError::FrameRate(rate).to_string()))),
        None if columns.time.is_none() => {
            let diagnostic = error("the table has no column `time`, and no rate was given".to_owned());
            Err(Box::new(diagnostic.help("add a column `time` (s), or give the rate of its frames")))
        }
        rate => Ok(rate.filter(|_| columns.time.is_none())),
    }
}

fn warn_of_missing_joints(columns: &Columns, names: &CsvNames<'_>, place: &Places<'_>, at: usize, reporter: &Reporter) {
    let missing = columns.joints.columns.iter().zip(names.joints);
    let missing: Vec<_> = missing.filter(|(column, name)| column.is_none() && !name.is_empty()).collect();
    let Some((_, first)) = missing.first() else { return };
    let message = match missing.len() {
        1 => format!("the joint `{first}` has no column; it stays at 0"),
        count => format!("{count} joints, the first of them `{first}`, have no column; they stay at 0"),
    };
    reporter.report(Diagnostic::warning("missing-column", message).at(place.source, place.cell(at, 0)));
}

/// Locates cells and reports errors in them.
struct Places<'a> {
    source: &'a Arc<SourceFile>,
    /// Bytes before the table.
    start: usize,
}

impl Places<'_> {
    /// Location of a cell. It searches the text, and is therefore only for cells with errors.
    fn cell(&self, record_at: usize, index: usize) -> Span {
        let text = self.source.text();
        let after = text.get(self.start.saturating_add(record_at)..).unwrap_or_default();
        let record = after.trim_start_matches(['\n', '\r']);
        let before = &text[..text.len() - record.len()];
        let line = 1 + before.bytes().filter(|&byte| byte == b'\n').count();
        let (mut cell, mut quoted) = (0, false);
        let (mut line, mut column) = (u32::try_from(line).unwrap_or(u32::MAX), 1_u32);
        for letter in record.chars() {
            if cell == index {
                break;
            }
            match letter {
                '"' => quoted = !quoted,
                ',' if !quoted => cell += 1,
                '\n' | '\r' if !quoted => break,
                _ => {}
            }
            (line, column) =
                if letter == '\n' { (line.saturating_add(1), 1) } else { (line, column.saturating_add(1)) };
        }
        Span::at(line, column)
    }

    fn error(&self, at: usize, cell: usize, code: &'static str, message: String) -> Diagnostic {
        Diagnostic::error(code, message).at(self.source, self.cell(at, cell))
    }

    fn broken(&self, error: &csv::Error) -> Box<Diagnostic> {
        let at = position(error.position());
        Box::new(self.error(at, 0, "csv-syntax", format!("the table cannot be read: {error}")))
    }

    /// Numbers of a row.
    fn numbers(&self, record: &ByteRecord, at: usize, header: &[&str], numbers: &mut Vec<f64>) -> Result<()> {
        if record.len() != header.len() {
            let message = format!("the row has {} values, but there are {} columns", record.len(), header.len());
            let cell = record.len().min(header.len());
            let diagnostic = self.error(at, cell, "csv-row", message);
            return Err(Box::new(if record.len() > header.len() {
                diagnostic.help("are there commas in its numbers? Fractions have a point: `0.5`")
            } else {
                diagnostic.help("a value or a comma is missing, or the file was cut off")
            }));
        }
        numbers.clear();
        for (index, cell) in record.iter().enumerate() {
            let trimmed = cell.trim_ascii();
            match leading_number(trimmed).filter(|&(_, length)| length == trimmed.len()) {
                Some((number, _)) if number.is_finite() => numbers.push(number),
                parsed => {
                    let name = header.get(index).copied().unwrap_or_default();
                    return Err(Box::new(self.not_a_number(at, index, cell, name, parsed.is_some())));
                }
            }
        }
        Ok(())
    }

    fn not_a_number(&self, at: usize, index: usize, cell: &[u8], name: &str, is_number: bool) -> Diagnostic {
        let text: String = String::from_utf8_lossy(cell).trim().chars().take(MAX_SHOWN).collect();
        if text.is_empty() {
            let diagnostic = self.error(at, index, "not-a-number", format!("there is no value for `{name}`"));
            return diagnostic.help("every cell needs a number");
        }
        if is_number {
            return self.error(at, index, "not-finite", format!("`{text}` for `{name}` is not a finite number"));
        }
        let message = format!("expected a number for `{name}`, found `{text}`");
        let diagnostic = self.error(at, index, "not-a-number", message);
        let with_point = text.replacen(',', ".", 1);
        if with_point != text && with_point.parse::<f64>().is_ok() {
            return diagnostic.help(format!("fractions have a point: `{with_point}`"));
        }
        diagnostic.help("write a number, such as `1.5` or `-2e-3`")
    }
}

/// Maximum length of a cell in a message, characters.
const MAX_SHOWN: usize = 40;

/// Collects the rows of a table.
struct Rows<'a> {
    columns: &'a Columns,
    place: &'a Places<'a>,
    reporter: &'a Reporter,
    num_rows: usize,
    times: Vec<f64>,
    links: Vec<Isometry3<f64>>,
    joints: Vec<f64>,
    zmp: Vec<Vector3<f64>>,
    others: Vec<OtherValues>,
    norm_warned: bool,
}

enum OtherValues {
    Values(Vec<f64>),
    Poses(Vec<Isometry3<f64>>),
    Vectors(Vec<Vector3<f64>>),
}

impl<'a> Rows<'a> {
    fn new(columns: &'a Columns, place: &'a Places<'a>, reporter: &'a Reporter) -> Self {
        let others = columns.others.iter().map(|(_, columns)| match columns {
            OtherColumns::Values(_) => OtherValues::Values(Vec::new()),
            OtherColumns::Poses(_) => OtherValues::Poses(Vec::new()),
            OtherColumns::Vectors(_) => OtherValues::Vectors(Vec::new()),
        });
        Self {
            columns,
            place,
            reporter,
            num_rows: 0,
            times: Vec::new(),
            links: Vec::new(),
            joints: Vec::new(),
            zmp: Vec::new(),
            others: others.collect(),
            norm_warned: false,
        }
    }

    fn add(&mut self, numbers: &[f64], at: usize) -> Result<()> {
        let number = |column: usize| numbers.get(column).copied().unwrap_or(0.0);
        let columns = self.columns;
        if let Some(column) = columns.time {
            self.add_time(number(column), column, at)?;
        }
        for pose in &columns.links.columns {
            let pose = self.pose(pose.map(number), pose[3], at)?;
            self.links.push(pose);
        }
        self.joints.extend(columns.joints.columns.iter().map(|column| column.map_or(0.0, number)));
        if let Some((_, vector)) = &columns.zmp {
            self.zmp.push(Vector3::from(vector.map(number)));
        }
        let mut others = std::mem::take(&mut self.others);
        for ((_, columns), values) in columns.others.iter().zip(&mut others) {
            match (columns, values) {
                (OtherColumns::Values(parts), OtherValues::Values(values)) => {
                    values.extend(parts.columns.iter().map(|&column| number(column)));
                }
                (OtherColumns::Poses(parts), OtherValues::Poses(values)) => {
                    for pose in &parts.columns {
                        values.push(self.pose(pose.map(number), pose[3], at)?);
                    }
                }
                (OtherColumns::Vectors(vector), OtherValues::Vectors(values)) => {
                    values.push(Vector3::from(vector.map(number)));
                }
                _ => {}
            }
        }
        self.others = others;
        self.num_rows += 1;
        Ok(())
    }

    fn add_time(&mut self, time: f64, column: usize, at: usize) -> Result<()> {
        if let Some(&last) = self.times.last()
            && time <= last
        {
            let message = format!("time does not go forward: {time} s comes after {last} s");
            let diagnostic = self.place.error(at, column, "time-backward", message);
            return Err(Box::new(diagnostic.help("each row is later than the one before; sort the rows by time")));
        }
        self.times.push(time);
        Ok(())
    }

    fn pose(&mut self, numbers: [f64; 7], column: usize, at: usize) -> Result<Isometry3<f64>> {
        match Isometry3::convert(&numbers, PoseFormat::QuaternionWxyz) {
            Converted::Good(pose) => Ok(pose),
            Converted::OffNorm(pose, norm) => {
                if !std::mem::replace(&mut self.norm_warned, true) {
                    let message = format!("the quaternion has norm {norm:.6}, not 1");
                    let diagnostic = self.place.error(at, column, "quaternion-norm", message).into_warning();
                    self.reporter.report(diagnostic.help("it is normalised, as are others without further notice"));
                }
                Ok(pose)
            }
            Converted::ZeroQuaternion => {
                let message = "the quaternion is zero, which is no rotation".to_owned();
                let diagnostic = self.place.error(at, column, "zero-quaternion", message);
                Err(Box::new(diagnostic.help("without rotation it is qw = 1, qx = qy = qz = 0")))
            }
        }
    }

    /// The motion; `fixed_rate` is that of a table without times.
    fn finish(self, fixed_rate: Option<f64>, options: &ReadCsvOptions, header_at: usize) -> Result<BodyMotion> {
        let error = |code, message: String| Box::new(self.place.error(header_at, 0, code, message));
        if self.num_rows == 0 {
            return Err(error("no-frames", "the table has no row below the names".to_owned()));
        }
        if self.links.is_empty() && self.joints.is_empty() && self.zmp.is_empty() && self.others.is_empty() {
            return Err(error("no-motion", "the table has no column beside `time`".to_owned()));
        }
        let times = if fixed_rate.is_some() { &[][..] } else { &self.times };
        let rate = fixed_rate.or_else(|| steady_rate(times));
        if rate.is_none() && times.len() == 1 && options.frame_rate.is_none() {
            let message = format!("a table of one row has no frame rate; {DEFAULT_RATE} Hz is used");
            let diagnostic = Diagnostic::warning("no-frame-rate", message);
            let diagnostic = diagnostic.at(self.place.source, self.place.cell(header_at, 0));
            self.reporter.report(diagnostic.help("give the rate of its frames, or a second row"));
        }
        let frame_rate = rate.or(options.frame_rate).unwrap_or(DEFAULT_RATE);
        let base = TimeBase { steady: rate.is_some() || times.len() == 1, frame_rate, times };
        let columns = self.columns;
        let made = |result: std::result::Result<BodyMotion, SequenceError>| {
            result.map_err(|failure| error("csv-row", failure.to_string()))
        };
        made(base.motion(columns, self.links, self.joints, self.zmp, self.others))
    }
}

/// Times of the rows.
struct TimeBase<'a> {
    steady: bool,
    frame_rate: f64,
    /// Empty for a table without times.
    times: &'a [f64],
}

impl TimeBase<'_> {
    fn sequence<T>(&self, labels: &[String], num_parts: usize, values: Vec<T>) -> SequenceResult<T> {
        let sequence = if self.steady {
            let offset = self.times.first().copied().unwrap_or(0.0);
            Sequence::new(self.frame_rate, num_parts, values)?.with_offset(offset)?
        } else {
            Sequence::timed(self.times.to_vec(), num_parts, values)?.with_frame_rate(self.frame_rate)?
        };
        Ok(sequence.with_part_labels(labels.to_vec()))
    }

    fn labelled<T, C>(&self, columns: &Labelled<C>, values: Vec<T>) -> SequenceResult<T> {
        self.sequence(&columns.labels, columns.columns.len(), values)
    }

    fn motion(
        &self,
        columns: &Columns,
        links: Vec<Isometry3<f64>>,
        joints: Vec<f64>,
        zmp: Vec<Vector3<f64>>,
        others: Vec<OtherValues>,
    ) -> std::result::Result<BodyMotion, SequenceError> {
        let mut motion = BodyMotion::new(self.frame_rate);
        if !links.is_empty() {
            motion.link_positions = Some(self.labelled(&columns.links, links)?);
        }
        if !joints.is_empty() {
            motion.joint_displacements = Some(self.labelled(&columns.joints, joints)?);
        }
        if let Some((root_relative, _)) = columns.zmp {
            motion.zmp = Some(Zmp { root_relative, frames: self.sequence(&[], 1, zmp)? });
        }
        for ((content, columns), values) in columns.others.iter().zip(others) {
            let frames = match (columns, values) {
                (OtherColumns::Values(parts), OtherValues::Values(values)) => {
                    OtherFrames::Values(self.labelled(parts, values)?)
                }
                (OtherColumns::Poses(parts), OtherValues::Poses(values)) => {
                    OtherFrames::Poses(self.labelled(parts, values)?)
                }
                (_, OtherValues::Vectors(values)) => OtherFrames::Vectors(self.sequence(&[], 1, values)?),
                _ => continue,
            };
            motion.others.push(OtherSequence { content: content.clone(), frames });
        }
        Ok(motion)
    }
}

type SequenceResult<T> = std::result::Result<Sequence<T>, SequenceError>;
