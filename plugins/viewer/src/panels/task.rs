//! Tasks: the graph of states with the current one, controls, and parameters.

use std::collections::BTreeMap;

use bevy_egui::egui::{
    Button, CollapsingHeader, Color32, DragValue, FontId, Grid, Pos2, Rect, RichText, Shape, Stroke, Ui, Vec2, pos2,
    vec2,
};
use bunraku_scene::{HandAct, TaskOrder};
use bunraku_task::Control;
use bunraku_task::model::{Branch, Frame, Parameter, ParameterValue, State, StateId, StateKind, Task};

use crate::view::{Doing, Request, Shown, ShownTask, TaskProgress};

/// Height of a state, points.
const ROW: f32 = 24.0;
/// Gap between two states, points.
const GAP: f32 = 10.0;
/// Distance between parallel transitions, points.
const LANE: f32 = 11.0;

/// Shows the tasks of all robots.
pub fn show(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    if shown.tasks.is_empty() {
        ui.weak("No robot has a task: `bunraku task run TASK --scene SCENE --view` gives it one.");
        return;
    }
    for task in &shown.tasks {
        ui.push_id(task.robot, |ui| {
            ui.strong(format!("{}: {}", task.robot_name, task.task.name));
            steer(ui, shown, task, requests);
            graph(ui, task);
            parameters(ui, task, requests);
        });
    }
}

/// Shows the current activity and the controls.
fn steer(ui: &mut Ui, shown: &Shown, task: &ShownTask, requests: &mut Vec<Request>) {
    let going = task.progress == TaskProgress::Going;
    let is_running = going && task.control == Control::Run && shown.doing == Doing::Running;
    let mut wanted = None;
    ui.horizontal_wrapped(|ui| {
        if is_running {
            let pause = ui.button("⏸ Pause task").on_hover_text("Finish the command in progress, and wait there");
            if pause.clicked() {
                wanted = Some(TaskOrder::Pause);
            }
        } else if ui.add_enabled(going, Button::new("▶ Run task")).on_hover_text("From state to state").clicked() {
            wanted = Some(TaskOrder::Run);
        }
        let step = ui.add_enabled(going, Button::new("⏭ Step task")).on_hover_text("The next state, and wait there");
        if step.clicked() {
            wanted = Some(TaskOrder::Step);
        }
        let stop = ui.add_enabled(going, Button::new("⏹ Stop task"));
        if stop.on_hover_text("Stop here and release held objects; Home starts again").clicked() {
            wanted = Some(TaskOrder::Stop);
        }
    });
    if let Some(order) = wanted {
        // A running task only needs the simulation to run.
        if order != TaskOrder::Run || task.control != Control::Run {
            requests.push(Request::Hand { body: task.robot, act: HandAct::Task { order } });
        }
        if order != TaskOrder::Pause && shown.doing != Doing::Running {
            requests.push(Request::Run);
        }
    }
    match (&task.progress, task.control) {
        (TaskProgress::Done, _) => ui.label("done"),
        (TaskProgress::Failed(reason), _) => ui.colored_label(ui.visuals().error_fg_color, reason),
        (TaskProgress::Going, Control::Run) => ui.weak("goes from state to state"),
        (TaskProgress::Going, Control::Pause) => ui.weak("waits after the command in progress"),
        (TaskProgress::Going, Control::Step) => ui.weak("goes to the next state"),
        (TaskProgress::Going, Control::Stop) => ui.weak("stops with the next step"),
    };
}

