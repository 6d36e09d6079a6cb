//! The keys of a controller that is a program (`type: process`).

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bunraku_body::{Actuation, Body};
use bunraku_control::{ControllerProcess, ProcessLayout, ProcessOutput};
use bunraku_document::{Mapping, Value};

use super::context::{SceneContext, positive};
use super::controller::gains;
use super::model::{ControllerKind, SceneController};
use super::words::read_word;

/// Longest wall time of a reply if the scene gives none, s: enough for a program to load its libraries.
const DEFAULT_TIMEOUT: f64 = 10.0;
/// Longest `timeout`, s.
const LONGEST_TIMEOUT: f64 = 1e6;

/// The keys of such a controller beside `type`, `kp` and `kd`.
pub(super) const KEYS: &[&str] = &["command", "layout", "output", "period", "timeout"];

/// Reads the keys beside `type`.
pub(super) fn read(mapping: Mapping<'_, '_>, body: &Body, context: &SceneContext<'_>) -> Option<SceneController> {
    let help = "write `command: [ python3, controller.py ]`";
    let place = mapping.required_or(&["command"], help);
    let command = place.and_then(|value| read_command(value, context));
    let words = [("json", ProcessLayout::Json), ("binary", ProcessLayout::Binary)];
    let layout = mapping.read(&["layout"], |value, _| read_word(value, "the layout of messages", &words));
    let words = [ProcessOutput::Effort, ProcessOutput::Displacement, ProcessOutput::Velocity];
    let words = words.map(|output| (output.word(), output));
    let output = mapping.read(&["output"], |value, _| read_word(value, "what the program returns", &words));
    let output = output.unwrap_or_default();
    let period = match mapping.get(&["period"]) {
        None => Some(1),
        Some(value) => read_period(value, context),
    };
    let timeout = mapping.read(&["timeout"], |value, reporter| positive(value, "timeout", "s", reporter));
    let actuation = read_actuation(&mapping, output, body);
    mapping.finish();
    let (command, place) = (command?, place?);
    let start = place.span().start;
    let file = place.source().path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let process = Arc::new(ControllerProcess {
        command,
        directory: context.directory.clone(),
        layout: layout.unwrap_or_default(),
        output,
        period: period?,
        timeout: Duration::from_secs_f64(timeout.unwrap_or(DEFAULT_TIMEOUT).min(LONGEST_TIMEOUT)),
        place: format!("{file}:{}:{}", start.line, start.column),
    });
    let kind = ControllerKind::Process { process, actuation: actuation? };
    Some(SceneController {
        kind,
        motion: None,
        reference: None,
        velocities: None,
        efforts: None,
        gravity_compensation: false,
    })
}

/// The words of a command: a list, or the program alone. The files among them are sources of the scene.
fn read_command(value: Value<'_>, context: &SceneContext<'_>) -> Option<Vec<String>> {
    let reporter = context.reporter;
    let words: Option<Vec<String>> = match value.items() {
        Some(items) => items.map(|item| reporter.keep(item.as_text()).map(str::to_owned)).collect(),
        None => reporter.keep(value.as_text()).map(|word| vec![word.to_owned()]),
    };
    let words = words?;
    let Some(program) = words.first().filter(|program| !program.is_empty()) else {
        reporter.report(value.expected("a program and its arguments, as in `[ python3, controller.py ]`"));
        return None;
    };
    if value.items().is_none() && program.contains(char::is_whitespace) {
        let help = "write a list: the program, then each of its arguments";
        reporter.report(value.error("command-words", "the command is one text with blanks").help(help));
        return None;
    }
    if !is_found(program, &context.directory) {
        let message = format!("there is no program `{program}`");
        let help = match program.contains('/') {
            true => {
                format!("it was looked for at {}", context.directory.join(program.trim_start_matches("./")).display())
            }
            false => {
                format!("it was looked for in PATH; `./{program}` would be one beside the scene")
            }
        };
        reporter.report(value.error("program-not-found", message).help(help));
        return None;
    }
    let files = words.iter().map(|word| context.directory.join(word)).filter(|path| path.is_file());
    context.sources.borrow_mut().extend(files);
    Some(words)
}

/// Whether a program exists: in `PATH`, or relative to the directory if it contains a `/`.
fn is_found(program: &str, directory: &Path) -> bool {
    if program.contains('/') {
        return directory.join(program).is_file();
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|path| path.join(program).is_file())
}

/// The number of steps of a control period.
fn read_period(value: Value<'_>, context: &SceneContext<'_>) -> Option<u64> {
    let reporter = context.reporter;
    let period = reporter.keep(positive(value, "period", "s", reporter))?;
    let time_step = context.time_step.get();
    let steps = period / time_step;
    // Periods and steps are decimal numbers: their quotient is an integer up to rounding.
    if (steps - steps.round()).abs() > 1e-6 * steps || steps.round() < 1.0 {
        let message = format!("a control period of {period} s does not fit a time step of {time_step} s");
        reporter.report(value.error("control-period", message).help("let it be a multiple of the time step"));
        return None;
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Some(steps.round() as u64)
}

/// The actuation of the joints by these commands, with the gains that it needs.
fn read_actuation(mapping: &Mapping<'_, '_>, output: ProcessOutput, body: &Body) -> Option<Vec<Actuation>> {
    let reporter = mapping.reporter();
    let read = |key: &'static str| match mapping.required(&[key]) {
        Some(value) => reporter.keep(gains(value, body, reporter)),
        None => None,
    };
    match output {
        ProcessOutput::Effort => Some(vec![Actuation::Effort; body.num_joints()]),
        ProcessOutput::Velocity => {
            Some(read("kd")?.into_iter().map(|damping| Actuation::Velocity { damping }).collect())
        }
        ProcessOutput::Displacement => {
            let (stiffness, damping) = (read("kp"), read("kd"));
            let gains = stiffness?.into_iter().zip(damping?);
            Some(gains.map(|(stiffness, damping)| Actuation::Displacement { stiffness, damping }).collect())
        }
    }
}
