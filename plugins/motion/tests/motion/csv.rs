//! Tables: written motions read back to the same bits, and every error has a location.

use bunraku_document::{Reporter, SourceFile};
use bunraku_motion::{
    BodyMotion, CsvNames, OtherFrames, ReadCsvOptions, Sequence, WriteError, Zmp, read_csv, write_csv_to,
};
use nalgebra::Vector3;

use crate::common::motions::{AWKWARD, NAMES, bits, features, other, poses, vectors};

const NO_NAMES: CsvNames<'static> = CsvNames { links: &[], joints: &[] };

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn try_table(motion: &BodyMotion, names: &CsvNames<'_>) -> (Result<String, WriteError>, Vec<String>) {
    let (mut out, reporter) = (Vec::new(), Reporter::new());
    let result = write_csv_to(motion, names, &mut out, &reporter);
    let findings = reporter.into_diagnostics().iter().map(ToString::to_string).collect();
    (result.map(|()| String::from_utf8(out).unwrap()), findings)
}

#[track_caller]
fn table(motion: &BodyMotion, names: &CsvNames<'_>) -> String {
    let (table, findings) = try_table(motion, names);
    assert!(findings.is_empty(), "{findings:?}");
    table.unwrap()
}

fn try_read(text: &str, names: &CsvNames<'_>, frame_rate: Option<f64>) -> (Result<BodyMotion, String>, Vec<String>) {
    let reporter = Reporter::new();
    let source = SourceFile::from_text("m.csv", text);
    let result = read_csv(&source, names, &ReadCsvOptions { frame_rate }, &reporter);
    let findings = reporter.into_diagnostics().iter().map(ToString::to_string).collect();
    (result.map_err(|error| error.to_string()), findings)
}

