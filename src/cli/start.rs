//! Problems at the start of a scene, found by simulating its first step.

use std::path::Path;

use bevy::prelude::*;
use bunraku::SandboxPlugins;
use bunraku::document::{Diagnostic, Reporter, SourceFile};
use bunraku::scene::Scene;
use bunraku::sensors::SensorsPlugin;
use bunraku::simulation::{SimulationStatus, SimulationWarnings, run_steps};

/// Simulates the first step of a scene and reports what a run would report of it, in the same words: bodies that
/// interpenetrate deeply, and settings that could not be applied. Nothing is recorded.
pub fn check(scene: &Scene, path: &Path, reporter: &Reporter) {
    let mut app = App::new();
    // Sensors report nothing at the start, and cameras take a long time.
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins.build().disable::<SensorsPlugin>()));
    scene.spawn(app.world_mut());
    run_steps(app.world_mut(), 1);
    // The location is the file; the messages name bodies.
    let source = SourceFile::from_text(path, "");
    for warning in app.world().resource::<SimulationWarnings>().as_slice() {
        reporter.report(Diagnostic::warning("at-start", warning.message.clone()).in_file(&source));
    }
    if let SimulationStatus::Failed(fault) = app.world().resource::<SimulationStatus>() {
        reporter.report(Diagnostic::error("at-start", fault.to_string()).in_file(&source));
    }
}
