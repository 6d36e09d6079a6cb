//! The time line.

use bevy_egui::egui::{self, Button, Checkbox, ComboBox, DragValue, Slider, Ui};

use super::desk::{Desk, Panel};
use crate::view::{Doing, FileUse, Request, Shown, Speed};

/// Shows buttons, the time line and the clock, in one row.
pub fn show(ui: &mut Ui, shown: &Shown, desk: &mut Desk, requests: &mut Vec<Request>) {
    ui.horizontal_wrapped(|ui| {
        files(ui, shown, requests);
        buttons(ui, shown, requests);
        speed(ui, shown, requests);
        scrubber(ui, shown, requests);
        ui.separator();
        ui.monospace(format!("{:8.3} s", shown.time)).on_hover_text(format!("step {}", shown.step));
        let factor = match shown.doing {
            Doing::Running => format!("{:.2} × real time", shown.real_time_factor),
            Doing::Paused if shown.step < shown.last_step => "in the past".to_owned(),
            Doing::Paused => "paused".to_owned(),
            Doing::Finished => "finished".to_owned(),
            Doing::Failed(_) => "stopped".to_owned(),
        };
        ui.label(factor);
        ui.separator();
        recording(ui, shown, requests);
        if ui.button("Picture").on_hover_text("Write a picture of the window (P)").clicked() {
            requests.push(Request::TakePicture);
        }
        menu(ui, desk);
        if ui.button("?").on_hover_text("Keys (?)").clicked() {
            desk.shows_keys = !desk.shows_keys;
        }
    });
    if let Doing::Failed(reason) = &shown.doing {
        ui.colored_label(ui.visuals().error_fg_color, reason);
    }
    if let Some(notice) = &shown.notice {
        ui.weak(notice);
    }
}

fn files(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    if ui.add_enabled(shown.can_open, Button::new("Open…")).on_hover_text("Show other files (Ctrl+O)").clicked() {
        requests.push(Request::Choose(FileUse::Open));
    }
    if ui.button("Add…").on_hover_text("Add a body of a model file (Ctrl+A)").clicked() {
        requests.push(Request::Choose(FileUse::Bring));
    }
    ui.separator();
}

fn buttons(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    let is_running = shown.doing == Doing::Running;
    if ui.add(Button::new("⏮")).on_hover_text("Back to the beginning (Home)").clicked() {
        requests.push(Request::Restart);
    }
    if is_running {
        if ui.add(Button::new("⏸ Pause")).on_hover_text("Pause (Space)").clicked() {
            requests.push(Request::Pause);
        }
    } else {
        let can_run = !matches!(shown.doing, Doing::Failed(_));
        let button = ui.add_enabled(can_run, Button::new("▶ Run"));
        if button.on_hover_text("Run (Space)").clicked() {
            requests.push(Request::Run);
        }
    }
    let can_step = matches!(shown.doing, Doing::Running | Doing::Paused);
    if ui.add_enabled(can_step, Button::new("⏭ Step")).on_hover_text("One time step (→)").clicked() {
        requests.push(Request::Step);
    }
}

fn speed(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    let mut chosen = shown.speed;
    ComboBox::from_id_salt("speed").selected_text(chosen.to_string()).width(80.0).show_ui(ui, |ui| {
        for speed in Speed::ALL {
            ui.selectable_value(&mut chosen, speed, speed.to_string());
        }
    });
    if chosen != shown.speed {
        requests.push(Request::SetSpeed(chosen));
    }
}

fn scrubber(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    let last = shown.last_step.max(1);
    let mut step = shown.step.min(last);
    let width = (ui.available_width() * 0.4).clamp(120.0, 600.0);
    ui.spacing_mut().slider_width = width;
    let time_step = shown.time_step;
    #[allow(clippy::cast_precision_loss)]
    let time = |step: u64| step as f64 * time_step;
    let slider = ui.add(Slider::new(&mut step, 0..=last).show_value(false)).on_hover_text(format!(
        "{} moments of {:.3} s remembered",
        shown.num_remembered,
        time(shown.last_step)
    ));
    slider.widget_info(|| egui::WidgetInfo::slider(true, time(shown.step), "Time"));
    if slider.changed() && step != shown.step {
        requests.push(Request::Seek(step));
    }
    let mut seconds = shown.time;
    let field = ui.add(DragValue::new(&mut seconds).speed(0.01).suffix(" s").max_decimals(3));
    if field.changed() && time_step > 0.0 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        requests.push(Request::Seek((seconds.max(0.0) / time_step).round() as u64));
    }
}

fn recording(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    let mut records = shown.is_recording;
    let switch = ui.add_enabled(shown.can_record, Checkbox::new(&mut records, "Record"));
    let switch = switch.on_hover_text("Record from now on, or finish the recording (R)");
    if switch.on_disabled_hover_text("`run --view` records the whole run; models alone have no run").changed() {
        requests.push(Request::Record(records));
    }
    let button = ui.add_enabled(shown.is_recording, Button::new("Save"));
    let button = button.on_hover_text("Write the recording so far (Ctrl+S)");
    if button.on_disabled_hover_text("`bunraku run SCENE --view` records, and so does Record").clicked() {
        requests.push(Request::Save);
    }
}

fn menu(ui: &mut Ui, desk: &mut Desk) {
    ui.menu_button("Window", |ui| {
        ui.checkbox(&mut desk.kept.shows_panels, "Panels (Tab)");
        ui.checkbox(&mut desk.kept.dark, "Dark (D)");
        ui.add(Slider::new(&mut desk.kept.text_scale, 0.6..=2.5).text("Text size (+ and −)"));
        ui.separator();
        for panel in Panel::ALL {
            if ui.button(panel.title()).clicked() {
                desk.open(panel);
            }
        }
        ui.separator();
        if ui.button("As at the first start").clicked() {
            desk.reset();
        }
    });
}
