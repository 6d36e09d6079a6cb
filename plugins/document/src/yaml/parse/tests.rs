use super::*;
use crate::{Position, Severity, ValueKind};

fn parse_text(text: &str) -> (Result<Document>, Vec<Diagnostic>) {
    let reporter = Reporter::new();
    let source = SourceFile::from_text("test.yaml", text);
    let document = parse(&source, &Limits::default(), &reporter, None, None);
    (document, reporter.into_diagnostics())
}

#[test]
fn a_file_may_begin_with_any_character() {
    // In UTF-8 the first byte of this character is that of a byte order mark.
    let (document, findings) = parse_text("ｘ: 1\n");
    assert!(findings.is_empty());
    assert_eq!(document.unwrap().root().get("ｘ").unwrap().text(), Some("1"));
}

#[test]
fn multibyte_characters_are_read_at_any_position() {
    // The input is read in chunks, which may end at any byte of a character.
    for start in 0..4 {
        let text = format!("{}{}", " ".repeat(start), "手🤖".repeat(20_000));
        let (document, findings) = parse_text(&format!("\"{text}\""));
        assert!(findings.is_empty());
        assert_eq!(document.unwrap().root().text(), Some(text.as_str()));
    }
}

fn fail(text: &str) -> Diagnostic {
    *parse_text(text).0.unwrap_err()
}

#[test]
fn every_node_has_its_location() {
    let (document, _) = parse_text("a: 1\nlinks:\n  - name: BASE\n    mass: 2.5\n");
    let document = document.unwrap();
    let mass = document.root().get("links").unwrap().items().unwrap().next().unwrap().get("mass").unwrap();
    assert_eq!(mass.text(), Some("2.5"));
    assert_eq!(mass.span().start, Position { line: 4, column: 11 });
    assert_eq!(mass.span().end, Position { line: 4, column: 14 });
}

#[test]
fn locations_in_an_excerpt_are_those_of_the_file() {
    let parse = |text| {
        let source = SourceFile::excerpt("test.yaml", 7, text);
        parse(&source, &Limits::default(), &Reporter::new(), None, None)
    };
    let document = parse("- 1\n- [ a ]\n").unwrap();
    let span = document.root().items().unwrap().nth(1).unwrap().span();
    assert_eq!((span.start, span.end), (Position { line: 8, column: 3 }, Position { line: 8, column: 8 }));
    for (text, line) in [("", 7), ("- [ 1\n- 2\n", 7), ("a: 1\n\tb: 2\n", 8), ("a: 1\nb: \u{1}\n", 8)] {
        let diagnostic = parse(text).unwrap_err();
        assert_eq!(diagnostic.position().unwrap().line, line, "{text:?}: {diagnostic}");
    }
}

#[test]
fn the_last_of_equal_keys_wins_with_a_warning() {
    let (document, diagnostics) = parse_text("mass: 1\nname: a\nmass: 2\n");
    assert_eq!(document.unwrap().root().get("mass").unwrap().text(), Some("2"));
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].severity, Severity::Warning);
    assert_eq!(diagnostics[0].position(), Some(Position { line: 3, column: 1 }));
    assert!(diagnostics[0].message.contains("line 1"), "{}", diagnostics[0]);
}

#[test]
fn merged_keys_do_not_override() {
    let (document, _) = parse_text("a: &A { x: 1, y: 1 }\nb: &B { y: 2, z: 2 }\nc: { x: 0, <<: [ *A, *B ] }\n");
    let document = document.unwrap();
    let c = document.root().get("c").unwrap();
    let value = |key| c.get(key).unwrap().text().unwrap();
    assert_eq!((value("x"), value("y"), value("z")), ("0", "1", "2"));
    assert!(c.get("<<").is_none());
}

#[test]
fn an_alias_shares_the_node() {
    let (document, _) = parse_text("a: &A [ 1 ]\nb: *A\n");
    let document = document.unwrap();
    assert_eq!(document.root().get("a").unwrap().identity(), document.root().get("b").unwrap().identity());
}

