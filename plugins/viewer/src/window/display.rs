//! Check for a display.

use thiserror::Error;

use crate::picture::PictureError;

/// Reason why no window can be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WindowError {
    /// No display is available.
    #[error(
        "no window can be opened here: {0}; on a machine without a screen use `bunraku run` without `--view`, which needs none"
    )]
    NoDisplay(String),
    /// No graphics device is available.
    #[error(
        "nothing can be drawn here: {0}; install a Vulkan driver (on Debian and Ubuntu `mesa-vulkan-drivers`, which also draws \
         without a graphics card), or use `bunraku run` without `--view`, which needs none"
    )]
    NoGraphics(PictureError),
}

/// Checks for a display before the window library does, which would panic.
#[cfg(all(unix, not(target_os = "macos")))]
pub fn look_for_display() -> Result<(), WindowError> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !is_set("DISPLAY") {
        let reason = match is_set("WAYLAND_DISPLAY") {
            true => "`DISPLAY` is not set: the window needs X11, which a Wayland desktop has as XWayland",
            false => "`DISPLAY` is not set, so there is no screen",
        };
        return Err(WindowError::NoDisplay(reason.to_owned()));
    }
    match x11rb::connect(None) {
        Ok(_) => Ok(()),
        Err(error) => {
            let name = std::env::var("DISPLAY").unwrap_or_default();
            Err(WindowError::NoDisplay(format!("the display `{name}` does not answer ({error})")))
        }
    }
}

/// Other systems always have a display.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub fn look_for_display() -> Result<(), WindowError> {
    Ok(())
}
