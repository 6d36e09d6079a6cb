//! Writing of task files of the current generation.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use bunraku_document::yaml::quoted;

use crate::model::{
    Branch, CommandState, ModelMaster, ModelPart, Parameter, ParameterName, ParameterValue, State, StateId, StateKind,
    Task, Transition,
};

/// Writing to a `String` cannot fail.
macro_rules! line {
    ($out:expr, $($argument:tt)*) => {{ let _ = writeln!($out, $($argument)*); }};
}

/// Comments for users who edit a task by hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comments {
    /// Lines at the top of the file.
    pub(crate) top: Vec<String>,
    /// Line before a state.
    pub(crate) states: BTreeMap<StateId, String>,
    /// Line before a parameter.
    pub(crate) parameters: BTreeMap<ParameterName, String>,
}

/// Text of a task file: a list of tasks in the generation of 2019-03, with texts in double quotes and vectors in
/// brackets.
pub fn write(tasks: &[Task]) -> String {
    let mut out = String::new();
    for task in tasks {
        write_task(&mut out, task, &Comments::default());
    }
    out
}

/// As [`write()`], for one task with comments.
pub(crate) fn write_commented(task: &Task, comments: &Comments) -> String {
    let mut out = String::new();
    for line in &comments.top {
        line!(out, "{}", format!("# {line}").trim_end());
    }
    write_task(&mut out, task, comments);
    out
}

/// Writes a task file atomically, through a temporary file.
///
/// # Errors
/// If the file cannot be written.
pub fn save(tasks: &[Task], path: &Path) -> io::Result<()> {
    save_text(&write(tasks), path)
}

pub(crate) fn save_text(text: &str, path: &Path) -> io::Result<()> {
    use io::Write as _;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

fn write_task(out: &mut String, task: &Task, comments: &Comments) {
    line!(out, "- taskName: {}", quoted(&task.name));
    line!(out, "  comment: {}", quoted(&task.comment.replace('\n', "|")));
    section(out, "models", &task.models, write_model);
    section(out, "states", &task.states, |out, state| {
        note(out, comments.states.get(&state.id));
        write_state(out, state);
    });
    section(out, "transitions", &task.transitions, write_transition);
    section(out, "parameters", &task.parameters, |out, parameter| {
        note(out, comments.parameters.get(&parameter.name));
        write_parameter(out, parameter);
    });
    section(out, "files", &task.files, |out, file| line!(out, "  - name: {}", quoted(&file.path)));
    section(out, "images", &task.images, |out, image| line!(out, "  - name: {}", quoted(&image.path)));
    section(out, "model_master", &task.masters, write_master);
}

fn note(out: &mut String, note: Option<&String>) {
    if let Some(note) = note {
        line!(out, "  # {note}");
    }
}

fn section<T>(out: &mut String, name: &str, items: &[T], write: impl Fn(&mut String, &T)) {
    if items.is_empty() {
        line!(out, "  {name}: []");
        return;
    }
    line!(out, "  {name}:");
    items.iter().for_each(|item| write(out, item));
}

fn write_model(out: &mut String, model: &ModelPart) {
    line!(out, "  - name: {}", quoted(model.label.as_deref().unwrap_or(model.name.as_str())));
    if model.label.is_some() {
        line!(out, "    rname: {}", quoted(model.name.as_str()));
    }
    line!(out, "    master_name: {}", quoted(model.master.as_str()));
    line!(out, "    type: {}", quoted(model.role.as_str()));
    line!(out, "    pos: {}", vector(&model.pose.0));
    if model.hidden {
        line!(out, "    hide: true");
    }
}

fn write_state(out: &mut String, state: &State) {
    line!(out, "  - id: {}", state.id);
    line!(out, "    type: {}", state.kind.number());
    line!(out, "    pos: {}", vector(&state.position));
    match &state.kind {
        StateKind::Decision { condition } => {
            line!(out, "    condition: {}", quoted(condition.as_ref().map_or("", |condition| &condition.text)));
        }
        StateKind::Command(command) => write_command(out, command),
        StateKind::Initial | StateKind::Final | StateKind::Fork | StateKind::Merge => {}
    }
}

fn write_command(out: &mut String, command: &CommandState) {
    line!(out, "    cmd_name: {}", quoted(&command.command));
    line!(out, "    disp_name: {}", quoted(&command.label));
    if command.arguments.is_empty() {
        line!(out, "    arguments: []");
    } else {
        line!(out, "    arguments:");
    }
    for argument in &command.arguments {
        line!(out, "    - name: {}", quoted(&argument.name));
        line!(out, "      value: {}", quoted(&argument.value.text));
    }
    if !command.actions.is_empty() {
        line!(out, "    model_actions:");
    }
    for action in &command.actions {
        line!(out, "    - action: {}", quoted(action.kind.as_str()));
        line!(out, "      model: {}", quoted(action.model.as_str()));
        if let Some(target) = &action.target {
            line!(out, "      target: {}", quoted(&target.text));
        }
    }
}

fn write_transition(out: &mut String, transition: &Transition) {
    line!(out, "  - source_id: {}", transition.source);
    line!(out, "    target_id: {}", transition.target);
    if transition.branch == Branch::False {
        line!(out, "    source_index: 1");
    }
    if transition.target_index != 0 {
        line!(out, "    target_index: {}", transition.target_index);
    }
}

fn write_parameter(out: &mut String, parameter: &Parameter) {
    let (kind, values) = match &parameter.value {
        ParameterValue::Integer(number) => (1, number.to_string()),
        ParameterValue::Double(number) => (2, self::number(*number)),
        ParameterValue::Vector(numbers) => (3, vector(numbers)),
        ParameterValue::Frame(frame) => (3, vector(&frame.0)),
        ParameterValue::Bound { remembered, .. } => (3, vector(&remembered.map_or([0.0; 6], |frame| frame.0))),
    };
    line!(out, "  - param_type: {kind}");
    line!(out, "    name: {}", quoted(parameter.name.as_str()));
    line!(out, "    disp_name: {}", quoted(&parameter.label));
    line!(out, "    values: {values}");
    if let ParameterValue::Bound { model, feature, .. } = &parameter.value {
        line!(out, "    model_name: {}", quoted(model.as_str()));
        line!(out, "    model_param_id: {}", feature.map_or_else(|| "-1".to_owned(), |feature| feature.to_string()));
    }
    if let Some(unit) = &parameter.unit {
        line!(out, "    units: {}", quoted(unit));
    }
    line!(out, "    hide: {}", parameter.hidden);
}

fn write_master(out: &mut String, master: &ModelMaster) {
    line!(out, "  - name: {}", quoted(master.name.as_str()));
    line!(out, "    file_name: {}", quoted(&master.file));
    if let Some(image) = &master.image {
        line!(out, "    image_file_name: {}", quoted(image));
    }
    if !master.features.is_empty() {
        line!(out, "    features:");
    }
    for feature in &master.features {
        line!(out, "    - name: {}", quoted(&feature.name));
        line!(out, "      value: {}", quoted(&feature.value.text));
    }
}

fn vector(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|number| self::number(*number)).collect();
    format!("[{}]", numbers.join(", "))
}

/// Shortest digits that read back to the same number.
fn number(number: f64) -> String {
    let text = zmij::Buffer::new().format(number).to_owned();
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}
