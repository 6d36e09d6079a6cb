//! Curves over time: one chart for each unit, with a list of its curves beside it.

use bevy_egui::egui::{
    Align, Color32, Label, Layout, Rangef, Response, RichText, ScrollArea, Sense, Shape, Stroke, TextStyle, Ui, Vec2,
    pos2, vec2,
};
use bunraku_motion::COLORS;
use egui_plot::{AxisHints, Line, LineStyle, Plot, PlotPoints, VLine};

use crate::curves::{Curve, CurveSource};

/// Least height of a chart, points; more of them are scrolled.
const LEAST_HEIGHT: f32 = 110.0;
/// Width of the list of curves: at most this share of the panel, and at most this, points.
const LIST_SHARE: f32 = 0.35;
const LIST_WIDTH: f32 = 190.0;
/// Width of the numbers beside a chart, the same for all so that their times are aligned, points.
const NUMBERS: f32 = 44.0;
/// Length of the sample of a line in the list, points.
const SAMPLE: f32 = 22.0;

/// Shows the curves, and a line at the present time. A click into the list hides a curve, or shows it again.
pub fn show(ui: &mut Ui, curves: Vec<Curve>, now: f64, hidden: &mut Vec<String>) {
    let mut units: Vec<String> = Vec::new();
    for curve in &curves {
        if !units.contains(&curve.unit) {
            units.push(curve.unit.clone());
        }
    }
    #[allow(clippy::cast_precision_loss)]
    let height = (ui.available_height() / units.len().max(1) as f32 - ui.spacing().item_spacing.y).max(LEAST_HEIGHT);
    let list = (LIST_SHARE * ui.available_width()).min(LIST_WIDTH);
    ScrollArea::vertical().auto_shrink(false).id_salt("charts").show(ui, |ui| {
        for (index, unit) in units.iter().enumerate() {
            let is_last = index + 1 == units.len();
            let of_unit: Vec<&Curve> = curves.iter().filter(|curve| curve.unit == *unit).collect();
            let size = vec2(ui.available_width(), height);
            ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Min), |ui| {
                let width = ui.available_width() - list - ui.spacing().item_spacing.x;
                chart(ui, unit, &of_unit, vec2(width.max(60.0), height), (now, is_last), hidden);
                ui.vertical(|ui| {
                    let scrolled = ScrollArea::vertical().auto_shrink(false).id_salt(("list", unit)).max_height(height);
                    scrolled.show(ui, |ui| names(ui, &of_unit, hidden));
                });
            });
        }
    });
}

fn chart(ui: &mut Ui, unit: &str, curves: &[&Curve], size: Vec2, (now, is_last): (f64, bool), hidden: &[String]) {
    let plot = Plot::new(("curves", unit.to_owned())).width(size.x).height(size.y).link_axis("time", [true, false]);
    // The label stands once: charts are low.
    let plot = if is_last { plot.x_axis_label("time [s]") } else { plot };
    let numbers =
        AxisHints::new_y().label(unit.to_owned()).min_thickness(NUMBERS).label_spacing(Rangef::new(9.0, 16.0));
    let plot = plot.custom_y_axes(vec![numbers]).grid_spacing(Rangef::new(4.0, 120.0));
    let ink = ui.visuals().strong_text_color();
    plot.show(ui, |plot| {
        for curve in curves.iter().filter(|curve| !hidden.contains(&curve.name)) {
            let line = Line::new(curve.title(), PlotPoints::from(curve.points.clone()));
            let width = if curve.source == CurveSource::Run { 1.5 } else { 1.2 };
            plot.line(line.color(color(curve, ink)).style(style(curve)).width(width));
        }
        plot.vline(VLine::new("now", now).color(Color32::GRAY));
    });
}

/// A line of the list for each curve, with a sample of how it is drawn.
fn names(ui: &mut Ui, curves: &[&Curve], hidden: &mut Vec<String>) {
    let ink = ui.visuals().strong_text_color();
    for curve in curves {
        let is_hidden = hidden.contains(&curve.name);
        let row = ui.horizontal(|ui| {
            sample(ui, curve, if is_hidden { ui.visuals().weak_text_color() } else { color(curve, ink) });
            let text = RichText::new(&curve.name).small();
            let text = if is_hidden { text.weak().strikethrough() } else { text };
            ui.add(Label::new(text).truncate().sense(Sense::click()))
        });
        let name: Response = row.inner;
        if name.on_hover_text("Hide it, or show it again").clicked() {
            match is_hidden {
                true => hidden.retain(|known| *known != curve.name),
                false => hidden.push(curve.name.clone()),
            }
        }
    }
}

fn sample(ui: &mut Ui, curve: &Curve, color: Color32) {
    let (rect, _) = ui.allocate_exact_size(vec2(SAMPLE, ui.text_style_height(&TextStyle::Small)), Sense::hover());
    let ends = [rect.left_center(), rect.right_center()];
    let stroke = Stroke::new(2.0, color);
    let painter = ui.painter();
    match style(curve) {
        LineStyle::Solid => {
            painter.line_segment(ends, stroke);
        }
        LineStyle::Dashed { length } => {
            painter.extend(Shape::dashed_line(&ends, stroke, length, length));
        }
        LineStyle::Dotted { spacing } => {
            let mut x = rect.left();
            while x < rect.right() {
                painter.circle_filled(pos2(x, rect.center().y), 1.2, color);
                x += spacing;
            }
        }
    }
}

/// Targets are dashed and recordings dotted, each in the colour of the curve they belong to.
fn style(curve: &Curve) -> LineStyle {
    match curve.source {
        CurveSource::Run => LineStyle::Solid,
        CurveSource::Target => LineStyle::Dashed { length: 5.0 },
        CurveSource::Recording(_) => LineStyle::Dotted { spacing: 4.0 },
    }
}

/// The colour of a curve; the last of the list is that of text, so that it is visible in both themes.
fn color(curve: &Curve, ink: Color32) -> Color32 {
    match COLORS[curve.channel % COLORS.len()] {
        [0, 0, 0] => ink,
        [red, green, blue] => Color32::from_rgb(red, green, blue),
    }
}
