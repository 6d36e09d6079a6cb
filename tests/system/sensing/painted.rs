//! Cameras of a scene that are drawn by Bevy.

use std::fs;
use std::path::Path;

use bunraku_test_support::{Needed, skip};

use super::{Results, bunraku, npy, stderr};

const SCENE: &str = "sensors_cameras.scene.yaml";
const SHORT: [&str; 2] = ["--duration", "0.2"];

/// The results of the scene with these sensor settings; `None` if there is no renderer.
fn drawn(sensors: &str) -> Option<Results> {
    let results = tempfile::tempdir().unwrap();
    let mut command = bunraku();
    command.arg("run").arg(Path::new("assets/scenes").join(SCENE)).args(SHORT);
    let output = command.arg("--set").arg(sensors).arg("--out").arg(results.path()).output().unwrap();
    let message = stderr(&output);
    if message.contains("nothing to draw with") {
        skip(Needed::Graphics, message);
        return None;
    }
    assert!(output.status.success() && message.is_empty(), "{message}");
    Some(Results(results))
}

fn colors(results: &Results, camera: &str) -> Vec<u8> {
    image::open(results.path(&format!("sensors/Stereo/{camera}/000001.png"))).unwrap().into_rgb8().into_raw()
}

fn difference(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.len() as f64
}

#[test]
fn a_scene_selects_the_renderer_of_its_cameras() {
    let Some(painted) = drawn("sensors.renderer=gpu") else { return };
    let rays = Results::of_ours(SCENE, &SHORT);
    let names = |results: &Results| -> Vec<_> { results.files().into_iter().map(|(name, _)| name).collect() };
    assert_eq!(names(&painted), names(&rays));
    for camera in ["LEFT", "RIGHT", "DEPTH"] {
        let difference = difference(&colors(&painted, camera), &colors(&rays, camera));
        println!("{camera}: colours differ by {difference:.3} in the mean");
        // The only differences are edges and rounding.
        assert!(difference < 0.5, "{camera}: {difference}");
        assert_ne!(colors(&painted, camera), colors(&rays, camera), "{camera} was drawn by the same");
    }
    // Distances are still calculated with rays: the same bytes.
    let read = |results: &Results, file: &str| fs::read(results.path(&format!("sensors/Stereo/{file}"))).unwrap();
    for file in ["DEPTH/000001.npy", "LEFT/index.csv"] {
        assert!(read(&painted, file) == read(&rays, file), "{file}");
    }
    let cloud = "CLOUD/000000.ply";
    assert_eq!(read(&painted, cloud).len(), read(&rays, cloud).len());
}

#[test]
fn a_camera_asked_for_by_name_has_its_depth_drawn_too() {
    let Some(painted) = drawn("sensors.devices=[{ device: Stereo/DEPTH, renderer: gpu }]") else { return };
    let rays = Results::of_ours(SCENE, &SHORT);
    assert_eq!(colors(&painted, "LEFT"), colors(&rays, "LEFT"), "it was not asked for");
    let depths = |results: &Results| npy(&results.path("sensors/Stereo/DEPTH/000001.npy"));
    let ((painted, shape), (rays, others)) = (depths(&painted), depths(&rays));
    assert_eq!(shape, others);
    // Bevy draws round shapes as polygons, which lie inside them; rays meet the shapes themselves.
    let off = |bound: f64| {
        let pairs = painted.iter().zip(&rays);
        pairs.filter(|(a, b)| (*a - *b).abs() >= bound || a.is_finite() != b.is_finite()).count()
    };
    let [by_one, by_five] = [off(1e-3), off(5e-3)];
    println!("of {} depths {by_one} differ by more than a millimetre, {by_five} by more than five", rays.len());
    assert!(painted != rays && by_one < rays.len() / 20 && by_five < rays.len() / 100, "{by_one}, {by_five}");
}

#[test]
fn without_a_driver_the_message_has_a_solution() {
    let results = tempfile::tempdir().unwrap();
    let mut command = bunraku();
    command.arg("run").arg(Path::new("assets/scenes").join(SCENE)).args(SHORT).args(["--set", "sensors.renderer=gpu"]);
    for variable in ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"] {
        command.env(variable, results.path().join("none.json"));
    }
    let output = command.arg("--out").arg(results.path()).output().unwrap();
    let message = stderr(&output);
    if output.status.success() {
        println!("skipped: this system has other ways to draw than Vulkan");
        return;
    }
    assert_eq!(output.status.code(), Some(1));
    assert!(message.contains("`Stereo/LEFT` cannot take its picture: there is nothing to draw with"), "{message}");
    assert!(message.contains("install a graphics driver") && message.contains("`renderer: cpu`"), "{message}");
}
