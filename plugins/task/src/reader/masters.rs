use bunraku_document::{Mapping, Reporter, Value};

use super::entries::{expression, list};
use crate::model::{Feature, MasterName, ModelMaster, Origin};

/// A master, and its number in models of 2019-02.
pub(super) struct NumberedMaster {
    pub(super) number: Option<i32>,
    pub(super) master: ModelMaster,
}

pub(super) fn read(node: Value<'_>, reporter: &Reporter) -> Option<NumberedMaster> {
    let mut entry = Mapping::new(node, "a model master", reporter)?;
    let name = entry.required(&["name"])?;
    let name = entry.keep(name.as_text())?;
    entry.rename(format!("model master `{name}`"));
    let number = entry.integer(&["id"]);
    let file = entry.required(&["file_name", "fileName"]).and_then(|file| entry.keep(file.as_text()));
    let image = entry.text(&["image_file_name", "imageFileName"]).filter(|image| !image.is_empty());
    let features = list(&entry, entry.get(&["features"]), "features", &read_feature);
    entry.finish();
    let master = ModelMaster {
        name: MasterName::from(name),
        file: file.unwrap_or_default().to_owned(),
        image: image.map(str::to_owned),
        features,
        origin: Origin::of(node),
    };
    Some(NumberedMaster { number, master })
}

fn read_feature(node: Value<'_>, reporter: &Reporter) -> Option<Feature> {
    let mut entry = Mapping::new(node, "a feature", reporter)?;
    let name = entry.required(&["name"])?;
    let name = entry.keep(name.as_text())?.to_owned();
    entry.rename(format!("feature `{name}`"));
    let value = expression(entry.required(&["value"])?, reporter);
    if value.is_none() && !reporter.has_errors() {
        reporter.report(node.error("empty-text", format!("feature `{name}` has no value")).help("write `origin`"));
    }
    entry.accept(&["id"]);
    entry.finish();
    Some(Feature { name, value: value? })
}
