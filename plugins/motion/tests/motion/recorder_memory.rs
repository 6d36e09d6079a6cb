//! Memory of a recording, independent of its length.

use std::time::Duration;

use bunraku_motion::{RecordOptions, Recorder, Recording};
use bunraku_test_support::allocations;

use crate::common::recorded::{LAYOUT, record_to};

/// Far above the buffers, far below the 3 MB of a short recording.
const MOST: usize = 400 << 10;

#[test]
fn recording_and_finishing_take_the_same_memory_for_any_length() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    for recording in [Recording::Full, Recording::Tail { duration: 1.0 }, Recording::Tail { duration: 15.0 }] {
        for frames in [10_000, 40_000] {
            let options = RecordOptions { recording, flush_interval: Duration::MAX };
            let (recorded, recorder) = allocations(|| {
                let mut recorder = Recorder::with_options(&path, LAYOUT, options).unwrap();
                record_to(&mut recorder, frames);
                recorder
            });
            let (finished, _) = allocations(|| recorder.finish().unwrap());
            let (recorded, finished) = (recorded.peak, finished.peak);
            assert!(recorded < MOST && finished < MOST, "{recording:?} {frames}: {recorded}, then {finished} bytes");
        }
    }
}
