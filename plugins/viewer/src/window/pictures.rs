//! Screenshots and exported tables.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bunraku_document::write_atomically;
use image::{ImageFormat, RgbImage};

use super::gather::gather;
use super::state::{OutputFolder, Panels, WindowState};
use crate::curves::{CurveLog, write_table};

/// Writes a screenshot of the window as a PNG, to `path` or to an unused name in the output folder.
pub fn take(world: &mut World, path: Option<PathBuf>) {
    let path = path.unwrap_or_else(|| free_name(&world.resource::<OutputFolder>().0, "window", "png"));
    world.spawn(Screenshot::primary_window()).observe(
        move |shot: On<ScreenshotCaptured>, mut state: ResMut<WindowState>| {
            state.say(match write_picture(&shot.image, &path) {
                Ok(()) => format!("written: {}", path.display()),
                Err(reason) => format!("the picture cannot be written: {reason}: {}", path.display()),
            });
        },
    );
}

/// Writes an image as a PNG without transparency.
///
/// # Errors
/// The reason why it cannot be written.
pub fn write_picture(image: &Image, path: &Path) -> Result<(), String> {
    let picture: RgbImage = image.clone().try_into_dynamic().map_err(|error| error.to_string())?.to_rgb8();
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).map_err(|error| error.to_string())?;
    let written = make_folder(path).and_then(|()| write_atomically(path, |file| file.write_all(bytes.get_ref())));
    written.map_err(|error| error.to_string())
}

/// Writes all curves of the plots, with all their points.
pub fn export_plots(world: &mut World) {
    let shown = gather(world);
    let plots = &world.resource::<Panels>().desk.plots;
    let curves = plots.curves(&shown, world.resource::<CurveLog>(), usize::MAX);
    if curves.is_empty() {
        world.resource_mut::<WindowState>().say("there are no curves to write: add some under Plots");
        return;
    }
    let path = free_name(&world.resource::<OutputFolder>().0, "plots", "csv");
    let text = write_table(&curves);
    let written = make_folder(&path).and_then(|()| write_atomically(&path, |file| file.write_all(text.as_bytes())));
    world.resource_mut::<WindowState>().say(match written {
        Ok(()) => format!("written: {}", path.display()),
        Err(error) => format!("the curves cannot be written: {error}: {}", path.display()),
    });
}

/// Creates the folder of a file.
pub fn make_folder(path: &Path) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)
}

/// `window.png`, or the first unused one of `window-1.png` and so on.
pub fn free_name(folder: &Path, stem: &str, extension: &str) -> PathBuf {
    let first = folder.join(format!("{stem}.{extension}"));
    let others = (1..10_000).map(|number| folder.join(format!("{stem}-{number}.{extension}")));
    let last = first.clone();
    std::iter::once(first).chain(others).find(|path| !path.exists()).unwrap_or(last)
}
