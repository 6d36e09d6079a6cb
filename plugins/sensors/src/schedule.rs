//! When sensors measure.

use serde::{Deserialize, Serialize};

/// Samples at a rate, without drift: sample k is due k / rate after the sensor was switched on, and is taken at the first
/// step at or after that.
///
/// All of its state is here, so that a copy goes on as the original does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    rate: SampleRate,
    /// Since when it is on, s, and how many samples were due since then.
    on: Option<On>,
    /// Samples taken since the beginning, over all times it was on.
    taken: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct On {
    since: f64,
    due: u64,
}

/// How often a sensor measures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum SampleRate {
    /// At every step.
    EveryStep,
    /// This many times a second; in each step at most once.
    Hertz(f64),
}

/// Slowest rate of cameras and range sensors, Hz, as in the original.
pub const LEAST_RATE: f64 = 0.1;

/// Fastest rate of cameras and range sensors, Hz, as in the original.
pub const LARGEST_RATE: f64 = 1000.0;

/// Share of a period by which a step may come early: times are rounded.
const EARLY: f64 = 1e-6;

/// A sample that is to be taken now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// Its number, from 0, counted over the whole run: also that of its [`Random`](crate::Random) numbers.
    pub sample: u64,
    /// Samples that should have come between the last one and this, and did not, because steps are too far apart.
    pub missed: u64,
}

impl SampleRate {
    /// A rate of a file, brought between [`LEAST_RATE`] and [`LARGEST_RATE`]; `None` for a number that is none, or not
    /// above 0.
    pub fn of_file(hertz: f64) -> Option<Self> {
        (hertz > 0.0).then(|| Self::Hertz(hertz.clamp(LEAST_RATE, LARGEST_RATE)))
    }
}

impl Schedule {
    /// A sensor that is switched on at time 0, or off.
    pub fn new(rate: SampleRate, on: bool) -> Self {
        let mut schedule = Self { rate, on: None, taken: 0 };
        schedule.switch(on, 0.0);
        schedule
    }

    /// How often it measures.
    pub fn rate(&self) -> SampleRate {
        self.rate
    }

    /// Whether it is on.
    pub fn is_on(&self) -> bool {
        self.on.is_some()
    }

    /// Samples taken so far.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Switches it on or off at a time, s. Switched on, it measures at once; nothing happens if it already is as wanted.
    pub fn switch(&mut self, on: bool, time: f64) {
        match (self.on, on) {
            (None, true) => self.on = Some(On { since: time, due: 0 }),
            (Some(_), false) => self.on = None,
            _ => {}
        }
    }

    /// Whether it measures in the step that begins at `time`, s. Call it once a step.
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

/// Samples that are due from 0 up to a time, s, both included.
fn due_until(time: f64, rate: f64) -> u64 {
    let periods = (time * rate + EARLY).floor();
    if periods < 0.0 {
        return 0;
    }
    // A cast of a float cuts off and saturates, which is what is wanted.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let periods = periods as u64;
    periods.saturating_add(1)
}
