//! Scenes of the repository.

use std::path::{Path, PathBuf};

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

fn share() -> Option<PathBuf> {
    std::env::var_os("BUNRAKU_SHARE").map(PathBuf::from)
}

fn load(file: &Path) -> Scene {
    let reporter = Reporter::new();
    let load = LoadOptions { roots: SearchRoots::new(share()).allow_outside(true), ..LoadOptions::default() };
    let scene = Scene::load(file, &SceneOptions { load, ..SceneOptions::default() }, &reporter);
    scene.unwrap_or_else(|| {
        for diagnostic in reporter.diagnostics() {
            println!("{diagnostic}");
        }
        std::process::exit(1);
    })
}
