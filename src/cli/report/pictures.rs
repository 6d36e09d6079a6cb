//! Pictures of cameras, as far as they are small.

use std::path::Path;

use bunraku::document::{Limits, read_bytes};
use serde_json::{Value, json};

use super::super::replay::Replay;
use super::curves::sorted;
use super::pack::Pack;

/// Maximum size of all pictures of a page, bytes; of more, every other one is left out until they are few enough.
const MOST_BYTES: u64 = 600_000;

/// Describes the colour pictures of all cameras.
pub(super) fn of_results(directory: &Path, replay: &Replay, pack: &mut Pack) -> Vec<Value> {
    let mut cameras = Vec::new();
    for body in &replay.bodies {
        for path in sorted(&directory.join("sensors").join(&body.name)) {
            let files = listed(&path);
            if !files.is_empty() {
                let device = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                cameras.push((format!("{}: {device}", body.name), path, files));
            }
        }
    }
    let share = MOST_BYTES / cameras.len().max(1) as u64;
    let mut described = Vec::new();
    for (name, path, mut files) in cameras {
        let size = |files: &[(f64, String)]| {
            let sizes = files.iter().filter_map(|(_, file)| path.join(file).metadata().ok());
            sizes.map(|metadata| metadata.len()).sum::<u64>()
        };
        let all = files.len();
        while size(&files) > share && files.len() > 1 {
            files = files.into_iter().step_by(2).collect();
        }
        let read = |(time, file): &(f64, String)| Some((*time, read_bytes(&path.join(file), &Limits::default()).ok()?));
        let (times, pictures): (Vec<f64>, Vec<Value>) =
            files.iter().filter_map(read).map(|(time, bytes)| (time, pack.bytes(&bytes))).unzip();
        described.push(json!({ "name": name, "all": all, "times": times, "pictures": pictures }));
    }
    described
}

/// Times and names of the colour pictures of a camera's index; none for other devices and files.
fn listed(directory: &Path) -> Vec<(f64, String)> {
    let index = directory.join("index.csv");
    let reader = csv::ReaderBuilder::new().flexible(true).comment(Some(b'#')).from_path(index);
    let Ok(mut reader) = reader else { return Vec::new() };
    let Ok(names) = reader.headers().cloned() else { return Vec::new() };
    let column = |name: &str| names.iter().position(|column| column.trim() == name);
    let (Some(time), Some(color)) = (column("time [s]"), column("color")) else { return Vec::new() };
    let rows = reader.records().map_while(Result::ok);
    let listed = rows.filter_map(|row| Some((row.get(time)?.parse().ok()?, row.get(color)?.to_owned())));
    // Names are those of files in this directory: results may come from an untrusted source.
    let is_here = |name: &str| Path::new(name).file_name().is_some_and(|file| file == name) && name.ends_with(".png");
    let is_file = |name: &str| directory.join(name).symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    listed.filter(|(time, name): &(f64, String)| time.is_finite() && is_here(name) && is_file(name)).collect()
}
