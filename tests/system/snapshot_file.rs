//! A snapshot on disk, from which another process continues.

use std::fs;
use std::path::Path;
use std::process::Command;

use bevy::prelude::*;
use bunraku::document::Reporter;
use bunraku::prelude::*;
use bunraku::scene::SceneOptions;
use bunraku::simulation::{RegisterSimulationState, SimulationSnapshot, SimulationStatus, SnapshotError, run_steps};
use bunraku_test_support::{TestFolder, project};
use serde::{Deserialize, Serialize};

/// A rover that follows a motion and tows a cart, a pendulum, and a crawler on tracks: controllers, contacts, an extra joint and
/// whatever a solver remembers of them. Rapier's step has no tracks.
const SCENE: &str = "\
format: BunrakuScene
format_version: 1
simulation: { time_step: 0.001, duration: 60, joints: JOINTS }
materials: ASSETS/models/materials.yaml
bodies:
  - { name: Rover, file: ASSETS/models/rover.body, translation: [ 0, 0, 0.08 ],
      controller: { type: pd, motion: ASSETS/motions/rover_turn.seq, kp: 40, kd: 0.8 } }
  - { name: Cart, file: ASSETS/models/cart.body, translation: [ -0.47, 0, 0.06 ] }
  - { name: Pendulum, file: ASSETS/models/pendulum.body, translation: [ 0, 5, 1.2 ], joint_displacements: { SHOULDER: 90 } }
  - { name: Floor, file: ASSETS/models/floor.body, drive: static }
CRAWLER
extra_joints:
  - { name: Hitch, type: ball, link1: Rover/CHASSIS, link2: Cart/BED, translation_in_link1: [ -0.22, 0, 0 ],
      translation_in_link2: [ 0.25, 0, 0.02 ] }
external_forces:
  - { link: PUSHED/CHASSIS, force: [ 20, 0, 0 ], start: 0.9, end: 1.1 }
";
const CRAWLER: &str = "  - { name: Crawler, file: ASSETS/models/crawler.body, translation: [ 0, 2, 0.05 ],
      controller: { type: velocity, velocity: { TRACK_L: [ [ 0, 0 ], [ 1, 0.4 ] ], TRACK_R: [ [ 0, 0 ], [ 1, 0.2 ] ] } } }";

/// Index of the body.
const PENDULUM: usize = 2;

/// A user's controller with state: it swings the shoulder of the pendulum ever faster.
#[derive(Component, Clone, Serialize, Deserialize)]
struct Swing {
    phase: f64,
}

fn swing(clock: Res<SimulationClock>, mut bodies: Query<(&mut Swing, &mut JointEfforts)>) {
    for (mut swing, mut efforts) in &mut bodies {
        swing.phase += (1.0 + clock.time()) * clock.time_step();
        efforts.0[0] = 0.5 * swing.phase.sin();
    }
}

fn stage(folder: &Path, joints: &str) -> (App, Vec<Entity>) {
    let assets = project().join("assets").canonicalize().unwrap();
    let path = folder.join(format!("{joints}.scene.yaml"));
    let is_impulse = joints == "impulse";
    let (crawler, pushed) = if is_impulse { ("", "Rover") } else { (CRAWLER, "Crawler") };
    let text = SCENE.replace("CRAWLER", crawler).replace("PUSHED", pushed);
    let text = text.replace("ASSETS", assets.to_str().unwrap()).replace("JOINTS", joints);
    fs::write(&path, text).unwrap();
    let reporter = if is_impulse { Reporter::new() } else { Reporter::strict() };
    let scene = Scene::load(&path, &SceneOptions::default(), &reporter);
    let scene = scene.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()));
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app.register_simulation_state::<Swing>();
    app.add_systems(SimulationStep, swing.in_set(SimulationSystems::Control));
    let bodies = scene.spawn(app.world_mut());
    app.world_mut().entity_mut(bodies[PENDULUM]).insert(Swing { phase: 0.0 });
    (app, bodies)
}

