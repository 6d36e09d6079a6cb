//! The window of the program.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy::app::AppExit;
use bevy::prelude::*;
use bunraku::document::{Diagnostic, Severity};
use bunraku::task::TaskRun;
use bunraku::viewer::camera::Quality;
use bunraku::viewer::panels::Panel;
use bunraku::viewer::window::{
    Act, AtExit, Begun, EmptySimulation, FileOpener, Findings, Loaded, OpenFiles, OutputFolder, SaveRecordings, Script,
    ViewerOptions, ViewerPlugin, open_window,
};

use nalgebra::Point3;

use super::super::common::{CommonArgs, Failure};
use super::super::interrupts::Interrupts;
use super::super::messages;
use super::super::output::line;
use super::super::panics::guard;
use super::args::WindowArgs;
use super::gallery::gallery;
use super::models::load_all;
use super::{recording, scripted};

/// The contents of a window.
pub struct Shown<'a> {
    /// The findings of loading.
    pub findings: Vec<Diagnostic>,
    /// The directory for its pictures and tables, if it is known already.
    pub out: Option<&'a Path>,
    /// Whether the run is recorded.
    pub records: bool,
    /// Initial position of the camera and the point it looks at, m.
    pub camera: Option<[Point3<f64>; 2]>,
}

/// Shows files until the window is closed.
pub fn view(paths: &[PathBuf], arguments: &WindowArgs, stops: bool, common: &CommonArgs) -> Result<(), Failure> {
    let files = load_all(paths, common);
    messages::diagnostics(&files.findings, Severity::Warning);
    let names: Vec<_> = paths.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy()).collect();
    let title = if names.is_empty() { "Scenes".to_owned() } else { names.join(", ") };
    let mut app = open(&title, arguments)?;
    app.add_plugins(bunraku::SandboxPlugins);
    let world = app.world_mut();
    let empty = EmptySimulation::take(world).map_err(|error| Failure::Message(error.to_string()))?;
    world.insert_resource(empty);
    world.insert_resource(OpenFiles::new(paths.to_vec(), files.sources(paths)));
    if paths.is_empty() {
        world.insert_resource(gallery());
    }
    let owned = common.clone();
    world.insert_resource(FileOpener(Arc::new(move |current, new| read(current, new, stops, &owned))));
    let entities = files.spawn(world, stops);
    let camera = files.scene.as_ref().and_then(|scene| scene.view);
    recording::offer(world, paths.first().map(PathBuf::as_path), files.scene, entities, common);
    world.insert_resource(AtExit::new(|world| {
        if let Some(text) = recording::finish(world) {
            let _ = line(text);
        }
    }));
    let shown = Shown { findings: files.findings, out: None, records: false, camera };
    show(app, shown, arguments)
}

/// Loads the files to show next.
fn read(current: &[PathBuf], new: &[PathBuf], stops: bool, common: &CommonArgs) -> Loaded {
    let is_motion = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "seq" || extension == "csv");
    let models = current.iter().filter(|path| !is_motion(path));
    let paths = match new.iter().all(is_motion) {
        true => models.chain(new).cloned().collect(),
        false => new.to_vec(),
    };
    let files = load_all(&paths, common);
    let camera = files.scene.as_ref().and_then(|scene| scene.view);
    let (sources, findings, is_empty) = (files.sources(&paths), files.findings.clone(), files.is_empty());
    let (first, common) = (paths.first().cloned(), common.clone());
    let spawn = move |world: &mut World| {
        let entities = files.spawn(world, stops);
        recording::offer(world, first.as_deref(), files.scene, entities, &common);
    };
    Loaded {
        paths,
        sources,
        findings,
        camera: camera.map(|ends| ends.map(point)),
        spawn: (!is_empty).then(|| Box::new(spawn) as _),
    }
}

fn point(point: Point3<f64>) -> Vec3 {
    Vec3::from_array(point.coords.cast::<f32>().into())
}

/// An app with a window.
pub fn open(title: &str, arguments: &WindowArgs) -> Result<App, Failure> {
    // A picture for documentation may take its time.
    let quality = arguments.picture.is_some().then_some(Quality::Full);
    let options = ViewerOptions { title: format!("{title} – Bunraku"), quality, ..ViewerOptions::default() };
    let opened = guard(|| open_window(&options));
    let opened = opened.map_err(|panic| {
        let without = "`bunraku run` without `--view` needs no window";
        Failure::Message(format!("no window can be opened here: {panic}; {without}"))
    })?;
    let mut app = opened.map_err(|error| Failure::Message(error.to_string()))?;
    app.insert_resource(Begun(*super::super::common::BEGUN));
    Ok(app)
}

/// Shows an app with bodies until its window is closed.
pub fn show(mut app: App, shown: Shown<'_>, arguments: &WindowArgs) -> Result<(), Failure> {
    let is_scripted = arguments.picture.is_some();
    let mut plugin = ViewerPlugin { camera: shown.camera.map(|ends| ends.map(point)), ..ViewerPlugin::default() };
    if is_scripted {
        // The picture must not depend on the stored layout of earlier windows.
        plugin.layout_file = None;
    }
    app.add_plugins(plugin);
    let mut script = scripted::script(arguments, app.world_mut())?;
    if shown.findings.iter().any(|finding| finding.severity == Severity::Error) && arguments.panel.is_empty() {
        script.0.push_front(Act::Open(Panel::Problems));
    }
    let has_task = app.world_mut().query::<&TaskRun>().iter(app.world()).next().is_some();
    if has_task && arguments.panel.is_empty() {
        script.0.push_front(Act::Open(Panel::Task));
    }
    app.insert_resource::<Script>(script);
    app.insert_resource(Findings(shown.findings));
    if let Some(out) = shown.out {
        app.insert_resource(OutputFolder(out.to_owned()));
    }
    if shown.records {
        app.insert_resource(SaveRecordings(Arc::new(recording::save)));
    }
    // A run watches for signals from its start, because it has results to lose.
    let watched = app.world().get_resource::<Interrupts>().cloned();
    let interrupts = watched.unwrap_or_else(Interrupts::watch);
    app.insert_resource(interrupts.clone());
    app.add_systems(Update, |interrupts: Res<Interrupts>, mut exit: MessageWriter<AppExit>| {
        if interrupts.exit_code().is_some() {
            exit.write(AppExit::Success);
        }
    });
    let exit = guard(|| app.run())
        .map_err(|panic| Failure::Message(format!("the window broke down, which is a bug: {panic}")))?;
    match (exit, interrupts.exit_code()) {
        (_, Some(code)) => Err(Failure::Exit(code)),
        (AppExit::Success, None) => Ok(()),
        (AppExit::Error(code), None) => Err(Failure::Exit(code.get())),
    }
}
