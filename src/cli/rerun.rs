//! `bunraku rerun`: repeats a run and compares the results byte by byte.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use bunraku::document::{Limits, read_bytes};
use bunraku::scene::{Hashes, RecordedRun, Repeat, Scene};
use clap::Args;
use serde_json::json;

use super::common::{CommonArgs, Failure};
use super::directory::{SUMMARY_NAME, noted_scene};
use super::interrupts::INTERRUPTED;
use super::messages;
use super::output::{document, line};
use super::run::{self, RunArgs, of_file};
use super::task;

/// Repeat the run that made a directory of results, and compare the results bit for bit
///
/// The scene is searched by its name and its SHA-256: below the current directory and around the results. Input files
/// that have changed since are reported. Exit code 0 if every file is the same to the last bit, and 1 if one is not.
/// `--share` and similar options must be given as for the first run.
#[derive(Args)]
pub struct RerunArgs {
    /// The directory of results
    directory: PathBuf,
    /// The scene file, if it was moved
    #[arg(long, value_name = "SCENE")]
    scene: Option<PathBuf>,
    /// Keep the new results here [default: they are removed]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the comparison as one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

pub fn rerun(arguments: &RerunArgs, common: &CommonArgs) -> Result<(), Failure> {
    let summary = read(&arguments.directory)?;
    let (Some(mut repeat), Some(program)) = (summary.repeat, summary.program) else {
        let message = format!(
            "{} does not contain the arguments of its run: an older version wrote it; run the scene again",
            arguments.directory.join(SUMMARY_NAME).display()
        );
        return Err(Failure::Message(message));
    };
    let this = concat!("bunraku ", env!("CARGO_PKG_VERSION"));
    if program != this {
        messages::warning(&format!("the results are of {program}, and this is {this}"));
    }
    repeat.scene = match &arguments.scene {
        Some(scene) => scene.clone(),
        None => find(&repeat.scene, &arguments.directory, &summary.sha256)?,
    };
    for project in &mut repeat.merged {
        *project = merged(&repeat.scene, project, &summary.sha256, common)?;
    }
    if let Some(task) = &mut repeat.task {
        task.file = beside(&repeat.scene, &task.file, &summary.sha256, common)?;
    }
    if summary.failure.as_deref() == Some(INTERRUPTED) {
        if summary.simulated_time == 0.0 {
            let message = format!(
                "the run of {} was interrupted before its first step, and there is nothing to compare: run the scene again",
                arguments.directory.display()
            );
            return Err(Failure::Message(message));
        }
        // The repeated run ends at the same time.
        repeat.duration = Some(summary.simulated_time);
    }
    let scratch = tempfile::tempdir()
        .map_err(|error| Failure::Message(format!("cannot make a directory for the results: {error}")))?;
    let out = arguments.out.clone().unwrap_or_else(|| scratch.path().join("results"));
    if let Some(how) = overlap(&out, &arguments.directory) {
        return Err(Failure::Usage(format!("`--out` {how} the directory of the results to compare with")));
    }
    let hands = (!summary.hands.is_empty()).then(|| arguments.directory.join(SUMMARY_NAME));
    let ended = again(repeat, out.clone(), hands, common);
    // The failure that ended the first run may end this one, too.
    match (ended, &summary.failure) {
        (Err(Failure::Message(now)), Some(then)) if now == *then => {}
        (Err(Failure::Reported), Some(_)) if out.join(SUMMARY_NAME).is_file() => {}
        (ended, _) => ended?,
    }
    let now = read(&out)?;
    let changed: Vec<&String> = summary
        .sha256
        .inputs
        .iter()
        .filter(|(name, hash)| now.sha256.inputs.get(*name) != Some(hash))
        .map(|(name, _)| name)
        .collect();
    for name in &changed {
        messages::warning(&format!("{name} is not what it was"));
    }
    let comparison = Comparison::of(&arguments.directory, &out)
        .map_err(|error| Failure::Message(format!("the results cannot be compared: {error}")))?;
    comparison.tell(arguments, &changed)
}

fn again(repeat: Repeat, out: PathBuf, hands: Option<PathBuf>, common: &CommonArgs) -> Result<(), Failure> {
    let common = with_simulator(&repeat, common);
    match repeat.task.clone() {
        Some(task) => task::again(repeat, task, out, hands, &common),
        None => run::run(&RunArgs::again(repeat, out, hands), &common),
    }
}

/// The options with the simulator item that the first run used. The first run has accepted the keys of its scene.
fn with_simulator(repeat: &Repeat, common: &CommonArgs) -> CommonArgs {
    let simulator = repeat.simulator.clone().or_else(|| common.simulator.clone());
    CommonArgs { simulator, lenient: !common.strict, ..common.clone() }
}

fn read(directory: &Path) -> Result<RecordedRun, Failure> {
    let path = directory.join(SUMMARY_NAME);
    let failed = |reason: String| Failure::Message(format!("cannot read the summary: {reason}"));
    if !path.exists() {
        let what = if directory.is_file() {
            "is a file, and the directory of a run's results is expected"
        } else {
            "has no summary.json: it is not the directory of a run's results"
        };
        return Err(failed(format!("{} {what}", directory.display())));
    }
    let bytes = read_bytes(&path, &Limits::default()).map_err(|error| failed(error.to_string()))?;
    RecordedRun::parse(&bytes).map_err(|error| failed(format!("{error}: {}", path.display())))
}

/// The scene file of this name: the one with the recorded SHA-256, or else the first of that name here or around the
/// results. A summary does not record the directory of the scene, because results do not depend on it. A scene named by a
/// path, and a link to another file, are not followed: results may come from an untrusted source, and the content of a
/// file that is not a scene would be quoted. The path that a run notes beside its results is followed to a scene with the
/// recorded SHA-256 alone: who knows that knows the content.
fn find(name: &Path, directory: &Path, hashes: &Hashes) -> Result<PathBuf, Failure> {
    if run::name_of(name) != name {
        let message =
            format!("the summary names the scene by a path, {}: name the scene with `--scene`", name.display());
        return Err(Failure::Message(message));
    }
    let known = name.to_str().and_then(|name| hashes.inputs.get(name));
    let is_noted = |path: &PathBuf| path.file_name() == Some(name.as_os_str()) && path.is_file();
    if let (Some(path), Some(known)) = (noted_scene(directory).filter(is_noted), known)
        && is_of(&path, known)
    {
        return Ok(path);
    }
    let around = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let above = [PathBuf::from(".")].into_iter().chain(around.ancestors().map(Path::to_owned));
    let beside = above.map(|above| above.join(name)).filter(|path| path.is_file());
    let near = [Path::new(".")].into_iter().chain(around.ancestors().skip(1).take(2));
    let mut first = None;
    for path in beside.chain(near.flat_map(|top| below(top, name))) {
        if known.is_some_and(|known| is_of(&path, known)) {
            return Ok(path);
        }
        first = first.or_else(|| Some(path).filter(|path| !path.is_symlink()));
    }
    first.ok_or_else(|| {
        let message = format!(
            "{} is neither here nor around the results: go to where the run was started, or name the scene with `--scene`",
            name.display()
        );
        Failure::Message(message)
    })
}

/// Whether a file has this SHA-256.
fn is_of(path: &Path, known: &str) -> bool {
    of_file(path).is_ok_and(|hash| hash == known)
}

/// The files of this name below a directory, the nearest first. The number of entries visited is limited; hidden and
/// build directories are skipped.
fn below(top: &Path, name: &Path) -> Vec<PathBuf> {
    const MOST_ENTRIES: usize = 20_000;
    const DEEPEST: usize = 4;
    let mut found = Vec::new();
    let mut left = vec![top.to_owned()];
    let mut entries = 0;
    for _ in 0..=DEEPEST {
        let mut deeper = Vec::new();
        for directory in left {
            let mut paths: Vec<PathBuf> =
                fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
            paths.sort();
            entries += paths.len();
            if entries > MOST_ENTRIES {
                return found;
            }
            for path in paths {
                let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
                // Links may form a cycle.
                if path.is_dir() && !path.is_symlink() && !is_hidden && !path.ends_with("target") {
                    deeper.push(path);
                } else if path.file_name() == Some(name.as_os_str()) {
                    found.push(path);
                }
            }
        }
        left = deeper;
    }
    found
}

/// The input file of this name beside the scene. A file outside the directories around the scene must be unchanged,
/// because results may come from an untrusted source.
fn beside(scene: &Path, name: &Path, hashes: &Hashes, common: &CommonArgs) -> Result<PathBuf, Failure> {
    let directory = scene.parent().unwrap_or(Path::new(""));
    let around = common.reporter([scene]);
    let known = hashes.inputs.iter().filter(|(known, _)| Path::new(known).file_name() == Some(name.as_os_str()));
    let paths = known.map(|(known, hash)| (directory.join(known), hash)).filter(|(path, _)| path.is_file());
    let mut paths = paths.filter(|(path, hash)| around.quotes(path) || is_of(path, hash));
    let missing = || Failure::Message(format!("{} is not where it was, seen from the scene", name.display()));
    paths.next().map(|(path, _)| path).ok_or_else(missing)
}

/// A project that was merged into the scene, by its name among the input files. As with [`beside`], a file outside the
/// directories around the scene must be unchanged.
fn merged(scene: &Path, name: &Path, hashes: &Hashes, common: &CommonArgs) -> Result<PathBuf, Failure> {
    let directory = scene.parent().unwrap_or(Path::new(""));
    let places = match name.strip_prefix("${SHARE}") {
        Ok(inside) => common.shares().iter().map(|share| share.join(inside)).collect(),
        Err(_) => vec![directory.join(name)],
    };
    let around = common.reporter([scene]);
    let known = name.to_str().and_then(|name| hashes.inputs.get(name));
    let is_allowed = |path: &PathBuf| around.quotes(path) || known.is_some_and(|hash| is_of(path, hash));
    let found = places.into_iter().find(|path| path.is_file() && is_allowed(path));
    found.ok_or_else(|| Failure::Message(format!("{} is not where it was, seen from the scene", name.display())))
}

/// The scene of a directory of results, with all its overrides and the models of its task; `scene` is its path, if
/// given.
///
/// # Errors
/// If the summary does not name it, or the scene or its task is missing or cannot be read.
pub fn scene_of(directory: &Path, scene: Option<&Path>, common: &CommonArgs) -> Result<Scene, Failure> {
    let summary = read(directory)?;
    let unknown = || Failure::Message(format!("{} does not name its scene", directory.join(SUMMARY_NAME).display()));
    let mut repeat = summary.repeat.ok_or_else(unknown)?;
    repeat.scene = match scene {
        Some(scene) => scene.to_owned(),
        None => find(&repeat.scene, directory, &summary.sha256)?,
    };
    for project in &mut repeat.merged {
        *project = merged(&repeat.scene, project, &summary.sha256, common)?;
    }
    let common = with_simulator(&repeat, common);
    match repeat.task.take() {
        Some(mut task) => {
            task.file = beside(&repeat.scene, &task.file, &summary.sha256, &common)?;
            task::scene_again(repeat, task, &common)
        }
        None => run::load_again(repeat, &common),
    }
}

/// How the directory for new results overlaps with that of the old ones, which would be compared with themselves;
/// `None` if they are disjoint.
fn overlap(out: &Path, old: &Path) -> Option<&'static str> {
    let (out, old) = (without_links(out), without_links(old));
    match (out.starts_with(&old), old.starts_with(&out)) {
        (true, true) => Some("is"),
        (true, false) => Some("lies in"),
        (false, true) => Some("contains"),
        (false, false) => None,
    }
}

