//! Every path, link and type on a page exists.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::pages::{Page, pages, root};

/// Whether a path exists. With a wildcard at least one file must match, and only the part up to the first open
/// placeholder is checked.
fn is_there(name: &str) -> bool {
    let name = name.trim_end_matches('/');
    let open = name.split('/').position(|part| part.contains(['*', '<', '…']));
    let Some(open) = open else { return root().join(name).exists() };
    let parts: Vec<&str> = name.split('/').collect();
    let directory = root().join(parts[..open].join("/"));
    if !directory.is_dir() {
        return false;
    }
    let Some((before, after)) = parts[open].split_once('*') else { return true };
    let rest = parts[open + 1..].join("/");
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap()).any(|entry| {
        let name = entry.file_name().into_string().unwrap();
        name.starts_with(before) && name.ends_with(after) && (rest.is_empty() || entry.path().join(&rest).exists())
    })
}

/// Whether a word is a path of the project: it begins with the name of one of its directories.
fn is_path(word: &str, directories: &HashSet<String>) -> bool {
    word.split_once('/').is_some_and(|(first, _)| directories.contains(first))
}

/// Whether the target of a link exists: its file, and the heading behind `#` if the file is one of the pages.
fn leads_to_something(page: &Page, target: &str, anchors: &HashMap<PathBuf, Vec<String>>) -> bool {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = if file.is_empty() { root().join(&page.name) } else { page.directory().join(file) };
    let Ok(file) = file.canonicalize() else { return false };
    let headings = anchors.iter().find(|(path, _)| path.canonicalize().is_ok_and(|path| path == file));
    anchor.is_empty() || headings.is_some_and(|(_, headings)| headings.iter().any(|heading| heading == anchor))
}

#[test]
fn paths_and_links_exist() {
    let directories: HashSet<String> = fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    // Results of runs are not part of the project.
    let directories: HashSet<String> =
        directories.into_iter().filter(|name| !["out", "target", ".git"].contains(&name.as_str())).collect();
    let mut wrong = Vec::new();
    let mut number = 0;
    let pages = pages();
    let anchors = pages.iter().map(|page| (root().join(&page.name), page.anchors())).collect();
    for page in &pages {
        for found in page.links() {
            number += 1;
            if !leads_to_something(page, &found.text, &anchors) {
                wrong.push(format!("{}: there is no {}", page.at(&found), found.text));
            }
        }
        for found in [page.spans(), page.shell()].concat() {
            for word in found.text.split_whitespace() {
                let word = word.trim_matches(|letter| "()[],;:.…\"'".contains(letter));
                if is_path(word, &directories) {
                    number += 1;
                    if !is_there(word) {
                        wrong.push(format!("{}: there is no {word}", page.at(&found)));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(number > 100, "only {number} were found");
}

#[test]
fn the_book_has_all_pages_and_no_link_out_of_them() {
    let pages: Vec<Page> = pages().into_iter().filter(|page| page.name.starts_with("docs/")).collect();
    let summary = pages.iter().find(|page| page.name == "docs/SUMMARY.md").unwrap();
    let named: HashSet<PathBuf> = summary.links().iter().map(|link| summary.directory().join(&link.text)).collect();
    let others: HashSet<PathBuf> =
        pages.iter().map(|page| root().join(&page.name)).filter(|page| !page.ends_with("SUMMARY.md")).collect();
    assert_eq!(named, others);
    // mdBook copies nothing from outside `docs`.
    let docs = root().join("docs").canonicalize().unwrap();
    for page in &pages {
        for link in page.links() {
            let file = page.directory().join(link.text.split('#').next().unwrap());
            assert!(file.canonicalize().is_ok_and(|file| file.starts_with(&docs)), "{}: {}", page.at(&link), link.text);
        }
    }
}

/// Whether a word has the form of a type: at least two capitals, one of them not at the start.
fn is_type(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && word.chars().all(char::is_alphanumeric)
        && word.chars().any(char::is_lowercase)
        && letters.any(char::is_uppercase)
        && !word.chars().any(char::is_numeric)
}

/// Adds the words of the Rust sources below a directory, without those of comments that fill their line.
pub fn add_words(directory: &Path, words: &mut HashSet<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_words(&path, words);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let split = lines.flat_map(|line| line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')));
            words.extend(split.map(str::to_owned));
        }
    }
}

#[test]
fn types_are_in_the_sources() {
    let mut known = HashSet::new();
    for directory in ["plugins", "src", "python/src", "tests/support/src"] {
        add_words(&root().join(directory), &mut known);
    }
    let mut wrong = Vec::new();
    let mut number = 0;
    for page in pages().into_iter().filter(|page| !page.name.contains('/')) {
        for found in page.spans() {
            for word in found.text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')) {
                if is_type(word) {
                    number += 1;
                    if !known.contains(word) {
                        wrong.push(format!("{}: there is no `{word}`", page.at(&found)));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(number > 20, "only {number} were found");
}

#[test]
fn paths_and_types_are_recognized() {
    let directories = HashSet::from(["docs".to_owned()]);
    assert!(
        is_path("docs/no.md", &directories) && !is_path("model/a.body", &directories) && !is_path("docs", &directories)
    );
    assert!(
        is_there("docs/guide/*.md")
            && is_there("plugins/*/src/lib.rs")
            && is_there("docs/")
            && is_there("plugins/<room>/src")
    );
    assert!(!is_there("docs/no.md") && !is_there("docs/*.rs") && !is_there("nowhere/<room>"));
    assert!(is_type("BodyState") && !is_type("Body") && !is_type("CHASSIS") && !is_type("SR1Walk") && !is_type("x.Yz"));
}
