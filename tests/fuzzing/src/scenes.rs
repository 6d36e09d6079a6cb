//! Scene files, projects, and terrain from pictures.

use std::path::Path;

use bunraku_document::Reporter;
use bunraku_scene::{Scene, SceneOptions};

use crate::findings;
use crate::scratch::with_file;

/// A scene file.
pub fn scene(bytes: &[u8]) {
    with_file("fuzz.scene.yaml", bytes, load);
}

/// Choreonoid's project.
pub fn cnoid(bytes: &[u8]) {
    with_file("fuzz.cnoid", bytes, load);
}

/// A picture of heights.
pub fn heightfield(bytes: &[u8]) {
    const SCENE: &[u8] = b"format: BunrakuScene\nformat_version: 1\nbodies:\n  - { name: H, shape: { type: heightfield, image: heights.png, size: [ 3, 3, 0.2 ] } }\n";
    with_file("heights.png", bytes, |_| with_file("heights.scene.yaml", SCENE, load));
}

fn load(path: &Path) {
    let reporter = Reporter::new();
    let scene = Scene::load(path, &SceneOptions::default(), &reporter);
    findings::check(reporter, scene.is_some());
    if let Some(scene) = scene {
        assert!(scene.time_step > 0.0 && scene.time_step.is_finite());
    }
}
