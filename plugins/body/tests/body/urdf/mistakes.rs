//! Errors: their messages and locations.

use bunraku_document::Severity;

use super::{heavy, jointed, read, read_file};
use crate::common::list;

/// An erroneous robot, the expected code, and a part of the message or its help.
type Case<'c> = (String, &'c str, &'c str);

#[test]
fn each_mistake_is_an_error_with_a_place() {
    let two = || format!("{}\n{}", heavy("A"), heavy("B"));
    let joint = |name: &str, parent: &str, child: &str| {
        format!("<joint name=\"{name}\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>")
    };
    let cases: Vec<Case<'_>> = vec![
        (jointed("revolut", ""), "unknown-joint-type", "did you mean `revolute`?"),
        (jointed("revolute", "<axis xyz=\"0 0 0\"/><limit lower=\"0\" upper=\"1\"/>"), "zero-axis", "unit vector"),
        (jointed("revolute", "<axis xyz=\"0 0\"/><limit lower=\"0\" upper=\"1\"/>"), "expected", "expected 3 numbers"),
        (jointed("fixed", "<origin xyz=\"1 2 x\"/>"), "expected", "`1 2 x`"),
        (jointed("fixed", "<origin xyz=\"1 2 nan\"/>"), "expected", "`1 2 nan`"),
        (two(), "several-roots", "`B` is the child of no joint"),
        (format!("{}{}", two(), joint("J", "A", "C")), "unknown-link", "the child link `C`"),
        (format!("{}{}{}", two(), joint("J", "A", "B"), joint("J", "A", "B")), "duplicate-joint-name", "already taken"),
        (
            format!("{}{}{}", two(), joint("J", "A", "B"), joint("K", "A", "B")),
            "two-parents",
            "is already the child of joint `J`",
        ),
        (format!("{}{}{}", two(), joint("J", "A", "B"), joint("K", "B", "A")), "parent-cycle", "no root"),
        (
            format!("{}{}{}{}", two(), heavy("C"), joint("J", "A", "B"), joint("K", "B", "A")),
            "parent-cycle",
            "form a cycle",
        ),
        (format!("{}{}", heavy("A"), heavy("A")), "duplicate-link-name", "already taken on line 2"),
        (String::new(), "empty-model", "no `<link>`"),
        ("<link/>".to_owned(), "missing-key", "needs the attribute `name`"),
        ("<link name=\"A\"><inertial/></link>".to_owned(), "missing-key", "<mass"),
        ("<link name=\"A\"><inertial><mass value=\"-1\"/></inertial></link>".to_owned(), "negative-mass", "-1 kg"),
    ];
    for (text, code, part) in cases {
        let (body, findings) = read(&text);
        assert!(body.is_none(), "{text}");
        let finding = findings.iter().find(|finding| finding.severity == Severity::Error);
        let finding = finding.unwrap_or_else(|| panic!("no error: {text}"));
        assert_eq!(finding.code, code, "{text}\n{}", list(&findings));
        assert!(finding.to_string().contains(part), "{finding}");
        assert!(finding.place.is_some(), "{finding}");
    }
}

#[test]
fn ignored_elements_are_warnings() {
    let cases = [
        ("<link name=\"A\" colour=\"red\"/>", "unknown-key", "no attribute `colour`"),
        ("<link name=\"A\"><visul/></link>", "unknown-key", "did you mean `visual`?"),
        ("<link name=\"A\"><visual/></link>", "missing-key", "no `<geometry>`"),
        ("<link name=\"A\"><visual><geometry><cone/></geometry></visual></link>", "unknown-key", "`<cone>`"),
        (
            "<link name=\"A\"><visual><geometry><sphere radius=\"1\"/></geometry><material name=\"red\"/></visual></link>",
            "unknown-material",
            "`red`",
        ),
        ("<link name=\"A\"><inertial><mass value=\"1\"/></inertial></link>", "no-inertia", "the inertia is 0"),
    ];
    for (text, code, part) in cases {
        let (body, findings) = read(text);
        assert!(body.is_some(), "{text}\n{}", list(&findings));
        let finding = findings.first().unwrap_or_else(|| panic!("no warning: {text}"));
        assert_eq!((finding.severity, finding.code), (Severity::Warning, code), "{finding}");
        assert!(finding.to_string().contains(part), "{finding}");
    }
    let limits = [
        ("", "no-limit"),
        ("<limit effort=\"1\" velocity=\"1\"/>", "no-room"),
        ("<limit lower=\"0\" upper=\"1\" effort=\"0\" velocity=\"1\"/>", "zero-limit"),
    ];
    for (limit, code) in limits {
        let (body, findings) = read(&jointed("revolute", limit));
        assert!(body.is_some());
        assert_eq!(findings.first().map(|finding| finding.code), Some(code), "{limit}");
    }
}

