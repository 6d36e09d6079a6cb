use std::time::{Duration, Instant};

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;

use crate::schedule::{SimulationStart, SimulationStep, SimulationSystems};

/// Parts of a step for time measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepPart {
    /// Preparation of changed entities, and controllers.
    Control,
    /// Collision detection. For impulse joints it is part of [`Solver`](Self::Solver), like all of rapier's pipeline.
    Detection,
    /// Forces and constraints.
    Solver,
    /// Sensors.
    Sensing,
    /// Recordings.
    Recording,
    /// Everything else: efforts of motors, write-back of states and readings, and the schedule itself.
    Rest,
}

impl StepPart {
    /// All parts, in the order of a step.
    pub const ALL: [Self; 6] =
        [Self::Control, Self::Detection, Self::Solver, Self::Sensing, Self::Recording, Self::Rest];

    /// Name in one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Control => "control",
            Self::Detection => "detection",
            Self::Solver => "solver",
            Self::Sensing => "sensing",
            Self::Recording => "recording",
            Self::Rest => "rest",
        }
    }
}

/// Wall time spent in the parts of all steps. No step depends on it.
///
/// [`StepTimesPlugin`] measures it. A plugin that executes a part of a step by itself ends that part with a
/// [`lap`](Self::lap), if the resource exists.
#[derive(Resource, Clone, Copy, Debug)]
pub struct StepTimes {
    since: Instant,
    spent: [Duration; StepPart::ALL.len()],
}

impl Default for StepTimes {
    /// All times are zero.
    fn default() -> Self {
        Self { since: Instant::now(), spent: [Duration::ZERO; StepPart::ALL.len()] }
    }
}

impl StepTimes {
    /// Adds the time since the previous lap to this part.
    pub fn lap(&mut self, part: StepPart) {
        let now = Instant::now();
        self.spent[part as usize] += now - self.since;
        self.since = now;
    }

    /// Time spent in a part over all steps.
    pub fn spent(&self, part: StepPart) -> Duration {
        self.spent[part as usize]
    }
}

/// Measures the times of steps: see [`StepTimes`]. It takes a fraction of a microsecond in each step.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepTimesPlugin;

impl Plugin for StepTimesPlugin {
    fn build(&self, app: &mut App) {
        use SimulationSystems::{Actuate, Control, Record, Sense, Step};
        app.init_resource::<StepTimes>();
        // The first samples and frames belong to their parts, too.
        for schedule in [SimulationStart.intern(), SimulationStep.intern()] {
            let laps = (
                lap(StepPart::Control).after(Control).before(Actuate),
                lap(StepPart::Rest).after(Step).before(Sense),
                lap(StepPart::Sensing).after(Sense).before(Record),
                lap(StepPart::Recording).after(Record),
            );
            app.add_systems(schedule, laps.chain());
        }
    }
}

fn lap(part: StepPart) -> impl Fn(ResMut<StepTimes>) {
    move |mut times| times.lap(part)
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;
    use crate::{Pace, SimulationPlugin, run_steps};

    const PAUSE: Duration = Duration::from_millis(2);

    #[test]
    fn the_first_samples_are_sensing() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SimulationPlugin { pace: Pace::Paused, ..default() }, StepTimesPlugin));
        app.add_systems(SimulationStart, (|| sleep(5 * PAUSE)).in_set(SimulationSystems::Sense));
        app.insert_resource(StepTimes::default());
        run_steps(app.world_mut(), 1);
        let times = app.world().resource::<StepTimes>();
        assert!(times.spent(StepPart::Sensing) >= 5 * PAUSE, "{times:?}");
        assert!(times.spent(StepPart::Rest) + times.spent(StepPart::Control) < 5 * PAUSE, "{times:?}");
    }

    #[test]
    fn a_part_gets_the_time_that_its_systems_take() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SimulationPlugin { pace: Pace::Paused, ..default() }, StepTimesPlugin));
        app.add_systems(
            SimulationStep,
            (
                (|| sleep(PAUSE)).in_set(SimulationSystems::Control),
                (|| sleep(2 * PAUSE)).in_set(SimulationSystems::Record),
                (|mut times: ResMut<StepTimes>| {
                    times.lap(StepPart::Rest);
                    sleep(3 * PAUSE);
                    times.lap(StepPart::Solver);
                })
                .in_set(SimulationSystems::Step),
            ),
        );
        let start = Instant::now();
        app.insert_resource(StepTimes::default());
        run_steps(app.world_mut(), 3);
        let whole = start.elapsed();
        let times = app.world().resource::<StepTimes>();
        let spent = StepPart::ALL.map(|part| times.spent(part));
        for (part, least) in [(StepPart::Control, 3), (StepPart::Recording, 6), (StepPart::Solver, 9)] {
            assert!(times.spent(part) >= least * PAUSE, "{part:?} of {spent:?}");
        }
        assert!(times.spent(StepPart::Detection).is_zero() && spent.iter().sum::<Duration>() <= whole);
    }
}
