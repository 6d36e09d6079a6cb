//! Scene files: the bodies, how they are moved, and what is recorded.
//!
//! [`Scene::load`] reads a `.scene.yaml` with all files that it names; after that no missing file can cause a failure.
//! [`Scene::spawn`] builds the world from it.

// No bytes of a file make a reader panic or lose digits: `get` and patterns instead of indices.
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod added;
mod added_sensors;
mod allowed;
mod around_model;
mod around_robot;
mod body_entry;
mod body_start;
mod camera_keys;
mod cnoid;
mod collision_shapes;
mod context;
mod controller;
mod copies;
mod drive;
mod external_forces;
mod extra_joints;
mod hand;
mod hand_on_bodies;
mod heightfield;
mod joint_values;
mod limitations;
mod load;
mod loops;
mod model;
mod names;
mod one_place;
mod other_files;
mod process;
mod profiles;
mod ranges;
mod read;
mod recorded_run;
mod recordings;
mod relative;
mod resolved;
mod ros2;
mod scan_keys;
mod sensor_errors;
mod sensors;
mod shape;
mod shared_files;
mod task;
mod totals;
mod tracks;
mod words;
mod world;

pub use around_robot::RobotFiles;
pub use cnoid::{MissingKind, MissingPart, ProjectScene, is_project, read_project};
pub use collision_shapes::larger_hulls;
pub use context::SceneOptions;
pub use hand::{Hand, HandAct, HandNote, HandNotes, HandPlugin, HandScript, Pull, TaskOrder, bring_body, lay_hand};
pub use model::{
    ControllerKind, JointProfiles, RecordSettings, RecordedLinks, Scene, SceneBase, SceneBody, SceneController,
    SceneDrive, SceneExtraJoint, SceneForce, SceneRos2,
};
pub use recorded_run::{Hashes, RecordedRun, RecordedRunError, Repeat, RepeatedTask};
pub use recordings::{FinishedFiles, RecordingError};
pub use shared_files::SharedFiles;
pub use task::{SceneTask, TaskOptions};
