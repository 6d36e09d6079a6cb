//! The view of the bodies: mouse and camera.

use bevy::prelude::Vec2;
use bevy_egui::egui::{Key, PointerButton, Sense, Ui};

use super::surroundings::{Pull, Surroundings};
use crate::view::{Request, Shown};

/// Points of a notch of the wheel.
const POINTS_PER_NOTCH: f32 = 50.0;

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
}
