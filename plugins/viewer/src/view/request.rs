use bevy::prelude::Entity;
use bunraku_body::JointIndex;

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
