//! Every `.wrl` file of the corpus.

// A test that cannot go on should say so loudly.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::path::{Path, PathBuf};

use bunraku_document::{Limits, Reporter, SearchRoots, Severity, read_bytes};
use bunraku_mesh::vrml::Document;
use bunraku_mesh::{LoadContext, MeshScene, load_scene};

/// Files that cannot be read, and the code of the reason.
const UNREADABLE: &[(&str, &str)] = &[];

fn corpus() -> Option<PathBuf> {
    let corpus = std::env::var_os("BUNRAKU_CORPUS").map(PathBuf::from);
    if corpus.is_none() {
        println!("skipped: BUNRAKU_CORPUS is not set");
    }
    corpus
}

fn wrl_files(directory: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            wrl_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wrl")) {
            files.push(path);
        }
    }
}

fn load(path: &Path, share: &Path) -> (bunraku_document::Result<MeshScene>, Reporter) {
    let roots = SearchRoots::new(Some(share.to_owned())).around(path);
    let reporter = Reporter::new();
    let limits = Limits::default();
    let scene = load_scene(path, &LoadContext { roots: &roots, limits: &limits, reporter: &reporter });
    (scene, reporter)
}

#[test]
fn every_file_of_the_corpus_is_read() {
    let Some(corpus) = corpus() else { return };
    let mut files = Vec::new();
    wrl_files(&corpus, &mut files);
    assert!(files.len() >= 152, "only {} files", files.len());
    let (mut bytes, mut wrong) = (0, Vec::new());
    for path in &files {
        let name = path.strip_prefix(&corpus).unwrap().display().to_string();
        let content = read_bytes(path, &Limits::default()).unwrap();
        bytes += content.len();
        let nodes = Document::parse(path, content, &Limits::default(), &Reporter::new()).map(|file| file.node_count());
        let (scene, reporter) = load(path, &corpus.join("share"));
        let expected = UNREADABLE.iter().find(|(file, _)| *file == name).map(|(_, code)| *code);
        match &scene {
            Ok(scene) => println!(
                "{name}: {} nodes, {} shapes, {} triangles, {} warnings",
                nodes.unwrap_or_default(),
                scene.shapes().len(),
                scene.triangle_count(),
                reporter.count(Severity::Warning)
            ),
            Err(error) => println!("{name}: {error}"),
        }
        for finding in reporter.into_diagnostics() {
            println!("    {finding}");
        }
        if scene.as_ref().err().map(|error| error.code) != expected {
            wrong.push(name);
        }
    }
    println!("{} files, {bytes} bytes", files.len());
    assert_eq!(wrong, Vec::<String>::new());
}
