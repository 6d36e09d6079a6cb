//! What a picture of the window costs, and what the window costs the steps.
//!
//! ```text
//! BUNRAKU_SHARE=…/share cargo bench --profile dev --features viewer --bench window
//! ```
//!
//! It needs a display: `xvfb-run --auto-servernum` in front of it is one without a screen. Each scene has a process of its own, which makes its
//! steps without a window, with it at unlimited speed, and without again; ratios mean more than times. Without Choreonoid's data the rover of our
//! own assets is measured.

#![allow(clippy::print_stdout, clippy::expect_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use bevy::prelude::*;
use bunraku::prelude::*;
use bunraku::scene::SceneOptions;
use bunraku_viewer::view::{Request, Speed};
use bunraku_viewer::window::{Act, Begun, FirstPicture, Script, Timings, ViewerOptions, ViewerPlugin, open_window};

/// Pictures that settle shaders and layout, and those that are timed.
const SETTLING: u32 = 4;
const TIMED: u32 = 8;
/// Steps that are timed.
const STEPS: u64 = 3000;

/// A spider robot with cameras and lights, and a house.
const SPIDER: &str = "format: BunrakuScene
format_version: 1
simulation: { time_step: 0.001, duration: 60 }
bodies:
  - { name: Spider, file: '${SHARE}/model/AizuSpider/AizuSpiderNS.body', translation: [ 0, 0, 0.5 ] }
  - { name: House, file: '${SHARE}/model/house/house.wrl', drive: static }
  - { name: Floor, file: '${SHARE}/model/house/floor.wrl', drive: static }
view: { eye: [ 3, -3, 2 ], target: [ 0, 0, 0.5 ] }
";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let share = std::env::var_os("BUNRAKU_SHARE").map(PathBuf::from);
    if let Some(at) = arguments.iter().position(|argument| argument == "--scene") {
        return measure(Path::new(&arguments[at + 1]), share);
    }
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes");
    let folder = tempfile::tempdir().expect("a folder");
    let spider = folder.path().join("spider_in_house.scene.yaml");
    std::fs::write(&spider, SPIDER).expect("written");
    let scenes = match share {
        Some(_) => vec![assets.join("sr1_walk.scene.yaml"), spider],
        None => vec![assets.join("rover.scene.yaml")],
    };
    let program = std::env::current_exe().expect("this program");
    for scene in scenes {
        let status = Command::new(&program).arg("--scene").arg(&scene).status().expect("it runs");
        assert!(status.success(), "{}: {status}", scene.display());
    }
}

fn load(file: &Path, share: Option<PathBuf>) -> Scene {
    let reporter = Reporter::new();
    let load = LoadOptions { roots: SearchRoots::new(share).allow_outside(true), ..LoadOptions::default() };
    let overrides = vec![("simulation.duration".to_owned(), "60".to_owned())];
    let options = SceneOptions { load, overrides, ..SceneOptions::default() };
    let scene = Scene::load(file, &options, &reporter);
    scene.unwrap_or_else(|| {
        for diagnostic in reporter.diagnostics() {
            println!("{diagnostic}");
        }
        std::process::exit(1);
    })
}

/// µs per step without a window.
#[allow(clippy::cast_precision_loss)]
fn headless(scene: &Scene) -> f64 {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app.insert_resource(Pace::Unpaced);
    scene.spawn(app.world_mut());
    run_steps(app.world_mut(), 1);
    let start = Instant::now();
    while app.world().resource::<SimulationClock>().step() < STEPS {
        app.update();
    }
    start.elapsed().as_secs_f64() * 1e6 / (app.world().resource::<SimulationClock>().step() - 1) as f64
}

/// Pictures so far, and when the timed ones of each kind began and ended.
#[derive(Resource, Default)]
struct Meter {
    pictures: u32,
    marks: Vec<Instant>,
}

/// What the window has told.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    with_panels: f64,
    without_panels: f64,
    step: f64,
    first: f64,
}

fn count(mut meter: ResMut<Meter>) {
    meter.pictures += 1;
    let at = meter.pictures % (SETTLING + TIMED);
    if at == SETTLING || at == 0 {
        meter.marks.push(Instant::now());
    }
}

fn measure(file: &Path, share: Option<PathBuf>) {
    let scene = load(file, share);
    let before = headless(&scene);
    let begun = Instant::now();
    let mut app = match open_window(&ViewerOptions::default()) {
        Ok(app) => app,
        Err(error) => return println!("{error}"),
    };
    app.insert_resource(Begun(begun)).add_plugins(SandboxPlugins);
    scene.spawn(app.world_mut());
    let camera = scene.view.map(|ends| ends.map(|point| Vec3::from_array(point.coords.cast::<f32>().into())));
    app.add_plugins(ViewerPlugin { camera, layout_file: None, ..ViewerPlugin::default() });
    let script = [
        Act::Frames(SETTLING + TIMED - 1),
        Act::Panels(false),
        Act::Frames(SETTLING + TIMED),
        Act::Panels(true),
        Act::Ask(Request::SetSpeed(Speed::Unlimited)),
        Act::Ask(Request::Run),
    ];
    app.insert_resource(Script(script.into_iter().collect())).init_resource::<Meter>();
    let told = Arc::new(Mutex::new(Told::default()));
    let owned = Arc::clone(&told);
    let end = move |clock: Res<SimulationClock>,
                    meter: Res<Meter>,
                    timings: Res<Timings>,
                    first: Res<FirstPicture>,
                    mut exit: MessageWriter<AppExit>| {
        if clock.step() < STEPS {
            return;
        }
        let picture = |from: usize| (meter.marks[from + 1] - meter.marks[from]).as_secs_f64() * 1e3 / f64::from(TIMED);
        #[allow(clippy::cast_precision_loss)]
        let step = timings.total * 1e6 / timings.made as f64;
        let told = Told {
            with_panels: picture(0),
            without_panels: picture(2),
            step,
            first: first.seconds().unwrap_or(f64::NAN),
        };
        *owned.lock().expect("nobody panics") = told;
        exit.write(AppExit::Success);
    };
    app.add_systems(Last, (count, end).chain());
    app.run();
    let after = headless(&scene);
    let Told { with_panels, without_panels, step, first } = *told.lock().expect("nobody panics");
    let alone = (before + after) / 2.0;
    println!("{}", file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default());
    println!("  picture, paused, with panels    {with_panels:7.1} ms");
    println!("  picture, paused, without panels {without_panels:7.1} ms");
    println!("  step without a window           {before:7.1} and {after:.1} µs");
    println!("  step in the window, unlimited   {step:7.1} µs, {:.3} of that without", step / alone);
    println!("  asking for it to first picture  {first:7.2} s, files read before");
}
