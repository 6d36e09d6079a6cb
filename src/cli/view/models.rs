//! Files shown in a window that are not a scene.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy::prelude::*;
use bunraku::body::{Body, BodyState, Drive, spawn_body};
use bunraku::document::{Diagnostic, Reporter};
use bunraku::motion::{BodyMotion, MotionPlayer};
use bunraku::scene::Scene;
use bunraku::simulation::{SimulationClock, StopAfter};
use bunraku::viewer::window::SceneEnd;

use super::super::common::CommonArgs;
use super::super::files::{Loaded, load};
use super::super::missing;

/// The loaded files to show.
#[derive(Default)]
pub struct Files {
    pub scene: Option<Box<Scene>>,
    pub models: Vec<(Arc<Body>, Option<Arc<BodyMotion>>)>,
    pub findings: Vec<Diagnostic>,
}

/// Loads the files that can be loaded; errors in the others become findings.
pub fn load_all(paths: &[PathBuf], common: &CommonArgs) -> Files {
    let reporter = common.reporter(paths);
    let mut files = Files::default();
    for path in paths {
        match load(path, common, &reporter) {
            Some(Loaded::Scene(scene)) if files.scene.is_none() && files.models.is_empty() => {
                missing::print(&scene.missing);
                files.scene = Some(scene);
            }
            Some(Loaded::Scene(_)) => refuse(&reporter, path, "a scene is shown alone"),
            Some(Loaded::Model(_)) if files.scene.is_some() => refuse(&reporter, path, "a scene is shown alone"),
            Some(Loaded::Model(model)) => files.models.push((Arc::new(*model), None)),
            Some(Loaded::Motion(motion)) => match files.models.last_mut() {
                Some((_, slot)) => *slot = Some(Arc::new(*motion)),
                None => refuse(&reporter, path, "a motion is given behind the model that plays it"),
            },
            Some(Loaded::Tasks(_) | Loaded::Robot(_)) => {
                refuse(&reporter, path, "a task is shown on a robot: `bunraku task run TASK --scene SCENE --view`");
            }
            None => {}
        }
    }
    files.findings = reporter.into_diagnostics();
    files
}

fn refuse(reporter: &Reporter, path: &Path, reason: &str) {
    reporter.report(Diagnostic::error("not-shown", format!("{} is not shown: {reason}", path.display())));
}

/// Steps per second if no motion sets a rate.
const RATE: f64 = 1000.0;

impl Files {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.scene.is_none() && self.models.is_empty()
    }

    /// All files that were read for these.
    pub fn sources(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        match &self.scene {
            Some(scene) => [vec![scene.file.clone()], scene.sources.clone()].concat(),
            None => paths.to_vec(),
        }
    }

    /// Spawns the contents in a world; returns the bodies of a scene. A scene runs on after its duration unless it
    /// `stops`: who looks at it decides how long.
    pub fn spawn(&self, world: &mut World, stops: bool) -> Vec<Entity> {
        world.insert_resource(SceneEnd(self.scene.as_ref().and_then(|scene| scene.num_steps())));
        match &self.scene {
            Some(scene) if stops => scene.spawn(world),
            Some(scene) => Scene { duration: None, ..(**scene).clone() }.spawn(world),
            None => {
                spawn_models(self, world);
                Vec::new()
            }
        }
    }
}

/// Spawns the models side by side, moved only by their motions.
fn spawn_models(files: &Files, world: &mut World) {
    let motions = || files.models.iter().filter_map(|(_, motion)| motion.as_ref());
    let rate = motions().map(|motion| motion.frame_rate).fold(0.0, f64::max);
    let rate = if rate > 0.0 { rate } else { RATE };
    world.insert_resource(SimulationClock::new(1.0 / rate));
    let end = motions()
        .map(|motion| motion.end())
        .fold(None, |end: Option<f64>, next| Some(end.map_or(next, |e| e.max(next))));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    world.insert_resource(StopAfter(end.map(|end| (end.max(0.0) * rate).round() as u64)));
    for (model, motion) in &files.models {
        let state = BodyState::initial(model);
        let drive = if motion.is_some() { Drive::Motion } else { Drive::Static };
        let entity = spawn_body(&mut world.commands(), Arc::clone(model), state, drive);
        world.flush();
        if let Some(motion) = motion {
            world.entity_mut(entity).insert(MotionPlayer::new(Arc::clone(motion)));
        }
    }
}
