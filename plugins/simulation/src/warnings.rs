use bevy::prelude::*;

/// Warnings of a running simulation about requests that cannot be fulfilled: entity, component and reason. Each is
/// reported once, here and in the log.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct SimulationWarnings(Vec<SimulationWarning>);

/// One of [`SimulationWarnings`].
#[derive(Clone, Debug, PartialEq, Eq, Reflect)]
pub struct SimulationWarning {
    /// Entity concerned.
    pub entity: Entity,
    /// Name of the type of the component concerned.
    pub component: &'static str,
    /// Problem and its handling; contains the name of the entity's body.
    pub message: String,
}

impl SimulationWarnings {
    /// All warnings so far, in order.
    pub fn as_slice(&self) -> &[SimulationWarning] {
        &self.0
    }

    /// Adds a warning, unless the same component of the entity has one.
    pub fn add(&mut self, entity: Entity, component: &'static str, message: impl FnOnce() -> String) {
        if self.0.iter().all(|known| known.entity != entity || known.component != component) {
            let message = message();
            log::warn!("{component} of entity {entity}: {message}");
            self.0.push(SimulationWarning { entity, component, message });
        }
    }

    /// Adds a warning, unless the component of the entity has an equal one. For each component the first hundred are
    /// kept, followed by a note that there were more.
    pub fn add_each(&mut self, entity: Entity, component: &'static str, message: String) {
        const MOST: usize = 100;
        let mut known = self.0.iter().filter(|known| known.entity == entity && known.component == component);
        if known.any(|known| known.message == message) {
            return;
        }
        let count = self.0.iter().filter(|known| known.entity == entity && known.component == component).count();
        if count > MOST {
            return;
        }
        let message = if count == MOST { "there are more warnings of this kind".to_owned() } else { message };
        log::warn!("{component} of entity {entity}: {message}");
        self.0.push(SimulationWarning { entity, component, message });
    }

    /// Removes the warnings about a component, so that they are reported again if they recur.
    pub fn forget(&mut self, entity: Entity, component: &'static str) {
        self.0.retain(|known| known.entity != entity || known.component != component);
    }
}
