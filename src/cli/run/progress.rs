//! Running a simulation to its end without a window, with a progress bar.

use std::io::IsTerminal;

use bevy::prelude::*;
use bunraku::physics::in_digits;
use bunraku::simulation::{SimulationClock, SimulationFault, SimulationStatus};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::panics::guard;

/// Updates the app until the simulation ends; returns its fault. The progress bar needs the number of steps.
pub fn simulate(app: &mut App, num_steps: Option<u64>) -> Option<SimulationFault> {
    let progress = progress_bar(num_steps);
    let outcome = guard(|| {
        app.finish();
        app.cleanup();
        loop {
            app.update();
            progress.set_position(app.world().resource::<SimulationClock>().step());
            match app.world().resource::<SimulationStatus>() {
                SimulationStatus::Ready | SimulationStatus::Running => {}
                SimulationStatus::Finished => return None,
                SimulationStatus::Failed(fault) => return Some(fault.clone()),
            }
        }
    });
    progress.finish_and_clear();
    outcome.unwrap_or_else(|panic| {
        let time = app.world().get_resource::<SimulationClock>().map_or(0.0, SimulationClock::time);
        Some(SimulationFault { time, message: format!("the simulation broke down, which is a bug: {panic}") })
    })
}

/// Runs with more steps than this are announced: at 0.1 ms a step they take a quarter of an hour.
const MANY_STEPS: f64 = 1e7;

/// The message on the expected time of a long run, printed before it starts: a typing error in a duration could cost
/// days.
pub fn long_run(duration: f64, time_step: f64) -> Option<String> {
    let steps = (duration / time_step).round();
    let hours = steps * 1e-4 / 3600.0;
    (steps > MANY_STEPS).then(|| {
        format!(
            "a run of {} s makes {} steps of {time_step} s: some {} hours at 0.1 ms a step",
            in_digits(duration, 0),
            in_digits(steps, 0),
            in_digits(hours, 1)
        )
    })
}

/// A progress bar on stderr; hidden unless stderr is a terminal and the number of steps is known.
fn progress_bar(num_steps: Option<u64>) -> ProgressBar {
    let Some(num_steps) = num_steps.filter(|_| std::io::stderr().is_terminal()) else { return ProgressBar::hidden() };
    let bar = ProgressBar::new(num_steps);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {eta} left") {
        bar.set_style(style);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_million_steps_are_announced() {
        assert_eq!(
            long_run(1e6, 0.001).as_deref(),
            Some("a run of 1000000 s makes 1.00e+9 steps of 0.001 s: some 27.8 hours at 0.1 ms a step")
        );
        assert_eq!(long_run(100.0, 0.001), None);
    }
}
