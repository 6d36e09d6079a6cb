//! Switching of the recording.

use bevy::prelude::*;

use super::state::{IsRecording, RecordSwitch, WindowState};

/// Starts a recording, or finishes it.
pub fn record(world: &mut World, records: bool) {
    let Some(RecordSwitch(switch)) = world.get_resource::<RecordSwitch>().cloned() else { return };
    let (text, records) = switch(world, records);
    world.insert_resource(IsRecording(records));
    world.resource_mut::<WindowState>().say(text);
}
