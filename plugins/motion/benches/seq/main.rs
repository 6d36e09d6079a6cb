//! Speed and memory consumption of reading, writing and recording `.seq` files, compared with a general YAML reader in
//! the same process and with PyYAML with libyaml (`yaml.CSafeLoader`, `yaml.CSafeDumper`) in one run.
//!
//! ```text
//! cargo bench --profile dev -p bunraku_motion --no-default-features --bench seq [-- --quick]
//! ```
//!
//! The files contain poses of a root link and 29 joints with the digits of full precision: one of 4.5 MB, one of 45 MB
//! and, without `--quick`, one of 450 MB. PyYAML gets only the smallest, if a `python3` with it is available. The files
//! are in a temporary directory. Reading converts the file to values in memory: a `BodyMotion` or, by `yaml_serde`,
//! structures of vectors of numbers. The fastest of three runs is reported. Memory is the peak of allocations beyond
//! those before the run, as a multiple of the size of the file.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

mod frames;
mod plain;
mod python;

use std::fs;
use std::path::Path;
use std::time::Instant;

use bunraku_document::Reporter;
use bunraku_motion::{BodyMotion, MotionReader, RecordOptions, Recorder, Recording, RecordingLayout, write_seq_to};
use frames::{Frames, NUM_JOINTS};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const REPETITIONS: usize = 3;
const LAYOUT: RecordingLayout = RecordingLayout { frame_rate: 1000.0, num_links: 1, num_joints: NUM_JOINTS };

/// PyYAML takes a second for each megabyte, independent of the size.
const LARGEST_FOR_PYTHON: f64 = 10e6;

/// Expected memory of `yaml_serde`, as a multiple of the file: it keeps a text for each number.
const PLAIN_MEMORY: f64 = 16.0;

/// Cost of one run.
struct Cost {
    seconds: f64,
    /// Peak memory, bytes.
    memory: usize,
}

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let sizes: &[f64] = if quick { &[4.5e6, 45e6] } else { &[4.5e6, 45e6, 450e6] };
    for &size in sizes {
        measure(size);
    }
}

fn measure(wanted_size: f64) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("walk.seq");
    let frames = Frames::new();
    let sample = record(&path, &frames, frames.num_different(), Recording::Full).2;
    let num_frames = (wanted_size / sample as f64 * frames.num_different() as f64) as usize;

    let (recorded, finished, size) = record(&path, &frames, num_frames, Recording::Full);
    let tail_path = directory.path().join("tail.seq");
    let duration = 0.1 * num_frames as f64 / LAYOUT.frame_rate;
    let (tail_recorded, tail_finished, tail_size) =
        record(&tail_path, &frames, num_frames, Recording::Tail { duration });
    let size = size as f64;
    println!("1 link and {NUM_JOINTS} joints, {num_frames} frames, {:.1} MB", size / 1e6);
    println!("{:<34} {:>9} {:>9} {:>12} {:>15}", "", "s", "MB/s", "µs a frame", "memory / size");
    let row = |name: &str, cost: &Cost, bytes: f64, frames: usize| {
        println!(
            "{name:<34} {:>9.3} {:>9.1} {:>12.2} {:>15.4}",
            cost.seconds,
            bytes / 1e6 / cost.seconds,
            1e6 * cost.seconds / frames as f64,
            cost.memory as f64 / bytes
        );
    };

    let read = fastest(|| BodyMotion::load(&path, &Reporter::new()).unwrap());
    row("read", &read, size, num_frames);
    row("read frame by frame", &fastest(|| stream(&path)), size, num_frames);
    if let Some(free) = free_memory().filter(|free| PLAIN_MEMORY * size > 0.8 * free) {
        println!("read (yaml_serde): not run, {:.1} GB of memory are free", free / 1e9);
    } else {
        // It takes long enough to be measured in one run.
        let (plain, motion) = cost(|| plain::read(&path));
        assert_eq!(motion.num_numbers(), num_frames * (7 + NUM_JOINTS));
        row("read (yaml_serde)", &plain, size, num_frames);
        println!(
            "{:<34} {:.1} times the speed, {:.1} % of the memory",
            "  read beside yaml_serde",
            plain.seconds / read.seconds,
            100.0 * read.memory as f64 / plain.memory as f64
        );
    }
    let motion = BodyMotion::load(&path, &Reporter::new()).unwrap();
    let write = fastest(|| write_seq_to(&motion, std::io::sink()).unwrap());
    row("write", &write, size, num_frames);
    if size <= LARGEST_FOR_PYTHON {
        match python::measure(&path) {
            Some(python) => println!(
                "{:<34} read {:.1}, write {:.1} times the speed of PyYAML with libyaml ({:.1} and {:.1} s)",
                "",
                python.load / read.seconds,
                python.dump / write.seconds,
                python.load,
                python.dump
            ),
            None => println!("PyYAML: not run, there is no `python3` that has it with libyaml"),
        }
    }
    let written = directory.path().join("written.seq");
    row("write, until it is on the disk", &fastest(|| motion.save(&written).unwrap()), size, num_frames);
    row("record", &recorded, size, num_frames);
    row("finish the recording", &finished, size, num_frames);
    row("record a tail of a tenth", &tail_recorded, size, num_frames);
    row("finish the tail", &tail_finished, tail_size as f64, num_frames / 10);
    println!();
    let same = fs::read(&written).unwrap() == fs::read(&path).unwrap();
    assert!(same, "what was written is not what was recorded");
}

/// Records `num_frames` frames. Returns the costs of recording and finishing, and the size of the file.
fn record(path: &Path, frames: &Frames, num_frames: usize, recording: Recording) -> (Cost, Cost, u64) {
    let options = RecordOptions { recording, ..RecordOptions::default() };
    let mut recorder = Recorder::with_options(path, LAYOUT, options).unwrap();
    let (recorded, ()) = cost(|| {
        for frame in 0..num_frames {
            let (root, joints) = frames.frame(frame);
            recorder.record(&[root], joints).unwrap();
        }
    });
    let (finished, recording) = cost(|| recorder.finish().unwrap());
    (recorded, finished, recording.size)
}

/// Reads root and joints frame by frame.
fn stream(path: &Path) {
    let reporter = Reporter::new();
    let reader = MotionReader::open(path, &reporter).unwrap();
    let mut states = reader.states(&reporter).unwrap();
    let (mut poses, mut joints) = (Vec::new(), Vec::new());
    while states.next_state(&mut poses, &mut joints).unwrap().is_some() {
        std::hint::black_box((&poses, &joints));
    }
}

fn fastest<T>(work: impl Fn() -> T) -> Cost {
    let costs = (0..REPETITIONS).map(|_| cost(&work).0);
    costs.min_by(|a, b| a.seconds.total_cmp(&b.seconds)).unwrap()
}

/// Cost of `work`, without dropping its result.
fn cost<T>(work: impl FnOnce() -> T) -> (Cost, T) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let result = std::hint::black_box(work());
    let seconds = start.elapsed().as_secs_f64();
    (Cost { seconds, memory: MEMORY.peak_usage().saturating_sub(before) }, result)
}

/// Free memory, bytes; Linux only.
fn free_memory() -> Option<f64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable"))?;
    Some(1024.0 * line.split_whitespace().nth(1)?.parse::<f64>().ok()?)
}
