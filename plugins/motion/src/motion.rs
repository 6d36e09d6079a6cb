use nalgebra::{Isometry3, Vector3};

use crate::sampling::FRAME_TOLERANCE;
use crate::{Interpolate, JointDisplacements, KeptYaml, LinkPositions, Sampling, Sequence, SequenceError, Zmp};

/// The motion of one body.
///
/// If only the root link and all joints are given, the other links follow by forward kinematics.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyMotion {
    /// Frame rate of the whole motion, Hz: that of the link positions, else of the joint displacements, else of the
    /// first other sequence.
    pub frame_rate: f64,
    /// World poses of the links, root first.
    pub link_positions: Option<LinkPositions>,
    /// Displacements of the joints.
    pub joint_displacements: Option<JointDisplacements>,
    /// Trajectory of the zero moment point.
    pub zmp: Option<Zmp>,
    /// Other sequences of the file, in file order.
    pub others: Vec<OtherSequence>,
    /// Unknown content of the file; not used in playback, sampling or resampling.
    pub kept: Vec<KeptYaml>,
}

/// A sequence that is neither link positions, joint displacements nor ZMP.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherSequence {
    /// Purpose, as given in the file (`content`).
    pub content: String,
    /// Its frames, with their own rate and length.
    pub frames: OtherFrames,
}

/// The frames of an [`OtherSequence`], by the `type` of its component.
#[derive(Clone, Debug, PartialEq)]
pub enum OtherFrames {
    /// `MultiValueSeq`: numbers.
    Values(Sequence<f64>),
    /// `MultiSE3Seq`: poses.
    Poses(Sequence<Isometry3<f64>>),
    /// `Vector3Seq`: one vector for each frame.
    Vectors(Sequence<Vector3<f64>>),
}

