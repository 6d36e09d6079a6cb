//! The project's own scenes have the results that their comments describe.

use std::f64::consts::FRAC_PI_2;
use std::path::Path;

use bevy::prelude::*;
use bunraku::document::Reporter;
use bunraku::prelude::*;
use bunraku::scene::SceneOptions;
use bunraku_test_support::TestFolder;
use nalgebra::{Point3, Vector3};

use crate::common::{bunraku, stderr};

/// A scene of the project in an app, with its first body.
struct Running {
    app: App,
    body: Entity,
    time_step: f64,
}

impl Running {
    fn new(name: &str) -> Self {
        let reporter = Reporter::strict();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes").join(name);
        let scene = Scene::load(&path, &SceneOptions::default(), &reporter);
        let scene = scene.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()));
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
        let body = scene.spawn(app.world_mut())[0];
        Self { app, body, time_step: scene.time_step }
    }

    /// The state at `time` (s).
    fn at(&mut self, time: f64) -> &BodyState {
        let done = self.app.world().resource::<SimulationClock>().step();
        let steps = (time / self.time_step).round() as u64 - done;
        self.app.insert_resource(Pace::Steps(steps));
        self.app.update();
        assert_eq!(self.app.world().resource::<SimulationClock>().step(), done + steps);
        self.app.world().get::<BodyState>(self.body).unwrap()
    }
}

#[test]
fn the_pendulum_swings_as_the_equations_say() {
    let mut pendulum = Running::new("pendulum.scene.yaml");
    // From a fourth-order Runge-Kutta integration of the exact equations. The motion is chaotic: a first-order
    // integrator stays close to it for two seconds only.
    for (time, expected, tolerance) in [
        (0.5, [-0.110_693, -0.612_706], 2e-3),
        (1.0, [-1.233_208, -0.925_501], 5e-3),
        (2.0, [1.121_851, -0.792_462], 2e-2),
    ] {
        let found = &pendulum.at(time).displacements;
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < tolerance, "at {time} s: {found} rad instead of {expected} rad");
        }
    }
}

#[test]
fn the_box_falls_and_comes_to_rest_flat() {
    let mut falling = Running::new("falling_box.scene.yaml");
    // Free fall from half a metre until shortly before contact.
    let height = falling.at(0.2).link_poses[0].translation.z;
    assert!((height - (0.5 - 0.5 * 9.80665 * 0.04)).abs() < 1e-3, "{height} m");
    let before = falling.at(1.7).link_poses[0];
    let after = falling.at(2.0).link_poses[0];
    let flat = (after.rotation * Vector3::z()).z;
    assert!(flat > 1.0 - 1e-6, "up-vector {flat}");
    assert!((after.translation.z - 0.05).abs() < 1e-4, "{} m", after.translation.z);
    assert!((after.translation.vector - before.translation.vector).norm() < 1e-4, "it creeps");
}

#[test]
fn the_satellite_rotates_opposite_to_its_wheel() {
    let mut satellite = Running::new("satellite.scene.yaml");
    let mut farthest = 0.0_f64;
    for tenths in 1..=40 {
        let state = satellite.at(f64::from(tenths) / 10.0);
        let angle = state.link_poses[0].rotation.euler_angles().2;
        // Velocities change in the middle of a step: free bodies lag by half a step of 1 ms behind prescribed ones.
        let followed = state.displacements[0] - 0.0005 * state.velocities[0];
        farthest = farthest.max((angle + followed / 41.0).abs());
    }
    let state = satellite.at(4.0);
    let angle = state.link_poses[0].rotation.euler_angles().2;
    println!("{angle:.6} rad; never farther than {farthest:.1e} rad from a 41st of the wheel");
    assert!(farthest < 1e-4, "{farthest} rad off");
    assert!((angle + FRAC_PI_2).abs() < 1e-4, "{angle} rad");
    assert!((state.displacements[0] - 41.0 * FRAC_PI_2).abs() < 1e-4);
}

