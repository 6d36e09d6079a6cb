//! Summaries of runs, which `rerun` and `--hands` read.

use bunraku_scene::RecordedRun;

/// A `summary.json`. It is refused by a place in it, and what is read can be written and read again.
pub fn summary(bytes: &[u8]) {
    match RecordedRun::parse(bytes) {
        Ok(run) => {
            assert!(run.hands.is_sorted_by_key(|note| note.step), "unsorted: {:?}", run.hands);
            let written = serde_json::to_vec(&run).expect("a summary that can be written");
            assert_eq!(RecordedRun::parse(&written).as_ref(), Ok(&run), "{}", String::from_utf8_lossy(&written));
        }
        Err(error) => {
            let lines = bytes.split(|byte| *byte == b'\n');
            let length = lines.clone().nth(error.line.wrapping_sub(1)).map(<[u8]>::len);
            assert!(length.is_some_and(|length| error.column <= length + 1), "{error}: of {} lines", lines.count());
        }
    }
}
