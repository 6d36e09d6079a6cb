use std::path::PathBuf;

use bevy::prelude::Entity;
use bunraku_body::JointIndex;
use bunraku_control::HandAct;

use super::{Selection, Speed};

/// What a panel or a key asks the window to do. The simulation is changed by nothing else than what comes of these.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Go on, from the moment that is shown.
    Run,
    /// Stop where it is.
    Pause,
    /// One time step from the moment that is shown, then stop.
    Step,
    /// Back to the beginning, and stop.
    Restart,
    /// Run so fast.
    SetSpeed(Speed),
    /// Stop, and show the remembered moment at this step or the last before it.
    Seek(u64),
    /// Select something, or nothing.
    Select(Option<Selection>),
    /// Put a joint at a displacement, rad or m: of a body that forces move its servo's target, of others the joint itself.
    MoveJoint {
        /// The body entity.
        body: Entity,
        /// The joint.
        joint: JointIndex,
        /// rad or m.
        displacement: f64,
    },
    /// Lay a hand on a body.
    Hand {
        /// The body entity.
        body: Entity,
        /// What it does.
        act: HandAct,
    },
    /// Let a file be chosen.
    Choose(FileUse),
    /// Show these files instead.
    Open(Vec<PathBuf>),
    /// Add a body of a model file, beside what is there.
    Bring(PathBuf),
    /// Read the files again that are shown.
    Reload,
    /// Record from now on, or finish the recording.
    Record(bool),
    /// Look at the selected body, or at everything.
    Fit,
    /// Write what is recorded so far under its final names, and go on.
    Save,
    /// Write a picture of the window.
    TakePicture,
    /// Write the curves of the plots as a table.
    ExportPlots,
    /// Close the window.
    Quit,
}

/// What becomes of a file that is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileUse {
    /// It is shown instead of what is there.
    Open,
    /// It is a model, and becomes another body.
    Bring,
}