#[track_caller]
fn read(text: &str, names: &CsvNames<'_>) -> BodyMotion {
    let (motion, findings) = try_read(text, names, None);
    assert!(findings.is_empty(), "{findings:?}");
    motion.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn check(text: &str, names: &CsvNames<'_>, place: &str, words: &str) {
    let error = try_read(text, names, None).0.unwrap_err();
    assert!(error.starts_with(&format!("m.csv:{place}")) && error.contains(words), "{error}");
}

/// All features of a table, with `count` frames.
fn full(rate: f64, offset: f64, count: u32) -> BodyMotion {
    fn at<T>(rate: f64, offset: f64, parts: usize, values: Vec<T>) -> Sequence<T> {
        Sequence::new(rate, parts, values).unwrap().with_offset(offset).unwrap()
    }
    let numbers = |parts: usize| AWKWARD.into_iter().cycle().skip(parts).take(parts * count as usize).collect();
    let mut motion = BodyMotion::new(rate);
    motion.link_positions = Some(at(rate, offset, 2, poses(2 * count)));
    motion.joint_displacements = Some(at(rate, offset, 3, numbers(3)));
    motion.zmp = Some(Zmp { root_relative: true, frames: at(rate, offset, 1, vectors(count)) });
    let labels = names(&["KNEE", "a,b", "\"右腕\"", "- x"]);
    let efforts = at(rate, offset, 4, numbers(4)).with_part_labels(labels);
    motion.others.push(other("Effort", OtherFrames::Values(efforts)));
    motion.others.push(other("Center.of.Mass", OtherFrames::Vectors(at(rate, offset, 1, vectors(count)))));
    let hands = at(rate, offset, 2, poses(2 * count)).with_part_labels(names(&["L", "R"]));
    motion.others.push(other("Hand", OtherFrames::Poses(hands)));
    motion.others.push(other("Plain", OtherFrames::Values(at(rate, offset, 12, numbers(12)))));
    motion
}

#[test]
fn everything_round_trips_bit_for_bit_at_every_rate() {
    let (links, joints) = (names(&["WAIST", "arm.L"]), names(&["R.KNEE", "x,y", "time to go"]));
    for rate in [100.0, 500.0, 1000.0 / 3.0, 29.97] {
        for offset in [0.0, -0.25, 1.0 / 3.0] {
            let motion = full(rate, offset, 50);
            for names in [NO_NAMES, CsvNames { links: &links, joints: &joints }] {
                let text = table(&motion, &names);
                let again = read(&text, &names);
                assert_eq!(bits(&again), bits(&motion), "{rate} {offset}");
                assert_eq!(table(&again, &names), text);
            }
        }
    }
}

#[test]
fn individual_times_round_trip() {
    let times = vec![-0.5, 0.0, 0.1, 1.0 / 3.0];
    let mut motion = BodyMotion::new(100.0);
    motion.joint_displacements = Sequence::timed(times.clone(), 4, AWKWARD.to_vec()).ok();
    motion.zmp = Some(Zmp { root_relative: false, frames: Sequence::timed(times, 1, vectors(4)).unwrap() });
    let text = table(&motion, &NO_NAMES);
    assert_eq!(bits(&read(&text, &NO_NAMES)), bits(&motion));
    let imported = try_read(&text, &NO_NAMES, Some(20.0)).0.unwrap();
    assert_eq!(imported.joint_displacements.unwrap().frame_rate(), 20.0);
}

#[test]
fn the_layout() {
    let mut motion = BodyMotion::new(10.0);
    let pose = nalgebra::Isometry3::translation(1.0, 2.0, 0.5);
    motion.link_positions = Sequence::new(10.0, 1, vec![pose; 2]).ok();
    motion.joint_displacements = Sequence::new(10.0, 2, vec![0.1, 1e20, 0.3, -0.0]).ok();
    let expected = "\
time,link0.x,link0.y,link0.z,link0.qw,link0.qx,link0.qy,link0.qz,joint0,joint1
0,1,2,0.5,1,0,0,0,0.1,1.0e+20
0.1,1,2,0.5,1,0,0,0,0.3,-0.0
";
    assert_eq!(table(&motion, &NO_NAMES), expected);
    let (links, joints) = (names(&["WAIST"]), names(&["", "R,KNEE"]));
    let named = table(&motion, &CsvNames { links: &links, joints: &joints });
    assert!(named.starts_with("time,WAIST.x,") && named.contains(",WAIST.qz,joint0,\"R,KNEE\"\n"), "{named}");
}

#[test]
fn features_round_trip_or_are_reported() {
    // The time of a first frame at -0 s is 0 s.
    for (name, motion) in features().into_iter().filter(|(name, _)| !name.contains("a zero")) {
        let (result, findings) = try_table(&motion, &NO_NAMES);
        match result {
            Ok(text) => {
                let again = try_read(&text, &NO_NAMES, None).0.unwrap();
                // Labels unsuitable as names are left out with a warning. A table stores neither the import rate of
                // timed frames nor the rate of times that happen to be regular.
                if findings.is_empty() && !motion.is_timed() {
                    assert_eq!(bits(&again), bits(&motion), "{name}");
                } else {
                    assert_eq!(again.num_joints(), motion.num_joints(), "{name}");
                }
            }
            Err(error) => assert!(matches!(error, WriteError::TimeBase { .. }), "{name}: {error}"),
        }
    }
}

#[test]
fn labels_are_names_of_columns_where_they_can_be() {
    let labelled = |labels: &[&str]| {
        let mut motion = BodyMotion::new(10.0);
        let joints = Sequence::new(10.0, labels.len(), vec![0.5; 2 * labels.len()]).unwrap();
        motion.joint_displacements = Some(joints.with_part_labels(names(labels)));
        motion
    };
    let motion = labelled(&["KNEE", "右,腕", "\"x\"\r\n;"]);
    let text = table(&motion, &NO_NAMES);
    assert!(text.starts_with("time,KNEE,\"右,腕\",\"\"\"x\"\"\r\n;\"\n"), "{text}");
    // The line end at the end of that name is within the quotes.
    assert_eq!(bits(&read(&text, &NO_NAMES)), bits(&motion));
    for labels in [&["a", "a"][..], &["a.b"], &["time"], &["joint1", "joint0"], &["x"], &[" a"], &[""], &["5"]] {
        let (result, findings) = try_table(&labelled(labels), &NO_NAMES);
        assert!(findings[0].contains("warning[csv-labels]"), "{labels:?} {findings:?}");
        assert!(result.unwrap().starts_with("time,joint0"), "{labels:?}");
    }
}

#[test]
fn awkward_contents_round_trip() {
    for content in NAMES.into_iter().chain(["", "a.b", "time", "x", "joint0"]) {
        let mut motion = BodyMotion::new(10.0);
        motion.others.push(other(content, OtherFrames::Values(Sequence::new(10.0, 2, vec![1.5; 4]).unwrap())));
        assert_eq!(bits(&read(&table(&motion, &NO_NAMES), &NO_NAMES)), bits(&motion), "{content}");
    }
    // Ambiguous names are refused.
    let mut motion = BodyMotion::new(10.0);
    motion.others.push(other("zmp", OtherFrames::Vectors(Sequence::new(10.0, 1, vectors(2)).unwrap())));
    assert!(matches!(try_table(&motion, &NO_NAMES).0, Err(WriteError::Columns(_))));
    let (joints, mut motion) = (names(&["a", "a"]), BodyMotion::new(10.0));
    motion.joint_displacements = Sequence::new(10.0, 2, vec![0.0; 4]).ok();
    let names = CsvNames { links: &[], joints: &joints };
    assert!(try_table(&motion, &names).0.unwrap_err().to_string().contains("same name `a`"));
}

#[test]
fn sequences_at_other_times_are_refused() {
    let mut motion = full(100.0, 0.0, 3);
    motion.zmp = Some(Zmp { root_relative: false, frames: Sequence::new(50.0, 1, vectors(3)).unwrap() });
    let error = try_table(&motion, &NO_NAMES).0.unwrap_err();
    assert!(error.to_string().contains("`LinkPosition` and `ZMP`"), "{error}");
    assert_eq!(error.help(), Some("`--rate HZ` brings all to one rate"));
    motion.zmp = Some(Zmp { root_relative: false, frames: Sequence::new(100.0, 1, vectors(2)).unwrap() });
    assert!(matches!(try_table(&motion, &NO_NAMES).0, Err(WriteError::TimeBase { .. })));
}

#[test]
fn a_table_is_a_file_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.csv");
    let (motion, reporter, options) = (full(500.0, 0.0, 3), Reporter::new(), ReadCsvOptions::default());
    bunraku_motion::write_csv(&motion, &NO_NAMES, &path, &reporter).unwrap();
    assert_eq!(bits(&bunraku_motion::load_csv(&path, &NO_NAMES, &options, &reporter).unwrap()), bits(&motion));
    let error = bunraku_motion::load_csv(&directory.path().join("b.csv"), &NO_NAMES, &options, &reporter).unwrap_err();
    assert_eq!(error.code, "file-not-found");
}

