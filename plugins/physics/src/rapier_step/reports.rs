use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bunraku_simulation::SimulationWarnings;

use crate::model::limitations::{Limitation, ReportedLimitations};

/// Where limitations are reported.
#[derive(SystemParam)]
pub(crate) struct Reports<'w> {
    warnings: ResMut<'w, SimulationWarnings>,
    reported: ResMut<'w, ReportedLimitations>,
}

impl Reports<'_> {
    pub fn has(&self, limitation: Limitation) -> bool {
        self.reported.0.contains(&limitation)
    }

    /// Warns, once a run, of a limitation that a component of an entity meets. `message` is that of [`Limitation::message`].
    ///
    /// # Errors
    /// The message with the remedy, if scenes with this limitation are refused.
    pub fn add(
        &mut self,
        (entity, component): (Entity, &'static str),
        limitation: Limitation,
        message: &str,
    ) -> Result<(), String> {
        let message = format!("{message}; {}", limitation.help());
        if limitation.is_refused() {
            return Err(message);
        }
        if self.reported.0.insert(limitation) {
            self.warnings.add_each(entity, component, message);
        }
        Ok(())
    }
}
