//! A run in a window.

use std::path::Path;

use bevy::prelude::*;
use bunraku::document::Diagnostic;
use bunraku::scene::Scene;
#[cfg(feature = "viewer")]
use bunraku::simulation::SimulationStatus;

use super::ended::Ended;
#[cfg(feature = "viewer")]
use super::summary::Stepping;
use super::task_summary::TaskSummary;
use crate::cli::common::Failure;
use crate::cli::view;

/// The app of the window of a scene.
#[cfg(feature = "viewer")]
pub fn window_app(scene: &Scene, arguments: &view::WindowArgs) -> Result<App, Failure> {
    let name = scene.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    view::open(&name, arguments)
}

#[cfg(not(feature = "viewer"))]
pub fn window_app(_: &Scene, _: &view::WindowArgs) -> Result<App, Failure> {
    Err(view::no_window())
}

/// Runs in the window until it is closed.
#[cfg(feature = "viewer")]
pub fn in_window(
    mut app: App,
    scene: &Scene,
    entities: &[Entity],
    out: &Path,
    findings: Vec<Diagnostic>,
    window: &view::WindowArgs,
    end: impl FnOnce(&World) -> Option<TaskSummary> + Send + Sync + 'static,
) -> Result<(Ended, Option<TaskSummary>), Failure> {
    use std::sync::mpsc::channel;

    use bunraku::viewer::window::{FirstPicture, Timings};

    let (sender, receiver) = channel();
    let (owned, bodies, folder) = (scene.clone(), entities.to_vec(), out.to_owned());
    // The world is dropped with the window, so the outcome is sent out through a channel.
    let sender = std::sync::Mutex::new(sender);
    app.insert_resource(bunraku::viewer::window::AtExit::new(move |world| {
        let fault = match world.resource::<SimulationStatus>() {
            SimulationStatus::Failed(fault) => Some(fault.clone()),
            _ => None,
        };
        let timings = world.resource::<Timings>();
        let pace = Stepping {
            wall: std::time::Duration::try_from_secs_f64(timings.total).unwrap_or_default(),
            steps: timings.made,
            first_picture: world.get_resource::<FirstPicture>().and_then(FirstPicture::seconds),
            parts: None,
        };
        let task = end(world);
        let ended = Ended::of(world, fault, pace, &owned, &bodies, &folder);
        if let Ok(sender) = sender.lock() {
            let _ = sender.send((ended, task));
        }
    }));
    let shown = view::Shown { findings, out: Some(out), records: true, camera: scene.view };
    let closed = view::show(app, shown, window);
    match (receiver.try_recv(), closed) {
        (Ok(ended), _) => Ok(ended),
        (Err(_), Err(failure)) => Err(failure),
        (Err(_), Ok(())) => Err(Failure::Message("the window closed before the recordings were finished".to_owned())),
    }
}

#[cfg(not(feature = "viewer"))]
pub fn in_window(
    _: App,
    _: &Scene,
    _: &[Entity],
    _: &Path,
    _: Vec<Diagnostic>,
    _: &view::WindowArgs,
    _: impl FnOnce(&World) -> Option<TaskSummary>,
) -> Result<(Ended, Option<TaskSummary>), Failure> {
    Err(view::no_window())
}
