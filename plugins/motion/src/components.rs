//! Common access to all sequences of a motion, for the file formats.

use nalgebra::{Isometry3, Vector3};

use crate::{BodyMotion, ComponentKind, ComponentRole, OtherFrames, Sequence, Timing};

/// Frames of a sequence of any kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frames<'a> {
    Values(&'a Sequence<f64>),
    Poses(&'a Sequence<Isometry3<f64>>),
    Vectors(&'a Sequence<Vector3<f64>>),
}

/// One sequence of a motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Component<'a> {
    pub(crate) role: ComponentRole,
    /// Its `content` in version 2 of `.seq`.
    pub(crate) content: &'a str,
    pub(crate) frames: Frames<'a>,
}

/// Applies the same method to a sequence of any kind.
macro_rules! of_each {
    ($frames:expr, $sequence:ident => $value:expr) => {
        match $frames {
            $crate::components::Frames::Values($sequence) => $value,
            $crate::components::Frames::Poses($sequence) => $value,
            $crate::components::Frames::Vectors($sequence) => $value,
        }
    };
}
pub(crate) use of_each;

impl<'a> Frames<'a> {
    pub(crate) fn kind(self) -> ComponentKind {
        match self {
            Self::Values(_) => ComponentKind::Values,
            Self::Poses(_) => ComponentKind::Poses,
            Self::Vectors(_) => ComponentKind::Vectors,
        }
    }

    pub(crate) fn num_frames(self) -> usize {
        of_each!(self, frames => frames.num_frames())
    }

    pub(crate) fn num_parts(self) -> usize {
        of_each!(self, frames => frames.num_parts())
    }

    pub(crate) fn timing(self) -> &'a Timing {
        of_each!(self, frames => frames.timing())
    }

    pub(crate) fn part_labels(self) -> &'a [String] {
        of_each!(self, frames => frames.part_labels())
    }
}

/// All sequences with frames: links, joints, ZMP, then the others in order.
pub(crate) fn components(motion: &BodyMotion) -> Vec<Component<'_>> {
    let links = motion.link_positions.as_ref().map(|links| Component {
        role: ComponentRole::LinkPositions,
        content: "LinkPosition",
        frames: Frames::Poses(links),
    });
    let joints = motion.joint_displacements.as_ref().map(|joints| Component {
        role: ComponentRole::JointDisplacements,
        content: "JointDisplacement",
        frames: Frames::Values(joints),
    });
    let zmp = motion.zmp.as_ref().map(|zmp| Component {
        role: ComponentRole::Zmp { root_relative: zmp.root_relative },
        content: "ZMP",
        frames: Frames::Vectors(&zmp.frames),
    });
    let others = motion.others.iter().map(|other| Component {
        role: ComponentRole::Other,
        content: &other.content,
        frames: match &other.frames {
            OtherFrames::Values(frames) => Frames::Values(frames),
            OtherFrames::Poses(frames) => Frames::Poses(frames),
            OtherFrames::Vectors(frames) => Frames::Vectors(frames),
        },
    });
    let all = [links, joints, zmp].into_iter().flatten().chain(others);
    all.filter(|component| component.frames.num_frames() > 0).collect()
}
