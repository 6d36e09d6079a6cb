//! Unknown content is kept, as self-contained text.

use bunraku_motion::KeptYaml;
use bunraku_test_support::allocations;

use crate::common::{read, read_clean, version_2};

const JOINTS: &str = "  -
    type: MultiValueSeq
    content: JointDisplacement
    numParts: 1
    frames:
      - [ 1 ]
";

/// Kept content, and codes of the findings.
fn kept(text: &str) -> (Vec<KeptYaml>, Vec<String>) {
    let (motion, findings) = read(text);
    (motion.unwrap().kept, findings)
}

fn top(text: &str) -> KeptYaml {
    KeptYaml::TopKey { text: text.to_owned() }
}

#[test]
fn a_usual_file_has_no_unknown_content() {
    assert!(read_clean(&version_2("frameRate: 10\n", JOINTS)).kept.is_empty());
}

#[test]
fn keys_of_the_top() {
    let text = version_2(
        "frameRate: 10\nauthor: A # who\ntags: [ a,\n  b ]\nmore:\n  # deep\n  x: 1\n\n  y: |\n    text\n\n# components\n",
        JOINTS,
    );
    let (kept, findings) = kept(&text);
    assert_eq!(
        kept,
        [top("author: A\n"), top("tags: [ a,\n  b ]\n"), top("more:\n  # deep\n  x: 1\n\n  y: |\n    text\n")]
    );
    assert_eq!(findings.len(), 3);
    assert!(
        findings.iter().all(|finding| finding.contains("unknown-key") && finding.contains("kept unchanged")),
        "{findings:?}"
    );
}

#[test]
fn keys_of_a_component() {
    let more = JOINTS.replace("    frames", "    sensor:\n        name: a\n        id: [ 1 ]\n    frames");
    let (kept, findings) = kept(&version_2("frameRate: 10\n", &more));
    let text = "sensor:\n    name: a\n    id: [ 1 ]\n".to_owned();
    assert_eq!(kept, [KeptYaml::ComponentKey { content: "JointDisplacement".to_owned(), text }]);
    assert!(findings.len() == 1 && findings[0].starts_with("m.seq:10:5: warning[unknown-key]"), "{findings:?}");
}

#[test]
fn keys_of_a_component_that_another_replaces_were_written_into_that_one() {
    let zmp = "  - { type: Vector3Seq, content: ZMP, note: NOTE, frames: [ [ 1, 2, 3 ] ] }\n".to_owned();
    let joints = JOINTS.replace("    numParts", "    note: NOTE\n    numParts");
    let effort = joints.replace("JointDisplacement", "Effort");
    let noted = |component: &str, note: u8| component.replace("NOTE", &note.to_string());
    for (component, content) in [(joints, "JointDisplacement"), (effort, "Effort"), (zmp, "ZMP")] {
        let both = noted(&component, 1) + &noted(&component, 2);
        let (kept, findings) = kept(&version_2("frameRate: 10\n", &both));
        let [KeptYaml::ComponentKey { content: of, text }] = kept.as_slice() else { panic!("{kept:?}") };
        assert_eq!((of.as_str(), text.as_str()), (content, "note: 2\n"));
        assert!(findings.iter().any(|finding| finding.contains("warning[same-component]")), "{findings:?}");
    }
}

#[test]
fn components_of_unknown_types_with_their_frames() {
    let unknown = "  - type: MultiVector3Seq\n    content: Forces\n    frames:\n      - [ [ 1, 2, 3 ] ]\n      # last\n      - [ [ 4, 5, 6 ] ]\n";
    let expected =
        "type: MultiVector3Seq\ncontent: Forces\nframes:\n  - [ [ 1, 2, 3 ] ]\n  # last\n  - [ [ 4, 5, 6 ] ]\n";
    for text in [format!("{unknown}{JOINTS}"), format!("{JOINTS}{unknown}"), format!("{JOINTS}{unknown}\n# end\n")] {
        let text = version_2("frameRate: 10\n", &text);
        for text in [text.clone(), text.replace('\n', "\r\n"), text.replace("frames:\n", "frames: # c\n")] {
            let expected =
                if text.contains("# c") { expected.replace("frames:", "frames: # c") } else { expected.to_owned() };
            let (kept, findings) = kept(&text);
            assert_eq!(kept, [KeptYaml::Component { text: expected }]);
            assert!(findings.len() == 1 && findings[0].contains("kept unchanged"), "{findings:?}");
        }
    }
}

#[test]
fn json_is_kept_in_its_own_style() {
    let text = r#"{ "type": "CompositeSeq", "formatVersion": 2, "frameRate": 1, "author": { "name": "A" }, "components": [
  { "type": "Forces", "frames": [ [ 1 ],
    [ 2 ] ] },
  { "type": "Vector3Seq", "content": "ZMP", "unit": "m", "frames": [ [ 1, 2, 3 ] ] } ] }"#;
    let (kept, _) = kept(text);
    let forces = "{ \"type\": \"Forces\", \"frames\": [ [ 1 ],\n  [ 2 ] ] }\n".to_owned();
    assert_eq!(
        kept,
        [
            KeptYaml::Component { text: forces },
            KeptYaml::ComponentKey { content: "ZMP".to_owned(), text: "\"unit\": \"m\"\n".to_owned() },
            top("\"author\": { \"name\": \"A\" }\n"),
        ]
    );
}

