//! Real OpenHRP models as `.body` files.

use std::collections::BTreeSet;

use bunraku_body::LoadOptions;
use bunraku_document::{Reporter, SearchRoots, SourceFile};

use crate::common::list;
use crate::equality::assert_same;
use crate::real_data::real_data;
use crate::written_to;

#[test]
fn every_openhrp_model_of_the_corpus() {
    let Some(corpus) = real_data("BUNRAKU_CORPUS") else { return };
    let share = corpus.join("share");
    let options =
        LoadOptions { roots: SearchRoots::new(Some(share.clone())).allow_outside(true), ..LoadOptions::default() };
    let mut pending = vec![share.join("model")];
    let mut models = 0;
    while let Some(directory) = pending.pop() {
        for path in std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "wrl") {
                continue;
            }
            let original = Reporter::new();
            let Some(mut body) = bunraku_body::load(&path, &options, &original) else { continue };
            let (written, findings) = written_to(&body, &path.with_extension("body"), &options);
            // What a `.body` file has no place for.
            let lost: BTreeSet<_> = findings.iter().map(|finding| finding.code).collect();
            assert!(lost.is_subset(&["lost-colors", "lost-inertia"].into()), "{}: {}", path.display(), list(&findings));
            let reporter = Reporter::new();
            let source = SourceFile::from_text(path.with_extension("body"), written.text.as_str());
            let again = bunraku_body::read(&source, &options, &reporter);
            let again = again.unwrap_or_else(|| panic!("{}: {}", path.display(), list(&reporter.diagnostics())));
            let codes = |reporter: Reporter| -> BTreeSet<_> {
                reporter.into_diagnostics().iter().map(|finding| finding.code).collect()
            };
            let (found, known) = (codes(reporter), codes(original));
            assert!(found.is_subset(&known), "{}: {found:?} beyond {known:?}", path.display());
            // There devices come link by link.
            body.devices.sort_by_key(|device| device.link);
            if !lost.contains("lost-colors") {
                assert_same(&again, &body, &path.display().to_string());
                models += 1;
            }
        }
    }
    assert!(models > 20, "only {models} models");
}
