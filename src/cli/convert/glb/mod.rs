//! Converts the results of a run, a motion, a model or a scene to an animated GLB file (glTF 2.0).

mod animation;
mod file;
mod meshes;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::f64::consts::FRAC_1_SQRT_2;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku::body::Body;
use bunraku::document::{Reporter, Severity, SourceFile, write_atomically};
use bunraku::render::{Model, Textures};
use serde_json::json;

use super::super::common::{CommonArgs, Failure};
use super::super::files::Loaded;
use super::super::replay::{Replay, load};
use super::super::rerun;
use animation::{Animation, add_body};
use file::{File, add};
use meshes::Meshes;

/// Frame rate of animations unless the recording has fewer frames or the user wants others, Hz.
const USUAL_RATE: f64 = 60.0;

/// Writes the file; returns its path.
pub(super) fn convert(
    (input, output): (&Path, &Path),
    (body, rate): (Option<&Path>, Option<f64>),
    common: &CommonArgs,
    reporter: &Reporter,
) -> Result<Vec<PathBuf>, Failure> {
    let replay = read(input, body, common)?;
    let rate = rate.unwrap_or_else(|| replay.rate().map_or(USUAL_RATE, |rate| rate.min(USUAL_RATE)));
    let times = replay.times(rate).map_err(|possible| {
        Failure::Message(format!(
            "the animation would have too many frames: `--rate` may be at most {possible:.3} for {}",
            input.display()
        ))
    })?;
    let name = input.file_stem().map_or_else(|| "Motion".into(), |stem| stem.to_string_lossy());
    let bytes = encode(&replay, &times, &name, input, reporter)?;
    write_atomically(output, |file| file.write_all(&bytes))
        .map_err(|error| Failure::Message(format!("cannot write the file: {error}: {}", output.display())))?;
    Ok(vec![output.to_owned()])
}

fn read(input: &Path, body: Option<&Path>, common: &CommonArgs) -> Result<Replay, Failure> {
    if input.is_dir() {
        return match body {
            None => Replay::of_results(input, &rerun::scene_of(input, None, common)?, common),
            Some(_) => Err(Failure::Usage("`--body` goes with a motion".to_owned())),
        };
    }
    match (load(input, common)?, body) {
        (Loaded::Motion(motion), Some(model)) => match load(model, common)? {
            Loaded::Model(body) => Ok(Replay::of_model(*body, Some(*motion))),
            _ => Err(Failure::Usage(format!("`--body` is not a model: {}", model.display()))),
        },
        (Loaded::Motion(_), None) => {
            Err(Failure::Usage("a motion has no shapes: name the model that moves with `--body`".to_owned()))
        }
        (_, Some(_)) => Err(Failure::Usage("`--body` goes with a motion".to_owned())),
        (Loaded::Model(body), None) => Ok(Replay::of_model(*body, None)),
        (Loaded::Scene(scene), None) => Ok(Replay::of_scene(&scene)),
        (Loaded::Tasks(_) | Loaded::Robot(_), None) => {
            Err(Failure::Usage("a task has no shapes: convert the results of `bunraku task run`".to_owned()))
        }
    }
}

fn encode(replay: &Replay, times: &[f64], name: &str, input: &Path, reporter: &Reporter) -> Result<Vec<u8>, Failure> {
    let mut file = File::default();
    let (mut textures, mut meshes) = (Textures::default(), Meshes::default());
    let start = times.first().copied().unwrap_or_default();
    let from_start: Vec<f64> = times.iter().map(|time| time - start).collect();
    let mut animation = (times.len() > 1).then(|| Animation::new(&from_start, &mut file));
    // Copies of a body share its meshes.
    let mut known: HashMap<*const Body, Vec<Option<usize>>> = HashMap::new();
    let mut nodes = Vec::new();
    for body in &replay.bodies {
        let of_links = match known.entry(Arc::as_ptr(&body.body)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let models = Model::of_links(&body.body, &mut textures);
                let links = models.iter().zip(body.body.links());
                let added = links.map(|(model, link)| {
                    model.as_ref().map(|model| meshes.add(model, &link.name, &mut file)).transpose()
                });
                let added: Result<Vec<_>, String> = added.collect();
                entry.insert(added.map_err(|reason| Failure::Message(format!("cannot encode a picture: {reason}")))?)
            }
        };
        nodes.push(add_body(body, &body.frames(times), of_links, &mut animation, &mut file));
    }
    let of_file = SourceFile::from_text(input, "");
    let findings: Vec<_> = textures.diagnostics.into_iter().map(|finding| finding.in_file(&of_file)).collect();
    let is_incomplete = findings.iter().any(|finding| finding.severity == Severity::Error);
    findings.into_iter().for_each(|finding| reporter.report(finding));
    if is_incomplete {
        return Err(Failure::Reported);
    }
    if let Some(animation) = animation {
        animation.finish(name, &mut file);
    }
    // Bunraku has +Z up, and glTF +Y.
    let mut root = json!({ "name": name, "rotation": [-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2] });
    if !nodes.is_empty() {
        root["children"] = nodes.into();
    }
    let root = add(&mut file.nodes, root);
    file.encoded(root).ok_or_else(|| {
        let message = "the file would be larger than 4 GiB: a lower `--rate` makes it smaller";
        Failure::Message(message.to_owned())
    })
}