/// All states after `steps` more steps, every bit of them.
fn after(app: &mut App, bodies: &[Entity], steps: u64) -> Vec<u8> {
    run_steps(app.world_mut(), steps);
    assert_eq!(*app.world().resource::<SimulationStatus>(), SimulationStatus::Running);
    let states: Vec<_> = bodies.iter().map(|&body| app.world().get::<BodyState>(body).unwrap()).collect();
    let phase = app.world().get::<Swing>(bodies[PENDULUM]).unwrap().phase;
    serde_json::to_vec(&(app.world().resource::<SimulationClock>().step(), states, phase)).unwrap()
}

const SOLVERS: [&str; 2] = ["impulse", "multibody"];
const STEPS: u64 = 1000;

/// Set for the other process: the directory of the snapshots.
const FOLDER: &str = "BUNRAKU_TEST_SNAPSHOTS";

/// Does nothing by itself: the next test runs it in a process of its own.
#[test]
fn another_process() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    for joints in SOLVERS {
        let (mut app, bodies) = stage(folder, joints);
        let bytes = fs::read(folder.join(joints)).unwrap();
        let snapshot = SimulationSnapshot::from_bytes(&bytes, app.world_mut()).unwrap();
        snapshot.restore(app.world_mut()).unwrap();
        fs::write(folder.join(format!("{joints}.end")), after(&mut app, &bodies, STEPS)).unwrap();
    }
}

#[test]
fn another_process_continues_from_a_file_like_this_one() {
    let folder = TestFolder::new();
    let mut ends = Vec::new();
    for joints in SOLVERS {
        let (mut app, bodies) = stage(folder.path(), joints);
        // The tracks are being pushed, the rover turns.
        let middle = after(&mut app, &bodies, STEPS);
        let snapshot = SimulationSnapshot::take(app.world_mut()).unwrap();
        folder.write(joints, snapshot.to_bytes(app.world_mut()).unwrap());
        let end = after(&mut app, &bodies, STEPS);
        assert_ne!(end, middle);
        ends.push(end);
    }
    let name = module_path!().split_once("::").unwrap().1;
    let process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("{name}::another_process")])
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    assert!(process.status.success(), "{}", String::from_utf8_lossy(&process.stdout));
    for (joints, end) in SOLVERS.iter().zip(&ends) {
        let other = fs::read(folder.join(format!("{joints}.end"))).unwrap();
        assert!(other == *end, "{joints}: the other process came elsewhere");
    }
}

#[test]
fn a_file_that_is_no_snapshot_or_does_not_fit_is_refused() {
    let folder = TestFolder::new();
    let (mut app, bodies) = stage(folder.path(), "impulse");
    let before = after(&mut app, &bodies, 10);
    let bytes = SimulationSnapshot::take(app.world_mut()).unwrap().to_bytes(app.world_mut()).unwrap();
    assert!(matches!(SimulationSnapshot::from_bytes(b"PK\x03\x04", app.world_mut()), Err(SnapshotError::NoSnapshot)));
    for end in [bytes.len() / 3, bytes.len() - 1] {
        let cut = SimulationSnapshot::from_bytes(&bytes[..end], app.world_mut());
        assert!(matches!(cut, Err(SnapshotError::Damaged(_))), "{end} of {} bytes", bytes.len());
    }
    // Another program, without the user's controller.
    let mut other = App::new();
    other.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    let error = SimulationSnapshot::from_bytes(&bytes, other.world_mut()).err().unwrap().to_string();
    assert!(error.contains("Swing"), "{error}");
    // Another scene.
    let mut other = App::new();
    other.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    other.register_simulation_state::<Swing>();
    let snapshot = SimulationSnapshot::from_bytes(&bytes, other.world_mut()).unwrap();
    let error = snapshot.restore(other.world_mut()).unwrap_err().to_string();
    assert!(error.contains("Rover") || error.contains("Cart") || error.contains("Crawler"), "{error}");
    assert_ne!(after(&mut app, &bodies, 1), before);
}
