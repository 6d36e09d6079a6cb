//! Notes the moments that are marked on the time line.

use std::collections::BTreeSet;

use bevy::prelude::*;
use bunraku_body::BodyState;
use bunraku_physics::Contacts;
use bunraku_simulation::{RecordingRewind, SimulationClock};

use super::state::IsRecording;
use crate::view::Moments;

/// Notes what happens in a step.
pub fn note_moments(
    clock: Res<SimulationClock>,
    mut moments: ResMut<Moments>,
    bodies: Query<Entity, With<BodyState>>,
    contacts: Option<Contacts>,
    recording: Option<Res<IsRecording>>,
) {
    let mut touching = BTreeSet::new();
    if let Some(contacts) = contacts {
        for body in &bodies {
            let others = contacts.of_body(body).into_iter().filter_map(|contact| Some(contact.other?.0));
            touching.extend(others.filter(|other| body < *other).map(|other| [body, other]));
        }
    }
    moments.touch(clock.step(), touching);
    moments.record(clock.step(), recording.is_some_and(|recording| recording.0));
}

/// Forgets what is after the restored step.
pub fn rewind_moments(rewind: On<RecordingRewind>, mut moments: ResMut<Moments>) {
    moments.forget_after(rewind.step);
}
