//! `bunraku report`: the results of a run as one HTML page that needs no network.

mod contacts;
mod curves;
mod geometry;
mod outcome;
mod pack;
mod pictures;
mod poses;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku::body::Body;
use bunraku::document::{Limits, Severity, SourceFile, read_bytes, write_atomically};
use bunraku::render::{Model, Textures};
use clap::Args;
use serde_json::{Value, json};

use super::common::{CommonArgs, Failure};
use super::directory::SUMMARY_NAME;
use super::output::line;
use super::replay::{Replay, times_between};
use super::{messages, rerun};
use contacts::Contacts;
use curves::{Curve, TimeBases};
use geometry::Meshes;
use outcome::Outcome;
use pack::Pack;

/// Frame rate of the replay, Hz, that of displays.
const RATE: f64 = 60.0;
/// Maximum number of frames; longer runs have a lower frame rate.
const MOST_FRAMES: f64 = 20_000.0;

/// Write the results of a run as one HTML page with a 3D replay and plots
///
/// The page opens in any browser of today, also from the disk, and loads nothing else: send it to colleagues. It has the
/// summary, the warnings, a 3D replay with names and contacts, curves of all that was recorded, and small pictures of
/// cameras. Poses are those of 60 frames a second, to 10 µm; curves keep their peaks.
#[derive(Args)]
pub struct ReportArgs {
    /// The directory of results
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The scene file, if it was moved
    #[arg(long, value_name = "SCENE")]
    scene: Option<PathBuf>,
    /// The page [default: the name of DIR with `.html` for its ending, in the current directory]
    #[arg(long, value_name = "OUT.html")]
    out: Option<PathBuf>,
}

/// A run on a page.
pub struct Run {
    name: String,
    /// The directory of its results, if it is one of a simulation.
    directory: Option<PathBuf>,
    replay: Replay,
    outcome: Outcome,
}

pub fn report(arguments: &ReportArgs, common: &CommonArgs) -> Result<(), Failure> {
    let run = Run::of_results(&arguments.directory, arguments.scene.as_deref(), common)?;
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.html", run.name)));
    write(&[run], &out, true)
}

impl Run {
    /// The results in a directory; `scene` is the path of the scene, if given.
    ///
    /// # Errors
    /// If the summary, the scene or a recording cannot be read.
    pub fn of_results(directory: &Path, scene: Option<&Path>, common: &CommonArgs) -> Result<Self, Failure> {
        let scene = rerun::scene_of(directory, scene, common)?;
        let replay = Replay::of_results(directory, &scene, common)?;
        let path = directory.join(SUMMARY_NAME);
        let failed = |error: String| Failure::Message(format!("cannot read the summary: {error}: {}", path.display()));
        let bytes = read_bytes(&path, &Limits::default()).map_err(|error| failed(error.to_string()))?;
        let summary: Value = serde_json::from_slice(&bytes).map_err(|error| failed(error.to_string()))?;
        let outcome = Outcome::of(&summary);
        Ok(Self { name: name_of(directory), directory: Some(directory.to_owned()), replay, outcome })
    }

    /// A motion of a model, from this file.
    pub fn of_replay(file: &Path, replay: Replay) -> Self {
        Self { name: name_of(file), directory: None, replay, outcome: Outcome::default() }
    }
}

