//! `bunraku view`: models, motions and scenes in a window; and the code that `run --view` shares with it.

mod args;
#[cfg(feature = "viewer")]
mod gallery;
#[cfg(feature = "viewer")]
mod models;
#[cfg(feature = "viewer")]
mod recording;
#[cfg(feature = "viewer")]
mod scripted;
#[cfg(feature = "viewer")]
mod window;

use super::common::{CommonArgs, Failure};

pub use args::{ViewArgs, WindowArgs};
#[cfg(feature = "viewer")]
pub use window::{Shown, open, show};

/// The message of a build without the window.
#[cfg(not(feature = "viewer"))]
const NO_WINDOW: &str = "this `bunraku` was built without its window: build it with the feature `viewer`, as in `cargo run --features viewer -- view …`";

#[cfg(feature = "viewer")]
pub fn view(arguments: &ViewArgs, common: &CommonArgs) -> Result<(), Failure> {
    window::view(&arguments.files, &arguments.window, arguments.stop_at_end, common)
}

#[cfg(not(feature = "viewer"))]
pub fn view(_: &ViewArgs, _: &CommonArgs) -> Result<(), Failure> {
    Err(no_window())
}

/// The failure when a window was requested from a build without one.
#[cfg(not(feature = "viewer"))]
pub fn no_window() -> Failure {
    Failure::Message(NO_WINDOW.to_owned())
}
