//! Mistakes have a place and, where there is one, a remedy.

use bunraku_body::LoadOptions;
use bunraku_document::Severity;

use super::{MASS, read, read_files};

#[test]
fn errors_are_located() {
    let body = |inside: &str| format!("<worldbody><body name=\"A\">{inside}{MASS}</body></worldbody>");
    for (text, code, part) in [
        (body("<geom/>"), "not-positive", "model.xml:2:27"),
        (body("<geom size=\"a\"/>"), "expected", "found `a`"),
        (body("<geom type=\"boxx\"/>"), "unknown-geometry", "did you mean"),
        (body("<joint type=\"hing\"/>"), "unknown-joint-type", "did you mean `hinge`"),
        (body("<joint axis=\"0 0 0\"/>"), "zero-axis", "`axis`"),
        (body("<joint range=\"2 1\"/>"), "crossing-limits", "lower end of `range`"),
        (body("<joint class=\"leg\"/>"), "unknown-class", "`leg`"),
        (body("<geom type=\"mesh\" mesh=\"m\"/>"), "unknown-mesh", "`m`"),
        (body("<geom size=\"1\" material=\"red\"/>"), "unknown-material", "`red`"),
        (body("<body name=\"A\"/>"), "duplicate-name", "line 2"),
        (body("<body name=\"B\"><freejoint/></body>"), "free-joint", "world"),
        (body("") + "<actuator><motor joint=\"j\"/></actuator>", "unknown-joint", "`j`"),
        (body("") + "<sensor><gyro site=\"s\"/></sensor>", "unknown-site", "`s`"),
        (body("") + "<contact><exclude body1=\"A\" body2=\"C\"/></contact>", "unknown-body", "`C`"),
        ("<compiler coordinate=\"global\"/>".to_owned() + &body(""), "global-coordinates", "2.3.3"),
        ("<compiler eulerseq=\"xyw\"/>".to_owned() + &body(""), "expected", "xyw"),
        ("<include file=\"none.xml\"/>".to_owned(), "not-found", "none.xml"),
        (String::new(), "empty-model", "worldbody"),
    ] {
        let (model, findings) = read(&text);
        assert!(model.is_none(), "{text}");
        let found = findings.iter().find(|finding| finding.code == code || code == "not-found");
        let found = found.unwrap_or_else(|| panic!("{code}: {findings:?}"));
        assert!(found.to_string().contains(part) && found.position().is_some(), "{found}");
    }
}

#[test]
fn unknown_words_are_warnings_with_a_suggestion() {
    let (body, findings) = read(&format!("<worldbody><body nam=\"A\">{MASS}<geon size=\"1\"/></body></worldbody>"));
    assert!(body.is_some());
    let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(findings.len(), 2, "{texts:?}");
    assert!(texts[0].contains("2:18") && texts[0].contains("did you mean `name`?"), "{texts:?}");
    assert!(texts[1].contains("did you mean `geom`?"), "{texts:?}");
}

#[test]
fn a_file_cannot_include_itself() {
    let files = [
        ("model.xml", "<mujoco><include file=\"a.xml\"/></mujoco>"),
        ("a.xml", "<mujoco><include file=\"b.xml\"/></mujoco>"),
        ("b.xml", "<mujoco><include file=\"a.xml\"/></mujoco>"),
    ];
    let (body, findings) = read_files(&files, &LoadOptions::default());
    assert!(body.is_none());
    assert!(findings.iter().any(|finding| finding.code == "include-cycle" && finding.position().is_some()));
}

#[test]
fn a_file_outside_the_model_is_not_read() {
    let outside = tempfile::NamedTempFile::new().unwrap();
    let path = outside.path().display();
    let (body, findings) = read(&format!("<include file=\"{path}\"/>"));
    assert!(body.is_none());
    assert!(findings.iter().all(|finding| finding.position().is_some()), "{findings:?}");
}

#[test]
fn what_makes_bodies_is_left_out_with_a_warning_where_it_stands() {
    const MAKERS: [(&str, &str); 3] = [
        ("attach", "<attach model=\"arm\" body=\"hand\" prefix=\"left-\"/>"),
        (
            "composite",
            "<composite type=\"cable\" count=\"5 1 1\"><joint kind=\"main\"/><geom size=\".1\"/></composite>",
        ),
        ("flexcomp", "<flexcomp name=\"f\" type=\"grid\" count=\"2 2 2\"><edge equality=\"true\"/></flexcomp>"),
    ];
    let body = |inside: &str| format!("<body name=\"A\">\n{inside}{MASS}</body>");
    for (tag, element) in MAKERS {
        let places = [
            format!("<worldbody>\n{element}{}</worldbody>", body("")),
            format!("<worldbody>{}</worldbody>", body(element)),
            format!("<worldbody>{}</worldbody>", body(&format!("<frame pos=\"1 0 0\">{element}</frame>"))),
            format!("<worldbody>{}</worldbody>", body(&format!("<replicate count=\"2\">{element}</replicate>"))),
            format!("<worldbody>{}</worldbody>\n<worldbody>{element}</worldbody>", body("")),
        ];
        for text in places {
            let (model, findings) = read(&text);
            assert!(model.is_some_and(|model| model.links().len() == 1), "{text}");
            let warned: Vec<_> = findings.iter().filter(|finding| finding.code == "mjcf-unsupported").collect();
            assert!(warned.len() == 1 && warned[0].severity == Severity::Warning, "{text}: {findings:?}");
            assert!(warned[0].message.contains(&format!("`<{tag}>` is not read")), "{text}: {findings:?}");
            let line = warned[0].position().unwrap().line as usize;
            let lines: Vec<_> = text.lines().collect();
            // The text begins in the second line.
            assert!(lines[line - 2].contains(&format!("<{tag}")), "{text}: line {line}");
        }
    }
}
