//! Names in the versions of the format.

use bunraku_document::{Diagnostic, Mapping, Result};

use super::at_start::at_start;
use crate::{ComponentKind as Kind, ComponentRole as Role};

/// Version of the format, as far as it matters to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// Below 2, or not given.
    Old,
    /// The version of the manual.
    Two,
    /// Contents have the names of classes.
    Three,
    /// The version that Choreonoid writes today.
    Four,
}

impl Version {
    /// Version of a file, from its top level.
    pub(super) fn read(top: &Mapping<'_, '_>) -> Result<Self> {
        let Some(value) = top.get(&["formatVersion", "format_version"]) else { return Ok(Self::Old) };
        let number = value.as_number(top.reporter())?;
        match number {
            ..2.0 => Ok(Self::Old),
            2.0..3.0 => Ok(Self::Two),
            3.0..4.0 => Ok(Self::Three),
            4.0..5.0 => Ok(Self::Four),
            _ => Err(Box::new(
                value
                    .error("unknown-version", format!("version {number} of the motion format is not known"))
                    .help("versions 1 to 4 can be read"),
            )),
        }
    }

    /// Checks the `type` of the top level.
    pub(super) fn check_type(self, top: &Mapping<'_, '_>) -> Result<()> {
        let wanted = if self == Self::Old { "BodyMotion" } else { "CompositeSeq" };
        let Some(value) = top.get(&["type"]) else {
            let message = format!("this is not a body motion: it has no `type: {wanted}`");
            let diagnostic = at_start(Diagnostic::error("not-a-motion", message), top.node());
            return Err(Box::new(
                diagnostic.help(format!("is this the right file? A motion begins with `type: {wanted}`")),
            ));
        };
        let found = value.as_text()?;
        if found == wanted {
            return Ok(());
        }
        let message = format!("this is not a body motion: its `type` is `{found}`, not `{wanted}`");
        let diagnostic = value.error("not-a-motion", message);
        Err(Box::new(match (self, found) {
            (Self::Old, "CompositeSeq") => diagnostic.help("a `CompositeSeq` needs `formatVersion: 2`"),
            (_, "BodyMotion") => diagnostic.help("only version 1 of the format has the type `BodyMotion`"),
            _ => diagnostic.help(format!("is this the right file? A motion begins with `type: {wanted}`")),
        }))
    }

    /// Kind of frames of a component type; `None` if it is unknown.
    pub(super) fn kind(self, word: &str) -> Option<Kind> {
        match word {
            "MultiValueSeq" => Some(Kind::Values),
            "MultiSE3Seq" => Some(Kind::Poses),
            "MultiSe3Seq" | "MultiAffine3Seq" if self == Self::Old => Some(Kind::Poses),
            "Vector3Seq" => Some(Kind::Vectors),
            _ => None,
        }
    }

    /// Role of a component with this `content`. From version 2 on, a key specifies whether a ZMP is relative to the
    /// root.
    pub(super) fn role(self, kind: Kind, content: &str) -> Role {
        let (links, joints) = match self {
            Self::Old => ("LinkPosition", "JointPosition"),
            Self::Two | Self::Four => ("LinkPosition", "JointDisplacement"),
            Self::Three => ("MultiLinkPositionSeq", "MultiJointDisplacementSeq"),
        };
        match kind {
            Kind::Poses if content == links => Role::LinkPositions,
            Kind::Values if content == joints => Role::JointDisplacements,
            Kind::Vectors => match (self, content) {
                (Self::Old, "RelativeZMP" | "RelativeZmp") => Role::Zmp { root_relative: true },
                (Self::Old | Self::Two | Self::Four, "ZMP") | (Self::Three | Self::Four, "ZMPSeq") => {
                    Role::Zmp { root_relative: false }
                }
                _ => Role::Other,
            },
            _ => Role::Other,
        }
    }

    /// The contents of links and joints, for messages.
    pub(super) fn main_contents(self) -> &'static str {
        match self {
            Self::Old => "`LinkPosition` (MultiSE3Seq) and `JointPosition` (MultiValueSeq)",
            Self::Two | Self::Four => "`LinkPosition` (MultiSE3Seq) and `JointDisplacement` (MultiValueSeq)",
            Self::Three => "`MultiLinkPositionSeq` (MultiSE3Seq) and `MultiJointDisplacementSeq` (MultiValueSeq)",
        }
    }
}
