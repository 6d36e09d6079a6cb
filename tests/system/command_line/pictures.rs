//! `bunraku picture`: ray-traced pictures, drawn without a graphics driver.

use image::RgbImage;

use super::desk::{ARM, Desk};
use crate::common::{stderr, stdout};

/// A red box beside a blue one on a green floor.
const BOXES: &str = "\
format: BunrakuScene
format_version: 1
simulation: { duration: 1 }
bodies:
  - { name: Floor, shape: { type: plane, size: [ 4, 4 ], color: [ 0, 0.6, 0 ] } }
  - { name: Red, shape: { type: box, size: [ 0.4, 0.4, 0.4 ], color: [ 1, 0, 0 ] }, translation: [ 0, 0.5, 0.2 ] }
  - { name: Blue, shape: { type: box, size: [ 0.4, 0.4, 0.4 ], color: [ 0, 0, 1 ] }, translation: [ 0, -0.5, 1.2 ] }
";

fn desk() -> Desk {
    let desk = Desk::new(ARM, "");
    desk.write("boxes.scene.yaml", BOXES);
    desk
}

fn picture(desk: &Desk, arguments: &[&str]) -> RgbImage {
    let output = desk.bunraku(&[&["picture"], arguments, &["--size", "120x90", "--out", "p.png"]].concat());
    assert_eq!(
        (output.status.code(), stdout(&output).as_str()),
        (Some(0), "written    p.png\n"),
        "{}",
        stderr(&output)
    );
    let picture = image::open(desk.path().join("p.png")).unwrap().into_rgb8();
    assert_eq!(picture.dimensions(), (120, 90));
    picture
}

/// The mean position, in pixels, of the pixels that have only one channel (red, green or blue).
fn middle(picture: &RgbImage, channel: usize) -> Option<[f64; 2]> {
    let is_of = |pixel: &image::Rgb<u8>| {
        let others = (0..3).filter(|other| *other != channel).map(|other| pixel.0[other]).max().unwrap();
        pixel.0[channel] > 40 && others < 20
    };
    let found: Vec<_> = picture.enumerate_pixels().filter(|(.., pixel)| is_of(pixel)).collect();
    let mean = |of: fn(&(u32, u32, &image::Rgb<u8>)) -> u32| {
        found.iter().map(|pixel| f64::from(of(pixel))).sum::<f64>() / found.len() as f64
    };
    (!found.is_empty()).then(|| [mean(|pixel| pixel.0), mean(|pixel| pixel.1)])
}

#[test]
fn a_scene_is_drawn_from_all_sides() {
    let desk = desk();
    // From +X, +Y is to the right.
    let front = picture(&desk, &["boxes.scene.yaml", "--view", "front"]);
    let (red, blue) = (middle(&front, 0).unwrap(), middle(&front, 2).unwrap());
    assert!(red[0] > blue[0] + 30.0 && red[1] > blue[1] + 30.0, "{red:?} {blue:?}");
    let back = picture(&desk, &["boxes.scene.yaml", "--view", "back"]);
    assert!(middle(&back, 0).unwrap()[0] < middle(&back, 2).unwrap()[0] - 30.0);
    // From above, +Y is up.
    let top = picture(&desk, &["boxes.scene.yaml", "--view", "top"]);
    assert!(middle(&top, 0).unwrap()[1] < middle(&top, 2).unwrap()[1] - 20.0);
    assert!(middle(&top, 1).is_some(), "the floor");
    // Seen from +Y, the red box is in front of the blue one.
    let left = picture(&desk, &["boxes.scene.yaml", "--camera", "0", "5", "0.2", "0", "0", "0.2"]);
    assert!(middle(&left, 0).is_some());
    let colors = |picture: &RgbImage| picture.pixels().filter(|pixel| pixel.0[2] > 150 && pixel.0[0] < 20).count();
    assert!(colors(&left) < colors(&front), "the blue one is above");
}

