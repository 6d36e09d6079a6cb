//! Recording of the balance of bodies: centre of mass, zero moment point, distance to the border of the support.

use std::path::{Path, PathBuf};

use super::{RecordSensors, contact_log};
use crate::log::{Column, LogError, VectorLog};
use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState};
use bunraku_physics::{Contacts, Support};
use bunraku_simulation::{
    RecordSystems, RecordingRewind, RegisterSimulationState, SimulationClock, SimulationFault, SimulationStatus,
    SimulationStep,
};
use nalgebra::Point3;

/// Writes the [`BalanceLog`]s of bodies.
pub struct BalanceLogPlugin;

impl Plugin for BalanceLogPlugin {
    fn build(&self, app: &mut App) {
        // Contacts are computed only if a body has a log.
        let record = record.run_if(any_with_component::<BalanceLog>);
        app.add_systems(
            SimulationStep,
            record.in_set(RecordSystems::Readings).after(RecordSensors).after(contact_log::record),
        )
        .add_observer(rewind)
        .ignore_simulation_state::<BalanceLog>("a recording goes on with the steps that come");
    }
}

/// Writes the balance of its body to a table, once in `steps_per_frame` steps: the centre of mass at the end of the step,
/// and the zero moment point of the contacts during it (see [`Support`]).
#[derive(Component, Debug)]
pub struct BalanceLog {
    table: VectorLog,
    path: PathBuf,
    steps_per_frame: u64,
    is_broken: bool,
}

impl BalanceLog {
    /// A new table.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path, steps_per_frame: u64) -> Result<Self, LogError> {
        let names = ["com.x", "com.y", "com.z", "zmp.x", "zmp.y", "zmp.z", "margin"];
        let columns = names.map(|name| Column { name: name.to_owned(), unit: "m".to_owned() });
        let table = VectorLog::create(path, &columns)?;
        Ok(Self { table, path: path.to_owned(), steps_per_frame: steps_per_frame.max(1), is_broken: false })
    }

    /// Writes the buffered rows. Returns the path and whether the table is complete.
    ///
    /// # Errors
    /// If rows cannot be written; the preceding ones are kept.
    pub fn finish(mut self) -> Result<(PathBuf, bool), (PathBuf, LogError)> {
        match self.table.flush() {
            Ok(()) => Ok((self.path, !self.is_broken)),
            Err(error) => Err((self.path, error)),
        }
    }
}

/// Stops the simulation after an error of a log.
fn fail(log: &mut BalanceLog, error: &LogError, time: f64, status: &mut SimulationStatus) {
    log.is_broken = true;
    let message = format!("the recording of balance failed: {error}");
    *status = SimulationStatus::Failed(SimulationFault { time, message });
}

/// Removes the rows after the step to which the simulation returns.
fn rewind(
    rewind: On<RecordingRewind>,
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    mut logs: Query<&mut BalanceLog>,
) {
    for mut log in &mut logs {
        if let Err(error) = log.table.cut_after(rewind.time) {
            fail(&mut log, &error, clock.time(), &mut status);
        }
    }
}

fn record(
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    mut logs: Query<(Entity, &BodyModel, &BodyState, &mut BalanceLog)>,
    contacts: Option<Contacts>,
) {
    if !matches!(*status, SimulationStatus::Running) {
        return;
    }
    let nowhere = Point3::new(f64::NAN, f64::NAN, f64::NAN);
    for (entity, BodyModel(body), state, mut log) in &mut logs {
        if !clock.step().is_multiple_of(log.steps_per_frame) {
            continue;
        }
        let contacts = contacts.as_ref().map_or_else(Vec::new, |contacts| contacts.of_body(entity));
        let support = Support::of_contacts(entity, &contacts);
        let (center, zmp) = (body.center_of_mass(&state.link_poses), support.zmp.unwrap_or(nowhere));
        let margin = support.zmp.and_then(|zmp| support.margin(&zmp)).unwrap_or(f64::NAN);
        let row = [center.x, center.y, center.z, zmp.x, zmp.y, zmp.z, margin];
        if let Err(error) = log.table.push(clock.time(), &row) {
            fail(&mut log, &error, clock.time(), &mut status);
            return;
        }
    }
}
