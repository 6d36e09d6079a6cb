//! Checks before writing: errors are found before the first byte is written.

use bunraku_document::{Reporter, SourceFile, ValueKind, yaml::Document};

use super::header::written_content;
use super::keys::SeqVersion;
use super::limits::LIMITS;
use super::part_text::WritePart;
use super::shape::begins_with_mark;
use super::split::has_other_line_ends;
use super::version::Version;
use crate::components::{Component, Frames, of_each};
use crate::sequence::is_rate;
use crate::{BodyMotion, ComponentRole, KeptYaml, Sequence, Timing, WriteError};

/// Checks that a motion with these components can be written as `.seq` of this version or JSON.
pub(crate) fn check(motion: &BodyMotion, components: &[Component<'_>], version: SeqVersion) -> Result<(), WriteError> {
    check_numbers(motion, components)?;
    let mut contents = Vec::new();
    for component in components {
        let content = written_content(component, version);
        if contents.contains(&content) {
            return Err(WriteError::SameContent(content.to_owned()));
        }
        contents.push(content);
        if component.role == ComponentRole::Other && is_reserved(component, version) {
            return Err(WriteError::ReservedContent(content.to_owned()));
        }
        if let Frames::Vectors(frames) = component.frames
            && frames.num_parts() != 1
        {
            return Err(WriteError::VectorParts { content: content.to_owned(), num_parts: frames.num_parts() });
        }
        check_times(component.frames.timing(), content, version)?;
    }
    motion.kept.iter().try_for_each(|kept| check_kept(kept, version))
}

/// Checks that there are frames, and that all numbers are finite.
pub(crate) fn check_numbers(motion: &BodyMotion, components: &[Component<'_>]) -> Result<(), WriteError> {
    if !is_rate(motion.frame_rate) {
        return Err(WriteError::FrameRate(motion.frame_rate));
    }
    if components.is_empty() {
        return Err(WriteError::Empty);
    }
    components.iter().try_for_each(|component| of_each!(component.frames, frames => finite(component.content, frames)))
}

fn finite<T: WritePart>(content: &str, frames: &Sequence<T>) -> Result<(), WriteError> {
    match frames.values().iter().position(|part| !part.is_finite()) {
        Some(at) => Err(WriteError::NotFinite { content: content.to_owned(), frame: at / frames.num_parts() }),
        None => Ok(()),
    }
}

/// Whether a further sequence would be read as links, joints or ZMP.
fn is_reserved(component: &Component<'_>, version: SeqVersion) -> bool {
    let version = match version {
        SeqVersion::One => Version::Old,
        SeqVersion::Two => Version::Two,
        SeqVersion::Four => Version::Four,
    };
    version.role(component.frames.kind(), component.content) != ComponentRole::Other
}

fn check_times(timing: &Timing, content: &str, version: SeqVersion) -> Result<(), WriteError> {
    let Timing::Times { times, .. } = timing else { return Ok(()) };
    if version == SeqVersion::One {
        return Err(WriteError::TimesInVersionOne(content.to_owned()));
    }
    match times.iter().copied().enumerate().find(|&(_, time)| time < 0.0) {
        Some((frame, time)) => Err(WriteError::NegativeTime { content: content.to_owned(), frame, time }),
        None => Ok(()),
    }
}

/// Checks that a kept text does not damage the file.
fn check_kept(kept: &KeptYaml, version: SeqVersion) -> Result<(), WriteError> {
    let text = kept.text();
    let refuse = |why: String| Err(WriteError::Kept(why));
    if let Some(line) = text.lines().find(|line| begins_with_mark(line)) {
        return refuse(format!("the line `{line}`"));
    }
    if has_other_line_ends(text) {
        return refuse("a text with line ends other than line feeds".to_owned());
    }
    // Block style begins with a key.
    if text.starts_with(char::is_whitespace) || text.is_empty() {
        return refuse("a text that does not begin with a key".to_owned());
    }
    // Frames of unknown components may be many, and conflict with no key.
    if matches!(kept, KeptYaml::Component { .. }) {
        return Ok(());
    }
    let source = SourceFile::from_text("kept", text);
    let document = match Document::parse_outline(&source, &LIMITS, &Reporter::new(), |_| true) {
        Ok(document) => document,
        Err(diagnostic) => return refuse(format!("it is not YAML: {}", diagnostic.message)),
    };
    if document.root().kind() != ValueKind::Mapping || text.starts_with('{') {
        return refuse("it is not lines of keys and values".to_owned());
    }
    for (key, ..) in document.root().entries().into_iter().flatten() {
        if version.keys().all().contains(&key) {
            return refuse(format!("`{key}` is a key of the format itself"));
        }
    }
    Ok(())
}

/// Whether kept keys of the component `content` belong to this one, in the notation of any version.
pub(crate) fn is_of(component: &Component<'_>, content: &str) -> bool {
    match component.role {
        ComponentRole::LinkPositions => matches!(content, "LinkPosition" | "MultiLinkPositionSeq"),
        ComponentRole::JointDisplacements => {
            matches!(content, "JointDisplacement" | "JointPosition" | "MultiJointDisplacementSeq")
        }
        ComponentRole::Zmp { .. } => matches!(content, "ZMP" | "ZMPSeq" | "RelativeZMP" | "RelativeZmp"),
        ComponentRole::Other => content == component.content,
    }
}