#[test]
fn the_rover_drives_the_distance_its_wheels_roll_and_turns() {
    const WHEEL_RADIUS: f64 = 0.08;
    let mut rover = Running::new("rover.scene.yaml");
    let state = rover.at(2.45);
    let (place, rolled) =
        (state.link_poses[0].translation, WHEEL_RADIUS * (state.displacements[0] + state.displacements[1]) / 2.0);
    assert!((place.x - rolled).abs() < 0.01 && place.y.abs() < 0.01, "{place}, rolled {rolled} m");
    assert!((rolled - 1.0).abs() < 0.01, "rolled {rolled} m");
    let state = rover.at(6.0);
    let heading = state.link_poses[0].rotation.euler_angles().2;
    assert!((heading - FRAC_PI_2).abs() < 0.005, "{heading} rad");
    println!("turned by {heading:.4} rad");
    let place = state.link_poses[0].translation.vector;
    assert!((place - Vector3::new(1.0, 0.5, WHEEL_RADIUS)).norm() < 0.005, "{place}");
    for (found, expected) in state.displacements.iter().zip([16.197_456, 21.302_544]) {
        assert!((found - expected).abs() < 5e-3, "wheel at {found} rad instead of {expected} rad");
    }
    // If its wheels were solved one after the other, they would press against each other until one slides.
    let errors = rover.app.world().resource::<bunraku::physics::ConstraintErrors>();
    assert!(errors.largest() <= bunraku::physics::ConstraintErrors::TOLERANCE, "{errors:?}");
}

#[test]
fn the_rover_tows_its_cart_round_the_corner() {
    let mut tow = Running::new("tow.scene.yaml");
    let mut names = tow.app.world_mut().query::<(Entity, &Name)>();
    let cart = names.iter(tow.app.world()).find(|(_, name)| name.as_str() == "Cart").unwrap().0;
    let mut widest = 0.0_f64;
    for tenth in 1..=60 {
        let hook = tow.at(f64::from(tenth) / 10.0).link_poses[0] * Point3::new(-0.22, 0.0, 0.0);
        let eye = tow.app.world().get::<BodyState>(cart).unwrap().link_poses[0] * Point3::new(0.25, 0.0, 0.02);
        widest = widest.max((hook - eye).norm());
    }
    println!("the hook and the eye are apart by up to {widest:.1e} m");
    assert!(widest < 1e-3, "{widest} m");
    // It is upright behind the rover, near the rover's end position without it.
    let rover = tow.at(6.0).link_poses[0];
    let cart = tow.app.world().get::<BodyState>(cart).unwrap();
    println!("rover at {}, cart at {}", rover.translation, cart.link_poses[0].translation);
    assert!((rover.translation.vector - Vector3::new(1.0, 0.5, 0.08)).norm() < 0.05, "{}", rover.translation);
    assert!((cart.link_poses[0].translation.z - 0.06).abs() < 2e-3);
    assert!(cart.link_poses[0].translation.y < rover.translation.y - 0.2);
}

#[test]
fn the_crawler_drives_a_metre_turns_and_holds_against_a_push() {
    let mut crawler = Running::new("crawler.scene.yaml");
    let place = crawler.at(2.7).link_poses[0].translation.vector;
    println!("after the drive at {place}");
    // 0.5 m/s for 1.5 s, and 0.5 s of acceleration and braking.
    assert!((place.x - 1.0).abs() < 0.02 && place.y.abs() < 0.01, "{place}");
    let heading = crawler.at(4.7).link_poses[0].rotation.euler_angles().2;
    // Wheels at ±0.3 m/s, 0.26 m apart, would turn it by 0.6/0.26·1.5 s.
    let wheels = 0.6 / 0.26 * 1.5;
    println!("turned by {heading:.3} rad, wheels by {wheels:.3}");
    assert!(heading > 0.3 * wheels && heading < wheels, "{heading} rad");
    let before = crawler.at(4.95).link_poses[0].translation.vector;
    let moved = (crawler.at(6.0).link_poses[0].translation.vector - before).norm();
    println!("pushed by {:.2} mm", moved * 1e3);
    assert!(moved < 2e-3, "{moved} m");
}

#[test]
fn the_trotter_walks_its_circle_and_catches_a_push() {
    let mut trotter = Running::new("trotter.scene.yaml");
    let begun = trotter.at(2.0).link_poses[0];
    let before = trotter.at(5.0).link_poses[0];
    let way = (before.translation.vector - begun.translation.vector).norm();
    let turned = (begun.rotation.inverse() * before.rotation).euler_angles().2;
    println!("{:.3} m/s, {:.3} rad/s", way / 3.0, turned / 3.0);
    // Its program asks for 0.5 m/s and 0.25 rad/s; the feet slip a little.
    assert!((way / 3.0 - 0.5).abs() < 0.1 && (turned / 3.0 - 0.25).abs() < 0.08, "{way} m, {turned} rad");
    let after = trotter.at(10.0).link_poses[0];
    let upright = (after.rotation * Vector3::z()).z;
    println!("{:.4} m high, cosine of its tilt {upright:.4}", after.translation.z);
    assert!((after.translation.z - 0.36).abs() < 0.03 && upright > 0.98, "it has fallen");
}

