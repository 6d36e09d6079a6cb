//! All panels together.

use bevy_egui::egui::{self, CentralPanel, Frame, Ui};

use super::desk::Desk;
use super::dock::Dock;
use super::surroundings::Surroundings;
use super::{bar, keys, view};
use crate::view::{Request, Shown};

/// Shows the whole window and returns the requests.
pub fn show(ui: &mut Ui, shown: &Shown, desk: &mut Desk, around: &mut Surroundings<'_>) -> Vec<Request> {
    keys::keep_keys(ui.ctx());
    let mut requests = keys::key_requests(ui.ctx(), shown, desk);
    egui::Panel::top("time").show(ui, |ui| bar::show(ui, shown, desk, &mut requests));
    egui::Panel::bottom("status").show(ui, |ui| bar::status(ui, shown));
    CentralPanel::default().frame(Frame::NONE).show(ui, |ui| {
        if desk.kept.shows_panels {
            let mut layout = std::mem::replace(&mut desk.kept.layout, egui_tiles::Tree::empty("empty"));
            layout.ui(&mut Dock { shown, desk, around, requests: &mut requests }, ui);
            if desk.kept.layout.root().is_none() {
                desk.kept.layout = layout;
            }
        } else {
            view::show(ui, shown, around, &mut requests);
        }
    });
    keys::show(ui.ctx(), desk);
    requests
}
