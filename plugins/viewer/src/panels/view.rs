//! The view of the bodies: mouse and camera.

use bevy::prelude::Vec2;
use bevy_egui::egui::{self, Key, Label, PointerButton, Rect, RichText, Sense, Ui, pos2};
use bunraku_body::Drive;

use super::surroundings::{Pull, Surroundings};
use super::{gallery, handle};
use crate::view::{Doing, Request, Shown, ShownThrough};

/// Points of a notch of the wheel.
const POINTS_PER_NOTCH: f32 = 50.0;
/// Size of a label, points.
const LABEL: egui::Vec2 = egui::vec2(64.0, 16.0);
/// Size of a hint, points.
const HINT: egui::Vec2 = egui::vec2(190.0, 32.0);

/// Handles drags, clicks and the wheel:
///
/// | mouse | action |
/// |---|---|
/// | left button | rotates |
/// | right or middle button, or left with Shift | pans |
/// | wheel | zooms |
/// | click | selects a link |
/// | double click | centres it |
/// | left button with Ctrl | pulls a link |
/// | left button on a handle | moves or turns the selected body |
pub fn show(ui: &mut Ui, shown: &Shown, around: &mut Surroundings<'_>, requests: &mut Vec<Request>) {
    let rect = ui.available_rect_before_wrap();
    around.view = rect;
    let response = ui.allocate_rect(rect, Sense::click_and_drag());
    let (modifiers, scroll) = ui.input(|input| (input.modifiers, input.smooth_scroll_delta.y));
    let drag = response.drag_delta();
    let drag = Vec2::new(drag.x, drag.y);
    let pans = response.dragged_by(PointerButton::Secondary) || response.dragged_by(PointerButton::Middle);
    let left = response.dragged_by(PointerButton::Primary);
    let holds_handle = handle::show(ui, &response, around.handles.as_ref(), requests);
    if shown.through.is_some() || holds_handle {
        // The sensor determines where the camera is; a handle takes the drag.
    } else if left && modifiers.command {
        around.pull = response
            .interact_pointer_pos()
            .map(|pointer| Pull { begins: response.drag_started_by(PointerButton::Primary), pointer });
    } else if pans || (left && modifiers.shift) {
        around.orbit.pan(drag, rect.height());
    } else if left {
        around.orbit.turn(drag);
    }
    if response.hovered() && scroll != 0.0 && shown.through.is_none() {
        around.orbit.zoom(scroll / POINTS_PER_NOTCH);
    }
    if response.clicked() {
        around.clicked = response.interact_pointer_pos();
    }
    if response.double_clicked() {
        requests.push(Request::Fit);
    }
    if ui.input(|input| input.key_pressed(Key::Escape)) {
        if shown.through.is_some() {
            requests.push(Request::LookThrough(None));
        } else if shown.selection.is_some() {
            requests.push(Request::Select(None));
        }
    }
    if let Some(through) = &shown.through {
        frame(ui, rect, through);
    }
    labels(ui, rect, &around.labels);
    if shown.bodies.is_empty() && !shown.gallery.is_empty() {
        gallery::show(ui, shown, requests);
    } else if waits_to_run(shown) {
        hint(ui, rect, "Press Space to run");
    }
}

/// Darkens what the sensor's camera does not see, and writes its name.
fn frame(ui: &mut Ui, view: Rect, through: &ShownThrough) {
    let [width, height] = through.extent;
    let half = height.max(width * view.height() / view.width().max(1.0)).max(f32::MIN_POSITIVE);
    let image = Rect::from_center_size(view.center(), egui::vec2(width, height) * (view.height() / half));
    let shade = egui::Color32::from_black_alpha(150);
    let outside = [
        Rect::from_min_max(view.min, pos2(view.right(), image.top())),
        Rect::from_min_max(pos2(view.left(), image.bottom()), view.max),
        Rect::from_min_max(pos2(view.left(), image.top()), pos2(image.left(), image.bottom())),
        Rect::from_min_max(pos2(image.right(), image.top()), pos2(view.right(), image.bottom())),
    ];
    for rect in outside.into_iter().filter(Rect::is_positive) {
        ui.painter().rect_filled(rect, 0.0, shade);
    }
    let stroke = egui::Stroke::new(1.0, egui::Color32::WHITE);
    ui.painter().rect_stroke(image, 0.0, stroke, egui::StrokeKind::Inside);
    let title = Rect::from_min_size(view.min + egui::vec2(8.0, 6.0), egui::vec2(view.width() - 16.0, 18.0));
    let text = RichText::new(format!("{} (Esc: back)", through.label)).background_color(ui.visuals().window_fill);
    ui.put(title, Label::new(text).selectable(false).truncate());
}

/// Whether a run is about to begin that nobody has begun.
fn waits_to_run(shown: &Shown) -> bool {
    let moves = shown.bodies.iter().any(|body| body.drive != Drive::Static);
    shown.doing == Doing::Paused && shown.step == 0 && shown.last_step == 0 && moves
}

/// Writes the texts whose points are in the view.
fn labels(ui: &mut Ui, view: Rect, labels: &[(egui::Pos2, String)]) {
    for (point, text) in labels.iter().filter(|(point, _)| view.shrink(8.0).contains(*point)) {
        let text = RichText::new(text).background_color(ui.visuals().window_fill.gamma_multiply(0.7));
        ui.put(Rect::from_center_size(*point, LABEL), Label::new(text).selectable(false).extend());
    }
}

/// Writes a text near the lower edge of the view.
fn hint(ui: &mut Ui, view: Rect, text: &str) {
    let ground = Rect::from_center_size(pos2(view.center().x, view.bottom() - 40.0), HINT);
    ui.painter().rect_filled(ground, 8.0, ui.visuals().window_fill.gamma_multiply(0.85));
    // Nothing to click: the mouse below it turns the view.
    ui.put(ground, Label::new(RichText::new(text).size(16.0).strong()).selectable(false));
}