/// Runs the commands of a page that contain one of these words, in a folder with the files of `assets`.
fn run_commands(page: &str, words: &[&str], number: usize) -> TestFolder {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join(page)).unwrap();
    let command =
        |line: &'_ str| line.strip_prefix("cargo run -- ").or_else(|| line.strip_prefix("bunraku ")).map(str::to_owned);
    let commands = page.lines().filter_map(command);
    let commands: Vec<String> = commands.filter(|line| words.iter().any(|word| line.contains(word))).collect();
    assert_eq!(commands.len(), number, "{commands:?}");
    let folder = TestFolder::new();
    for directory in ["controllers", "models", "motions", "scenes", "tasks"] {
        for file in std::fs::read_dir(root.join("assets").join(directory)).unwrap() {
            let file = file.unwrap().path();
            folder.write(file.strip_prefix(root).unwrap(), std::fs::read(&file).unwrap());
        }
    }
    for command in commands {
        let words = command.split(" # ").next().unwrap().split_whitespace();
        let words = words.map(|word| word.trim_matches('\''));
        let output = bunraku().current_dir(folder.path()).args(words).output().unwrap();
        assert!(output.status.success(), "{command}: {}", stderr(&output));
    }
    folder
}

/// Compares a picture with that in `docs/pictures`, which `INSTA_UPDATE=always` replaces.
fn compare_picture(folder: &TestFolder, name: &str) {
    let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures").join(name);
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::copy(folder.join(name), &shown).unwrap();
    }
    let picture = |path: &Path| image::open(path).unwrap().into_rgb8();
    let (ours, shown) = (picture(&folder.join(name)), picture(&shown));
    assert_eq!(ours.dimensions(), shown.dimensions());
    let differences = ours
        .pixels()
        .zip(shown.pixels())
        .flat_map(|(one, other)| (0..3).map(|channel| f64::from(one.0[channel].abs_diff(other.0[channel]))));
    let mean = differences.sum::<f64>() / f64::from(ours.width() * ours.height() * 3);
    // Another machine may round differently, so that a body ends at a slightly different place.
    assert!(mean < 2.0, "{name} differs by {mean} of 255");
}

#[test]
fn the_picture_of_the_readme_is_made_by_its_commands() {
    compare_picture(&run_commands("README.md", &["pick_place"], 2), "arm.png");
}

#[test]
fn the_picture_of_ones_own_robot_is_made_by_the_commands_of_the_guide() {
    compare_picture(&run_commands("docs/guide/tasks.md", &["picker", "cube.yaml"], 4), "picker.png");
}

#[test]
fn the_picture_of_the_trotter_is_made_by_the_commands_of_the_guide() {
    compare_picture(&run_commands("docs/guide/controllers.md", &["trotter"], 2), "trotter.png");
}

#[test]
fn the_picture_and_the_curves_of_the_course_are_made_by_the_commands_of_the_guide() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = run_commands("docs/guide/first-run.md", &["course"], 3);
    compare_picture(&folder, "course.png");
    let scene =
        Scene::load(&root.join("assets/scenes/course.scene.yaml"), &SceneOptions::default(), &Reporter::strict());
    assert_eq!(scene.unwrap().bodies.len(), 2 + 20, "a rover, the ground and twenty primitives");
    let pictures = root.join("docs/pictures");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::copy(folder.join("course.svg"), pictures.join("course.svg")).unwrap();
    }
    let curves = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap();
        let names = ["root.x", "root.y", "root.z"].map(|name| text.contains(&format!(">{name}</text>")));
        (names, text.matches("<path").count() + text.matches("<polyline").count())
    };
    assert_eq!(curves(&folder.join("course.svg")), curves(&pictures.join("course.svg")));
    assert_eq!(curves(&pictures.join("course.svg")).0, [true; 3]);
}
