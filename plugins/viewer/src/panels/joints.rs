//! Sliders of joints.

use std::f64::consts::PI;

use bevy_egui::egui::{Grid, Slider, SliderClamping, Ui};
use bunraku_body::{Actuation, Drive, JointIndex, JointKind};

use super::inspector::units;
use crate::view::{AngleUnit, Request, Shown, ShownBody};

/// Range of the slider of an unlimited joint, rad and m.
const UNLIMITED: [f64; 2] = [PI, 1.0];

/// Shows a slider for each joint of the selected body, or of the first body with joints.
pub fn show(ui: &mut Ui, shown: &Shown, angles: AngleUnit, requests: &mut Vec<Request>) {
    let selected = shown.selected_body().filter(|body| body.model.num_joints() > 0);
    let Some(body) = selected.or_else(|| shown.bodies.iter().find(|body| body.model.num_joints() > 0)) else {
        ui.weak("No body has joints.");
        return;
    };
    ui.strong(&body.name);
    ui.weak(match body.drive {
        Drive::Physics => "Sliders set the targets of servos; joints without one are only shown.",
        Drive::Motion => "Sliders move the joints; the motion moves them back when it goes on.",
        Drive::Static => "Sliders move the joints.",
    });
    ui.spacing_mut().slider_width = 80.0;
    Grid::new(("joints", body.entity)).num_columns(2).striped(true).show(ui, |ui| {
        for (joint, _) in body.model.indexed_joints() {
            row(ui, body, joint, angles, requests);
        }
    });
}

fn row(ui: &mut Ui, body: &ShownBody, joint: JointIndex, angles: AngleUnit, requests: &mut Vec<Request>) {
    let Some(model) = body.model.joint(joint).filter(|joint| joint.kind.has_displacement()) else { return };
    let name = body.model.joint_name(joint);
    let label = ui.label(name);
    let is_servo = body.actuation.get(joint.0).copied().is_some_and(is_displaced);
    let is_set = body.drive != Drive::Physics || is_servo;
    let now = body.state.displacements.get(joint.0).copied().unwrap_or_default();
    let value = match body.drive {
        Drive::Physics if is_servo => body.targets.get(joint.0).copied().unwrap_or(now),
        _ => now,
    };
    let half = UNLIMITED[usize::from(model.kind == JointKind::Prismatic)];
    let end = |limit: f64, otherwise: f64| if limit.is_finite() { limit } else { otherwise };
    let range = model.displacement_range;
    let (unit, factor) = angles.shown(units(model.kind)[0]);
    let limits = factor * end(range.lower, -half).min(now)..=factor * end(range.upper, half).max(now);
    let mut wanted = factor * value;
    let slider = Slider::new(&mut wanted, limits)
        .clamping(SliderClamping::Edits)
        .suffix(format!(" {unit}"))
        .fixed_decimals(if unit == "°" { 2 } else { 3 });
    let mut response = ui.add_enabled(is_set, slider).labelled_by(label.id);
    if model.kind == JointKind::Revolute {
        let other = if unit == "rad" { format!("{:.2}°", now.to_degrees()) } else { format!("{now:.4} rad") };
        response = response.on_hover_text(other);
    }
    if response.changed() && (wanted - factor * value).abs() > 0.0 {
        requests.push(Request::MoveJoint { body: body.entity, joint, displacement: wanted / factor });
    }
    ui.end_row();
}

/// Whether a joint follows its target displacement.
fn is_displaced(actuation: Actuation) -> bool {
    matches!(actuation, Actuation::Displacement { .. } | Actuation::PrescribedDisplacement)
}
