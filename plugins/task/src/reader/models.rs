use std::collections::BTreeMap;
use std::path::Path;

use bunraku_document::{Mapping, Reporter, Value, closest};

use super::masters::NumberedMaster;
use super::numbers::{frame, old_frame};
use crate::model::{Frame, MasterName, ModelMaster, ModelName, ModelPart, ModelRole, Origin};

/// A model, and its reference to a master in the notation of its generation.
pub(super) struct NumberedModel {
    /// Number that parameters of 2019-02 refer to.
    pub(super) number: Option<i32>,
    pub(super) part: ModelPart,
    master: MasterReference,
}

impl NumberedModel {
    /// Whether it refers to its master by a number; only in files of 2019-02.
    pub(super) fn is_by_number(&self) -> bool {
        matches!(self.master, MasterReference::Number(_))
    }
}

enum MasterReference {
    Name,
    Number(i32),
    /// Before 2019 models name their file.
    File(String),
    Missing,
}

pub(super) fn read(node: Value<'_>, reporter: &Reporter) -> Option<NumberedModel> {
    let mut entry = Mapping::new(node, "a model", reporter)?;
    // Before 2019 `rname` is the variable and `name` the label.
    let given = entry.required(&["name"]).and_then(|name| entry.keep(name.as_text())).unwrap_or_default();
    let variable = entry.text(&["rname"]).filter(|name| !name.trim().is_empty());
    let label = (variable.is_some() && !given.is_empty()).then(|| given.to_owned());
    let name = variable.unwrap_or(given);
    entry.rename(format!("model `{name}`"));
    if name.contains('|') {
        let diagnostic = node.warning("bar-in-name", format!("the name of the model `{name}` contains `|`"));
        reporter.report(diagnostic.help("other programs read it as the end of a line: choose another name"));
    }
    let number = entry.integer(&["model_id", "id"]);
    let master = entry.text(&["master_name", "masterName"]);
    let reference = match (master, entry.integer(&["master_id"]), entry.text(&["file_name"])) {
        (Some(_), ..) => MasterReference::Name,
        (None, Some(number), _) => MasterReference::Number(number),
        (None, None, Some(file)) => MasterReference::File(file.to_owned()),
        (None, None, None) => MasterReference::Missing,
    };
    if matches!(reference, MasterReference::Missing) {
        entry.required_or(&["master_name"], "name one of `model_master`: `master_name: …`");
    }
    entry.accept(&["image_file_name"]);
    let pose = match entry.get(&["pos"]) {
        Some(value) => frame(value, reporter),
        None => old_frame(&entry).or_else(|| {
            entry.required_or(&["pos"], "write `pos: [x, y, z, roll, pitch, yaw]` in m and degrees");
            None
        }),
    };
    let part = ModelPart {
        name: ModelName::from(name),
        label,
        master: MasterName::from(master.unwrap_or_default()),
        role: entry.get(&["type"]).map_or(ModelRole::Environment, |value| role(value, reporter)),
        pose: pose.unwrap_or(Frame::IDENTITY),
        hidden: entry.bool(&["hide"]).unwrap_or(false),
        origin: Origin::of(node),
    };
    entry.finish();
    Some(NumberedModel { number, part, master: reference })
}

fn role(value: Value<'_>, reporter: &Reporter) -> ModelRole {
    let text = value.text().unwrap_or_default();
    match text {
        "Work" => ModelRole::Work,
        "E.E." | "EE" => ModelRole::EndEffector,
        "Env" | "Env." | "" => ModelRole::Environment,
        _ => {
            const KNOWN: [&str; 3] = ["Work", "E.E.", "Env"];
            let diagnostic = value.warning("unknown-model-type", format!("`{text}` is not a type of model"));
            reporter.report(diagnostic.help(match closest(text, KNOWN) {
                Some(meant) => format!("it counts as `Env`; did you mean `{meant}`?"),
                None => "it counts as `Env`; there are `Work`, `E.E.` and `Env`".to_owned(),
            }));
            ModelRole::Environment
        }
    }
}

/// Reports numbers shared by two models, which would be ambiguous in parameters.
pub(super) fn check_numbers(models: &[NumberedModel], reporter: &Reporter) {
    let mut taken = BTreeMap::new();
    for NumberedModel { number, part, .. } in models {
        let Some(number) = *number else { continue };
        if let Some(first) = taken.insert(number, &part.name) {
            let message = format!("the models `{first}` and `{}` both have the number {number}", part.name);
            let help = "parameters refer to models by it: give one of them another `model_id`";
            reporter.report(part.origin.error("duplicate-model-id", message).help(help));
        }
    }
}

/// Models with the names of their masters, and masters including those generated for models that name a file.
pub(super) fn resolve_masters(
    models: Vec<NumberedModel>,
    mut masters: Vec<NumberedMaster>,
    reporter: &Reporter,
) -> (Vec<ModelPart>, Vec<ModelMaster>) {
    let mut parts = Vec::with_capacity(models.len());
    for NumberedModel { mut part, master, .. } in models {
        match master {
            MasterReference::Name | MasterReference::Missing => {}
            MasterReference::Number(number) => match masters.iter().find(|master| master.number == Some(number)) {
                Some(found) => part.master = found.master.name.clone(),
                None => {
                    let message =
                        format!("model `{}` refers to the model master {number}, which is not there", part.name);
                    reporter.report(part.origin.error("unknown-master", message).help("add it to `model_master`"));
                }
            },
            MasterReference::File(file) => part.master = master_of_file(&file, &part.origin, &mut masters),
        }
        parts.push(part);
    }
    (parts, masters.into_iter().map(|numbered| numbered.master).collect())
}

/// The master of a model file, named after the file; created on first use.
fn master_of_file(file: &str, origin: &Origin, masters: &mut Vec<NumberedMaster>) -> MasterName {
    if let Some(found) = masters.iter().find(|numbered| numbered.master.file == file) {
        return found.master.name.clone();
    }
    let stem = Path::new(file).file_stem().map_or_else(|| file.to_owned(), |stem| stem.to_string_lossy().into_owned());
    let is_taken = |name: &str| masters.iter().any(|numbered| numbered.master.name.as_str() == name);
    let mut name = stem.clone();
    for number in 2.. {
        if !is_taken(&name) {
            break;
        }
        name = format!("{stem}_{number}");
    }
    let name = MasterName(name);
    let (file, features) = (file.to_owned(), Vec::new());
    let master = ModelMaster { name: name.clone(), file, image: None, features, origin: origin.clone() };
    masters.push(NumberedMaster { number: None, master });
    name
}
