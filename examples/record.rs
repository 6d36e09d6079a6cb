//! A body is recorded to a `.seq` file while it moves.
//!
//! Look at: a `StateRecorder` on a body writes the first frame at the start and another after each fixed number of
//! steps; in the file, frame i is at t = i/rate. The file appears when the recording is finished; a run that is killed
//! leaves a partial one that can be loaded, too.
//!
//! `cargo run --example record`
#![allow(clippy::print_stdout)]

use std::f64::consts::FRAC_PI_2;

use bevy::prelude::*;
use bunraku::motion::{Recorder, RecordingLayout};
use bunraku::prelude::*;

fn main() -> Result {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    let model = BodyModel::open("assets/models/pendulum.body")?;
    // Released with the upper rod lifted by 90 degrees.
    let lifted = BodyState::at_rest(&model.0, &model.0.root().offset, vec![FRAC_PI_2, 0.0]);

    // 100 frames per second at steps of 1 ms.
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("pendulum.seq");
    let layout = RecordingLayout { frame_rate: 100.0, num_links: 1, num_joints: model.0.num_joints() };
    let recorder = StateRecorder::new(Recorder::create(&path, layout)?, layout.num_links, 10);
    let pendulum = app.world_mut().spawn((model, lifted, recorder)).id();
    app.run_steps(2000);
    let recorder = app.world_mut().entity_mut(pendulum).take::<StateRecorder>().ok_or("there is no recording")?;
    let recording = recorder.finish()?.ok_or("it was finished before")?;
    println!("{} frames, {} bytes", recording.num_frames, std::fs::metadata(&recording.path)?.len());

    let motion = BodyMotion::open(&path)?;
    let joints = motion.joint_displacements.as_ref().ok_or("no joints are in the file")?;
    println!("the last has the joints at {:.4?} rad", joints.frame(200));
    assert_eq!(joints.num_frames(), 201);
    assert!(joints.frame(50)[0].abs() > 0.1 && joints.frame(0)[0] > 1.5);
    assert_eq!(joints.frame(200), app.world().get::<BodyState>(pendulum).ok_or("no pendulum")?.displacements);
    Ok(())
}
