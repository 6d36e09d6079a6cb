//! Warnings of a run without an end, printed when they arise.

use std::collections::BTreeSet;

use bevy::prelude::*;
use bunraku::simulation::SimulationWarnings;

use crate::cli::messages;

/// Messages that were printed during the run.
#[derive(Resource, Default)]
pub struct PrintedWarnings(pub BTreeSet<String>);

/// Prints new warnings after each update.
pub fn print_warnings(app: &mut App) {
    app.init_resource::<PrintedWarnings>().add_systems(PostUpdate, print_new);
}

fn print_new(warnings: Res<SimulationWarnings>, mut printed: ResMut<PrintedWarnings>) {
    if !warnings.is_changed() {
        return;
    }
    for warning in warnings.as_slice() {
        if printed.0.insert(warning.message.clone()) {
            messages::warning(&warning.message);
        }
    }
}
