//! Scenes of the repository.

use std::path::{Path, PathBuf};

use bunraku::body::LoadOptions;
use bunraku::document::{Reporter, SearchRoots};
use bunraku::prelude::*;
use bunraku::scene::SceneOptions;

/// SR1's walk if `BUNRAKU_SHARE` names Choreonoid's data, else the rover in `assets`.
pub fn robot_scene() -> Scene {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes");
    let file = root.join(if share().is_some() { "sr1_walk.scene.yaml" } else { "rover.scene.yaml" });
    load(&file)
}

/// A project of Choreonoid's samples, if they are beside the directory that `BUNRAKU_SHARE` names.
pub fn sample(project: &str) -> Option<Scene> {
    let file = share()?.parent()?.join("sample/general").join(project);
    file.exists().then(|| load(&file))
}

/// Choreonoid's data.
pub fn share() -> Option<PathBuf> {
    std::env::var_os("BUNRAKU_SHARE").map(PathBuf::from)
}

/// A scene or project; exits the process if it cannot be loaded.
fn load(file: &Path) -> Scene {
    open(file).unwrap_or_else(|findings| {
        println!("{findings}");
        std::process::exit(1);
    })
}

/// A scene or project, or what is wrong with it.
pub fn open(file: &Path) -> Result<Scene, String> {
    let reporter = Reporter::new();
    let load = LoadOptions { roots: SearchRoots::new(share()).allow_outside(true), ..LoadOptions::default() };
    let scene = Scene::load(file, &SceneOptions { load, ..SceneOptions::default() }, &reporter);
    let findings = || reporter.diagnostics().iter().map(|finding| format!("{finding}\n")).collect();
    scene.ok_or_else(findings)
}