#[test]
fn a_document_within_another_may_use_its_anchors() {
    let (outer, _) = parse_text("red: &RED { color: [ 1, 0, 0 ] }\nblue: &BLUE [ 0, 0, 1 ]\n");
    let source = SourceFile::from_text("inner.yaml", "a: *RED\nb: *RED\nc: &BLUE { mine: 1 }\nd: *BLUE\n");
    let inner = Document::parse_within(&outer.unwrap(), &source, &Limits::default(), &Reporter::new()).unwrap();
    let [a, b, d] = ["a", "b", "d"].map(|key| inner.root().get(key).unwrap());
    assert_eq!(a.get("color").unwrap().items().unwrap().next().unwrap().text(), Some("1"));
    assert_eq!(a.source().path().to_str(), Some("test.yaml"));
    assert_eq!(a.identity(), b.identity());
    assert_eq!(d.get("mine").unwrap().text(), Some("1"), "its own anchors come first");
    assert_eq!(inner.anchor_names(), ["BLUE"]);
    let source = SourceFile::from_text("inner.yaml", "a: *REDD\n");
    let outer = parse_text("red: &RED 1\n").0.unwrap();
    let error = Document::parse_within(&outer, &source, &Limits::default(), &Reporter::new()).unwrap_err();
    assert_eq!(error.help.as_deref(), Some("did you mean `*RED`?"));
}

#[test]
fn nodes_have_their_anchors() {
    let (document, _) = parse_text("a: { b: [ &X 1 ] }\nc: { d: 1 }\ne: *X\n");
    let document = document.unwrap();
    let has = |key| document.root().get(key).unwrap().has_anchor();
    assert!(has("a") && has("e") && !has("c"));
}

#[test]
fn errors_in_anchors_have_a_location() {
    let undefined = fail("a: &Frame 1\nb: *Fraem\n");
    assert_eq!(undefined.position(), Some(Position { line: 2, column: 4 }));
    assert_eq!(undefined.help.as_deref(), Some("did you mean `*Frame`?"));
    assert_eq!(fail("a: &A 1\nb: &A 2\n").code, "duplicate-anchor");
    assert_eq!(fail("a: &A { b: *A }\n").code, "undefined-alias");
}

#[test]
fn an_outline_has_empty_nodes_for_skipped_keys() {
    let outline = |text: &str| {
        let source = SourceFile::from_text("m.seq", text);
        Document::parse_outline(&source, &Limits::default(), &Reporter::new(), |key| key == "mine")
    };
    let document = outline("mine: [ { a: 1, b: [ 2 ] }, 3 ]\nyours: [ 1 ]\nlast: { mine: { a: 1 } }\n").unwrap();
    assert_eq!(document.nodes.len(), 6, "the root, `mine`, two of `yours`, two of `last`");
    let mine = document.root().get("mine").unwrap();
    assert_eq!((mine.kind(), mine.items().unwrap().len()), (ValueKind::Sequence, 0));
    assert_eq!(mine.span().end, Position { line: 1, column: 32 });
    // References to nodes outside the skipped part, or irregular YAML in it, cause a full read.
    for (text, inner) in [
        ("mine: [ &a 1 ]\nyours: *a\n", 1),
        ("yours: &a 1\nmine: [ *a ]\n", 1),
        ("mine: { a: 1, a: 2 }\n", 1),
        ("yours: &a { b: 1 }\nmine: { <<: *a }\n", 1),
    ] {
        let document = outline(text).unwrap();
        let mine = document.root().get("mine").unwrap();
        let found = mine.items().map(|items| items.len()).or(mine.entries().map(|entries| entries.len()));
        assert_eq!(found, Some(inner), "{text}");
    }
    let whole =
        |text: &str| Document::parse(&SourceFile::from_text("m.seq", text), &Limits::default(), &Reporter::new());
    for text in ["mine: [ 1, *none ]", "mine: [ 1", "mine: { [ 1 ]: 2 }", &format!("mine: {}", "[".repeat(100))] {
        assert_eq!(outline(text).unwrap_err().to_string(), whole(text).unwrap_err().to_string());
    }
}

