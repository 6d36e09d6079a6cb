//! What a recording costs in memory, however long it is.

// A test that cannot go on should say so loudly.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "common/recorded.rs"]
mod recorded;

use std::time::Duration;

use bunraku_motion::{RecordOptions, Recorder, Recording};
use peak_alloc::PeakAlloc;
use recorded::{LAYOUT, record_to};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Far above the buffers, far below the 3 MB of a short recording.
const MOST: usize = 400 << 10;

#[test]
fn recording_and_finishing_take_the_same_memory_for_any_length() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    for recording in [Recording::Full, Recording::Tail { duration: 1.0 }, Recording::Tail { duration: 15.0 }] {
        for frames in [10_000, 40_000] {
            let before = MEMORY.current_usage();
            MEMORY.reset_peak_usage();
            let options = RecordOptions { recording, flush_interval: Duration::MAX };
            let mut recorder = Recorder::with_options(&path, LAYOUT, options).unwrap();
            record_to(&mut recorder, frames);
            let recorded = MEMORY.peak_usage() - before;
            recorder.finish().unwrap();
            let finished = MEMORY.peak_usage() - before;
            assert!(recorded < MOST && finished < MOST, "{recording:?} {frames}: {recorded}, then {finished} bytes");
        }
    }
}