#[test]
fn kept_content_is_left_out_with_a_warning() {
    let mut motion = full(100.0, 0.0, 3);
    motion.kept.push(bunraku_motion::KeptYaml::TopKey { text: "author: me\n".to_owned() });
    assert!(try_table(&motion, &NO_NAMES).1[0].contains("warning[kept-yaml]"));
}

#[test]
fn columns_come_in_any_order_and_in_the_style_of_spreadsheets() {
    let joints = names(&["HIP", "KNEE", "ANKLE"]);
    let names = CsvNames { links: &[], joints: &joints };
    let motion = read("\u{feff}\"KNEE\", Time ,ANKLE,HIP\r\n1,0, 2 ,\"3\"\r\n\r\n4,0.1,5,6\r\n", &names);
    assert_eq!(motion.joint_displacements.unwrap().values(), [3.0, 1.0, 2.0, 6.0, 4.0, 5.0]);
    let motion = read("joint1,joint0,time\n1,0,0\n3,2,0.5", &NO_NAMES);
    assert_eq!((motion.joint_displacements.unwrap().values(), motion.frame_rate), (&[0.0, 1.0, 2.0, 3.0][..], 2.0));
    let motion = read("time,zmp.z,zmp.y,zmp.x\n0,1,2,3\n1,1,2,3\n", &NO_NAMES);
    assert_eq!(motion.zmp.unwrap().frames.frame(1), [Vector3::new(3.0, 2.0, 1.0)]);
}