#[test]
fn deep_nesting_is_refused_at_once() {
    let error = fail(&"[".repeat(100_000));
    assert_eq!(error.code, "limit-depth");
}

#[test]
fn aliases_of_aliases_cost_their_text_only() {
    let mut text = "a0: &a0 [ x, x, x, x, x, x, x, x, x, x ]\n".to_owned();
    for level in 1..40 {
        let below = format!("*a{}, ", level - 1).repeat(10);
        text += &format!("a{level}: &a{level} [ {below} ]\n");
    }
    assert!(parse_text(&text).0.unwrap().nodes.len() < 1000);
}

#[test]
fn syntax_errors_have_a_location() {
    let error = fail("a: [ 1, 2\nb: 3\n");
    assert_eq!(error.code, "yaml-syntax");
    assert!(error.position().is_some());
    assert_eq!(fail("").code, "yaml-empty");
    assert_eq!(fail("# nothing\n").code, "yaml-empty");
}

#[test]
fn content_after_the_first_value_is_an_error() {
    for (text, line, column) in [
        ("{ a: 1 }\n- junk: 1\n", 2, 1),
        ("{ a: 1 }\nfoo\n", 2, 1),
        ("{ a: 1 }\nb: 5\n", 2, 1),
        ("[ 1 ]\n[ 2 ]\n", 2, 1),
        ("{ a: { b: 1 } } }\n", 1, 17),
        ("  a: 1\n  b: 2\nc: B\n", 3, 1),
        ("a: 1\n...\njunk: 1\n", 3, 1),
        ("\"a\"\n# note\n\n}\n", 4, 1),
        ("- a\nb: 1\n", 2, 1),
    ] {
        let error = fail(text);
        assert_eq!(error.position(), Some(Position { line, column }), "{text:?}: {error}");
        assert_eq!(error.code, "yaml-syntax", "{text:?}");
        assert!(error.help.is_some(), "{text:?}");
    }
    for text in ["{ a: 1 }\n# note\n", "a: 1\n...\n# note\n", "---\na: 1\n", "a: 1\n\n", "%YAML 1.1\n---\na: 1\n...\n"]
    {
        let (document, findings) = parse_text(text);
        assert!(document.is_ok() && findings.is_empty(), "{text:?}: {findings:?}");
    }
}

#[test]
fn only_the_first_document_is_read_with_a_warning() {
    for (text, line) in [("a: 1\n---\na: 2\n", 2), ("a: 1\n...\n---\na: 2\n", 3), ("a: 1\n---\na: [\n", 2)] {
        let (document, findings) = parse_text(text);
        assert_eq!(document.unwrap().root().get("a").unwrap().text(), Some("1"));
        assert_eq!(findings.len(), 1, "{text:?}");
        assert_eq!((findings[0].severity, findings[0].code), (Severity::Warning, "yaml-documents"));
        assert_eq!(findings[0].position(), Some(Position { line, column: 1 }));
    }
}

#[test]
fn a_variable_within_braces_needs_quotes() {
    for text in ["{ file: ${SHARE}/a.body, b: 1 }", "[ ${SHARE}/a.body ]"] {
        let error = fail(text);
        assert_eq!(error.position().unwrap().column as usize, text.find("${").unwrap() + 2, "{error}");
        assert!(error.help.unwrap().contains("put the text in quotes"));
    }
    assert!(parse_text("a: { file: \"${SHARE}/a.body\", b: 1 }\nc: ${SHARE}/a.body\n").0.is_ok());
}

#[test]
fn a_tab_inside_a_flow_list_is_a_blank() {
    let (document, _) = parse_text("range: [ -90\t, 90 ]\n");
    assert_eq!(document.unwrap().root().get("range").unwrap().items().unwrap().len(), 2);
}