/// Draws the states from top to bottom in their order. A transition to the next row is a straight line down, any other
/// one is routed around the right side.
fn graph(ui: &mut Ui, shown: &ShownTask) {
    let task = &shown.task;
    let order = in_order(task);
    let rows: BTreeMap<StateId, usize> = order.iter().enumerate().map(|(row, state)| (state.id, row)).collect();
    let ways = ways(task, &rows);
    let round: Vec<&Way> = ways.iter().filter(|way| way.to != way.from + 1).collect();
    #[allow(clippy::cast_precision_loss)]
    let (margin, height) = (LANE * (1.5 + round.len() as f32), (ROW + GAP) * order.len() as f32);
    let width = (ui.available_width() - margin).max(140.0);
    let (area, _) = ui.allocate_exact_size(vec2(width + margin, height), bevy_egui::egui::Sense::hover());
    #[allow(clippy::cast_precision_loss)]
    let place =
        |row: usize| Rect::from_min_size(area.min + vec2(0.0, (ROW + GAP) * row as f32), Vec2::new(width - 4.0, ROW));
    for (row, state) in order.iter().enumerate() {
        let is_current = shown.current == Some(state.id);
        let text = RichText::new(describe(state, task));
        let text = if is_current { text.strong() } else { text };
        let mut button = Button::selectable(is_current, text).frame_when_inactive(true).truncate();
        if is_current && let TaskProgress::Failed(_) = shown.progress {
            button = button.fill(ui.visuals().error_fg_color.gamma_multiply(0.4));
        }
        ui.put(place(row), button).on_hover_ui(|ui| details(ui, state));
    }
    for way in ways.iter().filter(|way| way.to == way.from + 1) {
        let middle = place(0).center().x;
        let (from, to) = (pos2(middle, place(way.from).bottom()), pos2(middle, place(way.to).top()));
        line(ui, &[from, to], way.branch);
        if let Some(branch) = way.branch {
            tell(ui, from + vec2(6.0, 0.0), branch);
        }
    }
    for (lane, way) in round.iter().enumerate() {
        let (from, to) = (place(way.from), place(way.to));
        #[allow(clippy::cast_precision_loss)]
        let side = from.right() + LANE * (1.0 + lane as f32);
        // They leave below the middle and arrive above it.
        let (out, back) = (from.center().y + 5.0, to.center().y - 5.0);
        let points = [pos2(from.right(), out), pos2(side, out), pos2(side, back), pos2(to.right(), back)];
        line(ui, &points, way.branch);
        if let Some(branch) = way.branch {
            tell(ui, pos2(from.right() - 30.0, from.bottom() - 1.0), branch);
        }
    }
}

/// A transition between rows.
struct Way {
    from: usize,
    to: usize,
    /// Branch of a decision.
    branch: Option<bool>,
}

fn ways(task: &Task, rows: &BTreeMap<StateId, usize>) -> Vec<Way> {
    let ways = task.transitions.iter().filter_map(|transition| {
        let is_decision = matches!(task.state(transition.source)?.kind, StateKind::Decision { .. });
        let branch = is_decision.then_some(transition.branch == Branch::True);
        Some(Way { from: *rows.get(&transition.source)?, to: *rows.get(&transition.target)?, branch })
    });
    ways.collect()
}

/// All states: the reachable ones in the order of their transitions, true branches first, then the others.
fn in_order(task: &Task) -> Vec<&State> {
    let mut order: Vec<&State> = Vec::with_capacity(task.states.len());
    let mut waiting: Vec<StateId> = task.states.iter().rev().map(|state| state.id).collect();
    waiting.extend(task.states.iter().find(|state| state.kind == StateKind::Initial).map(|state| state.id));
    while let Some(id) = waiting.pop() {
        let Some(state) = task.state(id).filter(|_| order.iter().all(|known| known.id != id)) else { continue };
        order.push(state);
        let mut next: Vec<_> = task.transitions_from(id).collect();
        next.sort_by_key(|way| way.branch == Branch::True);
        waiting.extend(next.into_iter().map(|way| way.target));
    }
    order
}

/// `3 moveArm (Arm)`, and for a decision the targets of its branches.
fn describe(state: &State, task: &Task) -> String {
    let id = state.id;
    match &state.kind {
        StateKind::Command(command) if command.label.is_empty() => format!("{id}  {}", command.command),
        StateKind::Command(command) => format!("{id}  {} ({})", command.command, command.label),
        StateKind::Decision { condition } => {
            let what = condition.as_ref().map_or("did it succeed?", |condition| condition.text.as_str());
            let target = |branch| task.transitions_from(id).find(|way| way.branch == branch).map(|way| way.target);
            let name = |branch| target(branch).map_or_else(|| "–".to_owned(), |target| target.to_string());
            format!("{id}  {what}  true: {}, false: {}", name(Branch::True), name(Branch::False))
        }
        kind => format!("{id}  {}", kind.as_str()),
    }
}

