//! One frame of the window.

use bevy::camera::ClearColor;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::egui::{self, LayerId, Rect, Ui, UiBuilder};
use bevy_egui::{EguiContext, PrimaryEguiContext};
use bunraku_simulation::{Pace, SimulationStatus};

use super::gather::gather;
use super::hand;
use super::handles::handles;
use super::pointer::select_at;
use super::state::{Panels, Requests};
use crate::camera::{MainCamera, Orbit, ViewArea};
use crate::curves::CurveLog;
use crate::marks::ForceLabels;
use crate::panels::{Surroundings, prepare, set_style, show};
use crate::stage::{ShownMarks, sky};
use crate::view::Request;

/// Requests that are executed once the bodies exist.
#[derive(Resource, Clone, Debug, Default)]
pub struct FirstRequests(pub Vec<Request>);

/// Shows the panels, and collects their requests.
pub fn show_panels(world: &mut World) {
    let Ok(context) = world
        .query_filtered::<&mut EguiContext, With<PrimaryEguiContext>>()
        .single_mut(world)
        .map(|mut context| context.get_mut().clone())
    else {
        return;
    };
    let shown = gather(world);
    let Some(mut panels) = world.remove_resource::<Panels>() else { return };
    let Some(curves) = world.remove_resource::<CurveLog>() else { return };
    let handles = handles(world, context.pixels_per_point());
    let labels = force_labels(world, context.pixels_per_point());
    let mut orbit = *world.resource::<Orbit>();
    if !std::mem::replace(&mut panels.has_font, true) {
        prepare(&context);
    }
    set_style(&context, &panels.desk.kept);
    let mut around = Surroundings {
        orbit: &mut orbit,
        curves: &curves,
        labels,
        handles,
        view: Rect::NOTHING,
        clicked: None,
        pull: None,
        pictures: &mut panels.pictures,
    };
    let window = UiBuilder::new().layer_id(LayerId::background()).max_rect(context.viewport_rect());
    let mut ui = Ui::new(context.clone(), "window".into(), window);
    let requests = show(&mut ui, &shown, &mut panels.desk, &mut around);
    let (view, clicked, pull) = (around.view, around.clicked, around.pull);
    let chosen = panels.choice.show(&context);
    let marks = ShownMarks { marks: panels.desk.kept.marks.clone(), dark: panels.desk.kept.dark };
    world.insert_resource(panels);
    world.insert_resource(curves);
    world.insert_resource(marks);
    if *world.resource::<Orbit>() != orbit {
        world.insert_resource(orbit);
    }
    world.resource_mut::<Requests>().0.extend(requests.into_iter().chain(chosen));
    set_area(world, view, context.pixels_per_point());
    if let Some(point) = clicked {
        select_at(world, point, context.pixels_per_point());
    }
    hand::follow(world, pull, context.pixels_per_point());
    // Initial requests depend on the size of the view.
    let first = std::mem::take(&mut world.resource_mut::<FirstRequests>().0);
    world.resource_mut::<Requests>().0.extend(first);
}

/// Numbers of the displayed contact forces, where they are in the window.
fn force_labels(world: &mut World, scale: f32) -> Vec<(egui::Pos2, String)> {
    let forces = world.resource::<ForceLabels>().0.clone();
    let Ok(window) = world.query_filtered::<&Window, With<PrimaryWindow>>().single(world) else { return Vec::new() };
    // Points of panels may be larger than those of the window.
    let factor = window.scale_factor() / scale;
    let mut cameras = world.query_filtered::<(&Camera, &GlobalTransform), With<MainCamera>>();
    let Ok((camera, transform)) = cameras.single(world) else { return Vec::new() };
    let labels = forces.into_iter().filter_map(|(point, size)| {
        let place = camera.world_to_viewport(transform, point).ok()? * factor;
        Some((egui::pos2(place.x, place.y), format!("{size:.1} N")))
    });
    labels.collect()
}

/// Restricts the camera to the area without panels.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn set_area(world: &mut World, view: Rect, scale: f32) {
    let Ok(window) = world.query_filtered::<&Window, With<PrimaryWindow>>().single(world) else { return };
    let whole = UVec2::new(window.physical_width(), window.physical_height());
    if !view.is_finite() || !view.is_positive() || whole.min_element() == 0 {
        return;
    }
    let pixels = |point: egui::Pos2| {
        UVec2::new((point.x.max(0.0) * scale).round() as u32, (point.y.max(0.0) * scale).round() as u32).min(whole)
    };
    let (from, to) = (pixels(view.min), pixels(view.max));
    let area = ViewArea { position: from, size: to.saturating_sub(from) };
    if area.size.min_element() > 0 && *world.resource::<ViewArea>() != area {
        world.insert_resource(area);
    }
}

/// Sets the background colour.
pub fn paint_sky(marks: Res<ShownMarks>, mut color: ResMut<ClearColor>) {
    if color.0 != sky(marks.dark) {
        color.0 = sky(marks.dark);
    }
}

/// Pauses a run that has failed.
pub fn mind_failures(status: Res<SimulationStatus>, mut pace: ResMut<Pace>) {
    let is_over = matches!(*status, SimulationStatus::Failed(_) | SimulationStatus::Finished);
    if is_over && *pace != Pace::Paused {
        *pace = Pace::Paused;
    }
}
