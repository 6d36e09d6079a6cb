//! Plots of curves.

use bevy::prelude::Entity;
use bevy_egui::egui::{ComboBox, Ui};
use bunraku_body::{Drive, JointIndex};

use super::chart;
use crate::curves::{Channel, Curve, CurveLog, CurveSource, Overlay, Quantity};
use crate::view::{AngleUnit, FileUse, Request, Shown, ShownBody, ShownValue};

/// Maximum number of displayed points of a curve: more cannot be distinguished.
const MOST_POINTS: usize = 2000;

/// Selected curves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plots {
    /// Channels of the curves.
    pub channels: Vec<Channel>,
    /// Whether targets of joints are drawn beside their displacements.
    pub shows_targets: bool,
    /// Recordings laid over the curves.
    pub overlays: Vec<Overlay>,
    /// Names of curves that are listed, but not drawn.
    pub(super) hidden: Vec<String>,
    /// The body whose channels can be selected.
    offered: Option<Entity>,
}

impl Plots {
    /// Adds a curve if it is missing.
    pub fn add(&mut self, channel: Channel) {
        if !self.channels.contains(&channel) {
            self.channels.push(channel);
        }
    }

    /// Adds a curve, or removes an existing one.
    pub fn toggle(&mut self, channel: Channel) {
        let before = self.channels.len();
        self.channels.retain(|known| *known != channel);
        if self.channels.len() == before {
            self.channels.push(channel);
        }
    }

    /// Lays a recording over the curves, instead of one of the same name.
    pub fn lay_over(&mut self, overlay: Overlay) {
        self.overlays.retain(|known| known.name != overlay.name);
        self.overlays.push(overlay);
    }

    /// The curves in SI units with their names, with at most `most` points each: each channel, its target, and the same of each
    /// recording that has it.
    pub fn curves(&self, shown: &Shown, log: &CurveLog, most: usize) -> Vec<Curve> {
        let mut curves = Vec::new();
        for (index, channel) in self.channels.iter().enumerate() {
            let Some((body, name, unit)) = name(shown, *channel) else { continue };
            let of = |channel| log.points(channel, body.model.num_joints(), shown.time_step, most);
            let curve =
                |name: String, source, points| Curve { name, unit: unit.clone(), source, channel: index, points };
            curves.push(curve(name.clone(), CurveSource::Run, of(*channel)));
            if let (true, Quantity::Displacement(joint)) = (self.shows_targets, channel.quantity) {
                let points = of(Channel { quantity: Quantity::Target(joint), ..*channel });
                if !points.is_empty() {
                    curves.push(curve(format!("{name} target"), CurveSource::Target, points));
                }
            }
            let Some(recorded) = channel.quantity.recorded(&body.model) else { continue };
            for (index, overlay) in self.overlays.iter().enumerate() {
                let points = overlay.points(&body.name, &recorded, most);
                if !points.is_empty() {
                    let name = format!("{name} ({})", overlay.name);
                    curves.push(curve(name, CurveSource::Recording(index), points));
                }
            }
        }
        curves
    }
}

/// Body, name and unit of a curve.
fn name(shown: &Shown, channel: Channel) -> Option<(&ShownBody, String, String)> {
    let several = shown.bodies.len() > 1;
    let prefix = |body: &ShownBody| if several { format!("{} ", body.name) } else { String::new() };
    if let Some(body) = shown.bodies.iter().find(|body| body.entity == channel.of) {
        let name = format!("{}{}", prefix(body), channel.quantity.name(&body.model));
        return Some((body, name, channel.quantity.unit(&body.model).to_owned()));
    }
    let of_sensor = |body: &'_ ShownBody| body.sensors.iter().position(|sensor| sensor.entity == channel.of);
    let (body, index) = shown.bodies.iter().find_map(|body| Some((body, of_sensor(body)?)))?;
    let sensor = &body.sensors[index];
    let number = match (&sensor.value, channel.quantity) {
        (ShownValue::Numbers(numbers), Quantity::Sensor(index)) => numbers.get(index),
        _ => None,
    };
    let (name, unit) = number.map_or_else(Default::default, |(name, unit, _)| (format!(" {name}"), (*unit).to_owned()));
    Some((body, format!("{}{}{name}", prefix(body), sensor.label), unit))
}

