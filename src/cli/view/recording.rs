//! Recording on request in a window that shows files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy::prelude::*;
use bunraku::document::Diagnostic;
use bunraku::motion::StateRecorder;
use bunraku::scene::{Hashes, Repeat, Scene};
use bunraku::simulation::{SimulationClock, SimulationStatus};
use bunraku::viewer::window::{Findings, IsRecording, OutputFolder, RecordSwitch, SaveRecordings};

use super::super::common::{CommonArgs, Failure};
use super::super::directory::{OutDirectory, default_out, replaced_source, unused};
use super::super::run::{Ended, Job, OutputFormat, Stepping, name_of, of_file, of_inputs, summarize};

/// The scene in the window and its bodies.
#[derive(Resource)]
struct Watched {
    scene: Scene,
    entities: Vec<Entity>,
    common: CommonArgs,
    /// The directory of the first recording.
    directory: PathBuf,
    /// The recording, if there is one.
    current: Option<Current>,
}

/// A recording that is not finished.
struct Current {
    out: OutDirectory,
    /// Step at which it began.
    begun: u64,
    /// Computed at its beginning: the files may change.
    hashes: Hashes,
}

/// Lets the window record a scene; without one there is no run to record. Pictures go where recordings do.
pub fn offer(
    world: &mut World,
    file: Option<&Path>,
    scene: Option<Box<Scene>>,
    entities: Vec<Entity>,
    common: &CommonArgs,
) {
    let directory = file.map_or_else(|| PathBuf::from("out"), default_out);
    world.insert_resource(IsRecording(false));
    world.insert_resource(OutputFolder(directory.clone()));
    match scene {
        Some(scene) => {
            let common = common.clone();
            world.insert_resource(Watched { scene: *scene, entities, common, directory, current: None });
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
        let path = unused(&self.directory);
        match self.record(world, &path) {
            Ok(()) => (format!("recording into {} from {:.3} s on", path.display(), time(world)), true),
            Err(reason) => (format!("not recorded: {reason}"), false),
        }
    }

    /// Starts to record into an empty directory.
    fn record(&mut self, world: &mut World, path: &Path) -> Result<(), String> {
        let scene = &self.scene;
        let results = scene.recorded_files(path);
        let sources = [vec![scene.file.clone()], scene.sources.clone()].concat();
        if let Some((result, source)) = replaced_source(&results, &sources) {
            return Err(format!("{} would replace {}", result.display(), source.display()));
        }
        let hashes = of_inputs(scene, &self.common.shares(), |file| of_file(file).ok());
        let out = OutDirectory::take(path).map_err(words)?;
        scene.record(world, &self.entities, out.path()).map_err(|error| error.to_string())?;
        let begun = world.resource::<SimulationClock>().step();
        world.insert_resource(OutputFolder(path.to_owned()));
        self.current = Some(Current { out, begun, hashes });
        Ok(())
    }

    /// Finishes the recording, with a summary like that of `run`.
    fn end(&mut self, world: &mut World) -> String {
        let Some(Current { mut out, begun, hashes }) = self.current.take() else {
            return "nothing is recorded".to_owned();
        };
        out.release_reserve();
        let fault = match world.resource::<SimulationStatus>() {
            SimulationStatus::Failed(fault) => Some(fault.clone()),
            _ => None,
        };
        let ended = Ended::of(world, fault, Stepping::default(), &self.scene, &self.entities, out.path());
        let findings = world.get_resource::<Findings>().map(|findings| findings.0.clone()).unwrap_or_default();
        let job = self.job(&out, begun, ended.time, findings);
        let (summary, failed) = summarize(job, ended, None, hashes);
        let written = summary.write(&out);
        match (failed.first(), written) {
            (Some((path, error)), _) => format!("{} is not finished: {error}", path.display()),
            (None, Err(failure)) => words(failure),
            (None, Ok(())) => {
                format!("written: {} files and summary.json into {}", summary.files.len(), out.path().display())
            }
        }
    }

    /// The run that makes the same recording without a window.
    fn job<'a>(&'a self, out: &OutDirectory, begun: u64, end: f64, findings: Vec<Diagnostic>) -> Job<'a> {
        let repeat = Repeat {
            scene: name_of(&self.scene.file),
            duration: Some(end).filter(|end| *end > 0.0),
            simulator: self.common.simulator.clone(),
            record_from: begun,
            ..Repeat::default()
        };
        Job {
            ros2: None,
            scene: &self.scene,
            file: &self.scene.file,
            out: out.path().to_owned(),
            mcap: None,
            format: OutputFormat::Quiet,
            hands: None,
            profiles: false,
            pictures: None,
            window: None,
            findings,
            repeat,
            shares: self.common.shares(),
            strict: self.common.strict,
        }
    }
}

fn time(world: &World) -> f64 {
    world.resource::<SimulationClock>().time()
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

#[cfg(test)]
mod tests {
    use bunraku::document::Reporter;
    use bunraku::scene::SceneOptions;
    use bunraku::simulation::{Pace, run_steps};
    use clap::Parser;

    use super::*;
    use crate::cli::rerun::{RerunArgs, rerun};

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        common: CommonArgs,
        #[command(flatten)]
        rerun: RerunArgs,
    }

    fn read(path: &Path) -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    #[test]
    fn recordings_replace_nothing_and_can_be_repeated() {
        let folder = tempfile::tempdir().unwrap();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes/rover.scene.yaml");
        let reporter = Reporter::strict();
        let scene = Scene::load(&file, &SceneOptions::default(), &reporter).unwrap();
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, TransformPlugin, bunraku::SandboxPlugins));
        app.insert_resource(Pace::Paused);
        let world = app.world_mut();
        let entities = scene.spawn(world);
        let Arguments { common, .. } = Arguments::parse_from(["bunraku", "."]);
        offer(world, Some(&folder.path().join("rover.scene.yaml")), Some(Box::new(scene)), entities, &common);
        // Results of an earlier run.
        let [first, second, third] = ["rover", "rover-2", "rover-3"].map(|name| folder.path().join(name));
        let mut watched = world.resource_mut::<Watched>();
        watched.directory = first.clone();
        std::fs::create_dir(&first).unwrap();
        std::fs::write(first.join("Rover.seq"), "precious").unwrap();
        std::fs::write(first.join("summary.json"), "{}").unwrap();
        for directory in [&second, &third] {
            let (said, records) = switch(world, true);
            assert!(records && said.contains(&directory.display().to_string()), "{said}");
            assert_eq!(world.resource::<OutputFolder>().0, *directory);
            run_steps(world, 150);
            let (said, records) = switch(world, false);
            assert!(!records && said.contains("summary.json"), "{said}");
            let summary = read(&directory.join("summary.json"));
            assert!(summary["files"].as_array().is_some_and(|files| files.contains(&"Rover.seq".into())), "{summary}");
        }
        assert_eq!(std::fs::read(first.join("Rover.seq")).unwrap(), b"precious");
        assert_eq!(read(&third.join("summary.json"))["repeat"]["record_from"], 150);
        // A picture of the window is no result.
        std::fs::write(second.join("window.png"), "").unwrap();
        for directory in [second, third] {
            let scene = file.display().to_string();
            let arguments = ["bunraku", "--scene", &scene, &directory.display().to_string()].map(str::to_owned);
            let Arguments { common, rerun: arguments } = Arguments::parse_from(arguments);
            assert!(rerun(&arguments, &common).is_ok(), "{}", directory.display());
        }
    }
}
