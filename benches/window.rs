//! The cost of a frame of the window, and the cost of the window per step.
//!
//! ```text
//! BUNRAKU_SHARE=…/share cargo bench --profile dev --features viewer --bench window
//! ```
//!
//! It needs a display; `xvfb-run --auto-servernum` before the command provides one without a screen. Each scene runs in
//! a process of its own. Its steps are made twice, in turns: those of one frame of the window at unlimited speed, and
//! then the same steps without a window. Changes in the speed of the machine so affect both equally. Without
//! Choreonoid's data the rover in `assets` is measured.

#![allow(clippy::print_stdout, clippy::expect_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use bevy::prelude::*;
use bunraku::body::LoadOptions;
use bunraku::document::{Reporter, SearchRoots};
use bunraku::prelude::*;
use bunraku::scene::SceneOptions;
use bunraku::viewer::view::{Request, Speed};
use bunraku::viewer::window::{Act, Begun, FirstPicture, Script, Timings, ViewerOptions, ViewerPlugin, open_window};

/// Frames until shaders and layout have settled, and frames that are timed.
const SETTLING: u32 = 4;
const TIMED: u32 = 8;
/// Number of steps.
const STEPS: u64 = 12_000;

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
    if let Some(at) = arguments.iter().position(|argument| argument == "--real-time") {
        return measure_real_time(Path::new(&arguments[at + 1]), share);
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
        for part in ["--scene", "--real-time"] {
            let status = Command::new(&program).arg(part).arg(&scene).status().expect("it runs");
            assert!(status.success(), "{}: {status}", scene.display());
        }
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

/// The app of the scene without a window.
fn headless(scene: &Scene) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app.insert_resource(Pace::Unpaced);
    scene.spawn(app.world_mut());
    app
}

/// Wall time of the same steps in the window and without one, s.
#[derive(Clone, Copy, Debug)]
struct Turn {
    steps: u64,
    window: f64,
    headless: f64,
}

/// The run without a window, and the turns so far.
struct Turns {
    headless: App,
    /// The steps in the window and their wall time at the end of the last turn.
    seen: (u64, f64),
    made: Arc<Mutex<Vec<Turn>>>,
}

/// Makes the steps that the window has just made in the run without it.
fn take_turns(world: &mut World) {
    let Timings { made, total, .. } = *world.resource::<Timings>();
    let Some(mut turns) = world.get_non_send_mut::<Turns>() else { return };
    let (before, spent) = std::mem::replace(&mut turns.seen, (made, total));
    if made == before {
        return;
    }
    // A frame contains as many steps as fit into its time.
    let begun = turns.headless.world().resource::<SimulationClock>().step();
    turns.headless.insert_resource(Pace::Steps(made - before));
    let start = Instant::now();
    turns.headless.update();
    let headless = start.elapsed().as_secs_f64();
    let steps = turns.headless.world().resource::<SimulationClock>().step() - begun;
    assert_eq!(steps, made - before, "the same steps");
    turns.made.lock().expect("nobody panics").push(Turn { steps, window: total - spent, headless });
}

/// Wall time of the run in real time, s.
const REAL_TIME: f64 = 10.0;