/// Shows the curves and their selection.
pub fn show(
    ui: &mut Ui,
    shown: &Shown,
    angles: AngleUnit,
    plots: &mut Plots,
    log: &CurveLog,
    requests: &mut Vec<Request>,
) {
    ui.horizontal_wrapped(|ui| {
        choose(ui, shown, plots);
        ui.checkbox(&mut plots.shows_targets, "Targets")
            .on_hover_text("Target of each joint beside its displacement, where a servo or a controller has one");
        lay_over(ui, plots, requests);
        if ui.button("Clear").clicked() {
            plots.channels.clear();
        }
        if ui.button("Export CSV").on_hover_text("Write the curves as a table, in SI units (E)").clicked() {
            requests.push(Request::ExportPlots);
        }
    });
    if plots.channels.is_empty() {
        ui.weak("Add a curve of a joint or a sensor.");
        return;
    }
    let curves = plots.curves(shown, log, MOST_POINTS);
    for (index, overlay) in plots.overlays.iter().enumerate() {
        if !curves.iter().any(|curve| curve.source == CurveSource::Recording(index)) {
            ui.weak(format!("{} has none of these curves.", overlay.name));
        }
    }
    chart::show(ui, in_units(curves, angles), shown.time, &mut plots.hidden);
}

/// Curves in the displayed units.
fn in_units(curves: Vec<Curve>, angles: AngleUnit) -> Vec<Curve> {
    let scaled = curves.into_iter().map(|curve| {
        let (unit, factor) = angles.shown(&curve.unit);
        let points = curve.points.iter().map(|[time, value]| [*time, factor * value]).collect();
        Curve { unit: unit.to_owned(), points, ..curve }
    });
    scaled.collect()
}

/// Selection of recordings.
fn lay_over(ui: &mut Ui, plots: &mut Plots, requests: &mut Vec<Request>) {
    ui.menu_button("Lay over", |ui| {
        if ui.button("A motion…").on_hover_text("The curves of a .seq file over these").clicked() {
            requests.push(Request::Choose(FileUse::LayOver));
        }
        if ui.button("The results of a run…").on_hover_text("Those of the directory of a run over these").clicked() {
            requests.push(Request::Choose(FileUse::LayOverRun));
        }
        let mut removed = None;
        for (index, overlay) in plots.overlays.iter().enumerate() {
            if ui.button(format!("Without {}", overlay.name)).clicked() {
                removed = Some(index);
            }
        }
        if let Some(index) = removed {
            plots.overlays.remove(index);
        }
    });
}

fn choose(ui: &mut Ui, shown: &Shown, plots: &mut Plots) {
    let offered = plots.offered.or(shown.selection.map(|selection| selection.body));
    let has_joints = |body: &&ShownBody| body.model.num_joints() > 0;
    let body = shown.bodies.iter().find(|body| Some(body.entity) == offered);
    let Some(body) = body.or_else(|| shown.bodies.iter().find(has_joints)).or_else(|| shown.bodies.first()) else {
        return;
    };
    if shown.bodies.len() > 1 {
        ComboBox::from_id_salt("plotted body").selected_text(&body.name).show_ui(ui, |ui| {
            for other in &shown.bodies {
                if ui.selectable_label(other.entity == body.entity, &other.name).clicked() {
                    plots.offered = Some(other.entity);
                }
            }
        });
    }
    let mut add = |ui: &mut Ui, of: Entity, quantity: Quantity, label: String| {
        let channel = Channel { of, quantity };
        if ui.selectable_label(plots.channels.contains(&channel), label).clicked() {
            plots.toggle(channel);
        }
    };
    let joints = || {
        let moves = |joint: &JointIndex| body.model.joint(*joint).is_some_and(|joint| joint.kind.has_displacement());
        (0..body.model.num_joints()).map(JointIndex).filter(moves)
    };
    type OfJoint = fn(JointIndex) -> Quantity;
    let kinds: [(&str, OfJoint); 3] = [
        ("+ Displacement", Quantity::Displacement),
        ("+ Velocity", Quantity::Velocity),
        ("+ Effort", Quantity::Effort),
    ];
    for (title, quantity) in kinds {
        if body.model.num_joints() > 0 {
            ui.menu_button(title, |ui| {
                bevy_egui::egui::ScrollArea::vertical().max_height(300.0).show(ui, |ui| {
                    for joint in joints() {
                        add(ui, body.entity, quantity(joint), quantity(joint).label(&body.model));
                    }
                });
            });
        }
    }
    ui.menu_button("+ Root", |ui| {
        for axis in 0..Quantity::OF_ROOT {
            add(ui, body.entity, Quantity::Root(axis), Quantity::Root(axis).label(&body.model));
        }
    });
    if body.drive == Drive::Physics {
        ui.menu_button("+ ZMP", |ui| {
            for axis in 0..3 {
                add(ui, body.entity, Quantity::Zmp(axis), Quantity::Zmp(axis).label(&body.model));
            }
        });
    }
    if !body.sensors.is_empty() {
        ui.menu_button("+ Sensor", |ui| {
            for sensor in &body.sensors {
                let ShownValue::Numbers(numbers) = &sensor.value else { continue };
                for (index, (name, unit, _)) in numbers.iter().enumerate() {
                    let label = format!("{} {name} [{unit}]", sensor.label);
                    add(ui, sensor.entity, Quantity::Sensor(index), label);
                }
            }
        });
    }
}
