//! Real and random models as URDF and MJCF.

use bunraku_body::{LoadOptions, load, read};
use bunraku_document::{Reporter, SearchRoots, SourceFile};
use bunraku_fuzzing::{ExportFormat, check_export};
use bunraku_test_support::{corpus, files_below, project, random_model};

const FORMATS: [ExportFormat; 2] = [ExportFormat::Urdf, ExportFormat::Mjcf];

#[test]
fn models_of_the_project() {
    let mut count = 0;
    for path in files_below(&project().join("assets/models"), &["body", "urdf", "xml"]) {
        let body = load(&path, &LoadOptions::default(), &Reporter::new()).expect("a model");
        eprintln!("{}", path.display());
        FORMATS.into_iter().for_each(|format| check_export(&body, format));
        count += 1;
    }
    assert!(count > 15, "{count} models");
}

#[test]
fn models_of_the_corpus() {
    let Some(corpus) = corpus() else { return };
    let roots = SearchRoots::new(Some(corpus.join("share"))).allow_outside(true);
    let options = LoadOptions { roots, ..LoadOptions::default() };
    let mut count = 0;
    for path in files_below(&corpus, &["body", "urdf", "wrl"]) {
        let Some(body) = load(&path, &options, &Reporter::new()) else { continue };
        eprintln!("{}", path.display());
        FORMATS.into_iter().for_each(|format| check_export(&body, format));
        count += 1;
    }
    assert!(count > 50, "{count} models");
}

#[test]
fn random_models() {
    for seed in 0..500 {
        let source = SourceFile::from_text("x.body", random_model(seed));
        let Some(body) = read(&source, &LoadOptions::default(), &Reporter::new()) else { continue };
        eprintln!("seed {seed}");
        FORMATS.into_iter().for_each(|format| check_export(&body, format));
    }
}