/// The path of a directory that need not exist yet: links are resolved as far as it exists, and `.` and `..` are
/// removed.
fn without_links(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            part => {
                resolved.push(part);
                resolved = resolved.canonicalize().unwrap_or(resolved);
            }
        }
    }
    resolved
}

/// The result files of two directories, by whether they are the same.
#[derive(Default)]
struct Comparison {
    same: Vec<String>,
    different: Vec<String>,
    /// The files that exist only in the old results, and those only in the new ones.
    missing: Vec<String>,
    new: Vec<String>,
}

impl Comparison {
    fn of(then: &Path, now: &Path) -> io::Result<Self> {
        let (old, fresh) = (files(then)?, files(now)?);
        let mut comparison = Self::default();
        for name in old.union(&fresh) {
            let list = match (old.contains(name), fresh.contains(name)) {
                (true, true) if same_bytes(&then.join(name), &now.join(name))? => &mut comparison.same,
                (true, true) => &mut comparison.different,
                (true, false) => &mut comparison.missing,
                (false, _) => &mut comparison.new,
            };
            list.push(name.clone());
        }
        Ok(comparison)
    }

    fn tell(&self, arguments: &RerunArgs, changed: &[&String]) -> Result<(), Failure> {
        let Self { same, different, missing, new } = self;
        let is_same = different.is_empty() && missing.is_empty() && new.is_empty();
        if arguments.json {
            document(&json!({
                "is_same": is_same,
                "same": same,
                "different": different,
                "missing": missing,
                "new": new,
                "changed_inputs": changed,
            }))?;
        } else {
            for (word, names) in [("same", same), ("different", different), ("missing", missing), ("new", new)] {
                for name in names {
                    line(format!("{word:<10} {name}"))?;
                }
            }
        }
        if is_same {
            return Ok(());
        }
        let way = match different.iter().find(|name| name.ends_with(".seq")) {
            Some(name) if arguments.out.is_some() => {
                format!("; `bunraku compare` reports how far {name} differs")
            }
            Some(_) => "; with `--out DIR` the new results are kept, and `bunraku compare` reports how far they differ"
                .to_owned(),
            None => String::new(),
        };
        Err(Failure::Message(format!("the results are not the same{way}")))
    }
}

