//! A body is recorded to a `.seq` file while it moves.
//!
//! Look at: a `StateRecorder` on a body writes the first frame at the start and another after each fixed number of
//! steps; in the file, frame i is at t = i/rate. The file appears when the recording is finished; a run that is killed
//! leaves a partial one that can be loaded, too.
//!
//! `cargo run --example record`
#![allow(clippy::print_stdout)]

mod common;

use bevy::prelude::*;
use bunraku::prelude::*;
use common::{Failure, check, model, spawn_as, start, state};

fn main() -> Result<(), Failure> {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    let world = start(&mut app);
    let model = model("pendulum.body")?;
    // Released with the upper rod lifted by 90 degrees.
    let lifted = BodyState::at_rest(&model, &model.root().offset, vec![std::f64::consts::FRAC_PI_2, 0.0]);
    let pendulum = spawn_as(world, &model, lifted, Drive::Physics);

    // 100 frames per second at steps of 1 ms.
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("pendulum.seq");
    let layout = RecordingLayout { frame_rate: 100.0, num_links: 1, num_joints: model.num_joints() };
    let recorder = StateRecorder::new(Recorder::create(&path, layout)?, layout.num_links, 10);
    world.entity_mut(pendulum).insert(recorder);
    run_steps(world, 2000);
    let recorder = world.entity_mut(pendulum).take::<StateRecorder>().ok_or("there is no recording")?;
    let recording = recorder.finish()?.ok_or("it was finished before")?;
    println!("{} frames, {} bytes", recording.num_frames, std::fs::metadata(&recording.path)?.len());

    let motion = BodyMotion::load(&path, &Reporter::new())?;
    let joints = motion.joint_displacements.as_ref().ok_or("no joints are in the file")?;
    check(joints.num_frames() == 201, format!("2 s are 201 frames, not {}", joints.num_frames()))?;
    let last = joints.frame(200);
    println!("the last has the joints at {last:.4?} rad");
    check(joints.frame(50)[0].abs() > 0.1 && joints.frame(0)[0] > 1.5, "it does not swing")?;
    check(last == state(world, pendulum)?.displacements, "the last frame is not the state at the end")
}
