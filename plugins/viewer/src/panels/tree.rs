//! Tree of bodies, links and devices.

use bevy_egui::egui::{CollapsingHeader, RichText, TextEdit, Ui};
use bunraku_body::{Drive, LinkIndex};

use super::desk::Desk;
use crate::view::{Request, Selection, Shown, ShownBody};

/// Indentation of a link relative to its parent, points.
const STEP: f32 = 10.0;
/// Maximum number of indentation levels.
const MOST_STEPS: u16 = 12;

/// Shows an entry for each body, with the tree of its links; a click selects.
pub fn show(ui: &mut Ui, shown: &Shown, desk: &mut Desk, requests: &mut Vec<Request>) {
    if shown.bodies.is_empty() {
        ui.weak("There is no body.");
        return;
    }
    ui.add(TextEdit::singleline(&mut desk.filter).hint_text("Find a link or a device"));
    let filter = desk.filter.to_lowercase();
    for body in &shown.bodies {
        let is_selected = shown.selection == Some(Selection::body(body.entity));
        let how = match body.drive {
            // Forces cannot move it: a plane of a scene, for example.
            Drive::Physics if body.model.is_fixed() && body.model.num_joints() == 0 => "static",
            Drive::Physics => "dynamic",
            Drive::Motion => "kinematic",
            Drive::Static => "static",
        };
        let title = format!("{} ({how})", body.name);
        let header = CollapsingHeader::new(title)
            .id_salt(body.entity)
            .default_open(shown.bodies.len() <= 3 && body.model.links().len() <= 60)
            .show(ui, |ui| {
                if ui.selectable_label(is_selected, "whole body").clicked() {
                    requests.push(Request::Select(Some(Selection::body(body.entity))));
                }
                if filter.is_empty() {
                    links(ui, shown, body, requests);
                } else {
                    found(ui, shown, body, &filter, requests);
                }
            });
        if header.header_response.secondary_clicked() {
            requests.push(Request::Select(Some(Selection::body(body.entity))));
        }
    }
}

/// Links are in depth-first order, so an indented list shows the tree, whatever its depth.
fn links(ui: &mut Ui, shown: &Shown, body: &ShownBody, requests: &mut Vec<Request>) {
    let mut depths: Vec<u16> = Vec::with_capacity(body.model.links().len());
    for (index, link) in body.model.indexed_links() {
        let depth = link.parent.and_then(|parent| depths.get(parent.0)).map_or(0, |depth| depth.saturating_add(1));
        depths.push(depth);
        let space = STEP * f32::from(depth.min(MOST_STEPS));
        ui.horizontal(|ui| {
            ui.add_space(space);
            leaf(ui, shown, body, index, requests);
        });
        let devices = body.model.devices.iter().enumerate().filter(|(_, device)| device.link == index);
        for (number, device) in devices {
            ui.horizontal(|ui| {
                ui.add_space(space + 2.0 * STEP);
                let selection = Selection { body: body.entity, link: Some(index), device: Some(number) };
                let text = format!("{} · {}", device.name, device.type_name());
                if ui.selectable_label(shown.selection == Some(selection), RichText::new(text).weak()).clicked() {
                    requests.push(Request::Select(Some(selection)));
                }
            });
        }
    }
}

fn leaf(ui: &mut Ui, shown: &Shown, body: &ShownBody, index: LinkIndex, requests: &mut Vec<Request>) {
    let selection = Selection::link(body.entity, index);
    let name = body.model.links().get(index.0).map_or("", |link| link.name.as_str());
    if ui.selectable_label(shown.selection == Some(selection), name).clicked() {
        requests.push(Request::Select(Some(selection)));
    }
}

fn found(ui: &mut Ui, shown: &Shown, body: &ShownBody, filter: &str, requests: &mut Vec<Request>) {
    for (index, link) in body.model.indexed_links() {
        if link.name.to_lowercase().contains(filter) {
            leaf(ui, shown, body, index, requests);
        }
    }
    for (number, device) in body.model.devices.iter().enumerate() {
        if device.name.to_lowercase().contains(filter) {
            let selection = Selection { body: body.entity, link: Some(device.link), device: Some(number) };
            let text = format!("{} · {}", device.name, device.type_name());
            if ui.selectable_label(shown.selection == Some(selection), text).clicked() {
                requests.push(Request::Select(Some(selection)));
            }
        }
    }
}
