//! Model files through Bevy's asset server.
#![cfg(feature = "assets")]

use std::path::Path;
use std::time::{Duration, Instant};

use bevy::asset::LoadState;
use bevy::prelude::*;
use bunraku_body::{BodyAsset, BodyPlugin};

/// A load takes milliseconds; the timeout ends a test that hangs.
const TIMEOUT: Duration = Duration::from_secs(30);

fn app_with_files(directory: &Path, plugin_comes_first: bool) -> App {
    let assets = AssetPlugin { file_path: directory.to_string_lossy().into_owned(), ..default() };
    let mut app = App::new();
    app.add_plugins(MinimalPlugins);
    if plugin_comes_first {
        app.add_plugins((BodyPlugin, assets));
    } else {
        app.add_plugins((assets, BodyPlugin));
    }
    app.finish();
    app.cleanup();
    app
}

fn load(app: &mut App, file: &'static str) -> (Handle<BodyAsset>, LoadState) {
    let server = app.world().resource::<AssetServer>().clone();
    let handle = server.load::<BodyAsset>(file);
    let start = Instant::now();
    loop {
        app.update();
        match server.load_state(&handle) {
            state @ (LoadState::Loaded | LoadState::Failed(_)) => return (handle, state),
            LoadState::NotLoaded | LoadState::Loading => assert!(start.elapsed() < TIMEOUT, "it never ends"),
        }
    }
}

#[test]
fn a_model_file_and_the_files_it_names_become_a_body() {
    let directory = tempfile::tempdir().unwrap();
    let head = "format: ChoreonoidBody\nformat_version: 2.0\n";
    let part = format!("{head}links: [ {{ name: PART, joint_type: fixed }} ]\n");
    let whole = format!(
        "{head}unheard_of_key: 1\nlinks:\n  - {{ name: ROOT, joint_type: free }}\n  - {{ type: SubBody, uri: ../part.body, \
         prefix: A_, parent: ROOT }}\n"
    );
    std::fs::create_dir(directory.path().join("robots")).unwrap();
    std::fs::write(directory.path().join("part.body"), part).unwrap();
    std::fs::write(directory.path().join("robots/whole.body"), whole).unwrap();
    for plugin_comes_first in [true, false] {
        let mut app = app_with_files(directory.path(), plugin_comes_first);
        let (handle, state) = load(&mut app, "robots/whole.body");
        assert!(matches!(state, LoadState::Loaded), "{state:?}");
        let asset = app.world().resource::<Assets<BodyAsset>>().get(&handle).unwrap();
        let names: Vec<_> = asset.body.links().iter().map(|link| link.name.as_str()).collect();
        assert_eq!(names, ["ROOT", "A_PART"]);
        assert!(!asset.diagnostics.is_empty(), "the unknown key");
    }
}

#[test]
fn an_openhrp_model_becomes_a_body() {
    let directory = tempfile::tempdir().unwrap();
    let protos = "PROTO Humanoid [ exposedField MFNode humanoidBody [] ] { Group { children IS humanoidBody } }\n\
                  PROTO Joint [ field SFString jointType \"fixed\" ] { Group {} }\n";
    let text = format!(
        "#VRML V2.0 utf8\n{protos}DEF Robot Humanoid {{ humanoidBody [ DEF WAIST Joint {{ jointType \"free\" }} ] }}\n"
    );
    std::fs::write(directory.path().join("robot.wrl"), text).unwrap();
    let mut app = app_with_files(directory.path(), false);
    let (handle, state) = load(&mut app, "robot.wrl");
    assert!(matches!(state, LoadState::Loaded), "{state:?}");
    let asset = app.world().resource::<Assets<BodyAsset>>().get(&handle).unwrap();
    assert_eq!((asset.body.name.as_str(), asset.body.root().name.as_str()), ("Robot", "WAIST"));
}

#[test]
fn a_file_that_is_no_model_fails_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("odd.body"), "format: ChoreonoidBody\nlinks: 3\n").unwrap();
    let mut app = app_with_files(directory.path(), false);
    let (_, state) = load(&mut app, "odd.body");
    let LoadState::Failed(error) = state else { panic!("{state:?}") };
    assert!(error.to_string().contains("odd.body"), "{error}");
}