/// Pictures per second and real-time factor at speed 1, once shaders and layout have settled.
fn measure_real_time(file: &Path, share: Option<PathBuf>) {
    let scene = load(file, share);
    let mut app = match open_window(&ViewerOptions::default()) {
        Ok(app) => app,
        Err(error) => return println!("{error}"),
    };
    app.add_plugins(SandboxPlugins);
    scene.spawn(app.world_mut());
    let camera = scene.view.map(|ends| ends.map(|point| Vec3::from_array(point.coords.cast::<f32>().into())));
    app.add_plugins(ViewerPlugin { camera, layout_file: None, ..ViewerPlugin::default() });
    let script = [Act::Frames(SETTLING + TIMED), Act::Ask(Request::Run), Act::Frames(SETTLING)];
    app.insert_resource(Script(script.into_iter().collect()));
    let result = Arc::new(Mutex::new((0, 0.0, 0.0)));
    let owned = Arc::clone(&result);
    let watch = move |clock: Res<SimulationClock>,
                      script: Res<Script>,
                      mut begun: Local<Option<(Instant, f64)>>,
                      mut pictures: Local<u32>,
                      mut exit: MessageWriter<AppExit>| {
        if !script.0.is_empty() {
            return;
        }
        let (start, from) = *begun.get_or_insert((Instant::now(), clock.time()));
        let wall = start.elapsed().as_secs_f64();
        if wall >= REAL_TIME {
            *owned.lock().expect("nobody panics") = (*pictures, wall, clock.time() - from);
            exit.write(AppExit::Success);
        }
        *pictures += 1;
    };
    app.add_systems(Last, watch);
    app.run();
    let (pictures, wall, simulated) = *result.lock().expect("nobody panics");
    println!("{}, in real time", file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default());
    println!("  pictures per second             {:7.1}", f64::from(pictures) / wall);
    println!("  real-time factor                {:7.2}", simulated / wall);
}

/// The quantile of the values at a share.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(((values.len().saturating_sub(1)) as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
}

/// Frames so far, and start and end of the timed ones of each kind.
#[derive(Resource, Default)]
struct Meter {
    pictures: u32,
    marks: Vec<Instant>,
}

/// The results of the run in the window.
#[derive(Clone, Copy, Debug, Default)]
struct WindowTimes {
    with_panels: f64,
    without_panels: f64,
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
    let made = Arc::new(Mutex::new(Vec::new()));
    app.insert_non_send(Turns { headless: headless(&scene), seen: (0, 0.0), made: Arc::clone(&made) });
    let times = Arc::new(Mutex::new(WindowTimes::default()));
    let owned = Arc::clone(&times);
    let end = move |clock: Res<SimulationClock>,
                    meter: Res<Meter>,
                    first: Res<FirstPicture>,
                    mut exit: MessageWriter<AppExit>| {
        if clock.step() < STEPS {
            return;
        }
        let picture = |from: usize| (meter.marks[from + 1] - meter.marks[from]).as_secs_f64() * 1e3 / f64::from(TIMED);
        let first = first.seconds().unwrap_or(f64::NAN);
        let times = WindowTimes { with_panels: picture(0), without_panels: picture(2), first };
        *owned.lock().expect("nobody panics") = times;
        exit.write(AppExit::Success);
    };
    app.add_systems(Last, (count, take_turns, end).chain());
    app.run();
    let WindowTimes { with_panels, without_panels, first } = *times.lock().expect("nobody panics");
    // The first turn allocates memory that the others reuse.
    let turns: Vec<Turn> = made.lock().expect("nobody panics").iter().skip(1).copied().collect();
    #[allow(clippy::cast_precision_loss)]
    let steps = turns.iter().map(|turn| turn.steps).sum::<u64>() as f64;
    let [window, headless] = [|turn: &Turn| turn.window, |turn: &Turn| turn.headless]
        .map(|time| turns.iter().map(time).sum::<f64>() * 1e6 / steps);
    let ratios: Vec<f64> = turns.iter().map(|turn| turn.window / turn.headless).collect();
    let [low, middle, high] = [0.25, 0.5, 0.75].map(|share| quantile(&ratios, share));
    println!("{}", file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default());
    println!("  picture, paused, with panels    {with_panels:7.1} ms");
    println!("  picture, paused, without panels {without_panels:7.1} ms");
    println!("  step without a window           {headless:7.1} µs");
    println!("  step in the window, unlimited   {window:7.1} µs, {:.3} of that without", window / headless);
    println!(
        "  the same by turn                {middle:7.3}, half of {} turns within {low:.3} and {high:.3}",
        turns.len()
    );
    println!("  asking for it to first picture  {first:7.2} s, files read before");
}
