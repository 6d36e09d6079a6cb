use bevy::prelude::*;

/// What cannot be done as asked while the simulation goes on: which entity, which component, and why. Each is told once, here
/// and in the log.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct SimulationWarnings(Vec<SimulationWarning>);

/// One of [`SimulationWarnings`].
#[derive(Clone, Debug, PartialEq, Eq, Reflect)]
pub struct SimulationWarning {
    /// The entity it is about.
    pub entity: Entity,
    /// The component it is about, by the name of its type.
    pub component: &'static str,
    /// What is wrong and what is done instead; it names the entity's body.
    pub message: String,
}

impl SimulationWarnings {
    /// All so far, in the order in which they came up.
    pub fn as_slice(&self) -> &[SimulationWarning] {
        &self.0
    }

    /// Adds one unless the same component of the entity has one.
    pub fn add(&mut self, entity: Entity, component: &'static str, message: impl FnOnce() -> String) {
        if self.0.iter().all(|known| known.entity != entity || known.component != component) {
            let message = message();
            log::warn!("{component} of entity {entity}: {message}");
            self.0.push(SimulationWarning { entity, component, message });
        }
    }

    /// Adds one unless the component of the entity has the very same. Of each component the first hundred are kept, with a last one
    /// that there were more.
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

    /// Forgets what is told of a component, so that it is told anew if it comes up again.
    pub fn forget(&mut self, entity: Entity, component: &'static str) {
        self.0.retain(|known| known.entity != entity || known.component != component);
    }
}
