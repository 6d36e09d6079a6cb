//! Recording of the contacts of bodies.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::RecordSensors;
use crate::log::{LogError, Rows, quoted};
use bevy::prelude::*;
use bunraku_body::{BodyModel, LinkIndex};
use bunraku_physics::Contacts;
use bunraku_simulation::{
    RecordSystems, RecordingRewind, RegisterSimulationState, SimulationClock, SimulationFault, SimulationStatus,
    SimulationStep,
};

/// Writes the [`ContactLog`]s of bodies.
pub struct ContactLogPlugin;

impl Plugin for ContactLogPlugin {
    fn build(&self, app: &mut App) {
        // Contacts are computed only if a body has a log.
        let record = record.run_if(any_with_component::<ContactLog>);
        app.add_systems(SimulationStep, record.in_set(RecordSystems::Readings).after(RecordSensors))
            .add_observer(rewind)
            .ignore_simulation_state::<ContactLog>("a recording goes on with the contacts that come");
    }
}

/// Writes every contact point of its body to a table, once in `steps_per_frame` steps, with the mean force during the
/// preceding step. A frame without contacts has no rows.
#[derive(Component, Debug)]
pub struct ContactLog {
    rows: Rows<File>,
    path: PathBuf,
    steps_per_frame: u64,
    is_broken: bool,
}

impl ContactLog {
    /// A new table.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path, steps_per_frame: u64) -> Result<Self, LogError> {
        let failed = |error: std::io::Error| LogError::File { path: path.to_owned(), reason: error.to_string() };
        let mut rows = Rows::new(File::create(path).map_err(failed)?, path.to_owned());
        rows.push("time [s],link,other body,other link,x [m],y [m],z [m],nx,ny,nz,fx [N],fy [N],fz [N],depth [m]")?;
        rows.flush()?;
        Ok(Self { rows, path: path.to_owned(), steps_per_frame: steps_per_frame.max(1), is_broken: false })
    }

    /// Writes the buffered rows. Returns the path and whether the table is complete.
    ///
    /// # Errors
    /// If rows cannot be written; the preceding ones are kept.
    pub fn finish(mut self) -> Result<(PathBuf, bool), (PathBuf, LogError)> {
        match self.rows.flush() {
            Ok(()) => Ok((self.path, !self.is_broken)),
            Err(error) => Err((self.path, error)),
        }
    }
}

/// Removes the rows after the step to which the simulation returns.
fn rewind(
    rewind: On<RecordingRewind>,
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    mut logs: Query<&mut ContactLog>,
) {
    for mut log in &mut logs {
        if let Err(error) = log.rows.cut_after(rewind.time, 0) {
            log.is_broken = true;
            let message = format!("the recording of contacts failed: {error}");
            *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
        }
    }
}

pub(super) fn record(
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    mut logs: Query<(Entity, &BodyModel, &mut ContactLog)>,
    bodies: Query<(&Name, &BodyModel)>,
    contacts: Option<Contacts>,
) {
    // Without the physics plugin there are no contacts.
    let Some(contacts) = contacts else { return };
    if !matches!(*status, SimulationStatus::Running) {
        return;
    }
    let link_name = |body: &BodyModel, link: LinkIndex| {
        quoted(&body.0.links().get(link.0).map_or_else(String::new, |link| link.name.clone()))
    };
    for (entity, model, mut log) in &mut logs {
        if !clock.step().is_multiple_of(log.steps_per_frame) {
            continue;
        }
        for contact in contacts.of_body(entity) {
            let other = contact.other.and_then(|(other, link)| Some((bodies.get(other).ok()?, link)));
            let (body, link) = other
                .map_or_else(Default::default, |((name, model), link)| (quoted(name.as_str()), link_name(model, link)));
            let mut row = format!("{:?},{},{body},{link}", clock.time(), link_name(model, contact.link));
            let vectors = contact.point.iter().chain(contact.normal.iter()).chain(contact.force.iter());
            for value in vectors.chain([&contact.depth]) {
                row.push_str(&format!(",{value:?}"));
            }
            if let Err(error) = log.rows.push(&row) {
                log.is_broken = true;
                let message = format!("the recording of contacts failed: {error}");
                *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
                return;
            }
        }
    }
}
