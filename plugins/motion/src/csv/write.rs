//! Writing of a motion as a table.

use std::io::{self, Write};
use std::path::Path;

use bunraku_document::{Diagnostic, Reporter, write_atomically, yaml::NumberFormat};
use nalgebra::Vector3;

use super::CsvNames;
use super::columns::{
    Columns, JOINT, LINK, Labelled, OtherColumns, POSE, RELATIVE_ZMP, TIME, ZMP, columns, number_after,
};
use crate::components::{Component, Frames, components, of_each};
use crate::seq::check::check_numbers;
use crate::seq::part_text::pose_numbers;
use crate::seq::write::CHUNK;
use crate::{BodyMotion, ComponentRole, Timing, WriteError};

/// Writes a motion as a table. Every number reads back to the same bits; the columns are those of
/// `docs/reference/motion-format.md`.
///
/// The file is written atomically. Data that a table cannot express (labels unsuitable as names, kept content of
/// another file) are left out, with a warning to `reporter`.
///
/// # Errors
/// If the motion has no frames or contains values that are not finite, if its sequences have different times, if column
/// names would be ambiguous, or if the file cannot be written.
pub fn write_csv(
    motion: &BodyMotion,
    names: &CsvNames<'_>,
    path: &Path,
    reporter: &Reporter,
) -> Result<(), WriteError> {
    let table = Table::new(motion, names, reporter)?;
    write_atomically(path, |file| table.write(file)).map_err(WriteError::io(path))
}

/// Writes the same table to any writer.
///
/// # Errors
/// As for [`write_csv`].
pub fn write_csv_to(
    motion: &BodyMotion,
    names: &CsvNames<'_>,
    out: impl Write,
    reporter: &Reporter,
) -> Result<(), WriteError> {
    Table::new(motion, names, reporter)?.write(out).map_err(WriteError::io(Path::new("-")))
}

pub(crate) struct Table<'a> {
    components: Vec<Component<'a>>,
    header: Vec<String>,
}

impl<'a> Table<'a> {
    pub(crate) fn new(motion: &'a BodyMotion, names: &CsvNames<'_>, reporter: &Reporter) -> Result<Self, WriteError> {
        let components = components(motion);
        check_numbers(motion, &components)?;
        check_time_base(&components)?;
        let mut naming = Naming { names, header: vec![TIME.to_owned()], reporter };
        let mut expected = Columns { time: Some(0), ..Columns::default() };
        for component in &components {
            naming.component(component, &mut expected)?;
        }
        let header = naming.header;
        let read: Vec<_> = header.iter().map(String::as_str).collect();
        // Detects names that would change the meaning of a column.
        let stays = header.iter().all(|name| name.trim() == name);
        match columns(&read, names) {
            Ok(found) if found == expected && stays => {}
            Ok(_) => {
                return Err(WriteError::Columns("a name has blanks around it or looks like another column".to_owned()));
            }
            Err(fault) => return Err(WriteError::Columns(fault.message)),
        }
        if !motion.kept.is_empty() {
            let message = "unknown content of the original file cannot be stored in a table and is left out";
            reporter.report(Diagnostic::warning("kept-yaml", message).help("write `.seq` to keep it"));
        }
        Ok(Self { components, header })
    }

    /// The names of the columns, in a buffer with room for a chunk of lines.
    pub(crate) fn first_line(&self) -> Vec<u8> {
        let mut buffer = Vec::with_capacity(2 * CHUNK);
        let header: Vec<_> = self.header.iter().map(|name| cell(name)).collect();
        buffer.extend_from_slice(header.join(",").as_bytes());
        buffer.push(b'\n');
        buffer
    }

    fn write(&self, mut out: impl Write) -> io::Result<()> {
        let mut buffer = self.first_line();
        let mut format = NumberFormat::default();
        let Some(first) = self.components.first() else { return Ok(()) };
        for index in 0..first.frames.num_frames() {
            format.push(&mut buffer, of_each!(first.frames, frames => frames.time(index)));
            for component in &self.components {
                let mut push = |number: f64| {
                    buffer.push(b',');
                    format.push(&mut buffer, number);
                };
                match component.frames {
                    Frames::Values(frames) => frames.frame(index).iter().for_each(|value| push(*value)),
                    Frames::Poses(frames) => {
                        frames.frame(index).iter().flat_map(pose_numbers).for_each(&mut push);
                    }
                    Frames::Vectors(frames) => {
                        frames.frame(index).iter().flat_map(Vector3::iter).for_each(|number| push(*number));
                    }
                }
            }
            buffer.push(b'\n');
            if buffer.len() >= CHUNK {
                out.write_all(&buffer)?;
                buffer.clear();
            }
        }
        out.write_all(&buffer)
    }
}

