//! The view of the bodies: mouse and camera.

use bevy::prelude::Vec2;
use bevy_egui::egui::{self, Key, Label, PointerButton, Rect, RichText, Sense, Ui, pos2};
use bunraku_body::Drive;

use super::gallery;
use super::surroundings::{Pull, Surroundings};
use crate::view::{Doing, Request, Shown};

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
pub fn show(ui: &mut Ui, shown: &Shown, around: &mut Surroundings<'_>, requests: &mut Vec<Request>) {
    let rect = ui.available_rect_before_wrap();
    around.view = rect;
    let response = ui.allocate_rect(rect, Sense::click_and_drag());
    let (modifiers, scroll) = ui.input(|input| (input.modifiers, input.smooth_scroll_delta.y));
    let drag = response.drag_delta();
    let drag = Vec2::new(drag.x, drag.y);
    let pans = response.dragged_by(PointerButton::Secondary) || response.dragged_by(PointerButton::Middle);
    let left = response.dragged_by(PointerButton::Primary);
    if left && modifiers.command {
        around.pull = response
            .interact_pointer_pos()
            .map(|pointer| Pull { begins: response.drag_started_by(PointerButton::Primary), pointer });
    } else if pans || (left && modifiers.shift) {
        around.orbit.pan(drag, rect.height());
    } else if left {
        around.orbit.turn(drag);
    }
    if response.hovered() && scroll != 0.0 {
        around.orbit.zoom(scroll / POINTS_PER_NOTCH);
    }
    if response.clicked() {
        around.clicked = response.interact_pointer_pos();
    }
    if response.double_clicked() {
        requests.push(Request::Fit);
    }
    if ui.input(|input| input.key_pressed(Key::Escape)) && shown.selection.is_some() {
        requests.push(Request::Select(None));
    }
    labels(ui, rect, &around.labels);
    if shown.bodies.is_empty() && !shown.gallery.is_empty() {
        gallery::show(ui, shown, requests);
    } else if waits_to_run(shown) {
        hint(ui, rect, "Press Space to run");
    }
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
