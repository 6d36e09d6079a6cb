//! Recording of velocities, efforts and forces of joints.

use super::RecordSensors;
use bevy::prelude::*;
use bunraku_body::dynamics::Wrench;
use bunraku_body::{Body, BodyState, JointIndex, JointKind};
use bunraku_motion::{FinishedRecording, FrameSteps, RecordError, TableRecorder};
use bunraku_physics::JointReadings;
use bunraku_simulation::{
    RecordSystems, RecordingRewind, RegisterSimulationState, SimulationClock, SimulationFault, SimulationStart,
    SimulationStatus, SimulationStep,
};

/// Writes the [`JointLog`]s of bodies.
pub struct JointLogPlugin;

impl Plugin for JointLogPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(SimulationStep, record.in_set(RecordSystems::Readings).before(RecordSensors))
            .add_systems(SimulationStart, record.in_set(RecordSystems::Readings).before(RecordSensors))
            .add_systems(Last, flush)
            .add_observer(finish_with_body)
            .add_observer(rewind)
            .ignore_simulation_state::<JointLog>("a recording goes on with the frames that come");
    }
}

/// The quantities recorded for each joint in addition to its displacement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JointChannels {
    /// `<joint>.velocity`, rad/s or m/s.
    pub velocities: bool,
    /// `<joint>.effort`, N·m or N: see [`JointReadings::efforts`], which the body needs for it.
    pub efforts: bool,
    /// `<joint>.force.x` to `<joint>.torque.z`, N and N·m: see [`JointReadings::reactions`], which the body needs for
    /// it.
    pub forces: bool,
}

impl JointChannels {
    /// Whether anything is recorded.
    pub fn any(self) -> bool {
        self.velocities || self.efforts || self.forces
    }

    /// The columns for a body, with their units: the recorded channels of each joint that moves, in joint order.
    pub fn columns(self, body: &Body) -> Vec<String> {
        let columns = joints(body).flat_map(|joint| {
            let joint = JointIndex(joint);
            let turns = body.joint(joint).is_some_and(|joint| joint.kind == JointKind::Revolute);
            let (speed, effort) = if turns { ("rad/s", "N*m") } else { ("m/s", "N") };
            let name = body.joint_name(joint).to_owned();
            let column =
                move |(wanted, channel, unit): (bool, &str, &str)| wanted.then(|| format!("{name}.{channel} [{unit}]"));
            let values = [(self.velocities, "velocity", speed), (self.efforts, "effort", effort)];
            let forces = ["force.x", "force.y", "force.z"].map(|channel| (self.forces, channel, "N"));
            let torques = ["torque.x", "torque.y", "torque.z"].map(|channel| (self.forces, channel, "N*m"));
            values.into_iter().chain(forces).chain(torques).filter_map(column)
        });
        columns.collect()
    }
}

/// Indices of the joints that have a displacement.
fn joints(body: &Body) -> impl Iterator<Item = usize> + '_ {
    (0..body.num_joints())
        .filter(|&joint| body.joint(JointIndex(joint)).is_some_and(|joint| joint.kind.has_displacement()))
}

/// Writes velocities, efforts and forces of the joints of its body to a table, at the start of the simulation and then
/// every `steps_per_frame` steps. Efforts and forces are means over the preceding step, and 0 at the start.
#[derive(Component, Debug)]
pub struct JointLog {
    /// `None` after the table is finished.
    table: Option<TableRecorder>,
    channels: JointChannels,
    /// Indices of the joints and of the links that they move.
    joints: Vec<(usize, usize)>,
    lines: FrameSteps,
    row: Vec<f64>,
}

impl JointLog {
    /// Writes to `table`, whose columns must be those of `channels` for this body, every `steps_per_frame` steps (at
    /// least 1).
    pub fn new(table: TableRecorder, body: &Body, channels: JointChannels, steps_per_frame: u64) -> Self {
        let link = |joint| body.joint_link(JointIndex(joint)).map_or(0, |link| link.0);
        let joints = joints(body).map(|joint| (joint, link(joint))).collect();
        Self { table: Some(table), channels, joints, lines: FrameSteps::every(steps_per_frame), row: Vec::new() }
    }

    /// Finishes the table; `None` if that has already been done.
    ///
    /// # Errors
    /// If it cannot be written; the partial file still contains all rows.
    pub fn finish(mut self) -> Result<Option<FinishedRecording>, RecordError> {
        self.table.take().map(TableRecorder::finish).transpose()
    }

    /// Removes the rows of later steps.
    fn rewind(&mut self, step: u64) -> Result<(), RecordError> {
        let Some(table) = &mut self.table else { return Ok(()) };
        self.lines.rewind(step, table.num_frames()).map_or(Ok(()), |left| table.rewind(left))
    }

    fn record(&mut self, state: &BodyState, readings: Option<&JointReadings>) -> Result<(), RecordError> {
        let Self { table, channels, joints, row, .. } = self;
        let Some(table) = table else { return Ok(()) };
        let efforts = readings.map_or(&[][..], JointReadings::efforts);
        row.clear();
        let reactions = readings.map_or(&[][..], JointReadings::reactions);
        for &(joint, link) in joints.iter() {
            let value = |values: &[f64]| values.get(joint).copied().unwrap_or(0.0);
            row.extend(channels.velocities.then(|| value(&state.velocities)));
            row.extend(channels.efforts.then(|| value(efforts)));
            if channels.forces {
                let Wrench { force, torque } = reactions.get(link).copied().unwrap_or_default();
                row.extend(force.iter().chain(torque.iter()));
            }
        }
        table.record(row)
    }
}

fn record(
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    mut bodies: Query<(&BodyState, Option<&JointReadings>, &mut JointLog)>,
) {
    if !matches!(*status, SimulationStatus::Running) {
        return;
    }
    for (state, readings, mut log) in &mut bodies {
        if !log.lines.take(clock.step()) {
            continue;
        }
        if let Err(error) = log.record(state, readings) {
            *status = failed(&clock, &error);
            return;
        }
    }
}

/// Removes the rows after the step to which the simulation returns.
fn rewind(
    rewind: On<RecordingRewind>,
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    mut logs: Query<&mut JointLog>,
) {
    for mut log in &mut logs {
        if let Err(error) = log.rewind(rewind.step) {
            *status = failed(&clock, &error);
        }
    }
}

/// Flushes buffered rows after a short time, also while the simulation is paused.
fn flush(clock: Res<SimulationClock>, mut status: ResMut<SimulationStatus>, mut logs: Query<&mut JointLog>) {
    for mut log in &mut logs {
        let Some(table) = &mut log.bypass_change_detection().table else { continue };
        if let Err(error) = table.flush_if_due()
            && matches!(*status, SimulationStatus::Running)
        {
            *status = failed(&clock, &error);
        }
    }
}

/// Finishes the table of a body that is despawned.
fn finish_with_body(
    gone: On<Despawn, JointLog>,
    mut logs: Query<&mut JointLog>,
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
) {
    let table = logs.get_mut(gone.entity).ok().and_then(|mut log| log.table.take());
    if let Some(Err(error)) = table.map(TableRecorder::finish)
        && matches!(*status, SimulationStatus::Running)
    {
        *status = failed(&clock, &error);
    }
}

fn failed(clock: &SimulationClock, error: &RecordError) -> SimulationStatus {
    let message = format!("the recording failed: {error}");
    SimulationStatus::Failed(SimulationFault { time: clock.time(), message })
}
