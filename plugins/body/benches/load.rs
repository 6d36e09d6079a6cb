//! Load times of all models in a directory, in one process, including their meshes.
//!
//! ```text
//! BUNRAKU_CORPUS=… cargo bench --profile dev -p bunraku_body --no-default-features --bench load
//! ```
//!
//! Without the corpus, the models of our own `assets/` are loaded. Each model is loaded several times and its median
//! time is printed. Megabytes are those of the model file and the mesh files it refers to.

#![allow(clippy::print_stdout, clippy::expect_used, missing_docs)]

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Reporter, SearchRoots};

const REPETITIONS: usize = 5;
/// Number of slowest models that are listed.
const NAMED: usize = 8;

struct Measured {
    name: String,
    time: Duration,
    bytes: u64,
    triangles: usize,
}

fn main() {
    let corpus = bunraku_test_support::corpus();
    let directory = corpus.clone().unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets"));
    let share = corpus.map(|corpus| corpus.join("share"));
    let options = LoadOptions { roots: SearchRoots::new(share), ..LoadOptions::default() };
    let files = bunraku_test_support::files_below(&directory, &["body"]);
    let mut measured: Vec<Measured> = files.iter().filter_map(|file| measure(file, &directory, &options)).collect();
    measured.sort_by_key(|model| std::cmp::Reverse(model.time));

    let time: Duration = measured.iter().map(|model| model.time).sum();
    let bytes: u64 = measured.iter().map(|model| model.bytes).sum();
    println!("{:<44} {:>9} {:>8} {:>8} {:>10}", "slowest", "ms", "MB", "MB/s", "triangles");
    for model in measured.iter().take(NAMED) {
        print_row(&model.name, model.time, model.bytes, model.triangles);
    }
    let triangles = measured.iter().map(|model| model.triangles).sum();
    print_row(&format!("all {}", measured.len()), time, bytes, triangles);
    if let Some(peak) = peak_memory() {
        println!("most memory of the process: {:.1} MB", peak as f64 / 1e6);
    }
}

fn print_row(name: &str, time: Duration, bytes: u64, triangles: usize) {
    let megabytes = bytes as f64 / 1e6;
    let seconds = time.as_secs_f64();
    println!("{name:<44} {:>9.2} {megabytes:>8.2} {:>8.0} {triangles:>10}", seconds * 1e3, megabytes / seconds);
}

fn measure(file: &Path, directory: &Path, options: &LoadOptions) -> Option<Measured> {
    let load = || {
        let start = Instant::now();
        let body = bunraku_body::load(file, options, &Reporter::new());
        (start.elapsed(), body)
    };
    let (_, body) = load();
    let body = body?;
    let mut times: Vec<Duration> = (0..REPETITIONS).map(|_| load().0).collect();
    times.sort_unstable();
    let name = file.strip_prefix(directory).unwrap_or(file).display().to_string();
    let name = name.trim_start_matches("share/model/").to_owned();
    let shapes = body.links().iter().flat_map(|link| &link.visual);
    let triangles = shapes.map(|shape| shape.geometry.triangles().triangles.len()).sum();
    Some(Measured { name, time: times[REPETITIONS / 2], bytes: bytes(file, &body), triangles })
}

/// Size of the model file and of the mesh files of its shapes.
fn bytes(file: &Path, body: &Body) -> u64 {
    let shapes = body.links().iter().flat_map(|link| link.visual.iter().chain(&link.collision));
    let mut files: BTreeSet<&Path> = shapes.filter_map(|shape| Some(shape.origin.as_ref()?.file.as_path())).collect();
    files.insert(file);
    files.iter().filter_map(|file| Some(file.metadata().ok()?.len())).sum()
}

/// Peak resident memory so far, bytes; Linux only.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}
