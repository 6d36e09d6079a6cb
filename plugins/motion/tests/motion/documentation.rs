//! The examples of `docs/reference/motion-format.md` are read without findings, and written unchanged.

use bunraku_document::{Reporter, SourceFile};
use bunraku_motion::{BodyMotion, CsvNames, ReadCsvOptions, read_csv, write_csv_to, write_json_to, write_seq_to};

/// The only code block of a language.
fn example(language: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/motion-format.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (_, after) = page.split_once(&format!("```{language}\n")).unwrap();
    after.split_once("```").unwrap().0.to_owned()
}

#[test]
fn the_examples_are_what_is_read_and_written() {
    let reporter = Reporter::new();
    let read = |text: &str| BodyMotion::read(&SourceFile::from_text("a.seq", text), &reporter).unwrap();

    let (text, mut out) = (example("yaml"), Vec::new());
    write_seq_to(&read(&text), &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), text);

    let (text, mut out) = (example("json"), Vec::new());
    write_json_to(&read(&text), &mut out, &reporter).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), text);

    let (text, mut out) = (example("csv"), Vec::new());
    let links = ["WAIST".to_owned()];
    let joints = ["HIP".to_owned(), "KNEE".to_owned()];
    let names = CsvNames { links: &links, joints: &joints };
    let source = SourceFile::from_text("a.csv", text.clone());
    let motion = read_csv(&source, &names, &ReadCsvOptions::default(), &reporter).unwrap();
    assert_eq!((motion.frame_rate, motion.num_links(), motion.num_joints()), (500.0, 1, 2));
    write_csv_to(&motion, &names, &mut out, &reporter).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), text);

    assert!(reporter.diagnostics().is_empty(), "{:?}", reporter.diagnostics());
}
