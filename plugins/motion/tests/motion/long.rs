//! A motion that is converted frame by frame becomes the same files as one that is loaded.

use std::fs;
use std::io::Write;
use std::path::Path;

use bunraku_document::Reporter;
use bunraku_motion::{BodyMotion, CsvNames, LongMotion, SeqVersion, WriteOptions, write_csv, write_seq_with};
use bunraku_test_support::{TestFolder, allocations, corpus, files_below};

use crate::common;

const LINKS: &str = "  -
    type: MultiSE3Seq
    content: LinkPosition
    numParts: 2
    offsetTime: 5
    SE3Format: XYZRPY
    frames:
      - [ [ 0, 0, 1, 0, 0, 0 ], [ 1, 2, 3, 0, 0, 0.5 ] ]
      # note
      - [ [ 0, 0, 2, 0, 0, 0 ], [ 1, 2, 3, 0, 0, 1.5 ] ]
";
const JOINTS: &str = "  -
    type: MultiValueSeq
    content: JointDisplacement
    numParts: 2
    offsetTime: 5
    partLabels: [ A, B ]
    frames:
      - [ 1, 2 ]
      - [ 3, 6e-1 ] # 腕
";

const VERSIONS: [SeqVersion; 3] = [SeqVersion::One, SeqVersion::Two, SeqVersion::Four];

fn findings(reporter: Reporter) -> Vec<String> {
    reporter.into_diagnostics().iter().map(ToString::to_string).collect()
}

/// A file of version 2 with these components.
fn version_2(components: &[&str]) -> String {
    common::version_2("frameRate: 20\n", &components.concat())
}

/// Whether the file can be converted frame by frame; the results are then those of the loaded motion.
fn agrees(path: &Path) -> bool {
    let folder = TestFolder::new();
    let [one, other] = ["long", "loaded"].map(|name| folder.join(name));
    let opening = Reporter::new();
    let Some(long) = LongMotion::open(path, &opening) else {
        assert!(opening.diagnostics().is_empty());
        return false;
    };
    let loading = Reporter::new();
    let loaded = BodyMotion::load(path, &loading);
    let checked = long.check(&opening);
    assert_eq!(checked.is_ok(), loaded.is_ok(), "{}", path.display());
    assert_eq!(findings(opening), findings(loading), "{}", path.display());
    let Ok(loaded) = loaded else {
        let error = long.write_seq(&WriteOptions::default(), &one, &Reporter::new()).unwrap_err();
        assert_eq!(error.into_diagnostic().to_string(), checked.unwrap_err().to_string());
        long.write_csv(&CsvNames::default(), &one, &Reporter::new()).unwrap_err();
        assert!(!one.exists(), "a damaged motion was written: {}", path.display());
        return true;
    };
    assert_eq!((long.num_frames(), long.duration()), (loaded.num_frames(), loaded.duration()));
    assert_eq!((long.first().start(), long.first().frame_rate), (loaded.start(), loaded.frame_rate));
    for version in VERSIONS {
        let options = WriteOptions { version };
        long.write_seq(&options, &one, &Reporter::new()).unwrap();
        write_seq_with(&loaded, &options, &other).unwrap();
        assert!(fs::read(&one).unwrap() == fs::read(&other).unwrap(), "{version:?} of {}", path.display());
    }
    let reporters = [Reporter::new(), Reporter::new()];
    let results = [
        long.write_csv(&CsvNames::default(), &one, &reporters[0]).map_err(|error| error.to_string()),
        write_csv(&loaded, &CsvNames::default(), &other, &reporters[1]).map_err(|error| error.to_string()),
    ];
    assert_eq!(results[0].is_ok(), results[1].is_ok(), "{results:?}");
    if results[0].is_ok() {
        assert!(fs::read(&one).unwrap() == fs::read(&other).unwrap(), "table of {}", path.display());
    }
    true
}

