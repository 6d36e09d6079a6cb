//! The time line.

use bevy_egui::egui::{self, Align, Button, Checkbox, ComboBox, DragValue, Label, Layout, RichText, Slider, Ui, vec2};

use bunraku_body::Drive;

use super::desk::{Desk, Panel};
use crate::view::{Doing, FileUse, Request, Shown, Speed};

/// Width from which on all buttons fit into the row, points; below it, those that are rarely used move into the menu.
const ROOM_FOR_ALL: f32 = 960.0;
/// Widths that do not depend on the text, so that nothing moves when the text changes, points.
const RUN_WIDTH: f32 = 72.0;
const TIME_WIDTH: f32 = 84.0;
const SPEED_WIDTH: f32 = 80.0;
/// The slider has the rest of the row, but at least this, points.
const LEAST_SLIDER: f32 = 60.0;

/// Shows buttons, the time line and the clock, in one row whatever the width.
pub fn show(ui: &mut Ui, shown: &Shown, desk: &mut Desk, requests: &mut Vec<Request>) {
    let is_wide = ui.available_width() >= ROOM_FOR_ALL;
    ui.horizontal(|ui| {
        if is_wide {
            files(ui, shown, requests);
            ui.separator();
        }
        buttons(ui, shown, requests);
        speed(ui, shown, requests);
        // From the right, so that the slider has what is left.
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.button("?").on_hover_text("Keys (?)").clicked() {
                desk.shows_keys = !desk.shows_keys;
            }
            menu(ui, shown, desk, is_wide, requests);
            if is_wide {
                picture(ui, requests);
                save(ui, shown, requests);
            }
            record(ui, shown, requests);
            ui.separator();
            clock(ui, shown, requests);
            scrubber(ui, shown, requests);
        });
    });
}

/// Shows the state of the run in one row of constant height, below everything else.
pub fn status(ui: &mut Ui, shown: &Shown) {
    ui.horizontal(|ui| {
        let doing = match shown.doing {
            Doing::Running => format!("{:.2} × real time", shown.real_time_factor),
            Doing::Paused if shown.step < shown.last_step => "in the past".to_owned(),
            Doing::Paused if shown.step == 0 && can_move(shown) => "press Space to run".to_owned(),
            Doing::Paused => "paused".to_owned(),
            Doing::Finished => "finished".to_owned(),
            Doing::Failed(_) => "stopped".to_owned(),
        };
        ui.add_sized(vec2(DOING_WIDTH, ui.spacing().interact_size.y), Label::new(doing).truncate());
        ui.separator();
        if let Doing::Failed(reason) = &shown.doing {
            let text = RichText::new(reason).color(ui.visuals().error_fg_color);
            ui.add(Label::new(text).truncate());
        } else if let Some(notice) = &shown.notice {
            ui.add(Label::new(RichText::new(notice).weak()).truncate());
        }
    });
}

/// Whether a run would move anything.
fn can_move(shown: &Shown) -> bool {
    shown.bodies.iter().any(|body| body.drive != Drive::Static)
}

/// Width of the activity in the status row, points.
const DOING_WIDTH: f32 = 130.0;

fn files(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    if ui.add_enabled(shown.can_open, Button::new("Open…")).on_hover_text("Show other files (Ctrl+O)").clicked() {
        requests.push(Request::Choose(FileUse::Open));
    }
    if ui.button("Add…").on_hover_text("Add a body of a model file (Ctrl+A)").clicked() {
        requests.push(Request::Choose(FileUse::Bring));
    }
}

fn buttons(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    let is_running = shown.doing == Doing::Running;
    if ui.add(Button::new("⏮")).on_hover_text("Back to the beginning (Home)").clicked() {
        requests.push(Request::Restart);
    }
    let wide = |text: &str| Button::new(text.to_owned()).min_size(vec2(RUN_WIDTH, 0.0));
    if is_running {
        if ui.add(wide("⏸ Pause")).on_hover_text("Pause (Space)").clicked() {
            requests.push(Request::Pause);
        }
    } else {
        let can_run = !matches!(shown.doing, Doing::Failed(_));
        let button = ui.add_enabled(can_run, wide("▶ Run"));
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
    // The long text would widen the box.
    let text = if chosen == Speed::Unlimited { "max".to_owned() } else { chosen.to_string() };
    ComboBox::from_id_salt("speed").selected_text(text).width(SPEED_WIDTH).show_ui(ui, |ui| {
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
    ui.spacing_mut().slider_width = (ui.available_width() - ui.spacing().item_spacing.x).max(LEAST_SLIDER);
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
}

/// Shows the time, which can be typed.
fn clock(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    let mut seconds = shown.time;
    let field = DragValue::new(&mut seconds).speed(0.01).suffix(" s").fixed_decimals(3);
    let field = ui.add_sized(vec2(TIME_WIDTH, ui.spacing().interact_size.y), field);
    let field = field.on_hover_text(format!("step {}", shown.step));
    if field.changed() && shown.time_step > 0.0 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        requests.push(Request::Seek((seconds.max(0.0) / shown.time_step).round() as u64));
    }
}

fn record(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    let mut records = shown.is_recording;
    let switch = ui.add_enabled(shown.can_record, Checkbox::new(&mut records, "Record"));
    let switch = switch.on_hover_text("Record from now on, or finish the recording (R)");
    if switch.on_disabled_hover_text("`run --view` records the whole run; models alone have no run").changed() {
        requests.push(Request::Record(records));
    }
}

fn save(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    let button = ui.add_enabled(shown.is_recording, Button::new("Save"));
    let button = button.on_hover_text("Write the recording so far (Ctrl+S)");
    if button.on_disabled_hover_text("`bunraku run SCENE --view` records, and so does Record").clicked() {
        requests.push(Request::Save);
    }
}

fn picture(ui: &mut Ui, requests: &mut Vec<Request>) {
    if ui.button("Picture").on_hover_text("Write a picture of the window (P)").clicked() {
        requests.push(Request::TakePicture);
    }
}

fn menu(ui: &mut Ui, shown: &Shown, desk: &mut Desk, is_wide: bool, requests: &mut Vec<Request>) {
    ui.menu_button("Window", |ui| {
        if !is_wide {
            files(ui, shown, requests);
            save(ui, shown, requests);
            picture(ui, requests);
            ui.separator();
        }
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
