//! Checks for duplicate names and undefined references.

use std::collections::BTreeSet;

use bunraku_document::{Reporter, closest};

use crate::expression::number_of_word;
use crate::model::{ActionKind, Origin, ParameterValue, StateKind, Task};
use crate::variables::Variables;

pub(super) fn check(task: &Task, reporter: &Reporter) {
    duplicates(task.models.iter().map(|model| (model.name.as_str(), &model.origin)), "model", reporter);
    duplicates(task.parameters.iter().map(|found| (found.name.as_str(), &found.origin)), "parameter", reporter);
    duplicates(task.masters.iter().map(|master| (master.name.as_str(), &master.origin)), "model master", reporter);
    check_masters(task, reporter);
    check_bindings(task, reporter);
    check_hidden(task, reporter);
    check_actions(task, reporter);
}

/// Reports duplicate names, which would be ambiguous.
fn duplicates<'t>(items: impl Iterator<Item = (&'t str, &'t Origin)>, what: &str, reporter: &Reporter) {
    let mut seen = BTreeSet::new();
    for (name, origin) in items {
        if name.trim().is_empty() {
            let diagnostic =
                origin.warning("no-name", format!("a {what} has no name, so that nothing can refer to it"));
            reporter.report(diagnostic.help("give it a name"));
        } else if !seen.insert(name) {
            let diagnostic = origin.error("duplicate-name", format!("there is more than one {what} `{name}`"));
            reporter.report(diagnostic.help("rename one of them"));
        }
    }
}

fn check_masters(task: &Task, reporter: &Reporter) {
    for model in &task.models {
        if task.master(&model.master).is_none() {
            let message =
                format!("model `{}` is of `{}`, which `model_master` does not have", model.name, model.master);
            let names = task.masters.iter().map(|master| master.name.as_str());
            let help = match closest(model.master.as_str(), names) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "add it to `model_master`, with its `file_name`".to_owned(),
            };
            reporter.report(model.origin.error("unknown-master", message).help(help));
        }
    }
}

fn check_bindings(task: &Task, reporter: &Reporter) {
    for parameter in &task.parameters {
        let ParameterValue::Bound { model, feature, .. } = &parameter.value else { continue };
        let (name, origin) = (&parameter.name, &parameter.origin);
        if task.model(model).is_none() {
            let message = format!("parameter `{name}` is bound to the model `{model}`, which is not there");
            let help = closest_model(task, model.as_str());
            reporter.report(origin.error("unknown-model", message).help(help));
        } else if let Some(number) = *feature
            && let Some(master) = task.model(model).and_then(|model| task.master(&model.master))
            && Variables::new(task).feature(model, number).is_none()
        {
            let count = master.features.len();
            let message = format!("parameter `{name}` is bound to feature {number} of `{model}`, which has {count}");
            let help = "features are counted from 0; -1 is the origin of the model";
            reporter.report(origin.error("unknown-feature", message).help(help));
        }
    }
}

fn check_hidden(task: &Task, reporter: &Reporter) {
    let models = task.models.iter().map(|model| (model.name.as_str(), "model", &model.origin));
    let parameters = task.parameters.iter().map(|found| (found.name.as_str(), "parameter", &found.origin));
    for (name, what, origin) in models.chain(parameters) {
        if number_of_word(name).is_some() {
            let diagnostic = origin.warning("hidden-name", format!("the {what} `{name}` is hidden by a number"));
            let help = "in expressions `inf`, `infinity` and `nan` are numbers that are not finite: rename it";
            reporter.report(diagnostic.help(help));
        }
    }
    let models: BTreeSet<&str> = task.models.iter().map(|model| model.name.as_str()).collect();
    for parameter in &task.parameters {
        if models.contains(parameter.name.as_str()) {
            let message = format!("parameter `{0}` is hidden by the model `{0}`", parameter.name);
            let diagnostic = parameter.origin.warning("hidden-parameter", message);
            reporter.report(diagnostic.help("in expressions the name means the pose of the model: rename one of them"));
        }
    }
}

fn check_actions(task: &Task, reporter: &Reporter) {
    for state in &task.states {
        let StateKind::Command(command) = &state.kind else { continue };
        for action in &command.actions {
            let what = format!("state {}, {}", state.id, action.kind.as_str());
            if task.model(&action.model).is_none() {
                let message = format!("{what}: there is no model `{}`", action.model);
                let help = closest_model(task, action.model.as_str());
                reporter.report(action.origin.error("unknown-model", message).help(help));
            }
            if action.target.is_none() && action.kind == ActionKind::Attach {
                let diagnostic = action.origin.error("no-target", format!("{what} does not say to which tool"));
                reporter.report(diagnostic.help("name an integer parameter: `target: \"handID\"`"));
            }
        }
    }
}

fn closest_model(task: &Task, name: &str) -> String {
    match closest(name, task.models.iter().map(|model| model.name.as_str())) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "add it to `models`, or name one that is there".to_owned(),
    }
}
