//! Reading of all frames of a component as a sequence.

use bunraku_document::{Diagnostic, Reporter, Value};

use super::component::Component;
use super::frames::{FrameReader, FrameTime, Shape};
use super::lines::Origin;
use super::part::Part;
use super::split::Block;
use super::stop::Step;
use crate::{ComponentKind as Kind, OtherFrames, Sequence};

/// Reads the frames of a component from its block, or else from the tree; also returns the number of frames in the
/// file.
pub(super) fn collect(component: &Component<'_>, origin: &Origin, reporter: &Reporter) -> Step<(OtherFrames, usize)> {
    match component.kind {
        Kind::Values => frames::<f64>(component, origin, reporter),
        Kind::Poses => frames::<nalgebra::Isometry3<f64>>(component, origin, reporter),
        Kind::Vectors => frames::<nalgebra::Vector3<f64>>(component, origin, reporter),
    }
}

fn frames<T: Part>(component: &Component<'_>, origin: &Origin, reporter: &Reporter) -> Step<(OtherFrames, usize)> {
    let mut collector = Collector::<T>::new(component.shape.clone());
    match &component.block {
        Some(block) => collector.block(origin, block, reporter)?,
        None => collector.tree(component.frames, reporter)?,
    }
    match collector.finish() {
        (Some(sequence), count) if count > 0 => Ok((T::wrap(sequence), count)),
        _ => {
            let message = format!("{} has no frames", component.shape.what);
            let (source, span) = &component.frames_key;
            let diagnostic = Diagnostic::error("no-frames", message).at(source, *span);
            Err(Box::new(diagnostic.help("a frame is a line `- [ 0, 0 ]` below `frames:`")).into())
        }
    }
}

struct Collector<T> {
    reader: FrameReader<T>,
    values: Vec<T>,
    times: Vec<f64>,
}

impl<T: Part> Collector<T> {
    fn new(shape: Shape) -> Self {
        Self { reader: FrameReader::new(shape), values: Vec::new(), times: Vec::new() }
    }

    fn block(&mut self, origin: &Origin, block: &Block, reporter: &Reporter) -> Step<()> {
        let shape = self.reader.shape();
        // `numParts` in the header is limited by the size of the block: a number takes at least two bytes.
        let bytes = usize::try_from(block.bytes.end - block.bytes.start).unwrap_or(usize::MAX);
        let room = bytes / (2 * T::width(shape.format));
        let timed = shape.timed;
        self.values.reserve_exact(block.frames.saturating_mul(shape.num_parts).min(room));
        if timed {
            self.times.reserve_exact(block.frames);
        }
        let mut lines = origin.part(block.bytes.clone(), block.key_line)?;
        while let Some(line) = lines.next()? {
            if let Some(frame) = self.reader.line(origin.path(), line, block.style, reporter)? {
                self.take(frame);
            }
        }
        Ok(())
    }

    fn tree(&mut self, frames: Value<'_>, reporter: &Reporter) -> Step<()> {
        let items = frames.items().ok_or_else(|| Box::new(frames.expected("a list of frames")))?;
        for item in items {
            let frame = self.reader.item(item, reporter)?;
            self.take(frame);
        }
        Ok(())
    }

    fn take(&mut self, frame: FrameTime) {
        if frame.replaces {
            self.values.truncate(self.values.len() - self.reader.shape().num_parts);
            self.times.pop();
        }
        self.values.extend_from_slice(self.reader.parts());
        self.times.extend(frame.time);
    }

    /// The sequence, and the number of frames in the file.
    fn finish(self) -> (Option<Sequence<T>>, usize) {
        let count = self.reader.num_frames();
        let Shape { num_parts, frame_rate, offset, timed, part_labels, .. } = self.reader.into_shape();
        let sequence = if timed {
            Sequence::timed(self.times, num_parts, self.values).and_then(|timed| timed.with_frame_rate(frame_rate))
        } else {
            Sequence::new(frame_rate, num_parts, self.values).and_then(|fixed| fixed.with_offset(offset))
        };
        (sequence.ok().map(|sequence| sequence.with_part_labels(part_labels)), count)
    }
}
