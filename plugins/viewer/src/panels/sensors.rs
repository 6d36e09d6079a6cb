//! Measurements of sensors.

use std::collections::BTreeMap;

use bevy::prelude::Entity;
use bevy_egui::egui::{
    CollapsingHeader, Color32, ColorImage, Grid, Image, TextureHandle, TextureOptions, Ui, Vec2, pos2, vec2,
};

use super::inspector::number;
use crate::view::{AngleUnit, Shown, ShownSensor, ShownValue};

/// Maximum height of an image or a scan, points.
const PICTURE_HEIGHT: f32 = 160.0;

/// Shows the last measured numbers and images.
pub fn show(ui: &mut Ui, shown: &Shown, angles: AngleUnit, pictures: &mut BTreeMap<Entity, (f64, TextureHandle)>) {
    if shown.bodies.iter().all(|body| body.sensors.is_empty()) {
        ui.weak("No sensor is simulated: `record: { sensors: true }` of a scene selects them.");
        return;
    }
    for body in shown.bodies.iter().filter(|body| !body.sensors.is_empty()) {
        ui.strong(&body.name);
        for sensor in &body.sensors {
            let header = CollapsingHeader::new(&sensor.label).id_salt(sensor.entity).default_open(true);
            header.show(ui, |ui| show_sensor(ui, sensor, angles, pictures));
        }
    }
}

fn show_sensor(
    ui: &mut Ui,
    sensor: &ShownSensor,
    angles: AngleUnit,
    pictures: &mut BTreeMap<Entity, (f64, TextureHandle)>,
) {
    if let Some(time) = sensor.time {
        ui.weak(format!("at {time:.3} s"));
    }
    match &sensor.value {
        ShownValue::Nothing => {
            ui.weak("nothing yet, or off");
        }
        ShownValue::Numbers(numbers) => {
            Grid::new(("sensor", sensor.entity)).num_columns(2).show(ui, |ui| {
                for (name, unit, value) in numbers {
                    ui.label(*name);
                    let (unit, factor) = angles.shown(unit);
                    ui.monospace(format!("{} {unit}", number(factor * value)));
                    ui.end_row();
                }
            });
        }
        ShownValue::Distances { width, distances } => show_scan(ui, *width, distances),
        ShownValue::Picture { width, height, colors } => {
            let time = sensor.time.unwrap_or_default();
            let is_new = pictures.get(&sensor.entity).is_none_or(|(known, _)| known.to_bits() != time.to_bits());
            if is_new && colors.len() == width * height {
                let pixels = colors.iter().map(|[red, green, blue]| Color32::from_rgb(*red, *green, *blue)).collect();
                let image = ColorImage::new([*width, *height], pixels);
                let texture = ui.ctx().load_texture(&sensor.label, image, TextureOptions::LINEAR);
                pictures.insert(sensor.entity, (time, texture));
            }
            if let Some((_, texture)) = pictures.get(&sensor.entity) {
                ui.add(Image::new(texture).max_size(vec2(ui.available_width(), PICTURE_HEIGHT)));
            }
        }
    }
}

/// Shows a line for the distances of each row, near ones low.
fn show_scan(ui: &mut Ui, width: usize, distances: &[f32]) {
    let finite = || distances.iter().copied().filter(|distance| distance.is_finite());
    let Some(furthest) = finite().reduce(f32::max).filter(|_| width > 0) else {
        ui.weak("nothing within reach");
        return;
    };
    let nearest = finite().fold(f32::INFINITY, f32::min);
    ui.monospace(format!("{} rays, {nearest:.3} … {furthest:.3} m", distances.len()));
    let size = Vec2::new(ui.available_width().max(40.0), PICTURE_HEIGHT / 2.0);
    let (rect, _) = ui.allocate_exact_size(size, bevy_egui::egui::Sense::hover());
    let color = ui.visuals().hyperlink_color;
    #[allow(clippy::cast_precision_loss)]
    for row in distances.chunks(width) {
        let step = rect.width() / row.len().max(1) as f32;
        for (index, distance) in row.iter().enumerate().filter(|(_, distance)| distance.is_finite()) {
            let x = rect.left() + (index as f32 + 0.5) * step;
            let y = rect.bottom() - rect.height() * distance / furthest.max(f32::MIN_POSITIVE);
            ui.painter().circle_filled(pos2(x, y), 1.0, color);
        }
    }
}