#[test]
fn the_time_of_a_picture_is_simulated_or_read_from_the_recording() {
    let desk = desk();
    let height = |arguments: &[&str]| {
        let camera = ["--camera", "5", "0", "0.6", "0", "0", "0.6"];
        middle(&picture(&desk, &[arguments, &camera].concat()), 2).unwrap()[1]
    };
    let (start, fallen) = (height(&["boxes.scene.yaml"]), height(&["boxes.scene.yaml", "--at", "1"]));
    assert!(fallen > start + 10.0, "{start} {fallen}");
    let output =
        desk.bunraku(&["run", "boxes.scene.yaml", "--set", "simulation.gravity=[0,0,-1]", "--out", "moon", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let (begin, middle, end) = (height(&["moon", "--at", "0"]), height(&["moon", "--at", "0.8"]), height(&["moon"]));
    assert!((begin - start).abs() < 1e-9 && middle > begin && end > middle && end < fallen, "{begin} {middle} {end}");
}

#[test]
fn models_and_motions_are_drawn() {
    let desk = Desk::new(&ARM.replace("mass: 1", "mass: 1\n    elements: [ { type: Shape, geometry: { type: Box, size: [ 1, 0.1, 0.1 ] }, appearance: { material: { diffuse: [ 1, 0, 0 ] } } } ]"), "");
    let rows = |picture: &RgbImage| {
        let red =
            picture.enumerate_pixels().filter(|(.., pixel)| pixel.0[0] > 60 && pixel.0[1] < 20).map(|(_, row, _)| row);
        let rows: std::collections::BTreeSet<u32> = red.collect();
        rows.len()
    };
    let camera = ["--camera", "0", "-3", "0", "0", "0", "0"];
    let flat = rows(&picture(&desk, &[&["arm.body"][..], &camera].concat()));
    desk.write("up.seq", "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: 1\ncomponents:\n  -\n    type: MultiValueSeq\n    content: JointDisplacement\n    frameRate: 1\n    numParts: 1\n    frames:\n      - [ 0 ]\n      - [ 1.5 ]\n");
    let arguments = ["up.seq", "--body", "arm.body", "--at", "1"];
    let upright = rows(&picture(&desk, &[&arguments[..], &camera].concat()));
    assert!(flat > 0 && upright > 3 * flat, "{flat} {upright}");
}

#[test]
fn files_that_cannot_be_drawn_are_reported() {
    let desk = desk();
    desk.write("arm.seq", "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: 1\ncomponents:\n  - { type: MultiValueSeq, content: JointDisplacement, numParts: 1, frames: [ [ 0 ] ] }\n");
    let fails = |arguments: &[&str], code: i32, part: &str| {
        let output = desk.bunraku(&[&["picture"], arguments].concat());
        assert!(
            output.status.code() == Some(code) && stderr(&output).contains(part),
            "{arguments:?}: {}",
            stderr(&output)
        );
    };
    fails(&["arm.seq"], 2, "name the model that moves with `--body`");
    fails(&["boxes.scene.yaml", "--body", "arm.body"], 2, "`--body` goes with a motion");
    fails(&["arm.body"], 1, "there is nothing to draw");
    fails(&["arm.body", "--at", "1"], 2, "a model stands still");
    fails(&["boxes.scene.yaml", "--out", "p.jpg"], 2, "must end in `.png`");
    fails(&["boxes.scene.yaml", "--size", "5x5"], 2, "from 16x16");
    fails(&["boxes.scene.yaml", "--at=-1"], 2, "not negative");
    fails(&["boxes.scene.yaml", "--camera", "1", "1", "1", "1", "1", "1"], 2, "looks nowhere");
    fails(&["nothing"], 1, "");
    let output = desk.bunraku(&["run", "boxes.scene.yaml", "--duration", "0.1", "--out", "short", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    fails(&["short", "--at", "0.2"], 2, "`--at` is after the end of the recording, which is at 0.1000 s");
    assert_eq!(desk.bunraku(&["picture", "short", "--at", "0.1"]).status.code(), Some(0));
}

#[test]
fn shadows_a_grid_and_a_transparent_background_are_drawn() {
    let desk = desk();
    let above = ["boxes.scene.yaml", "--camera", "0", "0", "9", "0", "0.01", "0"];
    let plain = picture(&desk, &above);
    let darker = |found: &RgbImage| {
        let pairs = plain.pixels().zip(found.pixels());
        pairs.filter(|(before, now)| now.0[1].saturating_add(40) < before.0[1] && now.0[0] < 20).count()
    };
    let shadows = picture(&desk, &[&above[..], &["--shadows"]].concat());
    assert!(darker(&plain) == 0 && (20..1500).contains(&darker(&shadows)), "{}", darker(&shadows));
    // Lines 1 m apart on the floor; the boxes hide them.
    let grid = picture(&desk, &[&above[..], &["--grid"]].concat());
    let changed = |x: u32, y: u32| plain.get_pixel(x, y) != grid.get_pixel(x, y);
    let metre = 45.0 / (9.0 * (std::f64::consts::FRAC_PI_8).tan());
    let at = |x: f64, y: f64| ((60.0 + metre * x).round() as u32, (45.0 - metre * y).round() as u32);
    let (line, between) = (at(1.0, 1.5), at(1.5, 1.5));
    assert!((0..3).any(|by| changed(line.0 + by - 1, line.1)), "{line:?}");
    assert!((0..3).all(|by| !changed(between.0 + by - 1, between.1)), "{between:?}");
    let (x, y) = at(0.0, 0.5);
    assert!(!changed(x, y), "a line shines through a box");
    // Above the floor there is nothing.
    let far = ["boxes.scene.yaml", "--view", "front", "--transparent"];
    picture(&desk, &far);
    let found = image::open(desk.path().join("p.png")).unwrap().into_rgba8();
    assert_eq!((found.get_pixel(0, 0).0[3], found.get_pixel(60, 80).0[3]), (0, 255));
    let opacities: std::collections::BTreeSet<u8> = found.pixels().map(|pixel| pixel.0[3]).collect();
    assert!(opacities.len() > 2, "edges are smooth: {opacities:?}");
}

/// A box flies past.
const FLYING: &str = "\
format: BunrakuScene
format_version: 1
simulation: { duration: 1, gravity: [ 0, 0, 0 ] }
bodies:
  - { name: Box, shape: { type: box, size: [ 0.4, 0.4, 0.4 ], color: [ 1, 0, 0 ] }, linear_velocity: [ 0, 1, 0 ] }
";

#[test]
fn a_camera_follows_and_ghosts_are_where_something_was() {
    let desk = Desk::new(ARM, "");
    desk.write("flying.scene.yaml", FLYING);
    let camera = ["--camera", "4", "0", "0", "0", "0", "0"];
    let at = |arguments: &[&str]| picture(&desk, &[&["flying.scene.yaml"], arguments, &camera].concat());
    let start = at(&["--at", "0"]);
    let plain = at(&["--at", "1"]);
    assert!(middle(&plain, 0).unwrap()[0] > middle(&start, 0).unwrap()[0] + 15.0);
    assert_eq!(middle(&at(&["--at", "1", "--follow", "Box"]), 0), middle(&start, 0), "the camera moves as far");

    let ghosts = at(&["--at", "1", "--ghosts", "0,0.5"]);
    let pixel = |picture: &RgbImage| picture.get_pixel(60, 45).0;
    let (sky, ghost, solid) = (pixel(&plain), pixel(&ghosts), pixel(&start));
    assert!(sky[1] > ghost[1] && ghost[1] > solid[1], "{sky:?}, {ghost:?}, {solid:?}");
    assert_eq!(middle(&ghosts, 0), middle(&plain, 0), "the box itself is as solid as before");

    for (followed, message) in [("Bix", "there is no body `Bix`; did you mean `Box`?"), ("Box/LINK", "no link `LINK`")]
    {
        let output = desk.bunraku(&[
            "picture",
            "flying.scene.yaml",
            "--camera",
            "4",
            "0",
            "0",
            "0",
            "0",
            "0",
            "--follow",
            followed,
        ]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}
