//! Assembly of a motion from its components.

use std::collections::HashMap;

use bunraku_document::{Diagnostic, Reporter, Value};

use super::at_start::at_start;
use super::component::Component;
use crate::sequence::DEFAULT_RATE;
use crate::{
    BodyMotion, ComponentRole as Role, JointDisplacements, LinkPositions, OtherFrames, OtherSequence, Sequence, Zmp,
};

/// Components read so far.
#[derive(Default)]
pub(super) struct Assembly {
    links: Option<LinkPositions>,
    joints: Option<JointDisplacements>,
    zmp: Option<Zmp>,
    others: Vec<OtherSequence>,
    /// Indices in `others` by content; there may be very many.
    indices: HashMap<String, usize>,
}

impl Assembly {
    pub(super) fn add(&mut self, component: &Component<'_>, frames: OtherFrames, reporter: &Reporter) {
        let &Component { value, content, role, .. } = component;
        let again = match (role, frames) {
            (Role::LinkPositions, OtherFrames::Poses(frames)) => self.links.replace(frames).is_some(),
            (Role::JointDisplacements, OtherFrames::Values(frames)) => self.joints.replace(frames).is_some(),
            (Role::Zmp { root_relative }, OtherFrames::Vectors(frames)) => {
                self.zmp.replace(Zmp { root_relative, frames }).is_some()
            }
            (_, frames) => {
                let other = OtherSequence { content: content.to_owned(), frames };
                match self.indices.get(content).and_then(|&index| self.others.get_mut(index)) {
                    Some(known) => {
                        *known = other;
                        true
                    }
                    None => {
                        self.indices.insert(content.to_owned(), self.others.len());
                        self.others.push(other);
                        false
                    }
                }
            }
        };
        if again {
            let message = format!("there is more than one component `{content}`; the last one counts");
            let diagnostic = at_start(Diagnostic::warning("same-component", message), value);
            reporter.report(diagnostic.help("give the others another `content`, which may be anything"));
        }
    }

    /// Whether the motion can move a body, or is a trajectory that may be stored alone.
    pub(super) fn has_purpose(&self) -> bool {
        self.links.is_some() || self.joints.is_some() || self.zmp.is_some()
    }

    pub(super) fn finish(self, components: Value<'_>, reporter: &Reporter) -> BodyMotion {
        let Self { links, joints, zmp, others, .. } = self;
        if let (Some(links), Some(joints)) = (&links, &joints)
            && (links.num_frames() != joints.num_frames() || links.frame_rate() != joints.frame_rate())
        {
            let message = format!(
                "link positions have {} frames at {} Hz, joint displacements {} frames at {} Hz",
                links.num_frames(),
                links.frame_rate(),
                joints.num_frames(),
                joints.frame_rate()
            );
            let diagnostic = components.warning("unequal-length", message);
            reporter.report(diagnostic.help("each is played at its own rate; the shorter one holds its last frame"));
        }
        let rate_of_other = |other: &OtherSequence| match &other.frames {
            OtherFrames::Values(frames) => frames.frame_rate(),
            OtherFrames::Poses(frames) => frames.frame_rate(),
            OtherFrames::Vectors(frames) => frames.frame_rate(),
        };
        let rate = links
            .as_ref()
            .map(Sequence::frame_rate)
            .or_else(|| joints.as_ref().map(Sequence::frame_rate))
            .or_else(|| zmp.as_ref().map(|zmp| zmp.frames.frame_rate()))
            .or_else(|| others.first().map(rate_of_other));
        BodyMotion {
            frame_rate: rate.unwrap_or(DEFAULT_RATE),
            link_positions: links,
            joint_displacements: joints,
            zmp,
            others,
            kept: Vec::new(),
        }
    }
}
