//! YAML, and tables of the rays of a range sensor.

use bunraku_document::yaml::Document;
use bunraku_document::{Limits, Reporter, SourceFile, Value};
use bunraku_sensors::ScanPattern;

use crate::findings;
use crate::scratch::with_file;

/// YAML as a tree, whatever it means.
pub fn yaml(bytes: &[u8]) {
    with_file("fuzz.yaml", bytes, |path| {
        let (limits, reporter) = (Limits::default(), Reporter::new());
        let source = SourceFile::read(path, &limits, &reporter).expect("a small file");
        let document = reporter.keep(Document::parse(&source, &limits, &reporter));
        findings::check(reporter, document.is_some());
        if let Some(document) = document {
            let mut nodes = 0;
            walk(document.root(), 0, &mut nodes);
        }
    });
}

/// Visits a tree. Aliases may name a node many times, so only so many are visited.
fn walk(value: Value<'_>, depth: usize, nodes: &mut usize) {
    *nodes += 1;
    assert!(depth <= Limits::default().depth + 1, "deeper than the limit");
    if *nodes > 10_000 {
        return;
    }
    let span = value.span();
    assert!(span.start <= span.end && span.start.line >= 1 && span.start.column >= 1, "{span:?}");
    value.items().into_iter().flatten().for_each(|item| walk(item, depth + 1, nodes));
    value.entries().into_iter().flatten().for_each(|(_, _, value)| walk(value, depth + 1, nodes));
}

/// A table of rays.
pub fn pattern(bytes: &[u8]) {
    with_file("fuzz.csv", bytes, |path| {
        let reporter = Reporter::new();
        let source = SourceFile::read(path, &Limits::default(), &reporter).expect("a small file");
        let pattern = ScanPattern::read(&source, &reporter);
        findings::check(reporter, pattern.is_some());
        if let Some(pattern) = pattern {
            assert!(pattern.period() > 0.0 && !pattern.beams().is_empty());
        }
    });
}
