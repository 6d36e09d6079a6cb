//! The window of the program.

use std::path::{Path, PathBuf};

use bevy::app::{AppExit, PluginGroup};
use bevy::prelude::*;
use bunraku::control::ControlPlugin;
use bunraku::document::{Diagnostic, Severity};
use bunraku::motion::StateRecorder;
use bunraku::physics::PhysicsPlugin;
use bunraku::viewer::camera::Quality;
use bunraku::viewer::panels::Panel;
use bunraku::viewer::window::{
    Act, Findings, OutputFolder, SaveRecordings, Script, ViewerOptions, ViewerPlugin, open_window,
};

use nalgebra::Point3;

use super::super::common::{CommonArgs, Failure};
use super::super::interrupts::Interrupts;
use super::super::messages;
use super::super::panics::guard;
use super::args::WindowArgs;
use super::models::{load_all, spawn};
use super::scripted;

/// What a window is to show.
pub struct Shown<'a> {
    /// What loading found.
    pub findings: Vec<Diagnostic>,
    /// Where its pictures and tables go.
    pub out: &'a Path,
    /// Whether the run is recorded.
    pub records: bool,
    /// Where the camera begins and what it looks at, m.
    pub camera: Option<[Point3<f64>; 2]>,
}

/// Shows files until the window is closed.
pub fn view(paths: &[PathBuf], arguments: &WindowArgs, common: &CommonArgs) -> Result<(), Failure> {
    let files = load_all(paths, common);
    messages::diagnostics(&files.findings, Severity::Warning);
    let names: Vec<_> = paths.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy()).collect();
    let mut app = open(&names.join(", "))?;
    match &files.scene {
        Some(scene) => {
            app.add_plugins(bunraku::SandboxPlugins);
            scene.spawn(app.world_mut());
        }
        None => {
            // Nothing moves but by motions.
            app.add_plugins(bunraku::SandboxPlugins.build().disable::<PhysicsPlugin>().disable::<ControlPlugin>());
            spawn(&files, app.world_mut());
        }
    }
    let camera = files.scene.as_ref().and_then(|scene| scene.view);
    let shown = Shown { findings: files.findings, out: Path::new("."), records: false, camera };
    show(app, shown, arguments)
}

/// An app with a window.
pub fn open(title: &str) -> Result<App, Failure> {
    let options = ViewerOptions { title: format!("{title} – Bunraku"), ..ViewerOptions::default() };
    let opened = guard(|| open_window(&options));
    let opened = opened.map_err(|panic| {
        let without = "`bunraku run` without `--view` needs no window";
        Failure::Message(format!("no window can be opened here: {panic}; {without}"))
    })?;
    opened.map_err(|error| Failure::Message(error.to_string()))
}

/// Shows an app with bodies until its window is closed.
pub fn show(mut app: App, shown: Shown<'_>, arguments: &WindowArgs) -> Result<(), Failure> {
    let is_scripted = arguments.picture.is_some();
    let point = |point: Point3<f64>| Vec3::from_array(point.coords.cast::<f32>().into());
    let mut plugin = ViewerPlugin { camera: shown.camera.map(|ends| ends.map(point)), ..ViewerPlugin::default() };
    if is_scripted {
        // A picture comes out the same whatever the window was like before.
        plugin.layout_file = None;
        app.insert_resource(Quality::Full);
    }
    app.add_plugins(plugin);
    let mut script = scripted::script(arguments, app.world_mut())?;
    if shown.findings.iter().any(|finding| finding.severity == Severity::Error) && arguments.panel.is_empty() {
        script.0.push_front(Act::Open(Panel::Problems));
    }
    app.insert_resource::<Script>(script);
    app.insert_resource(Findings(shown.findings));
    app.insert_resource(OutputFolder(shown.out.to_owned()));
    if shown.records {
        app.insert_resource(SaveRecordings(std::sync::Arc::new(save)));
    }
    let interrupts = Interrupts::watch();
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

/// Writes all motions recorded so far; the recording goes on.
fn save(world: &mut World) -> String {
    let mut recorders = world.query::<&mut StateRecorder>();
    let (mut written, mut failed) = (Vec::new(), Vec::new());
    for mut recorder in recorders.iter_mut(world) {
        match recorder.save() {
            Ok(Some(file)) => written.push(file.path.display().to_string()),
            Ok(None) => {}
            Err(error) => failed.push(error.to_string()),
        }
    }
    match (written.is_empty(), failed.is_empty()) {
        (_, false) => format!("not saved: {}", failed.join("; ")),
        (false, true) => format!("written: {}", written.join(", ")),
        (true, true) => "nothing is recorded".to_owned(),
    }
}
