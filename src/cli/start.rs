//! What is wrong where a scene begins, found by its first step alone.

use std::path::Path;

use bevy::prelude::*;
use bunraku::SandboxPlugins;
use bunraku::document::{Diagnostic, Reporter, SourceFile};
use bunraku::scene::Scene;
use bunraku::sensors::SensorsPlugin;
use bunraku::simulation::{SimulationStatus, SimulationWarnings, run_steps};

/// Makes the first step of a scene and reports what a run would tell of it, in the same words: bodies that are deep in each other,
/// and what cannot be done as asked. Nothing is recorded.
pub fn check(scene: &Scene, path: &Path, reporter: &Reporter) {
    let mut app = App::new();
    // Sensors have nothing to say of the start, and cameras take their time.
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins.build().disable::<SensorsPlugin>()));
    scene.spawn(app.world_mut());
    run_steps(app.world_mut(), 1);
    // The place is the file: the messages name bodies.
    let source = SourceFile::from_text(path, "");
    for warning in app.world().resource::<SimulationWarnings>().as_slice() {
        reporter.report(Diagnostic::warning("at-start", warning.message.clone()).in_file(&source));
    }
    if let SimulationStatus::Failed(fault) = app.world().resource::<SimulationStatus>() {
        reporter.report(Diagnostic::error("at-start", fault.to_string()).in_file(&source));
    }
}
