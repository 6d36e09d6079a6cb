//! Headers: keys and values in the order and spelling of a version.

use bunraku_document::yaml::NumberFormat;

use super::keys::SeqVersion;
use super::part_text::yaml_name;
use crate::components::{Component, Frames};
use crate::{ComponentRole, Timing};

/// The value of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry<'a> {
    /// A name, which may need quotes.
    Name(&'a str),
    Number(f64),
    Count(usize),
    True,
    Names(&'a [String]),
}

/// Keys with their values, in order.
pub(crate) type Entries<'a> = Vec<(&'static str, Entry<'a>)>;

/// Keys above the list of components.
pub(crate) fn top_entries(version: SeqVersion, frame_rate: f64, num_frames: usize) -> Entries<'static> {
    let keys = version.keys();
    vec![
        ("type", Entry::Name(if version == SeqVersion::One { "BodyMotion" } else { "CompositeSeq" })),
        ("content", Entry::Name("BodyMotion")),
        (keys.format_version, Entry::Count(version.number())),
        (keys.frame_rate, Entry::Number(frame_rate)),
        (keys.num_frames, Entry::Count(num_frames)),
    ]
}

/// Header of a component.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header<'a> {
    /// Value of `type`.
    pub(crate) kind: &'static str,
    pub(crate) content: &'a str,
    /// Frame rate, Hz; for timed frames the rate for their import.
    pub(crate) frame_rate: f64,
    pub(crate) num_frames: usize,
    /// `None` for vectors, where the format has no such key.
    pub(crate) num_parts: Option<usize>,
    /// Whether each frame begins with its time.
    pub(crate) timed: bool,
    /// Time of the first frame, s, for frames without times.
    pub(crate) offset: f64,
    pub(crate) part_labels: &'a [String],
    pub(crate) root_relative: bool,
}

impl<'a> Header<'a> {
    /// Header of a sequence at a fixed rate from 0 s on.
    pub(crate) fn new(
        kind: &'static str,
        content: &'a str,
        frame_rate: f64,
        num_frames: usize,
        num_parts: Option<usize>,
    ) -> Self {
        Self {
            kind,
            content,
            frame_rate,
            num_frames,
            num_parts,
            timed: false,
            offset: 0.0,
            part_labels: &[],
            root_relative: false,
        }
    }

    /// Header of a sequence in memory.
    pub(crate) fn of(component: &Component<'a>, version: SeqVersion) -> Self {
        let frames = component.frames;
        let (frame_rate, timed, offset) = match *frames.timing() {
            Timing::Rate { frame_rate, offset } => (frame_rate, false, offset),
            Timing::Times { frame_rate, .. } => (frame_rate, true, 0.0),
        };
        let (kind, num_parts) = match frames {
            Frames::Values(_) => ("MultiValueSeq", Some(frames.num_parts())),
            Frames::Poses(_) => ("MultiSE3Seq", Some(frames.num_parts())),
            Frames::Vectors(_) => ("Vector3Seq", None),
        };
        let content = written_content(component, version);
        Self {
            timed,
            offset,
            part_labels: frames.part_labels(),
            // In version 1 it is given by the content.
            root_relative: version != SeqVersion::One && component.role == ComponentRole::Zmp { root_relative: true },
            ..Self::new(kind, content, frame_rate, frames.num_frames(), num_parts)
        }
    }

    /// Keys, those of Choreonoid in its order.
    pub(crate) fn entries(&self, version: SeqVersion) -> Entries<'a> {
        let keys = version.keys();
        let mut entries = vec![
            ("type", Entry::Name(self.kind)),
            ("content", Entry::Name(self.content)),
            (keys.frame_rate, Entry::Number(self.frame_rate)),
            (keys.num_frames, Entry::Count(self.num_frames)),
        ];
        entries.extend(self.num_parts.map(|count| (keys.num_parts, Entry::Count(count))));
        if self.timed {
            entries.push((keys.has_frame_time, Entry::True));
        }
        // The sign of zero is preserved, too.
        if self.offset.to_bits() != 0 {
            entries.push((keys.offset_time, Entry::Number(self.offset)));
        }
        if !self.part_labels.is_empty() {
            entries.push((keys.part_labels, Entry::Names(self.part_labels)));
        }
        if self.kind == "MultiSE3Seq" {
            entries.push((keys.pose_format, Entry::Name("XYZQWQXQYQZ")));
        }
        if self.root_relative {
            entries.push((keys.is_root_relative, Entry::True));
        }
        entries
    }
}

/// `content` of a component in a version.
pub(crate) fn written_content<'a>(component: &Component<'a>, version: SeqVersion) -> &'a str {
    match (version, component.role) {
        (SeqVersion::One, ComponentRole::JointDisplacements) => "JointPosition",
        (SeqVersion::One, ComponentRole::Zmp { root_relative: true }) => "RelativeZMP",
        _ => component.content,
    }
}

/// Writes keys and values as lines of YAML.
pub(crate) fn write_entries(out: &mut Vec<u8>, format: &mut NumberFormat, indent: &str, entries: &Entries<'_>) {
    for (key, entry) in entries {
        out.extend_from_slice(indent.as_bytes());
        out.extend_from_slice(key.as_bytes());
        out.extend_from_slice(b": ");
        match *entry {
            Entry::Name(name) => out.extend_from_slice(yaml_name(name).as_bytes()),
            Entry::Number(number) => format.push(out, number),
            Entry::Count(count) => out.extend_from_slice(count.to_string().as_bytes()),
            Entry::True => out.extend_from_slice(b"true"),
            Entry::Names(names) => {
                let names: Vec<_> = names.iter().map(|name| yaml_name(name)).collect();
                out.extend_from_slice(format!("[ {} ]", names.join(", ")).as_bytes());
            }
        }
        out.push(b'\n');
    }
}