#[test]
fn limits_that_are_probably_degrees_are_warnings() {
    let found = |kind: &str, lower: &str, upper: &str| {
        let limit = format!("<limit lower=\"{lower}\" upper=\"{upper}\" effort=\"1\" velocity=\"1\"/>");
        let (body, findings) = read(&jointed(kind, &limit));
        assert!(body.is_some());
        findings
    };
    let findings = found("revolute", "-90", "90");
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!((finding.severity, finding.code), (Severity::Warning, "angle-range"), "{finding}");
    for part in ["`lower` is -90 rad", "14.3 turns", "-90° would be -1.5708", "continuous"] {
        assert!(finding.to_string().contains(part), "no {part:?} in: {finding}");
    }
    // A full turn each way, as UR arms have it; a slide in metres; a number that means no limit.
    for (kind, lower, upper) in
        [("revolute", "-6.28318530718", "6.2832"), ("prismatic", "-10", "10"), ("revolute", "-1e16", "1e16")]
    {
        assert!(found(kind, lower, upper).is_empty(), "{kind} {lower} {upper}");
    }
}

#[test]
fn other_formats_are_named_with_the_way_to_urdf() {
    let cases = [
        ("a.xml", "<mujocoinclude/>", "mjcf-include", "name the file with `<mujoco>`"),
        ("a.sdf", "<sdf version=\"1.7\"/>", "sdf", "convert it to URDF first"),
        ("a.urdf", "<robots/>", "unknown-format", "<robot>"),
        ("a.urdf", "<robot><link name=\"A\"></robot>", "urdf-malformed", "closed by"),
    ];
    for (name, text, code, part) in cases {
        let (body, findings) = read_file(name, text);
        assert!(body.is_none());
        let [finding] = findings.as_slice() else { panic!("{text}: {findings:?}") };
        assert_eq!(finding.code, code, "{finding}");
        assert!(finding.to_string().contains(part), "{finding}");
    }
}

#[test]
fn no_text_makes_the_reader_panic() {
    let whole = format!(
        "<robot name=\"R\">{}<material name=\"m\"><color rgba=\"1 1 1 1\"/></material>\
         <gazebo reference=\"A\"><mu1>1</mu1></gazebo></robot>",
        jointed(
            "planar",
            "<origin xyz=\"1 2 3\" rpy=\"1 2 3\"/><axis xyz=\"0 0 1\"/><limit effort=\"1\"/><mimic joint=\"J\"/>"
        )
    );
    for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        read_file("a.urdf", &whole[..end]);
        // Each character is left out once.
        let next = whole[end..].chars().next().map_or(end, |letter| end + letter.len_utf8());
        read_file("a.urdf", &format!("{}{}", &whole[..end], &whole[next..]));
    }
}

#[test]
fn locations_in_a_long_line_are_counted_in_characters() {
    let (_, findings) = read(&format!("<link name=\"{}\"/><!-- é --><unknown/>", "é".repeat(3000)));
    let unknown = findings.iter().find(|finding| finding.code == "unknown-key").unwrap();
    assert_eq!(unknown.position().map(|position| position.column), Some(3026));
}
