//! Recording on request in a window that shows files.

use std::path::PathBuf;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku::motion::StateRecorder;
use bunraku::scene::Scene;
use bunraku::viewer::window::{IsRecording, RecordSwitch, SaveRecordings};

use super::super::common::Failure;
use super::super::directory::{OutDirectory, default_out, replaced_source};

/// The scene in the window and its bodies.
#[derive(Resource)]
struct Watched {
    scene: Scene,
    entities: Vec<Entity>,
    /// The output directory while recording.
    out: Option<OutDirectory>,
}

/// Lets the window record a scene; without one there is no run to record.
pub fn offer(world: &mut World, scene: Option<Box<Scene>>, entities: Vec<Entity>) {
    world.insert_resource(IsRecording(false));
    match scene {
        Some(scene) => {
            world.insert_resource(Watched { scene: *scene, entities, out: None });
            world.insert_resource(RecordSwitch(Arc::new(switch)));
            world.insert_resource(SaveRecordings(Arc::new(save)));
        }
        None => {
            world.remove_resource::<Watched>();
            world.remove_resource::<RecordSwitch>();
            world.remove_resource::<SaveRecordings>();
        }
    }
}

/// Finishes the recording when the window closes; returns the message about it.
pub fn finish(world: &mut World) -> Option<String> {
    (world.get_resource() == Some(&IsRecording(true))).then(|| switch(world, false).0)
}

fn switch(world: &mut World, records: bool) -> (String, bool) {
    let Some(mut watched) = world.remove_resource::<Watched>() else {
        return ("there is no run to be recorded".to_owned(), false);
    };
    let said = match records {
        true => watched.begin(world),
        false => (watched.end(world), false),
    };
    world.insert_resource(watched);
    said
}

impl Watched {
    fn begin(&mut self, world: &mut World) -> (String, bool) {
        let path = default_out(&self.scene.file);
        match self.record(world, path.clone()) {
            Ok(()) => (format!("recording into {} from {:.3} s on", path.display(), time(world)), true),
            Err(reason) => (format!("not recorded: {reason}"), false),
        }
    }

    fn record(&mut self, world: &mut World, path: PathBuf) -> Result<(), String> {
        let scene = &self.scene;
        let results = scene.recorded_files(&path);
        let sources = [vec![scene.file.clone()], scene.sources.clone()].concat();
        if let Some((result, source)) = replaced_source(&results, &sources) {
            return Err(format!("{} would replace {}", result.display(), source.display()));
        }
        let out = OutDirectory::take(&path).map_err(words)?;
        out.remove_older(&results).map_err(words)?;
        out.remove_older(&scene.older_samples(out.path())).map_err(words)?;
        scene.record(world, &self.entities, out.path()).map_err(|error| error.to_string())?;
        self.out = Some(out);
        Ok(())
    }

    fn end(&mut self, world: &mut World) -> String {
        let Some(out) = self.out.take() else { return "nothing is recorded".to_owned() };
        let files = self.scene.finish_recordings(world, &self.entities, out.path());
        match files.failed.first() {
            Some((path, error)) => format!("{} is not finished: {error}", path.display()),
            None => format!("written: {} files into {}", files.finished.len(), out.path().display()),
        }
    }
}

fn time(world: &World) -> f64 {
    world.resource::<bunraku::simulation::SimulationClock>().time()
}

fn words(failure: Failure) -> String {
    match failure {
        Failure::Message(message) | Failure::Usage(message) => message,
        Failure::Reported | Failure::Exit(_) => "it cannot be written".to_owned(),
    }
}

/// Writes the motions recorded so far, and continues.
pub fn save(world: &mut World) -> String {
    let mut recorders = world.query::<&mut StateRecorder>();
    let (mut written, mut failed) = (Vec::new(), Vec::new());
    for mut recorder in recorders.iter_mut(world) {
        match recorder.save() {
            Ok(Some(file)) => written.push(file.path.display().to_string()),
            Ok(None) => {}
            Err(error) => failed.push(error.to_string()),
        }
    }
    match (written.is_empty(), failed.is_empty()) {
        (_, false) => format!("not saved: {}", failed.join("; ")),
        (false, true) => format!("written: {}", written.join(", ")),
        (true, true) => "nothing is recorded".to_owned(),
    }
}
