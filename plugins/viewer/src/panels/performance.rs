//! Times of steps and frames.

use bevy_egui::egui::{Grid, Ui};

use crate::view::Shown;

/// Shows figures of the last half second.
pub fn show(ui: &mut Ui, shown: &Shown) {
    Grid::new("performance").num_columns(2).striped(true).show(ui, |ui| {
        let mut row = |name: &str, value: String| {
            ui.label(name);
            ui.monospace(value);
            ui.end_row();
        };
        row("wall time of a step", format!("{:.1} µs", shown.step_time));
        row("real-time factor", format!("{:.2}", shown.real_time_factor));
        let rate = if shown.frame_time > 0.0 { 1000.0 / shown.frame_time } else { 0.0 };
        row("wall time of a picture", format!("{:.1} ms ({rate:.0} a second)", shown.frame_time));
        if let Some(seconds) = shown.first_picture {
            row("start to first picture", format!("{seconds:.2} s"));
        }
        row("time step", format!("{} ms", shown.time_step * 1e3));
        row("steps", shown.step.to_string());
        row("remembered moments", shown.num_remembered.to_string());
        row("bodies", shown.bodies.len().to_string());
        row("links", shown.bodies.iter().map(|body| body.model.links().len()).sum::<usize>().to_string());
    });
}