#[test]
fn content_that_depends_on_the_file_is_left_out_with_a_warning() {
    let text = version_2("frameRate: &rate 10\nother: *rate\nlist: [ *rate ]\nfine: 1\n", JOINTS);
    let (kept, findings) = kept(&text);
    assert_eq!(kept, [top("fine: 1\n")]);
    let lost: Vec<_> = findings.iter().filter(|finding| finding.contains("warning[not-kept]")).collect();
    assert!(lost.len() == 2 && lost[0].starts_with("m.seq:5:1:") && lost[1].starts_with("m.seq:6:1:"), "{findings:?}");
}

/// YAML passes over a byte order mark at the start of a line, but nowhere else, and unknown content is written in
/// another column: `p` was no longer below `gain`, and a mark in the last line was an error.
#[test]
fn a_byte_order_mark_in_unknown_content_moved_when_it_was_written() {
    let below = JOINTS.replace("    frames", "    gain:\n\u{feff}     p: 1\n    frames");
    let named = JOINTS.replace("    frames", "    \u{feff}gain: 1\n    frames");
    let last = format!("{JOINTS}  -\n    type: Forces\n\u{feff}\n");
    for (components, lost) in [
        (below, "m.seq:10:5:"),
        (named, "m.seq:10:5:"),
        (last.replace("\n\u{feff}", "\n\u{feff}# end"), "m.seq:13:5:"),
        (last, "m.seq:13:5:"),
    ] {
        let (kept, findings) = kept(&version_2("frameRate: 10\n", &components));
        assert_eq!(kept, []);
        let warned = |finding: &String| finding.starts_with(lost) && finding.contains("warning[not-kept]");
        assert!(findings.iter().any(warned), "{components}{findings:?}");
    }
    let inside = JOINTS.replace("    frames", "    note: \"\u{feff}\"\n    frames");
    let text = "note: \"\u{feff}\"\n".to_owned();
    let content = "JointDisplacement".to_owned();
    assert_eq!(kept(&version_2("frameRate: 10\n", &inside)).0, [KeptYaml::ComponentKey { content, text }]);
}

/// The last lines of a block scalar can look like comments, or be empty, and still be a part of the value.
#[test]
fn last_lines_of_a_value_that_look_like_comments_are_kept() {
    for value in [
        "note: |\n  # heading\n",
        "note: |\n  text\n\n  # end\n",
        "note: >-\n  # folded\n",
        "more:\n  - x: |\n      # inside\n",
        "more:\n  x: |+\n    text\n\n\n",
        "note: |+\n  text\n\n",
        "note: \"a\n  # b\"\n",
        "more:\n  x: \"a\n  # b\"\n",
        "more:\n  - 'a\n# b'\n",
    ] {
        for next in ["", "# components\n"] {
            let file = version_2(&format!("frameRate: 10\n{value}{next}"), JOINTS);
            assert_eq!(kept(&file).0, [top(value)]);
        }
        let indented =
            format!("    {}\n", value.trim_end_matches('\n').replace('\n', "\n    ")).replace("    \n", "\n");
        let blank = &value[value.trim_end_matches('\n').len() + 1..];
        let indented = indented + blank;
        let content = "JointDisplacement".to_owned();
        let key = KeptYaml::ComponentKey { content, text: value.to_owned() };
        let file = version_2("frameRate: 10\n", &JOINTS.replace("    frames", &format!("{indented}    frames")));
        assert_eq!(kept(&file).0, [key], "{file}");
        let file = version_2("frameRate: 10\n", &format!("{JOINTS}  -\n    type: Forces\n{indented}"));
        assert_eq!(kept(&file).0, [KeptYaml::Component { text: format!("type: Forces\n{value}") }], "{file}");
    }
}

#[test]
fn frames_at_the_top_level_are_reported_and_the_motion_can_be_written() {
    let head = "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: 100\n";
    let joints = "components:\n  -\n    type: MultiValueSeq\n    content: JointDisplacement\n    numParts: 1\n    \
                  frames:\n      - [ 1 ]\n      - [ 2 ]\n";
    for text in [
        format!("{head}frames:\n  - [ 1 ]\n{joints}"),
        format!("{head}frames: [ [ 1 ] ]\n{joints}"),
        format!("{head}{joints}frames:\n- [ 1 ]\n"),
        format!("{head}{joints}    components: [ 1 ]\n"),
    ] {
        let reporter = bunraku_document::Reporter::new();
        let source = bunraku_document::SourceFile::from_text("m.seq", text.as_str());
        let motion = bunraku_motion::BodyMotion::read(&source, &reporter).unwrap();
        let findings: Vec<_> = reporter.into_diagnostics().iter().map(ToString::to_string).collect();
        assert!(findings.len() == 1 && findings[0].contains("warning[misplaced-key]"), "{text}{findings:?}");
        assert_eq!((motion.num_frames(), motion.kept.len()), (2, 0));
        let file = tempfile::NamedTempFile::new().unwrap();
        motion.save(file.path()).unwrap();
    }
}

#[test]
fn an_unknown_key_of_ten_megabytes_takes_memory_in_proportion() {
    // Nodes of a tree take about ninety bytes for each of these numbers.
    for (list, most) in [("1, ".repeat(3_500_000), 8), ("\n  - 1".repeat(1_700_000), 16)] {
        let value = if list.starts_with('1') { format!("[ {list} ]") } else { list };
        let text = version_2(&format!("frameRate: 10\nmine: {value}\n"), JOINTS);
        let (cost, (kept, findings)) = allocations(|| kept(&text));
        assert_eq!((kept.len(), findings.len()), (1, 1), "{findings:?}");
        assert!(cost.peak < most * text.len(), "{} bytes for a text of {}", cost.peak, text.len());
    }
}
