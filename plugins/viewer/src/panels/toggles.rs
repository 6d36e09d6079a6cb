//! Selection of overlays.

use bevy_egui::egui::Ui;

use crate::view::{Mark, Marks};

/// Shows a checkbox for each overlay.
pub fn show(ui: &mut Ui, marks: &mut Marks) {
    for mark in Mark::ALL {
        let mut shown = marks.has(mark);
        if ui.checkbox(&mut shown, mark.label()).changed() {
            marks.set(mark, shown);
        }
    }
}
