//! Key frames: poses of a model, played and saved as a motion.

use std::collections::BTreeMap;

use bevy_egui::egui::{DragValue, Grid, Slider, Ui};
use bunraku_body::{Body, Drive, JointIndex};
use bunraku_motion::{KeyFrame, KeyFrames};

use crate::view::{Request, Shown, ShownBody};

/// Time from a key frame to that which is added next, s.
const NEXT: f64 = 1.0;

/// Key frames of the bodies, and what the panel does with them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyEditor {
    /// Key frames by the names of bodies.
    bodies: BTreeMap<String, KeyFrames>,
    /// Time at which a key frame is added, s.
    time: f64,
    /// Time of the displayed pose, s.
    shown: f64,
    /// Whether the motion is played.
    plays: bool,
}

impl KeyEditor {
    /// The key frames of a body.
    pub fn of(&self, body: &str) -> Option<&KeyFrames> {
        self.bodies.get(body)
    }

    /// Adds a key frame, and proposes a later time for the next one.
    pub fn add(&mut self, body: &str, frame: KeyFrame) {
        self.time = frame.time + NEXT;
        self.bodies.entry(body.to_owned()).or_default().insert(frame);
    }
}

/// Shows the key frames of the selected body, or of the first body with joints.
pub fn show(ui: &mut Ui, shown: &Shown, editor: &mut KeyEditor, requests: &mut Vec<Request>) {
    let selected = shown.selected_body().filter(|body| body.model.num_joints() > 0);
    let Some(body) = selected.or_else(|| shown.bodies.iter().find(|body| body.model.num_joints() > 0)) else {
        ui.weak("No body has joints.");
        return;
    };
    let Some(root) = body.state.link_poses.first().copied() else { return };
    ui.strong(&body.name);
    ui.weak(match body.drive {
        Drive::Physics => "Poses are targets of servos here: `bunraku view MODEL` poses a model itself.",
        Drive::Motion => "The motion of the body goes on from its own poses.",
        Drive::Static => "Pose it by the sliders of Joints, or by Ctrl and the left button in the view.",
    });
    ui.horizontal(|ui| {
        ui.add(
            DragValue::new(&mut editor.time).range(0.0..=f64::from(u16::MAX)).speed(0.02).suffix(" s").max_decimals(3),
        );
        if ui
            .button("Add pose")
            .on_hover_text("Add the displayed pose at this time, or replace the one there")
            .clicked()
        {
            let displacements = body.state.displacements.clone();
            editor.add(&body.name, KeyFrame { time: editor.time, root, displacements });
        }
    });
    let mut keys = editor.bodies.get(&body.name).cloned().unwrap_or_default();
    if keys.is_empty() {
        return;
    }
    play(ui, body, &keys, editor, requests);
    list(ui, body, &mut keys, editor, requests);
    for warning in warnings(&body.model, &keys) {
        ui.colored_label(ui.visuals().warn_fg_color, warning);
    }
    if ui.button("Save as .seq").on_hover_text("Write a motion of 100 frames a second").clicked() {
        requests.push(Request::SaveKeyFrames { body: body.entity, keys: keys.clone() });
    }
    editor.bodies.insert(body.name.clone(), keys);
}

fn pose(body: &ShownBody, keys: &KeyFrames, time: f64) -> Option<Request> {
    let (root, displacements) = keys.sample(time)?;
    Some(Request::Pose { body: body.entity, root, displacements })
}

/// Plays the motion in real time, or shows its pose at any time.
fn play(ui: &mut Ui, body: &ShownBody, keys: &KeyFrames, editor: &mut KeyEditor, requests: &mut Vec<Request>) {
    let end = keys.end();
    ui.horizontal(|ui| {
        let text = if editor.plays { "⏹ Stop" } else { "▶ Play" };
        if ui.button(text).clicked() {
            editor.plays = !editor.plays;
            if editor.plays && editor.shown >= end {
                editor.shown = 0.0;
            }
        }
        let slider = Slider::new(&mut editor.shown, 0.0..=end.max(1e-3)).suffix(" s").fixed_decimals(2);
        if ui.add(slider).changed() {
            editor.plays = false;
            requests.extend(pose(body, keys, editor.shown));
        }
    });
    if editor.plays {
        editor.shown = (editor.shown + f64::from(ui.input(|input| input.stable_dt))).min(end);
        editor.plays = editor.shown < end;
        requests.extend(pose(body, keys, editor.shown));
        ui.ctx().request_repaint();
    }
}

/// A row for each key frame.
fn list(ui: &mut Ui, body: &ShownBody, keys: &mut KeyFrames, editor: &mut KeyEditor, requests: &mut Vec<Request>) {
    let (mut removed, mut moved) = (None, None);
    Grid::new(("key frames", body.entity)).num_columns(3).striped(true).show(ui, |ui| {
        for (index, frame) in keys.as_slice().iter().enumerate() {
            let mut time = frame.time;
            // The row keeps its place while a time is typed.
            let field = DragValue::new(&mut time).range(0.0..=f64::from(u16::MAX)).speed(0.02).suffix(" s");
            if ui.add(field.max_decimals(3).update_while_editing(false)).changed() {
                moved = Some((index, time));
            }
            if ui.button("Apply").on_hover_text("Show this pose").clicked() {
                editor.plays = false;
                editor.shown = frame.time;
                requests.extend(pose(body, keys, frame.time));
            }
            if ui.button("Remove").clicked() {
                removed = Some(index);
            }
            ui.end_row();
        }
    });
    if let Some(index) = removed {
        keys.remove(index);
    } else if let Some((index, time)) = moved
        && let Some(frame) = keys.remove(index)
    {
        keys.insert(KeyFrame { time, ..frame });
    }
}

/// Joints that are faster than their limits.
fn warnings(model: &Body, keys: &KeyFrames) -> Vec<String> {
    let speeds = keys.top_speeds().into_iter().enumerate();
    let too_fast = speeds.filter_map(|(index, speed)| {
        let joint = model.joint(JointIndex(index))?;
        let limit = joint.velocity_range.upper.min(-joint.velocity_range.lower);
        let name = model.joint_name(JointIndex(index));
        let unit = super::inspector::units(joint.kind)[1];
        (speed > limit).then(|| format!("{name} moves at {speed:.2} {unit}, beyond its limit of {limit:.2} {unit}"))
    });
    too_fast.collect()
}
