//! Real models, `.body` files and OpenHRP's.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bunraku_body::{Body, LoadOptions};
use bunraku_document::{Reporter, SearchRoots, SourceFile};
use bunraku_test_support::assert_same_body;

use crate::common::list;
use crate::writer::written_to;

/// Models of the corpus with this extension, and their load options; `None` without the corpus.
fn models(extension: &str) -> Option<(Vec<PathBuf>, LoadOptions)> {
    let share = bunraku_test_support::share()?;
    let mut models = Vec::new();
    let mut pending = vec![share.join("model")];
    while let Some(directory) = pending.pop() {
        for path in std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                models.push(path);
            }
        }
    }
    models.sort();
    let roots = SearchRoots::new(Some(share)).allow_outside(true);
    Some((models, LoadOptions { roots, ..LoadOptions::default() }))
}

/// Reads the written text of the model at `path` as if from `target`. There must be no kind of finding that the
/// `original` lacks.
fn read_again(path: &Path, text: &str, target: &Path, options: &LoadOptions, original: &Reporter) -> Body {
    let reporter = Reporter::new();
    let again = bunraku_body::read(&SourceFile::from_text(target, text), options, &reporter);
    let again = again.unwrap_or_else(|| panic!("{}: {}", path.display(), list(&reporter.diagnostics())));
    let codes =
        |reporter: &Reporter| reporter.diagnostics().iter().map(|finding| finding.code).collect::<BTreeSet<_>>();
    let (found, known) = (codes(&reporter), codes(original));
    assert!(found.is_subset(&known), "{}: {found:?} beyond {known:?}", path.display());
    again
}

#[test]
fn every_model_of_the_corpus() {
    let Some((paths, options)) = models("body") else { return };
    let (mut models, mut resources) = (0, 0);
    for path in paths {
        let original = Reporter::new();
        let Some(body) = bunraku_body::load(&path, &options, &original) else { continue };
        // Elsewhere on the disk, so that references must be resolved from there.
        let elsewhere = tempfile::tempdir().unwrap();
        let target = elsewhere.path().join("a/b/x.body");
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        for target in [target.as_path(), path.as_path()] {
            let (written, findings) = written_to(&body, target, &options);
            assert!(findings.is_empty(), "{}: {}", path.display(), list(&findings));
            assert!(written.files.is_empty());
            let again = read_again(&path, &written.text, target, &options, &original);
            assert_same_body(&again, &body, &path.display().to_string());
            resources += written.text.matches("uri: ").count();
        }
        models += 1;
    }
    eprintln!("{models} models, {resources} references");
    assert!(models > 20, "only {models} models");
}

#[test]
fn every_openhrp_model_of_the_corpus() {
    let Some((paths, options)) = models("wrl") else { return };
    let mut models = 0;
    for path in paths {
        let original = Reporter::new();
        let Some(mut body) = bunraku_body::load(&path, &options, &original) else { continue };
        let target = path.with_extension("body");
        let (written, findings) = written_to(&body, &target, &options);
        // Data that a `.body` file cannot express.
        let lost: BTreeSet<_> = findings.iter().map(|finding| finding.code).collect();
        assert!(lost.is_subset(&["lost-colors", "lost-inertia"].into()), "{}: {}", path.display(), list(&findings));
        let again = read_again(&path, &written.text, &target, &options, &original);
        // In `.body` files devices are ordered by link.
        body.devices.sort_by_key(|device| device.link);
        if !lost.contains("lost-colors") {
            assert_same_body(&again, &body, &path.display().to_string());
            models += 1;
        }
    }
    assert!(models > 20, "only {models} models");
}
