//! How well contacts meet Signorini's condition, Coulomb's law and the principle of maximum dissipation, in the scenes of `assets` and in
//! Choreonoid's projects.
//!
//! ```text
//! BUNRAKU_SHARE=…/share cargo bench --profile dev --bench contact_laws
//! ```
//!
//! Choreonoid's projects are those in the directory `sample` beside `share`. Each scene runs for 5 s at most. What the residuals are and in
//! which units: [`LawResiduals`]. An entry is a contact of a step; contacts with restitution have none.

#![allow(clippy::print_stdout, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::path::{Path, PathBuf};

use bevy::prelude::*;
use bunraku::physics::{ContactResiduals, JointSolver, LawResiduals, RapierPoses};
use bunraku::prelude::*;
use bunraku::sensors::SensorsPlugin;
use bunraku::simulation::SimulationStatus;

const LONGEST: f64 = 5.0;

fn main() {
    println!(
        "mean, 99.9 % of the entries below, largest\n\n| scene | steps | entries | Signorini, m/s | cone, share of the impulse | \
         dissipation, m/s |\n|---|---|---|---|---|---|"
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = bunraku_test_support::files_below(&root.join("assets/scenes"), &["yaml"]);
    files.sort();
    let mut all = of_files(&files);
    print_row("all of assets", "", &mut all);
    let Some(share) = common::scenes::share() else {
        println!("\nBUNRAKU_SHARE is not set: Choreonoid's projects are left out.");
        return;
    };
    let mut projects = bunraku_test_support::files_below(&share.join("../sample"), &["cnoid"]);
    projects.sort();
    let mut all = of_files(&projects);
    print_row("all projects", "", &mut all);
}

fn of_files(files: &[PathBuf]) -> Vec<LawResiduals> {
    let mut all = Vec::new();
    for file in files {
        let name = file.file_name().expect("a file").to_string_lossy();
        match run(file) {
            Ok((steps, mut entries)) if !entries.is_empty() => {
                print_row(&name, &steps.to_string(), &mut entries);
                all.extend(entries);
            }
            Ok(_) => {}
            Err(reason) => println!("| {name} | {reason} | | | | |"),
        }
    }
    all
}

/// Steps of a scene, and the residuals of its contacts.
fn run(file: &Path) -> Result<(usize, Vec<LawResiduals>), String> {
    let mut scene = common::scenes::open(file).map_err(|_| "it cannot be loaded".to_owned())?;
    scene.parameters.joints = JointSolver::Multibody;
    let time_step = scene.time_step;
    let mut app = App::new();
    // Sensors see nothing of contacts, and cameras take long.
    let plugins = SandboxPlugins.build().disable::<SensorsPlugin>();
    app.add_plugins((MinimalPlugins, TransformPlugin, plugins));
    app.insert_resource(RapierPoses::Never);
    app.insert_resource(ContactResiduals::default());
    scene.spawn(app.world_mut());
    let steps = scene.num_steps().unwrap_or(u64::MAX).min((LONGEST / time_step).round() as u64);
    app.insert_resource(Pace::Steps(steps));
    app.update();
    if let SimulationStatus::Failed(fault) = app.world().resource::<SimulationStatus>() {
        return Err(fault.to_string());
    }
    let steps = usize::try_from(steps).expect("it has been run");
    Ok((steps, std::mem::take(&mut app.world_mut().resource_mut::<ContactResiduals>().0)))
}

fn print_row(name: &str, steps: &str, entries: &mut [LawResiduals]) {
    let mut cell = |of: fn(&LawResiduals) -> f64| {
        entries.sort_by(|one, other| of(one).total_cmp(&of(other)));
        let mean = entries.iter().map(of).sum::<f64>() / entries.len().max(1) as f64;
        let at =
            |share: f64| entries.get(((entries.len() as f64 * share) as usize).min(entries.len() - 1)).map_or(0.0, of);
        format!("{mean:.0e}, {:.0e}, {:.0e}", at(0.999), at(1.0))
    };
    let (signorini, coulomb, dissipation) =
        (cell(|entry| entry.signorini), cell(|entry| entry.coulomb), cell(|entry| entry.dissipation));
    println!("| {name} | {steps} | {} | {signorini} | {coulomb} | {dissipation} |", entries.len());
}
