//! Bodies that clients of ROS 2 request.

use std::path::PathBuf;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku::body::{self, Body, LoadOptions};
use bunraku::document::{Diagnostic, PathError, Reporter, Severity, SourceFile};
use bunraku::ros2::{ModelSource, SpawnError, Spawner};
use bunraku::scene::SceneBody;
use bunraku::sensors::McapRecorder;
use bunraku::simulation::SimulationWarnings;
use nalgebra::Isometry3;

/// Reads models from the directories that a scene may use: its own, the share directories and ROS packages.
#[derive(Debug)]
pub struct SceneSpawner {
    /// The directory of the scene, from which relative paths start.
    pub directory: PathBuf,
    pub options: LoadOptions,
    /// Length of a step, s.
    pub time_step: f64,
}

impl Spawner for SceneSpawner {
    fn load(&self, source: ModelSource<'_>) -> Result<Arc<Body>, SpawnError> {
        let reporter = Reporter::new();
        let model = match source {
            ModelSource::File(uri) => {
                let path = self.options.roots.find(&self.directory, uri).map_err(|error| refused(&error))?;
                reporter.quote_only(&self.options.roots.around(&path));
                body::load(&path, &self.options, &reporter)
            }
            ModelSource::Text(text) => {
                let limit = self.options.limits.file_size;
                if text.len() as u64 > limit {
                    return Err(SpawnError::Faulty(format!("the text has more than {limit} bytes")));
                }
                let source = SourceFile::from_text(self.directory.join("spawned"), text);
                body::read(&source, &self.options, &reporter)
            }
        };
        model.map(Arc::new).ok_or_else(|| failure(&reporter.into_diagnostics()))
    }

    fn spawn(&self, world: &mut World, name: String, model: Arc<Body>, pose: &Isometry3<f64>) -> Entity {
        let (body, faults) = SceneBody::around_model(name, model, pose);
        let is_lost = body.is_recorded() && !world.contains_resource::<McapRecorder>();
        let entity = body.spawn(world, self.time_step);
        for fault in faults {
            warn(world, entity, "BodySensors", fault.message);
        }
        if is_lost {
            let message = "motions of bodies that clients spawn are not recorded: they have no `.seq`; record the run with `--mcap`";
            warn(world, entity, "StateRecorder", message.to_owned());
        }
        entity
    }
}

/// Warns once for all spawned bodies; clients could spawn ever new ones.
fn warn(world: &mut World, entity: Entity, component: &'static str, message: String) {
    const MOST: usize = 100;
    let mut warnings = world.resource_mut::<SimulationWarnings>();
    let known = || warnings.as_slice().iter().filter(|known| known.component == component);
    if known().count() < MOST && known().all(|known| known.message != message) {
        warnings.add_each(entity, component, message);
    }
}

fn refused(error: &PathError) -> SpawnError {
    SpawnError::NoResource(error.to_string())
}

/// The first error, with its line.
fn failure(findings: &[Diagnostic]) -> SpawnError {
    let error = findings.iter().find(|finding| finding.severity == Severity::Error);
    let Some(error) = error else { return SpawnError::Faulty("the model cannot be read".to_owned()) };
    let line = error.place.as_ref().and_then(|place| place.span).map(|span| format!("line {}: ", span.start.line));
    let message = format!("{}{}", line.unwrap_or_default(), error.message);
    if error.code == "unknown-file-type" { SpawnError::UnsupportedFormat(message) } else { SpawnError::Faulty(message) }
}
