//! Plots of curves.

use bevy::prelude::Entity;
use bevy_egui::egui::{ComboBox, Ui};
use bunraku_body::JointIndex;
use egui_plot::{Corner, Legend, Line, Plot, PlotPoints, VLine};

use crate::curves::{Channel, Curve, CurveLog, Quantity};
use crate::view::{Request, Shown, ShownBody, ShownValue};

/// Maximum number of displayed points of a curve: more cannot be distinguished.
const MOST_POINTS: usize = 2000;

/// Selected curves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plots {
    /// Channels of the curves.
    pub channels: Vec<Channel>,
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

    /// The curves with their names, with at most `most` points each.
    pub fn curves(&self, shown: &Shown, log: &CurveLog, most: usize) -> Vec<Curve> {
        let curves = self.channels.iter().filter_map(|channel| {
            let (body, name) = name(shown, *channel)?;
            let points = log.points(*channel, body.model.num_joints(), shown.time_step, most);
            Some(Curve { name, points })
        });
        curves.collect()
    }
}

/// Name of a curve, and its body.
fn name(shown: &Shown, channel: Channel) -> Option<(&ShownBody, String)> {
    let several = shown.bodies.len() > 1;
    let prefix = |body: &ShownBody| if several { format!("{} ", body.name) } else { String::new() };
    if let Some(body) = shown.bodies.iter().find(|body| body.entity == channel.of) {
        return Some((body, format!("{}{}", prefix(body), channel.quantity.label(&body.model))));
    }
    let of_sensor = |body: &'_ ShownBody| body.sensors.iter().position(|sensor| sensor.entity == channel.of);
    let (body, index) = shown.bodies.iter().find_map(|body| Some((body, of_sensor(body)?)))?;
    let sensor = &body.sensors[index];
    let number = match (&sensor.value, channel.quantity) {
        (ShownValue::Numbers(numbers), Quantity::Sensor(index)) => numbers.get(index),
        _ => None,
    };
    let number = number.map_or_else(String::new, |(name, unit, _)| format!(" {name} [{unit}]"));
    Some((body, format!("{}{}{number}", prefix(body), sensor.label)))
}

/// Shows the curves and their selection.
pub fn show(ui: &mut Ui, shown: &Shown, plots: &mut Plots, log: &CurveLog, requests: &mut Vec<Request>) {
    ui.horizontal_wrapped(|ui| {
        choose(ui, shown, plots);
        if ui.button("Clear").clicked() {
            plots.channels.clear();
        }
        if ui.button("Export CSV").on_hover_text("Write the curves as a table (E)").clicked() {
            requests.push(Request::ExportPlots);
        }
    });
    if plots.channels.is_empty() {
        ui.weak("Add a curve of a joint or a sensor.");
        return;
    }
    let curves = plots.curves(shown, log, MOST_POINTS);
    let time = shown.time;
    Plot::new("curves").legend(Legend::default().position(Corner::LeftTop)).x_axis_label("time [s]").show(ui, |plot| {
        for curve in curves {
            plot.line(Line::new(curve.name, PlotPoints::from(curve.points)));
        }
        plot.vline(VLine::new("now", time));
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
        for axis in 0..3 {
            add(ui, body.entity, Quantity::Root(axis), Quantity::Root(axis).label(&body.model));
        }
    });
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