/// Checks that all frames have the same times.
fn check_time_base(components: &[Component<'_>]) -> Result<(), WriteError> {
    let Some((first, rest)) = components.split_first() else { return Ok(()) };
    let same = |other: &Component<'_>| {
        first.frames.num_frames() == other.frames.num_frames()
            && match (first.frames.timing(), other.frames.timing()) {
                (Timing::Times { times, .. }, Timing::Times { times: others, .. }) => times == others,
                (one, other) => one == other,
            }
    };
    match rest.iter().find(|other| !same(other)) {
        Some(other) => Err(WriteError::TimeBase { one: first.content.to_owned(), other: other.content.to_owned() }),
        None => Ok(()),
    }
}

/// Generates the names of the columns in order.
struct Naming<'n, 'r> {
    names: &'n CsvNames<'n>,
    header: Vec<String>,
    reporter: &'r Reporter,
}

impl Naming<'_, '_> {
    /// Names the columns of a component, and records their intended meaning in `expected`.
    fn component(&mut self, component: &Component<'_>, expected: &mut Columns) -> Result<(), WriteError> {
        let content = component.content;
        match (component.role, component.frames) {
            (ComponentRole::LinkPositions, _) => {
                let parts = self.parts(component, LINK, self.names.links);
                expected.links = Labelled {
                    columns: parts.columns.iter().map(|name| self.pose(name)).collect(),
                    labels: parts.labels,
                };
            }
            (ComponentRole::JointDisplacements, _) => {
                let parts = self.parts(component, JOINT, self.names.joints);
                expected.joints = Labelled {
                    columns: parts.columns.into_iter().map(|name| Some(self.push(name))).collect(),
                    labels: parts.labels,
                };
                // Joints of the body beyond those of the motion.
                while expected.joints.columns.len() < self.names.joints.len() {
                    expected.joints.columns.push(None);
                }
            }
            (_, Frames::Vectors(frames)) if frames.num_parts() != 1 => {
                return Err(WriteError::VectorParts { content: content.to_owned(), num_parts: frames.num_parts() });
            }
            (ComponentRole::Zmp { root_relative }, _) => {
                let vector = self.vector(if root_relative { RELATIVE_ZMP } else { ZMP });
                expected.zmp = Some((root_relative, vector));
            }
            (ComponentRole::Other, Frames::Vectors(_)) => {
                let vector = self.vector(content);
                expected.others.push((content.to_owned(), OtherColumns::Vectors(vector)));
            }
            (ComponentRole::Other, Frames::Values(_)) => {
                let Labelled { columns, labels } = self.parts(component, "", &[]);
                let columns = columns.iter().map(|part| self.push(format!("{content}.{part}"))).collect();
                expected.others.push((content.to_owned(), OtherColumns::Values(Labelled { columns, labels })));
            }
            (ComponentRole::Other, Frames::Poses(_)) => {
                let Labelled { columns, labels } = self.parts(component, "", &[]);
                let columns = columns.iter().map(|part| self.pose(&format!("{content}.{part}"))).collect();
                expected.others.push((content.to_owned(), OtherColumns::Poses(Labelled { columns, labels })));
            }
        }
        Ok(())
    }

    fn push(&mut self, name: String) -> usize {
        self.header.push(name);
        self.header.len() - 1
    }

    fn pose(&mut self, name: &str) -> [usize; 7] {
        POSE.map(|axis| self.push(format!("{name}.{axis}")))
    }

    fn vector(&mut self, name: &str) -> [usize; 3] {
        let [x, y, z, ..] = POSE;
        [x, y, z].map(|axis| self.push(format!("{name}.{axis}")))
    }

    /// Names of the parts of a component: the given ones, else its labels, else a stem with numbers.
    fn parts(&self, component: &Component<'_>, stem: &str, given: &[String]) -> Labelled<String> {
        let (labels, count) = (component.frames.part_labels(), component.frames.num_parts());
        if given.is_empty() && are_names(labels, count, stem) {
            return Labelled { columns: labels.to_vec(), labels: labels.to_vec() };
        }
        if given.is_empty() && !labels.is_empty() {
            let message =
                format!("the labels of `{}` are unsuitable as column names and are left out", component.content);
            let help = "a table needs one label a part, all different, without dots";
            self.reporter.report(Diagnostic::warning("csv-labels", message).help(help));
        }
        let name = |index: usize| match given.get(index) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("{stem}{index}"),
        };
        Labelled { columns: (0..count).map(name).collect(), labels: Vec::new() }
    }
}

/// Whether the labels cannot be confused with other column names.
fn are_names(labels: &[String], count: usize, stem: &str) -> bool {
    let is_name = |label: &String| {
        !label.is_empty()
            && label.trim() == label
            && !label.contains('.')
            && !label.eq_ignore_ascii_case(TIME)
            && !POSE.contains(&label.as_str())
            && number_after(stem, label).is_none()
            && label.parse::<f64>().is_err()
    };
    let mut sorted: Vec<_> = labels.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len() == count && labels.len() == count && labels.iter().all(is_name)
}

/// A name as a cell, in quotes if necessary.
fn cell(name: &str) -> String {
    // Programs that detect the separator may mistake these for one.
    let needs_quotes = name.contains([',', '"', '\n', '\r', ';', '\t']);
    if needs_quotes { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}
