//! Reading speed of the corpus's `.wrl` files, compared with the crate `vrml97` in the same process.
//!
//! ```text
//! BUNRAKU_CORPUS=… cargo bench --profile dev -p bunraku_mesh --bench vrml
//! ```
//!
//! Each file is read several times from memory, by each reader in turn; the median times are compared. Files that one
//! of the readers refuses are left out. A scene is the result of `load_scene`: the file is read from the disk with the
//! files it inlines, and converted to triangles.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::time::{Duration, Instant};

use bunraku_document::{Limits, Reporter, SearchRoots, read_bytes};
use bunraku_mesh::vrml::Document;
use bunraku_mesh::{LoadContext, load_scene};

const REPETITIONS: usize = 7;

/// Median times of a file.
struct Measured {
    bytes: usize,
    parse: Duration,
    other_parse: Duration,
    scene: Duration,
}

fn main() {
    let Some(corpus) = bunraku_test_support::corpus() else { return };
    let files = bunraku_test_support::files_below(&corpus, &["wrl"]);
    let share = corpus.join("share");
    let measured: Vec<Measured> = files.iter().filter_map(|file| measure(file, &share)).collect();
    let megabytes = measured.iter().map(|file| file.bytes).sum::<usize>() as f64 / 1e6;
    println!("{} of {} files, {megabytes:.2} MB", measured.len(), files.len());
    println!("{:<16} {:>9} {:>9}", "", "ms", "MB/s");
    let row = |name: &str, time: fn(&Measured) -> Duration| {
        let seconds = measured.iter().map(time).sum::<Duration>().as_secs_f64();
        println!("{name:<16} {:>9.1} {:>9.1}", seconds * 1e3, megabytes / seconds);
    };
    row("parse", |file| file.parse);
    row("parse (vrml97)", |file| file.other_parse);
    row("load_scene", |file| file.scene);
    let slower = measured.iter().filter(|file| file.parse > file.other_parse).count();
    println!("files that vrml97 reads faster: {slower}");
}

/// `None` for files that one of the readers refuses.
fn measure(path: &Path, share: &Path) -> Option<Measured> {
    let limits = Limits::default();
    let bytes = read_bytes(path, &limits).unwrap();
    let parse = || Document::parse(path, bytes.as_slice(), &limits, &Reporter::new());
    let other_parse = || vrml97::parse_bytes(&bytes, "");
    if parse().is_err() || other_parse().is_err() {
        return None;
    }
    let roots = SearchRoots::new(Some(share.to_owned())).around(path);
    let scene = || {
        let reporter = Reporter::new();
        load_scene(path, &LoadContext { roots: &roots, limits: &limits, reporter: &reporter })
    };
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..REPETITIONS {
        let all = [time(parse), time(other_parse), time(scene)];
        times.iter_mut().zip(all).for_each(|(times, time)| times.push(time));
    }
    let [parse, other_parse, scene] = times.map(|mut times| {
        times.sort_unstable();
        times[REPETITIONS / 2]
    });
    Some(Measured { bytes: bytes.len(), parse, other_parse, scene })
}

/// Duration of `work`, without dropping its result.
fn time<T>(work: impl Fn() -> T) -> Duration {
    let start = Instant::now();
    let result = std::hint::black_box(work());
    let time = start.elapsed();
    drop(result);
    time
}
