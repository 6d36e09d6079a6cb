use std::path::PathBuf;

use bevy::prelude::Entity;
use bunraku_body::JointIndex;
use bunraku_motion::KeyFrames;
use bunraku_scene::HandAct;
use nalgebra::Isometry3;

use super::{Primitive, Selection, Side, Speed};

/// A request of a panel or a key to the window. The simulation is only changed by requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Run from the displayed state.
    Run,
    /// Pause.
    Pause,
    /// Advance by one time step from the displayed state, then pause.
    Step,
    /// Display the initial state, and pause.
    Restart,
    /// Set the speed.
    SetSpeed(Speed),
    /// Pause, and display the snapshot at this step or the last before it.
    Seek(u64),
    /// Select an item, or nothing.
    Select(Option<Selection>),
    /// Move a joint to a displacement, rad or m. For a dynamic body this sets the target of its servo, for others the
    /// joint itself.
    MoveJoint {
        /// Body entity.
        body: Entity,
        /// Joint.
        joint: JointIndex,
        /// Displacement, rad or m.
        displacement: f64,
    },
    /// Apply a user interaction to a body.
    Hand {
        /// Body entity.
        body: Entity,
        /// Interaction.
        act: HandAct,
    },
    /// Open a dialog for choosing a file.
    Choose(FileUse),
    /// Display these files instead.
    Open(Vec<PathBuf>),
    /// Add a body of a model file.
    Bring(PathBuf),
    /// Add a body of one primitive shape.
    BringShape {
        /// Shape.
        shape: Primitive,
        /// Extent along each axis, m.
        size: f64,
        /// Mass, kg.
        mass: f64,
    },
    /// Reload the displayed files.
    Reload,
    /// Start or finish the recording.
    Record(bool),
    /// Show the selected body, or everything.
    Fit,
    /// Look at the camera's target from a side.
    LookFrom(Side),
    /// Use an orthographic projection, or one in perspective.
    SetOrthographic(bool),
    /// Move the camera with the selection, or else with the first body that moves; or let it stand.
    Follow(bool),
    /// Look through the camera of a device, or no longer.
    LookThrough(Option<Selection>),
    /// Move a body into a pose: a dynamic one by the targets of its servos, others at once.
    Pose {
        /// Body entity.
        body: Entity,
        /// Pose of the root link, world frame.
        root: Isometry3<f64>,
        /// Displacements of all joints, rad or m.
        displacements: Vec<f64>,
    },
    /// Write the motion through key frames of a body.
    SaveKeyFrames {
        /// Body entity.
        body: Entity,
        /// Key frames.
        keys: KeyFrames,
    },
    /// Write the scene to another file beside it, with the bodies where they are.
    SaveScene(PathBuf),
    /// Write the recordings so far under their final names, and continue.
    Save,
    /// Write a screenshot of the window.
    TakePicture,
    /// Lay a recording over the curves: a motion, or all motions of a directory of results.
    LayOver(PathBuf),
    /// Export the curves of the plots as a table.
    ExportPlots,
    /// Close the window.
    Quit,
}

/// Use of a chosen file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileUse {
    /// It replaces the displayed files.
    Open,
    /// It is a model, which is added as a body.
    Bring,
    /// It is a motion, which is laid over the curves.
    LayOver,
    /// It is a directory of results, whose motions are laid over the curves.
    LayOverRun,
    /// It is the name of a new scene file.
    SaveScene,
}
