//! Reading of task files of every generation.

mod entries;
mod integers;
mod letters;
mod masters;
mod models;
mod numbers;
mod parameters;
mod states;
mod transitions;

use std::path::Path;
use std::sync::Arc;

use bunraku_document::yaml::Document;
use bunraku_document::{Limits, Mapping, Reporter, SourceFile, Value};

use crate::model::{Attached, Origin, Task};
use entries::list;
pub(crate) use letters::span_of_letters;
use models::{NumberedModel, resolve_masters};

/// Limits above those of real files, low enough for hostile ones.
const LIMITS: Limits = Limits { file_size: 16 << 20, depth: 64, nodes: 1_000_000, merged_keys: 100_000 };

/// Reads the tasks of a file, of any generation of the format.
///
/// Findings go to `reporter`. `None` if at least one of them is an error. The tasks are not checked yet: see
/// [`crate::check::check`].
pub fn load(path: &Path, reporter: &Reporter) -> Option<Vec<Task>> {
    let source = SourceFile::read(path, &LIMITS, reporter);
    let source = source.map_err(|error| reporter.report(error.to_diagnostic())).ok()?;
    read(&source, reporter)
}

/// As [`load`], for a text in memory.
pub fn read(source: &Arc<SourceFile>, reporter: &Reporter) -> Option<Vec<Task>> {
    let document = reporter.keep(Document::parse(source, &LIMITS, reporter))?;
    let root = document.root();
    let tasks: Vec<Task> = match root.items() {
        Some(items) => items.filter_map(|item| read_task(item, reporter)).collect(),
        None => read_task(root, reporter).into_iter().collect(),
    };
    if tasks.is_empty() && !reporter.has_errors() {
        let diagnostic = root.error("no-task", "the file contains no task");
        reporter.report(diagnostic.help("a task file is a list of tasks: `- taskName: …`"));
    }
    (!reporter.has_errors()).then_some(tasks)
}

fn read_task(node: Value<'_>, reporter: &Reporter) -> Option<Task> {
    let mut top = Mapping::new(node, "the task", reporter)?;
    let name = top.required_or(&["taskName", "task_name"], "is this a task file? Add `taskName: …`");
    let name = name.and_then(|name| top.keep(name.as_text())).unwrap_or_default().to_owned();
    if name.contains('|') {
        let diagnostic = node.warning("bar-in-name", format!("the name of the task `{name}` contains `|`"));
        reporter.report(diagnostic.help("other programs read it as the end of a line: choose another name"));
    }
    if !name.is_empty() {
        top.rename(format!("task `{name}`"));
    }
    // Prologue of an evaluator that no longer exists.
    top.accept(&["initialize"]);
    let masters = list(&top, top.get(&["model_master", "model-master", "modelMaster"]), "model_master", &masters::read);
    let models = list(&top, top.get(&["models"]), "models", &models::read);
    models::check_numbers(&models, reporter);
    let is_by_number = models.iter().any(NumberedModel::is_by_number);
    let numbers: Vec<_> = models.iter().map(|model| (model.number, model.part.name.clone())).collect();
    let (models, masters) = resolve_masters(models, masters, reporter);
    let states = top.get(&["states"]);
    let states = list(&top, states, "states", &states::read);
    let transitions = top.get(&["transitions", "transisions", "transactions"]);
    let transitions = list(&top, transitions, "transitions", &transitions::read);
    let parameters = top.get(&["parameters"]);
    let read_parameter = |node: Value<'_>, reporter: &Reporter| parameters::read(node, &numbers, reporter);
    let parameters = list(&top, parameters, "parameters", &read_parameter);
    let files = list(&top, top.get(&["files"]), "files", &read_attached);
    let images = list(&top, top.get(&["images"]), "images", &read_attached);
    let comment = top.text(&["comment"]).unwrap_or_default().replace('|', "\n");
    top.finish();
    let origin = Origin::of(node);
    let mut task = Task { name, comment, models, states, transitions, parameters, files, images, masters, origin };
    if is_by_number {
        integers::as_in_2019_02(&mut task, reporter);
    }
    Some(task)
}

fn read_attached(node: Value<'_>, reporter: &Reporter) -> Option<Attached> {
    let entry = Mapping::new(node, "a file that goes with the task", reporter)?;
    let path = entry.required(&["name"])?;
    let path = entry.keep(path.as_text())?.to_owned();
    entry.finish();
    Some(Attached { path, origin: Origin::of(node) })
}
