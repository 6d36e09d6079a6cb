//! The time line.

use bevy_egui::egui::{self, Align, Button, Checkbox, ComboBox, DragValue, Label, Layout, RichText, Slider, Ui, vec2};

use bunraku_body::Drive;

use super::desk::{Desk, NewShape, Panel};
use crate::view::{AngleUnit, Doing, FileUse, Primitive, Request, Shown, Side, Speed};

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
            files(ui, shown, desk, requests);
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

fn files(ui: &mut Ui, shown: &Shown, desk: &mut Desk, requests: &mut Vec<Request>) {
    if ui.add_enabled(shown.can_open, Button::new("Open…")).on_hover_text("Show other files (Ctrl+O)").clicked() {
        requests.push(Request::Choose(FileUse::Open));
    }
    ui.menu_button("Add…", |ui| {
        if ui.button("A model… (Ctrl+A)").on_hover_text("Add a body of a model file").clicked() {
            requests.push(Request::Choose(FileUse::Bring));
        }
        ui.separator();
        let NewShape { size, mass } = &mut desk.shape;
        ui.add(DragValue::new(size).range(0.001..=1000.0).speed(0.01).prefix("size ").suffix(" m"));
        ui.add(DragValue::new(mass).range(0.001..=1e6).speed(0.1).prefix("mass ").suffix(" kg"));
        for shape in Primitive::ALL {
            if ui.button(shape.label()).clicked() {
                requests.push(Request::BringShape { shape, size: *size, mass: *mass });
            }
        }
    });
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
    mark_times(ui, &slider.rect, shown);
    if slider.changed() && step != shown.step {
        requests.push(Request::Seek(step));
    }
}

/// Least distance of two ticks of the time line, points.
const TICK_DISTANCE: f64 = 40.0;

/// Draws ticks at round times and recordings below the slider, contacts that begin above it, and the end of the scene.
fn mark_times(ui: &Ui, rect: &egui::Rect, shown: &Shown) {
    // egui's slider keeps the radius of its handle free on both sides.
    let rail = rect.shrink2(vec2(rect.height() / 2.5, 0.0));
    #[allow(clippy::cast_precision_loss)]
    let last = shown.last_step.max(1) as f64 * shown.time_step;
    let line = |time: f64, height: f32, color| {
        #[allow(clippy::cast_possible_truncation)]
        let x = egui::lerp(rail.left()..=rail.right(), (time / last) as f32);
        ui.painter().vline(x, rail.bottom() - height..=rail.bottom(), egui::Stroke::new(1.0, color));
    };
    for time in ticks(last, f64::from(rail.width()) / TICK_DISTANCE) {
        line(time, 4.0, ui.visuals().weak_text_color());
    }
    #[allow(clippy::cast_precision_loss)]
    let at = |step: u64| {
        #[allow(clippy::cast_possible_truncation)]
        let share = (step as f64 / shown.last_step.max(1) as f64) as f32;
        egui::lerp(rail.left()..=rail.right(), share)
    };
    for step in &shown.moments.touches {
        ui.painter().vline(
            at(*step),
            rail.top()..=rail.top() + 4.0,
            egui::Stroke::new(1.0, ui.visuals().warn_fg_color),
        );
    }
    for [from, to] in &shown.moments.recorded {
        let stroke = egui::Stroke::new(2.0, ui.visuals().error_fg_color);
        ui.painter().hline(at(*from)..=at(*to), rail.bottom() - 1.0, stroke);
    }
    #[allow(clippy::cast_precision_loss)]
    if let Some(end) = shown.scene_end.filter(|end| *end <= shown.last_step) {
        line(end as f64 * shown.time_step, rail.height(), ui.visuals().error_fg_color);
    }
}

/// Times from 0 to `last`, s, in steps of 1, 2 or 5 times a power of ten, at most about `most` of them.
fn ticks(last: f64, most: f64) -> Vec<f64> {
    if !(last > 0.0 && last.is_finite() && most >= 1.0) {
        return Vec::new();
    }
    let power = 10_f64.powf((last / most).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| last / step <= most);
    let step = step.unwrap_or(10.0 * power);
    (0_u32..).map(|index| f64::from(index) * step).take_while(|time| *time <= last * (1.0 + 1e-9)).collect()
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

fn camera(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    for (index, side) in Side::ALL.into_iter().enumerate() {
        if ui.button(format!("{} ({})", side.label(), index + 1)).clicked() {
            requests.push(Request::LookFrom(side));
        }
    }
    let (mut is_orthographic, mut follows) = (shown.is_orthographic, shown.is_following);
    if ui.checkbox(&mut is_orthographic, "Orthographic (O)").changed() {
        requests.push(Request::SetOrthographic(is_orthographic));
    }
    if ui.checkbox(&mut follows, "Follow the selection (W)").changed() {
        requests.push(Request::Follow(follows));
    }
    let now = shown.through.as_ref().map(|through| through.device);
    for (device, name) in shown.cameras() {
        if ui.radio(now == Some(device), format!("Through {name}")).clicked() {
            requests.push(Request::LookThrough((now != Some(device)).then_some(device)));
        }
    }
}

fn menu(ui: &mut Ui, shown: &Shown, desk: &mut Desk, is_wide: bool, requests: &mut Vec<Request>) {
    ui.menu_button("Window", |ui| {
        if !is_wide {
            files(ui, shown, desk, requests);
            save(ui, shown, requests);
            picture(ui, requests);
            ui.separator();
        }
        let button = ui.add_enabled(shown.can_open, Button::new("Save scene as…"));
        if button.on_hover_text("Write the scene file with the bodies where they are").clicked() {
            requests.push(Request::Choose(FileUse::SaveScene));
        }
        ui.menu_button("Camera", |ui| camera(ui, shown, requests));
        ui.checkbox(&mut desk.kept.shows_panels, "Panels (Tab)");
        ui.checkbox(&mut desk.kept.dark, "Dark (D)");
        ui.menu_button("Angles (A)", |ui| {
            for angles in AngleUnit::ALL {
                ui.radio_value(&mut desk.kept.angles, angles, angles.label());
            }
        });
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

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn ticks_are_at_round_times() {
        assert_eq!(ticks(2.0, 4.0), [0.0, 0.5, 1.0, 1.5, 2.0]);
        assert_eq!(ticks(35.0, 10.0), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0]);
        for last in [0.001, 0.07, 1.0, 12.3, 9999.0, 1e7] {
            let found = ticks(last, 10.0).len();
            assert!((4..=11).contains(&found), "{last}: {found}");
        }
        for last in [0.0, f64::NAN, f64::INFINITY] {
            assert!(ticks(last, 10.0).is_empty());
        }
    }
}