fn details(ui: &mut Ui, state: &State) {
    ui.strong(state.kind.as_str());
    let StateKind::Command(command) = &state.kind else { return };
    Grid::new("arguments").num_columns(2).show(ui, |ui| {
        for argument in &command.arguments {
            ui.label(&argument.name);
            ui.monospace(&argument.value.text);
            ui.end_row();
        }
        for action in &command.actions {
            ui.label(action.kind.as_str());
            ui.monospace(action.model.as_str());
            ui.end_row();
        }
    });
}

fn color_of(ui: &Ui, branch: Option<bool>) -> Color32 {
    match branch {
        None => ui.visuals().weak_text_color(),
        Some(true) => Color32::from_rgb(60, 160, 80),
        Some(false) => Color32::from_rgb(215, 110, 40),
    }
}

/// Draws a polyline with an arrow at its end.
fn line(ui: &Ui, points: &[Pos2], branch: Option<bool>) {
    let color = color_of(ui, branch);
    ui.painter().add(Shape::line(points.to_vec(), Stroke::new(1.5, color)));
    let [.., before, end] = points else { return };
    let along = (*end - *before).normalized();
    let (back, side) = (*end - along * 6.0, along.rot90() * 3.5);
    ui.painter().add(Shape::convex_polygon(vec![*end, back + side, back - side], color, Stroke::NONE));
}

fn tell(ui: &Ui, at: Pos2, branch: bool) {
    let color = color_of(ui, Some(branch));
    let text = if branch { "true" } else { "false" };
    ui.painter().text(at, bevy_egui::egui::Align2::LEFT_TOP, text, FontId::proportional(9.0), color);
}

/// Shows a field for each number of a parameter.
fn parameters(ui: &mut Ui, shown: &ShownTask, requests: &mut Vec<Request>) {
    CollapsingHeader::new("Parameters").default_open(true).show(ui, |ui| {
        ui.weak("Commands that begin from now on are given them.");
        Grid::new("parameters").num_columns(2).striped(true).show(ui, |ui| {
            for parameter in shown.task.parameters.iter().filter(|parameter| !parameter.hidden) {
                let label = if parameter.label.is_empty() { parameter.name.as_str() } else { &parameter.label };
                ui.label(label).on_hover_text(parameter.name.as_str());
                if let Some(value) = edit(ui, parameter) {
                    let act = HandAct::Parameter { parameter: parameter.name.to_string(), value };
                    requests.push(Request::Hand { body: shown.robot, act });
                }
                ui.end_row();
            }
        });
    });
}

/// The new value as an expression, if it was changed.
fn edit(ui: &mut Ui, parameter: &Parameter) -> Option<String> {
    let unit = parameter.unit.as_deref().map(|unit| format!(" {unit}")).unwrap_or_default();
    match &parameter.value {
        ParameterValue::Integer(value) => {
            let mut value = *value;
            ui.add(DragValue::new(&mut value).suffix(unit)).changed().then(|| value.to_string())
        }
        ParameterValue::Double(value) => {
            let mut value = *value;
            let field = DragValue::new(&mut value).speed(0.002).max_decimals(6).suffix(unit);
            (ui.add(field).changed() && value.is_finite()).then(|| value.to_string())
        }
        ParameterValue::Vector(values) => edit_all(ui, values),
        ParameterValue::Frame(Frame(values)) => edit_all(ui, values),
        ParameterValue::Bound { model, .. } => {
            ui.weak(format!("the pose of {model}"));
            None
        }
    }
}

/// Edits a vector: the first three numbers are lengths, m, the others angles, degrees.
fn edit_all(ui: &mut Ui, values: &[f64]) -> Option<String> {
    let mut values = values.to_vec();
    let mut is_changed = false;
    ui.vertical(|ui| {
        for (row, numbers) in values.chunks_mut(3).enumerate() {
            ui.horizontal(|ui| {
                let (speed, unit) = if row == 0 { (0.002, " m") } else { (0.5, "°") };
                for number in numbers {
                    is_changed |= ui.add(DragValue::new(number).speed(speed).max_decimals(5).suffix(unit)).changed();
                }
            });
        }
    });
    let numbers: Vec<_> = values.iter().map(f64::to_string).collect();
    (is_changed && values.iter().all(|value| value.is_finite())).then(|| format!("[{}]", numbers.join(", ")))
}