#[test]
fn links_and_joints_are_converted_frame_by_frame_into_the_same_bytes() {
    let folder = TestFolder::new();
    for (components, is_long) in [
        (vec![LINKS, JOINTS], true),
        (vec![JOINTS, LINKS], true),
        (vec![LINKS], true),
        (vec![JOINTS], true),
        (vec![LINKS, LINKS], false),
    ] {
        let path = folder.write("m.seq", version_2(&components));
        assert_eq!(agrees(&path), is_long, "{components:?}");
    }
}

#[test]
fn what_a_stream_cannot_hold_is_left_to_the_loader() {
    let folder = TestFolder::new();
    let at_10 = JOINTS.replace("    partLabels", "    frameRate: 10\n    partLabels");
    let timed = "  -\n    type: MultiValueSeq\n    content: JointDisplacement\n    numParts: 1\n    hasFrameTime: true\n    frames:\n      - [ 0, 1 ]\n";
    let other = "  -\n    type: MultiValueSeq\n    content: Hand\n    numParts: 1\n    frames:\n      - [ 1 ]\n";
    let unknown = JOINTS.replace("    partLabels", "    unit: rad\n    partLabels");
    let later = JOINTS.replace("offsetTime: 5", "offsetTime: 6");
    let longer = format!("{JOINTS}      - [ 1, 2 ]\n");
    for text in [&at_10, timed, other, &unknown, &later, &longer] {
        let path = folder.write("m.seq", version_2(&[LINKS, text]));
        assert!(LongMotion::open(&path, &Reporter::new()).is_none(), "{text}");
        // The reason is this component alone.
        assert!(BodyMotion::load(&path, &Reporter::new()).is_ok(), "{text}");
    }
}

#[test]
fn a_damaged_frame_is_the_same_error_and_nothing_is_written() {
    let folder = TestFolder::new();
    for damaged in ["[ 3, x ]", "[ 3 ]", "[ 3, .inf ]", "3", "[ 3, 4"] {
        let path = folder.write("m.seq", version_2(&[LINKS, JOINTS.replace("[ 3, 6e-1 ]", damaged).as_str()]));
        let long = agrees(&path);
        println!("{damaged}: {long}");
    }
    let path = folder.write("m.seq", version_2(&[LINKS, JOINTS.replace("[ 3, 6e-1 ]", "[ 3, x ]").as_str()]));
    assert!(agrees(&path), "the error is one of a frame");
}

#[test]
fn the_corpus_is_converted_frame_by_frame_into_the_same_bytes() {
    let Some(corpus) = corpus() else { return };
    let files = files_below(&corpus, &["seq"]);
    let long = files.iter().filter(|path| agrees(path)).count();
    println!("{long} of {} motions", files.len());
    assert!(long > 0);
}

/// Converting four times as many frames takes no more memory.
#[test]
fn memory_does_not_grow_with_the_frames() {
    let folder = TestFolder::new();
    let peaks = [60_000, 240_000].map(|frames: usize| {
        let path = folder.join("m.seq");
        let mut file = fs::File::create(&path).unwrap();
        let part = |kind: &str, content: &str, more: &str, frame: &str| {
            let head = format!("  -\n    type: {kind}\n    content: {content}\n    numParts: 1\n{more}    frames:\n");
            head + &format!("      - {frame}\n").repeat(frames)
        };
        let links =
            part("MultiSE3Seq", "LinkPosition", "    SE3Format: XYZQWQXQYQZ\n", "[ [ 0.25, 0.5, 1, 1, 0, 0, 0 ] ]");
        let joints = part("MultiValueSeq", "JointDisplacement", "", "[ 0.125 ]");
        file.write_all(version_2(&[links.as_str(), joints.as_str()]).as_bytes()).unwrap();
        drop((file, links, joints));
        let (cost, ()) = allocations(|| {
            let reporter = Reporter::new();
            let long = LongMotion::open(&path, &reporter).unwrap();
            long.check(&reporter).unwrap();
            long.write_seq(&WriteOptions::default(), &folder.join("out.seq"), &reporter).unwrap();
            long.write_csv(&CsvNames::default(), &folder.join("out.csv"), &reporter).unwrap();
        });
        cost.peak
    });
    println!("{peaks:?} bytes");
    assert!(peaks[1] < peaks[0] + (64 << 10), "{peaks:?}");
}
