//! Keyboard shortcuts, and their list.

use bevy_egui::egui::{Context, Event, FocusDirection, Grid, Key, Modifiers, Window};

use super::desk::Desk;
use crate::view::{Doing, FileUse, Mark, Request, Shown, Side};

/// Keys and their descriptions, for the list shown by `?`.
pub const KEYS: &[(&str, &str)] = &[
    ("Space", "run or pause"),
    ("→", "one time step"),
    ("←", "one remembered moment back"),
    ("Home", "back to the beginning"),
    ("End", "to the last moment"),
    (", and .", "slower and faster"),
    ("F", "look at what is selected, or at everything"),
    ("1, 2, 3, 4", "look from the front, the left, above, aslant"),
    ("5", "look through a sensor's camera, the next one, or no longer (Esc)"),
    ("O", "orthographic, or in perspective"),
    ("W", "move with the selection, or no longer"),
    ("Esc", "select nothing"),
    ("Ctrl+O, Ctrl+A", "open files, add a body"),
    ("Ctrl+L", "read the files again"),
    ("R", "record, or no longer"),
    ("Ctrl+S", "write the recording so far"),
    ("P", "write a picture of the window"),
    ("E", "write the curves as a table"),
    ("V, C, G", "visual shapes, collision shapes, grid"),
    ("J, L", "joint axes, link axes"),
    ("M, I", "centre of mass, inertia boxes"),
    ("K, N, B", "contact points, contact forces, joint forces"),
    ("U, Y, T", "camera frusta, range rays, trails"),
    ("Tab", "panels, or the view alone"),
    ("D", "dark or light"),
    ("A", "angles in degrees, in radians, or joints in radians and orientations in degrees"),
    ("+ and −", "larger and smaller text"),
    ("?", "this list"),
    ("Ctrl+Q", "close the window"),
    ("left button", "turn; with Shift pan; with Ctrl pull a link"),
    ("right button, wheel", "pan, zoom"),
    ("click, double click", "select a link, look at it"),
];

const MARK_KEYS: [(Key, Mark); 13] = [
    (Key::V, Mark::Visual),
    (Key::C, Mark::Collision),
    (Key::G, Mark::Grid),
    (Key::J, Mark::JointAxes),
    (Key::L, Mark::LinkAxes),
    (Key::M, Mark::CenterOfMass),
    (Key::I, Mark::Inertia),
    (Key::K, Mark::Contacts),
    (Key::N, Mark::ContactForces),
    (Key::B, Mark::JointForces),
    (Key::U, Mark::Frusta),
    (Key::Y, Mark::Rays),
    (Key::T, Mark::Trails),
];

/// Takes the keyboard from all widgets but text fields, so that keys have their effects of the list and never press a
/// button: egui moves its focus by Tab and the arrows, and a button with the focus is pressed by Space.
pub fn keep_keys(context: &Context) {
    let is_text = context.text_edit_focused();
    context.memory_mut(|memory| {
        memory.move_focus(FocusDirection::None);
        if let (Some(widget), false) = (memory.focused(), is_text) {
            memory.surrender_focus(widget);
        }
    });
}

/// Requests of the pressed keys; none while a text field has the focus.
pub fn key_requests(context: &Context, shown: &Shown, desk: &mut Desk) -> Vec<Request> {
    let mut requests = Vec::new();
    if context.text_edit_focused() {
        return requests;
    }
    let pressed: Vec<(Key, Modifiers)> = context.input(|input| {
        let keys = input.events.iter().filter_map(|event| match event {
            Event::Key { key, pressed: true, repeat, modifiers, .. } => {
                (!repeat || matches!(key, Key::ArrowLeft | Key::ArrowRight)).then_some((*key, *modifiers))
            }
            _ => None,
        });
        keys.collect()
    });
    for (key, modifiers) in pressed {
        if modifiers.command {
            match key {
                Key::S => requests.push(Request::Save),
                Key::O if shown.can_open => requests.push(Request::Choose(FileUse::Open)),
                Key::A => requests.push(Request::Choose(FileUse::Bring)),
                Key::L if shown.can_open => requests.push(Request::Reload),
                Key::Q => requests.push(Request::Quit),
                _ => {}
            }
            continue;
        }
        if let Some((_, mark)) = MARK_KEYS.iter().find(|(known, _)| *known == key) {
            desk.kept.marks.toggle(*mark);
            continue;
        }
        match key {
            Key::Space if shown.doing == Doing::Running => requests.push(Request::Pause),
            Key::Space => requests.push(Request::Run),
            Key::ArrowRight => requests.push(Request::Step),
            Key::ArrowLeft => requests.push(Request::Seek(shown.step.saturating_sub(1))),
            Key::Home => requests.push(Request::Restart),
            Key::End => requests.push(Request::Seek(shown.last_step)),
            Key::Comma => requests.push(Request::SetSpeed(shown.speed.slower())),
            Key::Period => requests.push(Request::SetSpeed(shown.speed.faster())),
            Key::F => requests.push(Request::Fit),
            Key::Num1 => requests.push(Request::LookFrom(Side::Front)),
            Key::Num2 => requests.push(Request::LookFrom(Side::Left)),
            Key::Num3 => requests.push(Request::LookFrom(Side::Top)),
            Key::Num4 => requests.push(Request::LookFrom(Side::Aslant)),
            Key::Num5 => requests.extend(next_camera(shown)),
            Key::O => requests.push(Request::SetOrthographic(!shown.is_orthographic)),
            Key::W => requests.push(Request::Follow(!shown.is_following)),
            Key::R if shown.can_record => requests.push(Request::Record(!shown.is_recording)),
            Key::P => requests.push(Request::TakePicture),
            Key::E => requests.push(Request::ExportPlots),
            Key::Tab => desk.kept.shows_panels = !desk.kept.shows_panels,
            Key::D => desk.kept.dark = !desk.kept.dark,
            Key::A => desk.kept.angles = desk.kept.angles.next(),
            Key::Plus | Key::Equals => desk.kept.text_scale = (desk.kept.text_scale + 0.1).min(2.5),
            Key::Minus => desk.kept.text_scale = (desk.kept.text_scale - 0.1).max(0.6),
            Key::Questionmark => desk.shows_keys = !desk.shows_keys,
            Key::Slash if modifiers.shift => desk.shows_keys = !desk.shows_keys,
            _ => {}
        }
    }
    requests
}

/// Looks through the camera after that of now; after the last through none.
fn next_camera(shown: &Shown) -> Option<Request> {
    let cameras: Vec<_> = shown.cameras().into_iter().map(|(device, _)| device).collect();
    let next = match &shown.through {
        None => cameras.first().copied().map(Some)?,
        Some(through) => {
            let now = cameras.iter().position(|device| *device == through.device);
            now.and_then(|now| cameras.get(now + 1).copied())
        }
    };
    Some(Request::LookThrough(next))
}

/// Shows the list, if it is open.
pub fn show(context: &Context, desk: &mut Desk) {
    Window::new("Keys").open(&mut desk.shows_keys).resizable(false).show(context, |ui| {
        Grid::new("keys").striped(true).show(ui, |ui| {
            for (key, what) in KEYS {
                ui.strong(*key);
                ui.label(*what);
                ui.end_row();
            }
        });
    });
}
