//! Scripted actions: for tests, and for reproducible screenshots of the window.

use std::collections::VecDeque;
use std::path::PathBuf;

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::egui;
use bunraku_body::{BodyModel, LinkIndex};
use bunraku_simulation::{Pace, SimulationClock, SimulationStatus};

use super::apply::apply_requests;
use super::state::{Panels, Requests};
use super::{hand, key_frames, pictures};
use crate::camera::{Follow, Followed, MainCamera, Orbit};
use crate::curves::Channel;
use crate::panels::{Panel, Pull};
use crate::view::{Mark, Request, Selection};

/// An action of a script.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Wait for this number of frames.
    Frames(u32),
    /// Wait until this number of steps is done, or the run has ended; the run is stopped exactly there.
    UntilStep(u64),
    /// Execute a request.
    Ask(Request),
    /// Write a screenshot of the window.
    Picture(PathBuf),
    /// Bring a panel to the front.
    Open(Panel),
    /// Show or hide the panels beside the view.
    Panels(bool),
    /// Set the dark or light theme.
    Dark(bool),
    /// Show or hide an overlay.
    Show(Mark, bool),
    /// Add a curve.
    Plot(Channel),
    /// Show or hide targets beside displacements.
    Targets(bool),
    /// Add the displayed pose of a body to its key frames at a time, s.
    KeyFrame(String, f64),
    /// Write the motion through the key frames of a body.
    SaveKeyFrames(String),
    /// Drag the point of the view where the first point is seen to where the second is, with Ctrl and the left button, m.
    Drag([Vec3; 2]),
    /// Place the camera at the first point, looking at the second, m.
    Look([Vec3; 2]),
    /// Move the camera with a link, or with the root of a body.
    Follow(Selection),
}

/// Actions executed in order.
#[derive(Resource, Clone, Debug, Default)]
pub struct Script(pub VecDeque<Act>);

/// Executes the script as far as possible.
pub fn act(world: &mut World) {
    loop {
        let Some(next) = world.resource::<Script>().0.front().cloned() else { return };
        match next {
            Act::Frames(0) => {}
            Act::Frames(left) => {
                world.resource_mut::<Script>().0[0] = Act::Frames(left - 1);
                return;
            }
            Act::UntilStep(step) => {
                let now = world.resource::<SimulationClock>().step();
                let is_over = !matches!(
                    *world.resource::<SimulationStatus>(),
                    SimulationStatus::Running | SimulationStatus::Ready
                );
                if now < step && !is_over {
                    // No further than that, whatever the pace.
                    world.insert_resource(Pace::Steps((step - now).min(STEPS_PER_UPDATE)));
                    return;
                }
                world.insert_resource(Pace::Paused);
            }
            Act::Ask(request) => {
                world.resource_mut::<Requests>().0.push(request);
                apply_requests(world);
            }
            Act::Picture(path) => pictures::take(world, Some(path)),
            Act::Open(panel) => world.resource_mut::<Panels>().desk.open(panel),
            Act::Panels(shown) => world.resource_mut::<Panels>().desk.kept.shows_panels = shown,
            Act::Dark(dark) => world.resource_mut::<Panels>().desk.kept.dark = dark,
            Act::Show(mark, shown) => world.resource_mut::<Panels>().desk.kept.marks.set(mark, shown),
            Act::Plot(channel) => world.resource_mut::<Panels>().desk.plots.add(channel),
            Act::Targets(shown) => world.resource_mut::<Panels>().desk.plots.shows_targets = shown,
            Act::Follow(Selection { body, link, .. }) => {
                world.insert_resource(Followed(Some(Follow::link(body, link.unwrap_or(LinkIndex::ROOT)))));
            }
            Act::KeyFrame(name, time) => {
                if let Some(body) = named(world, &name) {
                    key_frames::add(world, body, time);
                }
            }
            Act::SaveKeyFrames(name) => {
                let keys = world.resource::<Panels>().desk.keys.of(&name).cloned().unwrap_or_default();
                if let Some(body) = named(world, &name) {
                    key_frames::save(world, body, &keys);
                }
            }
            Act::Drag(ends) => drag(world, ends),
            Act::Look([eye, target]) => world.insert_resource(Orbit::looking(eye, target)),
        }
        world.resource_mut::<Script>().0.pop_front();
    }
}

/// Steps per frame, so that the run is displayed now and then.
const STEPS_PER_UPDATE: u64 = 250;

fn named(world: &mut World, name: &str) -> Option<Entity> {
    let mut bodies = world.query_filtered::<(Entity, &Name), With<BodyModel>>();
    bodies.iter(world).find(|(_, known)| known.as_str() == name).map(|(entity, _)| entity)
}

/// Positions of the pointer in a drag.
const DRAG_EVENTS: u16 = 20;

/// Moves the pointer in a straight line of the window, and releases the button.
fn drag(world: &mut World, ends: [Vec3; 2]) {
    let Ok(factor) = world.query_filtered::<&Window, With<PrimaryWindow>>().single(world).map(Window::scale_factor)
    else {
        return;
    };
    let mut cameras = world.query_filtered::<(&Camera, &GlobalTransform), With<MainCamera>>();
    let Ok((camera, transform)) = cameras.single(world) else { return };
    let [Some(from), Some(to)] = ends.map(|end| camera.world_to_viewport(transform, end).ok()) else { return };
    for event in 0..=DRAG_EVENTS {
        let place = from.lerp(to, f32::from(event) / f32::from(DRAG_EVENTS));
        let pull = Pull { begins: event == 0, pointer: egui::pos2(place.x, place.y) };
        hand::follow(world, Some(pull), factor);
    }
    hand::follow(world, None, factor);
}
