//! YAML files that wrap a model file and add to it.

use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Mapping, SourceFile, Value, closest};

use super::allowance::MOST_PROPERTIES;
use super::file_names::identity;
use super::model::read_model_file;
use super::property::read_unread;
use super::reading::Reading;
use crate::{Body, ModelFormat};

/// Reads the model that `model_file` refers to, with the other keys of the wrapper.
///
/// `geometry: { divisionNumber }` sets the number of segments of round shapes; `linkInfo` adds keys to the named links.
pub(super) fn read_wrapper(
    source: &Arc<SourceFile>,
    top: &Mapping<'_, '_>,
    model_file: Value<'_>,
    reading: &Reading<'_>,
) -> Option<Body> {
    let reporter = reading.reporter;
    let text = reporter.keep(model_file.as_text())?;
    let path = match reading.roots.find(&source.directory(), text) {
        Ok(path) => path,
        Err(error) => {
            reporter.report(error.to_diagnostic().at(model_file.source(), model_file.span()));
            return None;
        }
    };
    let place = identity(&path);
    if reading.chain.contains(&place) {
        let message = format!("the model file `{text}` refers back to this one");
        reporter.report(
            model_file.error("model-file-cycle", message).help("write the path of another file, such as a `.body`"),
        );
        return None;
    }
    let mut chain = reading.chain.to_vec();
    chain.push(place);
    let divisions = top.get(&["geometry"]).and_then(|value| {
        let geometry = Mapping::new(value, "geometry", reporter)?;
        let divisions = geometry.integer(&["division_number", "divisionNumber"]);
        geometry.finish();
        divisions.and_then(|number| u32::try_from(number).ok())
    });
    let reading = Reading { chain: &chain, divisions: divisions.unwrap_or(reading.divisions), ..*reading };
    if reading.is_sub_body && !admit_file(&path, model_file, &reading) {
        return None;
    }
    let mut body = read_model_file(&path, &reading)?;
    if reading.is_sub_body && !admit(&body, model_file, &reading) {
        return None;
    }

    let mut budget = MOST_PROPERTIES;
    for (name, span, value) in top.get(&["linkInfo"]).and_then(Value::entries).into_iter().flatten() {
        let Some(link) = body.find_link(name) else {
            let diagnostic = value.warning("unknown-link", format!("there is no link `{name}`"));
            let diagnostic = diagnostic.at(value.source(), span);
            reporter.report(match closest(name, body.links().iter().map(|link| link.name.as_str())) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic.help("it must be the name of a link of the model"),
            });
            continue;
        };
        if let Some(info) = Mapping::new(value, format!("link `{name}`"), reporter) {
            body.link_mut(link).info.extend(read_unread(&info, &mut budget));
        }
    }
    Some(body)
}

/// Counts the size of a file that may be read many times. A file whose size cannot be determined cannot be read, which
/// is reported then.
fn admit_file(path: &Path, model_file: Value<'_>, reading: &Reading<'_>) -> bool {
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let mut left = reading.allowance.get();
    let admitted = left.take_file(usize::try_from(bytes).unwrap_or(usize::MAX), model_file, reading.reporter);
    reading.allowance.set(left);
    admitted
}

/// Counts the contents of a model of another format, which may be included many times. Those of `.body` files have been
/// counted.
fn admit(body: &Body, model_file: Value<'_>, reading: &Reading<'_>) -> bool {
    let (links, reporter) = (&body.links, reading.reporter);
    let shapes = links.iter().map(|link| link.visual.len() + link.collision.len()).sum();
    let mut left = reading.allowance.get();
    let admitted = body.format == ModelFormat::ChoreonoidBody
        || (left.take_links(links.len(), 0, model_file, reporter)
            && left.take_elements(body.devices.len(), 0, model_file, reporter)
            && left.take_mesh_shapes(shapes, model_file, reporter));
    reading.allowance.set(left);
    admitted
}
