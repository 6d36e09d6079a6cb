//! The outcome of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bevy::prelude::*;
use bunraku::body::BodyState;
use bunraku::physics::{StartReport, WidestGap};
use bunraku::scene::{FinishedFiles, HandNote, HandNotes, Scene, SceneBody};
use bunraku::simulation::{SimulationClock, SimulationFault, SimulationWarnings};

use super::live::PrintedWarnings;
use super::summary::{BeyondSummary, EndState, ErrorSummary, GapSummary, Stepping};
use crate::cli::interrupts::INTERRUPTED;

/// The outcome of a run, read from its world.
pub struct Ended {
    pub fault: Option<SimulationFault>,
    pub pace: Stepping,
    pub files: FinishedFiles,
    pub steps: u64,
    /// s
    pub time: f64,
    pub gap: Option<GapSummary>,
    pub errors: BTreeMap<&'static str, ErrorSummary>,
    pub beyond: Vec<BeyondSummary>,
    pub warnings: Vec<String>,
    /// Warnings that were printed during the run and are not repeated at its end.
    pub printed: BTreeSet<String>,
    pub hands: Vec<HandNote>,
    pub end: BTreeMap<String, EndState>,
    /// A problem at the start that may have caused the fault.
    pub start: Option<String>,
}

impl Ended {
    /// Finishes the recordings.
    pub fn of(
        world: &mut World,
        fault: Option<SimulationFault>,
        pace: Stepping,
        scene: &Scene,
        entities: &[Entity],
        out: &Path,
    ) -> Self {
        let files = scene.finish_recordings(world, entities, out);
        let clock = world.resource::<SimulationClock>();
        let warnings = world.resource::<SimulationWarnings>().as_slice().iter();
        let cause = fault.as_ref().and_then(|fault| world.get_resource::<StartReport>()?.cause_of_fault(fault.time));
        let start = cause.map(str::to_owned);
        Self {
            fault,
            pace,
            files,
            steps: clock.step(),
            time: clock.time(),
            gap: world.resource::<WidestGap>().0.map(|gap| GapSummary::new(&gap, world)),
            errors: ErrorSummary::all(world),
            beyond: BeyondSummary::all(world),
            warnings: warnings.map(|warning| warning.message.clone()).collect(),
            printed: world.get_resource::<PrintedWarnings>().map(|printed| printed.0.clone()).unwrap_or_default(),
            hands: world.get_resource::<HandNotes>().map(|notes| notes.0.clone()).unwrap_or_default(),
            end: end_states(world, scene, entities),
            start,
        }
    }

    /// Why the run or its task failed.
    pub fn failure(&self) -> Option<String> {
        match (&self.fault, &self.start, self.files.failed.first()) {
            (Some(_), ..) if self.is_interrupted() => Some(INTERRUPTED.to_owned()),
            (Some(fault), Some(start), _) if !fault.message.contains("at the start") => {
                Some(format!("{fault}; at the start {start}"))
            }
            (Some(fault), ..) => Some(fault.to_string()),
            (None, _, Some((_, error))) => Some(format!("the recording failed: {error}")),
            (None, _, None) => None,
        }
    }

    /// Whether the user ended the run.
    pub fn is_interrupted(&self) -> bool {
        self.fault.as_ref().is_some_and(|fault| fault.message == INTERRUPTED)
    }
}

/// The final states of the recorded bodies.
fn end_states(world: &World, scene: &Scene, entities: &[Entity]) -> BTreeMap<String, EndState> {
    let recorded = scene.bodies.iter().zip(entities).filter(|(body, _)| body.is_recorded());
    let state = |(body, entity): (&SceneBody, &Entity)| {
        Some((body.name.clone(), EndState::of(&body.body, world.get::<BodyState>(*entity)?)?))
    };
    recorded.filter_map(state).collect()
}