/// Name of a directory or a file, without its extension.
fn name_of(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = if path.is_dir() { whole.file_name() } else { whole.file_stem() };
    name.map_or_else(|| "results".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Writes the page of one run, or of several over each other; `prints` its name and size.
///
/// # Errors
/// If a table cannot be read, or the page cannot be written.
pub fn write(runs: &[Run], out: &Path, prints: bool) -> Result<(), Failure> {
    if !out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html")) {
        return Err(Failure::Usage(format!("the page must end in `.html`: {}", out.display())));
    }
    let page = page(runs)?;
    let failed = |error| Failure::Message(format!("cannot write the page: {error}: {}", out.display()));
    write_atomically(out, |file| file.write_all(page.as_bytes())).map_err(failed)?;
    if !prints {
        return Ok(());
    }
    #[allow(clippy::cast_precision_loss)]
    line(format!("written    {} ({:.2} MB)", out.display(), page.len() as f64 / 1e6))
}

fn page(runs: &[Run]) -> Result<String, Failure> {
    let span = runs.iter().filter_map(|run| run.replay.span());
    let span = span.reduce(|all, next| [all[0].min(next[0]), all[1].max(next[1])]);
    let rate = span.map_or(RATE, |[start, end]| RATE.min(MOST_FRAMES / (end - start)));
    let times = span.map_or_else(|| vec![0.0], |span| times_between(span, rate));
    let (mut pack, mut meshes, mut textures) = (Pack::default(), Meshes::default(), Textures::default());
    let mut bases = TimeBases::new(times.clone(), rate);
    let mut described = Vec::new();
    let mut curves = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let bodies = bodies(&run.replay, &times, (&mut meshes, &mut textures), &mut pack)?;
        let (of_run, contacts) = recorded(run, &times, &mut pack)?;
        curves.extend(of_run.iter().map(|curve| bases.describe(curve, index, &mut pack)));
        let pictures = run.directory.as_deref().map(|path| pictures::of_results(path, &run.replay, &mut pack));
        described.push(json!({
            "name": run.name,
            "failure": run.outcome.failure,
            "rows": run.outcome.rows,
            "warnings": run.outcome.warnings,
            "bodies": bodies,
            "contacts": contacts,
            "pictures": pictures.unwrap_or_default(),
        }));
    }
    let of_file = SourceFile::from_text(runs.first().map_or("results", |run| run.name.as_str()), "");
    let findings: Vec<_> = textures.diagnostics.into_iter().map(|finding| finding.in_file(&of_file)).collect();
    messages::diagnostics(&findings, Severity::Warning);
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(Failure::Reported);
    }
    let view = runs.iter().find_map(|run| run.replay.view);
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    let title = names.join(" and ");
    let description = json!({
        "title": title,
        "unit": poses::UNIT,
        "runs": described,
        "curves": curves,
        "times": bases.finish(&mut pack),
        "meshes": meshes.meshes,
        "pictures": meshes.pictures,
        "view": view.map(|view| view.map(|point| [point.x, point.y, point.z])),
    });
    let failed = |error| Failure::Message(format!("cannot compress the page: {error}"));
    let data = pack.encoded(&description).map_err(failed)?;
    Ok(assembled(&title, &data))
}

/// Describes the bodies of a run.
fn bodies(
    replay: &Replay,
    times: &[f64],
    (meshes, textures): (&mut Meshes, &mut Textures),
    pack: &mut Pack,
) -> Result<Vec<Value>, Failure> {
    // Copies of a body share its meshes.
    let mut known: HashMap<*const Body, Vec<Option<usize>>> = HashMap::new();
    let mut described = Vec::new();
    for body in &replay.bodies {
        let of_links = match known.entry(Arc::as_ptr(&body.body)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let models = Model::of_links(&body.body, textures);
                let added = models.iter().map(|model| model.as_ref().map(|model| meshes.add(model, pack)).transpose());
                let added: Result<Vec<_>, String> = added.collect();
                entry.insert(added.map_err(|reason| Failure::Message(format!("cannot encode a picture: {reason}")))?)
            }
        };
        described.push(poses::describe(body, &body.frames(times), of_links, pack));
    }
    Ok(described)
}

/// The curves of a run, and the descriptions of its contacts.
fn recorded(run: &Run, times: &[f64], pack: &mut Pack) -> Result<(Vec<Curve>, Vec<Value>), Failure> {
    let Some(directory) = &run.directory else {
        return Ok((run.replay.bodies.iter().flat_map(curves::of_motion).collect(), Vec::new()));
    };
    let mut curves = curves::of_results(directory, &run.replay)?;
    let mut described = Vec::new();
    for body in &run.replay.bodies {
        let Some(contacts) = Contacts::of_body(directory, body)? else { continue };
        // Every frame of the motion has a row for each of its contacts.
        let recorded = body.motion.as_ref().and_then(|motion| motion.link_positions.as_ref());
        let recorded: Vec<f64> =
            recorded.map_or_else(|| times.to_vec(), |links| (0..links.num_frames()).map(|at| links.time(at)).collect());
        curves.extend(contacts.curves(&body.name, &recorded));
        described.push(contacts.describe(times, pack));
    }
    Ok((curves, described))
}

/// The page with its style, its program and its data.
fn assembled(title: &str, data: &str) -> String {
    const SCRIPTS: [&str; 7] = [
        include_str!("page/unpack.js"),
        include_str!("page/matrices.js"),
        include_str!("page/camera.js"),
        include_str!("page/replay.js"),
        include_str!("page/plots.js"),
        include_str!("page/panels.js"),
        include_str!("page/main.js"),
    ];
    let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let script = SCRIPTS.join("\n");
    let parts =
        [("title", title.as_str()), ("style", include_str!("page/style.css")), ("script", &script), ("data", data)];
    let mut page = String::with_capacity(data.len() + 100_000);
    let mut rest = include_str!("page/page.html");
    for (name, part) in parts {
        let mark = format!("{{{{{name}}}}}");
        let (before, after) = rest.split_once(&mark).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(part);
        rest = after;
    }
    page.push_str(rest);
    page
}
