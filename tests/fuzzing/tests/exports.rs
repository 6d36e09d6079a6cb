//! Real and random models as URDF and MJCF.

use std::path::PathBuf;

use bunraku_body::{Body, LoadOptions, load, read};
use bunraku_document::{Reporter, SearchRoots, SourceFile};
use bunraku_fuzzing::{ExportFormat, check_export};
use bunraku_test_support::{corpus, files_below, project, random_model};

const FORMATS: [ExportFormat; 2] = [ExportFormat::Urdf, ExportFormat::Mjcf];

/// Checks the models that load, and returns their number.
fn check_all(paths: &[PathBuf], options: &LoadOptions) -> usize {
    let load = |path: &PathBuf| Some((path.display().to_string(), load(path, options, &Reporter::new())?));
    let models = paths.iter().filter_map(load);
    models.inspect(|(name, body)| check(name, body)).count()
}

/// Checks a model in each format; its name is shown if that fails.
#[allow(clippy::print_stderr)]
fn check(name: &str, body: &Body) {
    eprintln!("{name}");
    FORMATS.into_iter().for_each(|format| check_export(body, format));
}

#[test]
fn models_of_the_project() {
    let paths = files_below(&project().join("assets/models"), &["body", "urdf", "xml"]);
    assert_eq!(check_all(&paths, &LoadOptions::default()), paths.len());
    assert!(paths.len() > 15);
}

#[test]
fn models_of_the_corpus() {
    let Some(corpus) = corpus() else { return };
    let roots = SearchRoots::new(Some(corpus.join("share"))).allow_outside(true);
    let paths = files_below(&corpus, &["body", "urdf", "wrl"]);
    let count = check_all(&paths, &LoadOptions { roots, ..LoadOptions::default() });
    assert!(count > 50, "{count} models");
}

#[test]
fn random_models() {
    for seed in 0..500 {
        let source = SourceFile::from_text("x.body", random_model(seed));
        let Some(body) = read(&source, &LoadOptions::default(), &Reporter::new()) else { continue };
        check(&format!("seed {seed}"), &body);
    }
}
