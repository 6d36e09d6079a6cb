//! Reading of the partial file of an unfinished recording.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Mapping, Reporter, Result, SourceFile, Span, yaml::Document};
use nalgebra::Isometry3;

use super::layout::{FRAMES_LINE, RecordingLayout, TYPE_LINE};
use crate::seq::limits::LIMITS;
use crate::seq::part::{Converted, Part};
use crate::seq::pose_format::PoseFormat;
use crate::seq::scan::scan_frame;
use crate::{BodyMotion, Sequence};

/// Whether a text is a partial file.
pub(crate) fn is_recording(text: &str) -> bool {
    text.strip_prefix(TYPE_LINE.trim_end()).is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
}

/// Whether a file is a partial file, by its first line.
pub(crate) fn is_recording_file(path: &Path) -> bool {
    let mut first = Vec::new();
    let length = TYPE_LINE.len() as u64;
    let read = path.is_file() && File::open(path).is_ok_and(|file| file.take(length).read_to_end(&mut first).is_ok());
    read && std::str::from_utf8(&first).is_ok_and(is_recording)
}

/// Reads a partial file up to its last complete frame.
pub(crate) fn read(source: &Arc<SourceFile>, reporter: &Reporter) -> Result<BodyMotion> {
    let text = source.text();
    let Some(header_size) = text.find(FRAMES_LINE).map(|start| start + FRAMES_LINE.len()) else {
        return Err(nothing_recovered(source));
    };
    let (header, frames) = text.split_at(header_size);
    let (layout, first_frame) = read_header(source, header, reporter)?;
    let start = layout.time(first_frame);
    let (links, joints, rest) = read_frames(frames, &layout);
    let sequence_error = |error: crate::SequenceError| {
        Box::new(Diagnostic::error("damaged-recording", error.to_string()).in_file(source))
    };
    let links = Sequence::new(layout.frame_rate, layout.num_links, links)
        .and_then(|links| links.with_offset(start))
        .map_err(sequence_error)?;
    if links.num_frames() == 0 {
        return Err(nothing_recovered(source));
    }
    let from = if first_frame > 0 { format!("from {start} s ") } else { String::new() };
    let message = format!(
        "the recording was not finished: {} whole frames, {from}up to {} s, were recovered",
        links.num_frames(),
        links.end()
    );
    let line = 1 + text[..text.len() - rest.len()].bytes().filter(|&byte| byte == b'\n').count();
    let place = Span::line(u32::try_from(line).unwrap_or(u32::MAX));
    let diagnostic = Diagnostic::warning("unfinished-recording", message).at(source, place);
    // A truncated frame has no line end after its last line. More remaining lines mean damage.
    reporter.report(if rest.lines().count() > layout.lines_per_frame() {
        diagnostic.help(format!("from line {line} on the file is damaged and was not read"))
    } else {
        diagnostic.help("save it as .seq to make it a finished motion")
    });
    let mut motion = BodyMotion::new(layout.frame_rate);
    motion.link_positions = Some(links);
    if layout.num_joints > 0 {
        let joints = Sequence::new(layout.frame_rate, layout.num_joints, joints)
            .and_then(|joints| joints.with_offset(start))
            .map_err(sequence_error)?;
        motion.joint_displacements = Some(joints);
    }
    Ok(motion)
}

fn nothing_recovered(source: &Arc<SourceFile>) -> Box<Diagnostic> {
    let message = "the recording was interrupted before its first complete frame; there is nothing to recover";
    Box::new(Diagnostic::error("empty-recording", message).in_file(source))
}

/// The layout, and the index in the recording of the first frame in this file.
fn read_header(source: &Arc<SourceFile>, header: &str, reporter: &Reporter) -> Result<(RecordingLayout, usize)> {
    let excerpt = SourceFile::from_text(source.path(), header);
    let local = Reporter::new();
    let layout = Document::parse(&excerpt, &LIMITS, &local).map(|document| {
        let keys = Mapping::new(document.root(), "the recording", &local)?;
        keys.accept(&["type", "SE3Format", "frames"]);
        let count = |names| keys.integer(names).and_then(|count| usize::try_from(count).ok());
        let layout = RecordingLayout {
            frame_rate: keys.number(&["frameRate"])?,
            num_links: count(&["numLinks"])?,
            num_joints: count(&["numJoints"])?,
        };
        let first_frame = match keys.integer(&["formatVersion"])? {
            // Version 1 kept all frames.
            1 => 0,
            2 => count(&["firstFrame"])?,
            _ => return None,
        };
        keys.finish();
        Some((layout, first_frame))
    });
    let first_error = local.pass_on(reporter);
    match (layout, first_error) {
        (Err(error), _) => Err(error),
        (_, Some(error)) => Err(error),
        (Ok(Some(layout)), None) => Ok(layout),
        (Ok(None), None) => {
            let message = "the first lines of the recording are damaged, or of an unknown version";
            Err(Box::new(Diagnostic::error("damaged-recording", message).at(source, Span::line(1))))
        }
    }
}

/// All complete frames, and the text after them.
fn read_frames<'a>(text: &'a str, layout: &RecordingLayout) -> (Vec<Isometry3<f64>>, Vec<f64>, &'a str) {
    let (mut links, mut joints) = (Vec::new(), Vec::new());
    let (mut poses, mut numbers) = (Vec::new(), Vec::new());
    let mut rest = text;
    while let Some((line, mut behind)) = rest.split_once('\n') {
        if !scan_frame(line.as_bytes(), 0, layout.num_links, POSE_WIDTH, &mut numbers)
            || !read_poses(&numbers, &mut poses)
        {
            break;
        }
        numbers.clear();
        if layout.num_joints > 0 {
            let Some((line, behind_joints)) = behind.split_once('\n') else { break };
            if !scan_frame(line.as_bytes(), layout.num_joints, 0, 1, &mut numbers) {
                break;
            }
            behind = behind_joints;
        }
        links.extend_from_slice(&poses);
        joints.extend_from_slice(&numbers);
        rest = behind;
    }
    (links, joints, rest)
}

/// Count of numbers of a pose in a partial file.
const POSE_WIDTH: usize = 7;

fn read_poses(numbers: &[f64], poses: &mut Vec<Isometry3<f64>>) -> bool {
    poses.clear();
    for pose in numbers.chunks_exact(POSE_WIDTH) {
        match Isometry3::convert(pose, PoseFormat::QuaternionWxyz) {
            Converted::Good(pose) | Converted::OffNorm(pose, _) => poses.push(pose),
            Converted::ZeroQuaternion => return false,
        }
    }
    true
}
