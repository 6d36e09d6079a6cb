//! A window changes a run only by interactions.

mod files;
mod hands;
mod program;
mod timeline;
mod whole;

use std::fs;
use std::path::Path;

use bevy::prelude::*;
use bunraku::document::Reporter;
use bunraku::prelude::*;
use bunraku::scene::SceneOptions;
use bunraku::simulation::run_steps;

/// A scene of the project with this duration, s.
fn load(name: &str, duration: f64) -> Scene {
    let reporter = Reporter::strict();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes").join(name);
    let overrides = vec![("simulation.duration".to_owned(), duration.to_string())];
    let scene = Scene::load(&path, &SceneOptions { overrides, ..SceneOptions::default() }, &reporter);
    scene.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()))
}

/// An app without a window that records a scene into `out`.
fn recording(scene: &Scene, out: &Path) -> (App, Vec<Entity>) {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app.insert_resource(Pace::Paused);
    let entities = scene.spawn(app.world_mut());
    scene.record(app.world_mut(), &entities, out).unwrap();
    (app, entities)
}

/// Makes all steps; returns the files with their bytes.
fn run_through(scene: &Scene, before: impl FnOnce(&mut World, &[Entity])) -> Vec<(String, Vec<u8>)> {
    let out = tempfile::tempdir().unwrap();
    let (mut app, entities) = recording(scene, out.path());
    before(app.world_mut(), &entities);
    run_steps(app.world_mut(), u64::MAX);
    finish(scene, app.world_mut(), &entities, out.path())
}

/// Finishes a recording; returns its files.
fn finish(scene: &Scene, world: &mut World, entities: &[Entity], out: &Path) -> Vec<(String, Vec<u8>)> {
    let files = scene.finish_recordings(world, entities, out);
    assert!(files.failed.is_empty() && files.cut.is_empty(), "{files:?}");
    read_files(out)
}

/// All files of a directory and its subdirectories, by name.
fn read_files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            files
                .extend(read_files(&entry.path()).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            files.push((name, fs::read(entry.path()).unwrap()));
        }
    }
    files.sort();
    files
}

/// Asserts that the files are the same; the message names those that differ.
#[track_caller]
fn assert_same(found: &[(String, Vec<u8>)], expected: &[(String, Vec<u8>)]) {
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(found), names(expected));
    for ((name, found), (_, expected)) in found.iter().zip(expected) {
        assert!(found == expected, "{name}: {} and {} bytes", found.len(), expected.len());
    }
}
