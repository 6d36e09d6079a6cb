//! Body motions: trajectories of a robot's links and joints, and the `.seq` files that contain them.
//!
//! - [`BodyMotion`]: the content of a file; [`BodyMotion::load`] reads every version of `.seq` and unfinished
//!   recordings;
//! - [`Sequence`]: frames at a fixed rate or with individual times, sampled at any time by [`Sequence::sample`];
//! - [`MotionReader`]: reads a file frame by frame, in constant memory;
//! - [`write_seq`]: writes a motion to a file, with a choice of versions by [`write_seq_with`];
//! - [`write_json`], [`write_csv`] and [`load_csv`]: the same data for programs without a `.seq` reader;
//! - [`compare()`]: differences between two motions; [`plot()`]: curves as a [`Drawing`], which is written as SVG;
//! - [`KeyFrames`]: poses at chosen times, and the smooth motion through them;
//! - [`Recorder`]: writes frames to a file one by one, all or those of the last seconds, in constant memory. The data
//!   survive if the process is killed.
//!
//! Lengths are metres, angles radians, times seconds, rates hertz; poses are world poses of link frames, Z up.
//!
//! ```
//! use bunraku_document::{Reporter, SourceFile};
//! use bunraku_motion::BodyMotion;
//!
//! let text = "\
//! type: CompositeSeq
//! content: BodyMotion
//! formatVersion: 2
//! frameRate: 10
//! components:
//!   -
//!     type: MultiValueSeq
//!     content: JointDisplacement
//!     numParts: 2
//!     frames:
//!       - [ 0, 0 ]
//!       - [ 1, 0.5 ]
//! ";
//! let reporter = Reporter::new();
//! let motion = BodyMotion::read(&SourceFile::from_text("turn.seq", text), &reporter)?;
//! let mut joints = [0.0; 2];
//! if let Some(displacements) = &motion.joint_displacements {
//!     displacements.sample(0.05, &mut joints);
//! }
//! assert_eq!(joints, [0.5, 0.25]);
//! # Ok::<(), Box<bunraku_document::Diagnostic>>(())
//! ```

// Sines and the like are those of `libm`, so that results have the same bits everywhere.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
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

#[cfg(feature = "bevy")]
mod channels;
mod compare;
mod components;
mod csv;
mod drawing;
mod files;
mod interpolate;
mod json;
mod kept;
mod key_frames;
mod long;
mod motion;
mod number;
mod playback;
mod plot;
#[cfg(feature = "bevy")]
mod plugin;
mod recording;
mod role;
mod sampling;
mod seq;
mod sequence;
mod smooth;
mod write_error;
mod zmp;

#[cfg(feature = "bevy")]
pub use channels::{channels, is_of_pose, without_jumps};
pub use compare::{CompareError, Extreme, LinkDifference, MotionDifference, compare, compare_from};
pub use csv::{CsvNames, ReadCsvOptions, load_csv, read_csv, write_csv, write_csv_to};
pub use drawing::{Anchor, Drawing, Mark, Stroke, Text};
pub use interpolate::Interpolate;
pub use json::{write_json, write_json_to};
pub use kept::KeptYaml;
pub use key_frames::{KeyFrame, KeyFrameError, KeyFrames};
pub use long::{ConvertError, LongMotion};
pub use motion::{BodyMotion, OtherFrames, OtherSequence};
pub use playback::{Playback, PlaybackState, PlaybackStep};
pub use plot::{COLORS, Channel, PlotSize, plot, plot_svg};
#[cfg(feature = "bevy")]
pub use plugin::{
    FrameSteps, MotionEnded, MotionPlayer, MotionPlugin, MotionStarted, StateRecorder, state_at, state_between,
    state_beyond,
};
pub use recording::{
    FinishedRecording, RecordError, RecordOptions, Recorder, Recording, RecordingLayout, TableRecorder, partial_path,
};
pub use role::{ComponentKind, ComponentRole};
pub use sampling::Sampling;
pub use seq::{ComponentHeader, FrameStream, MotionReader, StateStream};
pub use seq::{SeqVersion, WriteOptions, write_seq, write_seq_to, write_seq_to_with, write_seq_with};
pub use sequence::{JointDisplacements, LinkPositions, Sequence, SequenceError, Timing};
pub use smooth::Polynomial;
pub use write_error::WriteError;
pub use zmp::Zmp;