/// Whether a file is a picture or a table that the user of a window has asked for.
fn is_of_the_window(name: &str) -> bool {
    [("window", ".png"), ("plots", ".csv")].into_iter().any(|(stem, ending)| {
        let middle = name.strip_prefix(stem).and_then(|rest| rest.strip_suffix(ending));
        middle.is_some_and(|middle| {
            middle.is_empty() || middle.strip_prefix('-').is_some_and(|number| number.parse::<u32>().is_ok())
        })
    })
}

/// The results in a directory by name, without the summary, which is not a result, without files cut short, and without
/// pictures and tables of a window.
fn files(directory: &Path) -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let mut left = vec![directory.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.strip_prefix(directory).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let is_result = name != SUMMARY_NAME
                && !name.starts_with('.')
                && !name.ends_with(".partial")
                && !is_of_the_window(&name);
            if path.is_dir() {
                left.push(path);
            } else if is_result {
                names.insert(name);
            }
        }
    }
    Ok(names)
}

fn same_bytes(one: &Path, other: &Path) -> io::Result<bool> {
    if fs::metadata(one)?.len() != fs::metadata(other)?.len() {
        return Ok(false);
    }
    let mut files = [BufReader::new(File::open(one)?), BufReader::new(File::open(other)?)];
    let mut chunks = [Vec::new(), Vec::new()];
    loop {
        let mut lengths = [0; 2];
        for ((file, chunk), length) in files.iter_mut().zip(&mut chunks).zip(&mut lengths) {
            *length = file.by_ref().take(1 << 16).read_to_end({
                chunk.clear();
                chunk
            })?;
        }
        if chunks[0] != chunks[1] {
            return Ok(false);
        }
        if lengths == [0; 2] {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use bunraku_fuzzing::mutated;
    use bunraku_test_support::Random;

    use super::*;

    const SECRET: &str = "confidential";

    /// Summaries of a run and of a task with the keys that `rerun` reads, and [`SECRET`], which no message may quote.
    const SUMMARIES: [&str; 2] = [
        r#"{ "program": "bunraku 0.1.0", "simulated_time": 0.1, "failure": "confidential", "hands": [ { "step": 5, "body": "confidential", "let_go": null } ],
            "repeat": { "scene": "here.scene.yaml", "merged": [ "more.cnoid" ], "set": [ "confidential" ], "duration": 0.1 },
            "sha256": { "inputs": { "here.scene.yaml": "HASH", "../above/Arm.body": "01" }, "files": { "Arm.seq": "02" } } }"#,
        r#"{ "program": "confidential", "repeat": { "scene": "here.scene.yaml", "mcap_profile": "ros2", "record_from": 3, "task":
            { "file": "pick.task.yaml", "name": "pick", "physics": true, "max_time": 60.0, "max_states": 100 } },
            "sha256": { "inputs": { "here.scene.yaml": "HASH" } } }"#,
    ];

    /// Values in [`SUMMARIES`], and what they are exchanged for beside other damage.
    const VALUES: [&str; 7] = ["0.1", "0.5", "3", "true", "60.0", "100", "\"here.scene.yaml\""];
    const OTHERS: [&str; 4] = ["\"confidential\"", "\"../outside.yaml\"", "[ \"confidential\" ]", "-1e400"];

    #[test]
    fn damaged_summaries_are_refused_with_a_place_or_name_a_file_of_that_name() {
        let directory = tempfile::tempdir().unwrap();
        let inside = directory.path().join("inside");
        let (results, scene) = (inside.join("results"), inside.join("here.scene.yaml"));
        fs::create_dir_all(&results).unwrap();
        for file in [&scene, &directory.path().join("outside.yaml")] {
            fs::write(file, "format: BunrakuScene").unwrap();
        }
        // A scene with another hash is searched everywhere, which takes long.
        let summaries = SUMMARIES.map(|summary| summary.replace("HASH", &of_file(&scene).unwrap()));
        let mut random = Random::new(7);
        let (mut refused, mut found) = (0, 0);
        for round in 0..400 {
            let [seed, other] = [0; 2].map(|_| &summaries[random.below(summaries.len())]);
            let [value, with] = [&VALUES[..], &OTHERS[..]].map(|list| list[random.below(list.len())]);
            let exchanged = seed.replacen(value, with, 1).into_bytes();
            let bytes = match summaries.get(round) {
                Some(summary) => summary.clone().into_bytes(),
                None if random.chance(2) => exchanged,
                None => mutated(&exchanged, other.as_bytes(), &mut random),
            };
            fs::write(results.join(SUMMARY_NAME), bytes).unwrap();
            let summary = match read(&results) {
                Ok(summary) => summary,
                Err(Failure::Message(message)) => {
                    assert!(round >= summaries.len() && message.contains("line "), "{message}");
                    assert!(!message.contains(SECRET) && !message.contains(char::is_control), "{message}");
                    refused += 1;
                    continue;
                }
                Err(_) => panic!("another kind of failure"),
            };
            let name = summary.repeat.unwrap_or_default().scene;
            let is_path = name.components().count() > 1;
            // Other names are searched everywhere.
            if is_path || name == Path::new("here.scene.yaml") {
                match find(&name, &results, &summary.sha256) {
                    Ok(path) => {
                        assert_eq!(path.canonicalize().unwrap(), scene.canonicalize().unwrap());
                        found += 1;
                    }
                    Err(_) => assert!(is_path, "{}", name.display()),
                }
            }
        }
        assert!(refused > 80 && found > 80, "{refused} refused, {found} found");
    }
}
