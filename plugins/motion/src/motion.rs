use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, SourceFile};
use nalgebra::{Isometry3, Vector3};

use crate::sequence::FRAME_TOLERANCE;
use crate::{JointDisplacements, LinkPositions, Sequence, WriteError};

/// The motion of one body.
///
/// A motion from a file has link positions, joint displacements, or both. With the root link and all joints the
/// other links follow by forward kinematics; with all links nothing needs to be computed.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyMotion {
    /// Rate of the motion as a whole, Hz: that of the link positions, else of the joint displacements.
    pub frame_rate: f64,
    /// World poses of the links, root first.
    pub link_positions: Option<LinkPositions>,
    /// Displacements of the joints.
    pub joint_displacements: Option<JointDisplacements>,
    /// Trajectory of the zero moment point.
    pub zmp: Option<Zmp>,
    /// Whatever else the file holds, in file order.
    pub others: Vec<OtherSequence>,
}

/// Trajectory of the zero moment point, m.
#[derive(Clone, Debug, PartialEq)]
pub struct Zmp {
    /// Whether the points are in the frame of the root link; else in the world frame.
    pub root_relative: bool,
    /// One point a frame.
    pub frames: Sequence<Vector3<f64>>,
}

/// A sequence that is neither link positions, joint displacements nor ZMP.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherSequence {
    /// What it is for, as the file says (`content`).
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
    /// `Vector3Seq`: one vector a frame.
    Vectors(Sequence<Vector3<f64>>),
}

impl BodyMotion {
    /// A motion of nothing yet, at `frame_rate` (Hz).
    pub fn new(frame_rate: f64) -> Self {
        Self { frame_rate, link_positions: None, joint_displacements: None, zmp: None, others: Vec::new() }
    }

    /// Reads a `.seq` file of any version, or the `.partial` file of a recording that was broken off.
    ///
    /// Oddities go to `reporter`, as do further errors beside the one returned.
    ///
    /// # Errors
    /// If the file cannot be read, is not a body motion, or is damaged; with the line and column where known.
    pub fn load(path: &Path, reporter: &Reporter) -> Result<Self, Box<Diagnostic>> {
        let source = SourceFile::read(path, &crate::seq::LIMITS, reporter).map_err(|error| error.to_diagnostic())?;
        Self::read(&source, reporter)
    }

    /// The same for a text in memory.
    ///
    /// # Errors
    /// If the text is not a body motion or is damaged.
    pub fn read(source: &Arc<SourceFile>, reporter: &Reporter) -> Result<Self, Box<Diagnostic>> {
        if crate::recording::is_recording(source.text()) {
            crate::recording::read(source, reporter)
        } else {
            crate::seq::read(source, reporter)
        }
    }

    /// Writes the motion as a `.seq` file; see [`write_seq`](crate::write_seq).
    ///
    /// # Errors
    /// If the motion has no frames, holds numbers that are not finite, or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), WriteError> {
        crate::seq::write_seq(self, path)
    }

    /// Time of the last frame of links and joints, s.
    pub fn duration(&self) -> f64 {
        let links = self.link_positions.as_ref().map_or(0.0, Sequence::duration);
        let joints = self.joint_displacements.as_ref().map_or(0.0, Sequence::duration);
        links.max(joints)
    }

    /// How many frames the motion has at its own [`frame_rate`](Self::frame_rate): the longer of links and joints.
    pub fn num_frames(&self) -> usize {
        let links = self.link_positions.as_ref().map_or(0, |links| self.frames_of(links));
        let joints = self.joint_displacements.as_ref().map_or(0, |joints| self.frames_of(joints));
        links.max(joints)
    }

    /// Links a frame has a pose for.
    pub fn num_links(&self) -> usize {
        self.link_positions.as_ref().map_or(0, Sequence::num_parts)
    }

    /// Joints a frame has a displacement for.
    pub fn num_joints(&self) -> usize {
        self.joint_displacements.as_ref().map_or(0, Sequence::num_parts)
    }

    fn frames_of<T>(&self, sequence: &Sequence<T>) -> usize {
        if sequence.num_frames() == 0 || sequence.frame_rate() == self.frame_rate {
            return sequence.num_frames();
        }
        ((sequence.duration() * self.frame_rate + FRAME_TOLERANCE).floor() as usize).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_of_links_and_joints_counts() {
        let mut motion = BodyMotion::new(10.0);
        assert_eq!((motion.num_frames(), motion.duration()), (0, 0.0));
        motion.link_positions = Sequence::new(10.0, 1, vec![Isometry3::identity(); 4]).ok();
        assert_eq!((motion.num_frames(), motion.num_links(), motion.num_joints()), (4, 1, 0));
        motion.joint_displacements = Sequence::new(20.0, 2, vec![0.0; 22]).ok();
        assert_eq!((motion.num_frames(), motion.duration()), (6, 0.5));
    }
}
