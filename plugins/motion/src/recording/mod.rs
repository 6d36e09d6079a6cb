//! Recordings: motions written frame by frame during a simulation.
//!
//! A recording is written to `<path>.partial` and becomes the `.seq` file `<path>` when it is finished. The partial
//! file is YAML with its own layout, in which the two kinds of frames alternate. A truncated file therefore contains
//! both up to the same time:
//!
//! ```yaml
//! type: BunrakuRecording
//! formatVersion: 2
//! frameRate: 500
//! firstFrame: 0
//! numLinks: 1
//! numJoints: 2
//! SE3Format: XYZQWQXQYQZ
//! frames:
//!       - [ [ 0, 0, 0.7135, 1, 0, 0, 0 ] ]
//!       - [ 0.1, 0.2 ]
//! ```
//!
//! Each frame is a line of link poses and, if there are joints, a line of joint displacements. The lines, including
//! their indentation, are those of the finished file, so that finishing copies them unchanged. The first one is frame
//! `firstFrame` of the recording, at `firstFrame / frameRate` s. It is not 0 if only the last frames are kept. Version
//! 1 had no such key.

mod error;
mod finished;
mod flush_timer;
mod growing;
mod layout;
mod options;
mod partial;
mod read;
mod recorder;
mod table;
mod written;

pub use error::RecordError;
pub use finished::FinishedRecording;
pub use layout::{RecordingLayout, partial_path};
pub use options::{RecordOptions, Recording};
pub(crate) use read::{is_recording, is_recording_file, read};
pub use recorder::Recorder;
pub use table::TableRecorder;