#[test]
fn a_joint_without_a_column_stays_at_zero_with_a_warning() {
    let joints = names(&["HIP", "KNEE", "ANKLE", ""]);
    let names = CsvNames { links: &[], joints: &joints };
    let (motion, findings) = try_read("time,KNEE\n0,1\n1,2\n", &names, None);
    assert_eq!(motion.unwrap().joint_displacements.unwrap().values(), [0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].contains("2 joints, the first of them `HIP`, have no column; they stay at 0"), "{findings:?}");
    // A motion may have more joints than the body.
    let motion = read("time,HIP,KNEE,ANKLE,joint3,joint4\n0,1,2,3,4,5\n1,1,2,3,4,5\n", &names);
    assert_eq!(motion.num_joints(), 5);
    check("time,HIP,joint99\n0,1,2\n", &names, "1:10: error[unknown-column]", "`joint99`");
}

#[test]
fn times_make_a_rate_or_not() {
    let rate = |text: &str| {
        let joints = read(text, &NO_NAMES).joint_displacements.unwrap();
        (joints.frame_rate(), joints.start(), joints.times().map(<[f64]>::len))
    };
    assert_eq!(rate("time,a\n1.5,0\n1.502,0\n1.504,0\n"), (500.0, 1.5, None));
    assert_eq!(rate("time,a\n0,0\n0.333333333,0\n0.666666667,0\n"), (3.0, 0.0, None));
    assert_eq!(rate("time,a\n0,0\n0.1,0\n0.3,0\n"), (100.0, 0.0, Some(3)));
    let (motion, findings) = try_read("time,a\n2,0\n", &NO_NAMES, None);
    assert_eq!(motion.unwrap().start(), 2.0);
    assert!(findings[0].contains("warning[no-frame-rate]"), "{findings:?}");
    let without = "a,b\n1,2\n3,4\n";
    assert_eq!(try_read(without, &NO_NAMES, Some(50.0)).0.unwrap().frame_rate, 50.0);
    check(without, &NO_NAMES, "1:1: error[frame-rate]", "give the rate");
    assert!(try_read(without, &NO_NAMES, Some(0.0)).0.unwrap_err().contains("positive"));
}