impl BodyMotion {
    /// An empty motion at `frame_rate` (Hz).
    pub fn new(frame_rate: f64) -> Self {
        Self {
            frame_rate,
            link_positions: None,
            joint_displacements: None,
            zmp: None,
            others: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// Time of the first frame of links and joints, or of the ZMP if there are neither, s; 0 for an empty motion.
    pub fn start(&self) -> f64 {
        self.main_spans().map(|(start, _)| start).reduce(f64::min).unwrap_or(0.0)
    }

    /// Time of the last frame of links and joints, or of the ZMP if there are neither, s; 0 for an empty motion.
    pub fn end(&self) -> f64 {
        self.main_spans().map(|(_, end)| end).reduce(f64::max).unwrap_or(0.0)
    }

    /// Time from the first frame of links and joints, or of the ZMP if there are neither, to the last, s.
    pub fn duration(&self) -> f64 {
        let links = self.link_positions.as_ref().filter(|links| links.num_frames() > 0);
        let joints = self.joint_displacements.as_ref().filter(|joints| joints.num_frames() > 0);
        match (links, joints) {
            (Some(links), Some(joints)) if links.start() != joints.start() => self.end() - self.start(),
            // The difference of start and end would introduce rounding.
            (None, None) => self.zmp.as_ref().map_or(0.0, |zmp| zmp.frames.duration()),
            _ => links.map_or(0.0, Sequence::duration).max(joints.map_or(0.0, Sequence::duration)),
        }
    }

    /// First and last time of links and of joints, if they have frames; without either, those of the ZMP.
    fn main_spans(&self) -> impl Iterator<Item = (f64, f64)> {
        fn span<T>(sequence: &Sequence<T>) -> Option<(f64, f64)> {
            (sequence.num_frames() > 0).then(|| (sequence.start(), sequence.end()))
        }
        let links = self.link_positions.as_ref().and_then(span);
        let joints = self.joint_displacements.as_ref().and_then(span);
        let zmp = self.zmp.as_ref().filter(|_| links.is_none() && joints.is_none());
        links.into_iter().chain(joints).chain(zmp.and_then(|zmp| span(&zmp.frames)))
    }

    /// Number of frames at the motion's own [`frame_rate`](Self::frame_rate): the larger of links and joints or,
    /// without either, that of the ZMP. For timed frames it is their count.
    pub fn num_frames(&self) -> usize {
        let links = self.link_positions.as_ref().map_or(0, |links| self.frames_of(links));
        let joints = self.joint_displacements.as_ref().map_or(0, |joints| self.frames_of(joints));
        match (&self.link_positions, &self.joint_displacements, &self.zmp) {
            (None, None, Some(zmp)) => self.frames_of(&zmp.frames),
            _ => links.max(joints),
        }
    }

    /// Whether any sequence has timed frames.
    pub fn is_timed(&self) -> bool {
        self.times_of_each().any(|timed| timed)
    }

    fn times_of_each(&self) -> impl Iterator<Item = bool> {
        let main = [
            self.link_positions.as_ref().map(|frames| frames.times().is_some()),
            self.joint_displacements.as_ref().map(|frames| frames.times().is_some()),
            self.zmp.as_ref().map(|zmp| zmp.frames.times().is_some()),
        ];
        let others = self.others.iter().map(|other| match &other.frames {
            OtherFrames::Values(frames) => frames.times().is_some(),
            OtherFrames::Poses(frames) => frames.times().is_some(),
            OtherFrames::Vectors(frames) => frames.times().is_some(),
        });
        main.into_iter().flatten().chain(others)
    }

    /// The motion with all timed frames converted to a fixed rate, each sequence at its own; see [`Sequence::import`].
    ///
    /// # Errors
    /// If there would be too many frames.
    pub fn import(&self, sampling: Sampling) -> Result<Self, SequenceError> {
        self.map(&Import(None, sampling))
    }

    /// As [`import`](Self::import), at `frame_rate` (Hz) instead of each sequence's own rate. Sequences at a fixed rate
    /// are unchanged.
    ///
    /// # Errors
    /// If the rate is not positive and finite or gives too many frames.
    pub fn import_at(&self, frame_rate: f64, sampling: Sampling) -> Result<Self, SequenceError> {
        self.map(&Import(Some(frame_rate), sampling))
    }

    /// The motion with all sequences at `frame_rate` (Hz); see [`Sequence::resample`].
    ///
    /// # Errors
    /// If the rate is not positive and finite or gives too many frames.
    pub fn resample(&self, frame_rate: f64, sampling: Sampling) -> Result<Self, SequenceError> {
        let resampled = self.map(&Resample(frame_rate, sampling))?;
        Ok(Self { frame_rate, ..resampled })
    }

    /// The motion shifted so that its first frame is at 0 s. Timed frames keep their times.
    #[must_use]
    pub fn without_offset(self) -> Self {
        match self.start() {
            0.0 => self,
            start => self.map(&Shift(-start)).unwrap_or(self),
        }
    }

    /// The motion with a time for each frame.
    pub fn with_times(&self) -> Self {
        self.map(&WithTimes).unwrap_or_else(|_| self.clone())
    }

    fn map(&self, change: &impl Change) -> Result<Self, SequenceError> {
        let zmp = |zmp: &Zmp| Ok(Zmp { root_relative: zmp.root_relative, frames: change.apply(&zmp.frames)? });
        let other = |other: &OtherSequence| {
            let frames = match &other.frames {
                OtherFrames::Values(frames) => OtherFrames::Values(change.apply(frames)?),
                OtherFrames::Poses(frames) => OtherFrames::Poses(change.apply(frames)?),
                OtherFrames::Vectors(frames) => OtherFrames::Vectors(change.apply(frames)?),
            };
            Ok(OtherSequence { content: other.content.clone(), frames })
        };
        Ok(Self {
            frame_rate: self.frame_rate,
            link_positions: self.link_positions.as_ref().map(|frames| change.apply(frames)).transpose()?,
            joint_displacements: self.joint_displacements.as_ref().map(|frames| change.apply(frames)).transpose()?,
            zmp: self.zmp.as_ref().map(zmp).transpose()?,
            others: self.others.iter().map(other).collect::<Result<_, _>>()?,
            kept: self.kept.clone(),
        })
    }

    /// Number of link poses in a frame.
    pub fn num_links(&self) -> usize {
        self.link_positions.as_ref().map_or(0, Sequence::num_parts)
    }

    /// Number of joint displacements in a frame.
    pub fn num_joints(&self) -> usize {
        self.joint_displacements.as_ref().map_or(0, Sequence::num_parts)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "durations are not negative; the cast saturates"
    )]
    fn frames_of<T>(&self, sequence: &Sequence<T>) -> usize {
        let is_own = sequence.num_frames() == 0 || sequence.frame_rate() == self.frame_rate;
        if is_own || sequence.times().is_some() {
            return sequence.num_frames();
        }
        ((sequence.duration() * self.frame_rate + FRAME_TOLERANCE).floor() as usize).saturating_add(1)
    }
}

/// An operation on sequences of any kind.
trait Change {
    fn apply<T: Interpolate>(&self, sequence: &Sequence<T>) -> Result<Sequence<T>, SequenceError>;
}

struct Import(Option<f64>, Sampling);
struct Resample(f64, Sampling);
struct WithTimes;
struct Shift(f64);

impl Change for Import {
    fn apply<T: Interpolate>(&self, sequence: &Sequence<T>) -> Result<Sequence<T>, SequenceError> {
        let Self(frame_rate, sampling) = *self;
        match (sequence.times(), frame_rate) {
            (Some(_), Some(frame_rate)) => sequence.clone().with_frame_rate(frame_rate)?.import(sampling),
            _ => sequence.import(sampling),
        }
    }
}

impl Change for Resample {
    fn apply<T: Interpolate>(&self, sequence: &Sequence<T>) -> Result<Sequence<T>, SequenceError> {
        let Self(frame_rate, sampling) = *self;
        sequence.resample(frame_rate, sampling)
    }
}

impl Change for Shift {
    fn apply<T: Interpolate>(&self, sequence: &Sequence<T>) -> Result<Sequence<T>, SequenceError> {
        sequence.clone().with_offset(sequence.start() + self.0)
    }
}

impl Change for WithTimes {
    fn apply<T: Interpolate>(&self, sequence: &Sequence<T>) -> Result<Sequence<T>, SequenceError> {
        Ok(sequence.with_times())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_of_links_and_joints_is_used() {
        let mut motion = BodyMotion::new(10.0);
        assert_eq!((motion.num_frames(), motion.duration()), (0, 0.0));
        motion.link_positions = Sequence::new(10.0, 1, vec![Isometry3::identity(); 4]).ok();
        assert_eq!((motion.num_frames(), motion.num_links(), motion.num_joints()), (4, 1, 0));
        motion.joint_displacements = Sequence::new(20.0, 2, vec![0.0; 22]).ok();
        assert_eq!((motion.num_frames(), motion.duration()), (6, 0.5));
    }

    #[test]
    fn every_sequence_changes_its_rate() {
        let timed = Sequence::timed(vec![0.0, 0.3], 1, vec![1.0, 2.0]).unwrap().with_frame_rate(10.0).unwrap();
        let mut motion = BodyMotion::new(10.0);
        motion.joint_displacements = Some(timed.clone());
        motion.others.push(OtherSequence { content: "Effort".to_owned(), frames: OtherFrames::Values(timed) });
        assert!(motion.is_timed());
        let imported = motion.import(Sampling::Hold).unwrap();
        assert!(!imported.is_timed());
        assert_eq!(imported.joint_displacements.as_ref().unwrap().values(), [1.0, 1.0, 1.0, 2.0]);
        let OtherFrames::Values(effort) = &imported.others[0].frames else { panic!() };
        assert_eq!(effort.num_frames(), 4);
        let resampled = motion.resample(20.0, Sampling::Linear).unwrap();
        assert_eq!((resampled.frame_rate, resampled.num_frames()), (20.0, 7));
        assert_eq!(imported.with_times().import(Sampling::Hold).unwrap(), imported);
    }
}
