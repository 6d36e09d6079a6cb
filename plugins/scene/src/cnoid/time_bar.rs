//! The time bar, from which simulations may take their rate and their end.

use bunraku_document::{Reporter, Value};

use super::settings::Settings;

/// The settings of the time bar and their defaults.
#[derive(Clone, Copy)]
pub(super) struct TimeBar {
    /// Hz
    pub(super) frame_rate: f64,
    /// The end of its range, s.
    pub(super) max_time: f64,
}

impl Default for TimeBar {
    /// The values of a new Choreonoid project.
    fn default() -> Self {
        Self { frame_rate: 1000.0, max_time: 30.0 }
    }
}

impl TimeBar {
    /// The time bar of a project, if it has one.
    pub(super) fn read(root: Value<'_>, reporter: &Reporter) -> Option<Self> {
        let bar = root.get("toolbars").and_then(|bars| bars.get("TimeBar"))?;
        let settings = Settings::new(Some(bar));
        let positive = |value: Option<f64>| value.filter(|value| *value > 0.0);
        let default = Self::default();
        Some(Self {
            frame_rate: positive(settings.number(&["frame_rate", "frameRate"], reporter)).unwrap_or(default.frame_rate),
            max_time: positive(settings.number(&["max_time", "maxTime"], reporter)).unwrap_or(default.max_time),
        })
    }
}
