//! Scenes of the repository.

use std::path::{Path, PathBuf};

use bunraku::prelude::*;
use bunraku::scene::SceneOptions;

/// SR1's walk if `BUNRAKU_SHARE` says where Choreonoid's data is, else the rover of our own assets.
pub fn robot_scene() -> Scene {
    let share = std::env::var_os("BUNRAKU_SHARE").map(PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes");
    let file = root.join(if share.is_some() { "sr1_walk.scene.yaml" } else { "rover.scene.yaml" });
    let reporter = Reporter::new();
    let load = LoadOptions { roots: SearchRoots::new(share), ..LoadOptions::default() };
    let scene = Scene::load(&file, &SceneOptions { load, ..SceneOptions::default() }, &reporter);
    scene.unwrap_or_else(|| {
        for diagnostic in reporter.diagnostics() {
            println!("{diagnostic}");
        }
        std::process::exit(1);
    })
}
