//! Names and texts with a meaning in YAML.

use std::path::Path;

use bunraku_body::LoadOptions;
use bunraku_test_support::{assert_same_body, model_text, read_links};

use crate::common::read_clean;
use crate::writer::{text, written_to};

/// Texts that have a meaning in YAML, or look like it.
const AWKWARD: &[&str] = &[
    "yes",
    "1.0",
    "a: b",
    "a:b",
    "#",
    "a #b",
    "#a",
    "'",
    "\"",
    "it's",
    "say \"a\"",
    "two\nlines",
    "\n",
    "tab\there",
    "手",
    "ü",
    "",
    " ",
    " a",
    "a ",
    "~",
    "null",
    "- a",
    "-",
    "--",
    "---",
    "...",
    "? a",
    ": a",
    "&a",
    "*a",
    "!a",
    "%a",
    "@a",
    "`a",
    "|",
    ">",
    "{a}",
    "[a]",
    "a, b",
    "\\",
    "\\n",
    "\u{7}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{feff}",
    "\u{1f600}",
    "=",
    "a\r\nb",
    "0x1f",
    "1e5",
    "+1",
    ".5",
    "a:",
    "-a",
    "-1",
    "a\u{0301}",
    "${SHARE}/x",
];

#[test]
fn unknown_keys_keep_awkward_texts() {
    let body = read_links("  - { name: BASE }\n");
    let with_info = |value: bunraku_body::Property| {
        let mut body = body.clone();
        body.info = vec![("license".to_owned(), value)];
        body
    };
    use bunraku_body::Property::{List, Mapping, Text};
    let texts: Vec<_> = AWKWARD.iter().map(|text| Text((*text).to_owned())).collect();
    let keys = AWKWARD.iter().enumerate().map(|(number, key)| ((*key).to_owned(), Text(number.to_string()))).collect();
    let nested = List(vec![
        Mapping(vec![("a".to_owned(), List(vec![])), ("b".to_owned(), Mapping(vec![]))]),
        List(vec![List(texts.clone()), Text("x".to_owned()), List(vec![Mapping(vec![])])]),
        Mapping(vec![("k".repeat(2_000), List(vec![Mapping(vec![("c".to_owned(), texts[0].clone())])]))]),
    ]);
    let block = Mapping(texts.iter().enumerate().map(|(number, text)| (format!("k{number}"), text.clone())).collect());
    for value in [List(texts.clone()), Mapping(keys), nested, block].into_iter().chain(texts) {
        let body = with_info(value);
        let text = text(&body);
        assert_eq!(read_clean(&text).info, body.info, "{text}");
    }
}

#[test]
fn names_may_be_awkward() {
    let mut body = read_links("  - { name: BASE }\n  - { name: A, parent: BASE }\n");
    for name in AWKWARD {
        body.name = (*name).to_owned();
        let text = text(&body);
        assert_eq!(read_clean(&text).name, *name, "{text}");
        let source = read_clean(&model_text(
            &format!("  - name: {name:?}\n  - {{ name: A, parent: {name:?} }}\n")
                .replace("\\u{7}", "\\u0007")
                .replace("\\u{85}", "\\u0085")
                .replace("\\u{a0}", "\\u00a0")
                .replace("\\u{2028}", "\\u2028")
                .replace("\\u{feff}", "\\ufeff")
                .replace("\\u{301}", "\u{301}")
                .replace("\\'", "'"),
        ));
        assert_same_body(&read_clean(&crate::writer::text(&source)), &source, name);
    }
}

#[test]
fn keys_that_would_change_their_meaning_are_dropped_with_a_report() {
    let mut body = read_links("  - { name: BASE }\n");
    body.info = vec![("root_link".to_owned(), bunraku_body::Property::Text("NONE".to_owned()))];
    let (written, findings) = written_to(&body, Path::new("x.body"), &LoadOptions::default());
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["lost-key"]);
    body.info.clear();
    assert_same_body(&read_clean(&written.text), &body, &written.text);
}
