//! Sampling times of sensors.

use serde::{Deserialize, Serialize};

/// Sampling at a rate, without drift: sample k is due k / rate after the sensor was switched on, and is taken at the
/// first step at or after that time.
///
/// It contains the whole state, so a copy continues exactly like the original.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    rate: SampleRate,
    /// Time since which it is on, s, and the number of samples due since then.
    on: Option<On>,
    /// Number of samples taken over the whole run, including earlier times it was on.
    taken: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct On {
    since: f64,
    due: u64,
}

/// Sample rate of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum SampleRate {
    /// One sample in every step.
    EveryStep,
    /// Frequency, Hz; at most one sample in each step.
    Hertz(f64),
}

/// Fraction of a period by which a step may be early, because times are rounded.
const EARLY: f64 = 1e-6;

/// A sample that is due now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// Number from 0, over the whole run; also the index of its [`Random`](crate::Random) numbers.
    pub sample: u64,
    /// Number of samples that were due since the last one but were not taken, because the time steps are too long.
    pub missed: u64,
}

impl SampleRate {
    /// A rate in a file, Hz; `None` if it is not positive or not finite.
    pub fn of_file(hertz: f64) -> Option<Self> {
        (hertz > 0.0 && hertz.is_finite()).then_some(Self::Hertz(hertz))
    }
}

impl Schedule {
    /// Schedule of a sensor that is switched on at time 0, or off.
    pub fn new(rate: SampleRate, on: bool) -> Self {
        let mut schedule = Self { rate, on: None, taken: 0 };
        schedule.switch(on, 0.0);
        schedule
    }

    /// Sample rate.
    pub fn rate(&self) -> SampleRate {
        self.rate
    }

    /// The same schedule with another rate, from its beginning.
    pub fn at_rate(self, rate: SampleRate) -> Self {
        Self { rate, ..self }
    }

    /// Time between samples with steps of `step` s.
    pub fn interval(&self, step: f64) -> f64 {
        match self.rate {
            SampleRate::EveryStep => step,
            SampleRate::Hertz(rate) => (1.0 / rate).max(step),
        }
    }

    /// Whether it is on.
    pub fn is_on(&self) -> bool {
        self.on.is_some()
    }

    /// Number of samples taken so far.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Time since which it is on, s.
    pub fn since(&self) -> Option<f64> {
        self.on.map(|on| on.since)
    }

    /// Counts a sample that is not taken at a time of the schedule, such as a scan that lasts several steps.
    pub fn take(&mut self, missed: u64) -> Due {
        let sample = self.taken;
        self.taken += 1;
        Due { sample, missed }
    }

    /// Switches it on or off at a time, s. After switching on it measures at once; without a change of state the call
    /// has no effect.
    pub fn switch(&mut self, on: bool, time: f64) {
        match (self.on, on) {
            (None, true) => self.on = Some(On { since: time, due: 0 }),
            (Some(_), false) => self.on = None,
            _ => {}
        }
    }

    /// Whether it measures in the step that begins at `time`, s. Call it once in each step.
    pub fn step(&mut self, time: f64) -> Option<Due> {
        let on = self.on.as_mut()?;
        let due = match self.rate {
            SampleRate::EveryStep => on.due + 1,
            SampleRate::Hertz(rate) => due_until(time - on.since, rate),
        };
        let missed = due.checked_sub(on.due + 1)?;
        on.due = due;
        let sample = self.taken;
        self.taken += 1;
        Some(Due { sample, missed })
    }
}

/// Number of samples that are due from 0 up to a time, s, both included.
fn due_until(time: f64, rate: f64) -> u64 {
    let periods = (time * rate + EARLY).floor();
    if periods < 0.0 {
        return 0;
    }
    // A cast of a float truncates and saturates, as required.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let periods = periods as u64;
    periods.saturating_add(1)
}