#[test]
fn errors_in_the_header() {
    let (links, joints) = (names(&["WAIST", "L_FOOT"]), names(&["HIP", "KNEE"]));
    let names = CsvNames { links: &links, joints: &joints };
    check("time,HIP,KNE\n0,1,2\n", &names, "1:10: error[unknown-column]", "did you mean `KNEE`?");
    check("tme,HIP,KNEE\n0,1,2\n", &names, "1:1: error[unknown-column]", "did you mean `time`?");
    let pose = |name: &str| ["x", "y", "z", "qw", "qx", "qy", "qz"].map(|axis| format!("{name}.{axis}")).join(",");
    check(&format!("time,{}\n", pose("WAST")), &names, "1:6: error[unknown-column]", "did you mean `WAIST`?");
    check(&format!("time,{}\n", pose("L_FOOT")), &names, "1:6: error[missing-column]", "not `WAIST`");
    check("time,zmp.x,zmp.y\n0,1,2\n", &NO_NAMES, "1:6: error[missing-column]", "`zmp.z`");
    check("time,WAIST.x,WAIST.y,WAIST.z,WAIST.qw\n", &NO_NAMES, "1:6: error[missing-column]", "`WAIST.qx`, `WAIST.qy`");
    check("time,a,a\n0,1,2\n", &NO_NAMES, "1:8: error[same-column]", "columns 2 and 3");
    check("time,TIME,a\n0,1,2\n", &NO_NAMES, "1:6: error[same-column]", "both times");
    check("time,HIP,joint0\n0,1,2\n", &names, "1:10: error[same-column]", "twice");
    check("time,A.0,A.x,A.y,A.z\n", &NO_NAMES, "1:6: error[same-column]", "`A`");
    check("time,a,\n0,1,\n", &NO_NAMES, "1:8: error[csv-header]", "column 3 has no name");
    check("0,1,2\n1,2,3\n", &NO_NAMES, "1:1: error[csv-header]", "first line");
    check("time;a;b\n0;1;2\n", &NO_NAMES, "1:1: error[csv-separator]", "`;`");
    check("time\ta\n0\t1\n", &NO_NAMES, "1:1: error[csv-separator]", "tabs");
    check("time\n0\n1\n", &NO_NAMES, "1:1: error[no-motion]", "`time`");
    check("time,a\n", &NO_NAMES, "1:1: error[no-frames]", "no row");
    assert!(try_read("", &NO_NAMES, None).0.unwrap_err().contains("error[csv-header]"));
}

#[test]
fn errors_in_the_rows() {
    let error = |row: &str, place: &str, words: &str| {
        check(&format!("time,右腕,b\r\n0,1,2\r\n\r\n{row}\r\n9,9,9\r\n"), &NO_NAMES, place, words);
    };
    error("1,x,2", "4:3: error[not-a-number]", "`x`");
    error("1,2,1.5rad", "4:5: error[not-a-number]", "`1.5rad`");
    error("1,\"0,5\",2", "4:3: error[not-a-number]", "fractions have a point: `0.5`");
    error("0,5,1,2", "4:7: error[csv-row]", "0.5");
    error("1,2", "4:4: error[csv-row]", "missing");
    error("1,,2", "4:3: error[not-a-number]", "there is no value for `右腕`");
    error("1,nan,2", "4:3: error[not-finite]", "nan");
    error("1,\"右\n\",inf", "4:3: error[not-a-number]", "右");
    error("1,1e999,2", "4:3: error[not-finite]", "1e999");
    error("0,1,2", "4:1: error[time-backward]", "0 s comes after 0 s");
    error("-1,1,2", "4:1: error[time-backward]", "sort the rows");
    error("1,2,\"", "4:5: error[", "");
    let pose = "time,a.x,a.y,a.z,a.qw,a.qx,a.qy,a.qz\n0,0,0,0,1,0,0,0\n1,0,0,0,";
    check(&format!("{pose}0,0,0,0\n"), &NO_NAMES, "3:9: error[zero-quaternion]", "no rotation");
    let (motion, findings) = try_read(&format!("{pose}2,0,0,0\n2,0,0,0,3,0,0,0\n"), &NO_NAMES, None);
    assert_eq!(motion.unwrap().link_positions.unwrap().frame(2)[0].rotation.w, 1.0);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].starts_with("m.csv:3:9: warning[quaternion-norm]"), "{findings:?}");
}

/// Every text one edit away from a valid one gives a motion or a message, and never a panic.
#[test]
fn damaged_tables_do_not_panic() {
    let whole = "time,\"a,b\",H.x,H.y,H.z,E.0\n0,1,2,3,4,5\n0.5,1,2,3,4,5\n";
    for at in 0..whole.len() {
        for edit in ["", "\"", ",", "\n", "\r", ";", ".", "-", "e", "é", "\0"] {
            for removed in [0, 1] {
                let text = format!("{}{edit}{}", &whole[..at], &whole[at + removed..]);
                let (result, _) = try_read(&text, &NO_NAMES, None);
                if let Err(error) = result {
                    assert!(error.starts_with("m.csv:"), "{error}\n{text}");
                }
            }
        }
    }
}
