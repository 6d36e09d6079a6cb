use std::path::PathBuf;

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};

use super::pictures::write_picture;

/// Writes a PNG of the app's primary window after some wall time, then ends the app: pictures of an application's windows for documentation and
/// tests. The exit code is that of an error if the picture cannot be written.
pub struct PictureAndExit {
    /// The PNG.
    pub path: PathBuf,
    /// Wall time since the app's first update, s.
    pub seconds: f32,
}

/// Pictures that are still to be taken.
#[derive(Resource)]
struct Wanted {
    path: Option<PathBuf>,
    seconds: f32,
}

impl Plugin for PictureAndExit {
    fn build(&self, app: &mut App) {
        app.insert_resource(Wanted { path: Some(self.path.clone()), seconds: self.seconds }).add_systems(Last, take);
    }
}

fn take(mut commands: Commands, time: Res<Time<Real>>, mut wanted: ResMut<Wanted>) {
    if time.elapsed_secs() < wanted.seconds {
        return;
    }
    let Some(path) = wanted.path.take() else { return };
    commands.spawn(Screenshot::primary_window()).observe(
        move |shot: On<ScreenshotCaptured>, mut exits: MessageWriter<AppExit>| {
            exits.write(match write_picture(&shot.image, &path) {
                Ok(()) => AppExit::Success,
                Err(reason) => {
                    log::error!("the picture cannot be written: {reason}: {}", path.display());
                    AppExit::error()
                }
            });
        },
    );
}
