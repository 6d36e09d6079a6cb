//! What is drawn.

use bevy_egui::egui::Ui;

use crate::view::{Mark, Marks};

/// A box to tick for each mark.
pub fn show(ui: &mut Ui, marks: &mut Marks) {
    for mark in Mark::ALL {
        let mut shown = marks.has(mark);
        if ui.checkbox(&mut shown, mark.label()).changed() {
            marks.set(mark, shown);
        }
    }
}
