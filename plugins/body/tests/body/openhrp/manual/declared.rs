//! Declarations of the manual: nodes, fields and default values.

use std::collections::BTreeSet;

use crate::openhrp::{Files, PROTOS};

/// Declarations of the manual, unchanged except for white space and comments.
const DECLARATIONS: &str = include_str!("declarations.wrl");

/// Fields that the manual describes but does not declare.
const DESCRIBED: &[(&str, &str)] = &[("Joint", "gearEfficiency")];

/// Lines that declare fields, each with its node.
fn lines(text: &str) -> Vec<(&str, &str)> {
    let mut node = "";
    let mut lines = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["PROTO", name, ..] => node = name,
            ["field" | "exposedField" | "eventIn", ..] => lines.push((node, line)),
            _ => {}
        }
    }
    lines
}

fn name(line: &str) -> &str {
    line.split_whitespace().nth(2).unwrap()
}

/// Each node of the manual with each of its fields.
pub fn pairs() -> BTreeSet<(&'static str, &'static str)> {
    let declared = lines(DECLARATIONS).into_iter().map(|(node, line)| (node, name(line)));
    declared.chain(DESCRIBED.iter().copied()).collect()
}

/// A model with one node of each type, which sets only mandatory fields.
const MODEL: &str = r#"DEF ROBOT Humanoid { humanoidBody DEF BASE Joint { jointType "fixed" children [
  DEF A Joint { jointType "rotate" } DEF B Joint { jointType "slide" }
  DEF PART Segment { children Shape { geometry Box { } } }
  AccelerationSensor { } Gyro { } VisionSensor { } ForceSensor { } RangeSensor { }
] } }
ExtraJoint { link1Name "A" link2Name "B" }
"#;

/// Fields without which the model is invalid.
const REQUIRED: &[(&str, &str)] = &[
    ("Humanoid", "humanoidBody"),
    ("Joint", "children"),
    ("Joint", "jointType"),
    ("Segment", "children"),
    ("ExtraJoint", "link1Name"),
    ("ExtraJoint", "link2Name"),
];

/// The declarations without one field and all references to it.
fn without(node: &str, field: &str) -> String {
    let mut inside = false;
    let mut left = String::new();
    for line in PROTOS.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["PROTO", name, ..] = words.as_slice() {
            inside = *name == node;
        }
        let declares = words.len() > 2 && words[2] == field;
        if !(inside && (declares && words[0] != "PROTO")) {
            left += line;
            left.push('\n');
        }
    }
    left
}

/// First difference between two texts, ignoring the rounding of numbers in the manual (0.785398 for 45°).
fn difference(first: &str, second: &str) -> Option<String> {
    let words = |text: &str| -> Vec<String> {
        text.split(|letter: char| !letter.is_alphanumeric() && !".-_".contains(letter)).map(str::to_owned).collect()
    };
    let (first, second) = (words(first), words(second));
    let number = |word: &str| word.parse::<f64>().ok();
    let near = |first: &str, second: &str| match (number(first), number(second)) {
        (Some(first), Some(second)) => first == second || (first - second).abs() < 1e-5,
        _ => first == second,
    };
    let at = (0..first.len().max(second.len())).find(|&at| match (first.get(at), second.get(at)) {
        (Some(first), Some(second)) => !near(first, second),
        _ => true,
    })?;
    let around = |words: &[String]| words[at.saturating_sub(10).min(words.len())..words.len().min(at + 1)].join(" ");
    Some(format!("{} rather than {}", around(&first), around(&second)))
}

#[test]
fn a_field_that_a_file_does_not_declare_has_the_value_of_the_manual() {
    let files = Files::new();
    let body = |protos: &str| files.write("model.wrl", &format!("{protos}{MODEL}")).load("model.wrl");
    let (whole, findings) = body(PROTOS);
    assert!(findings.is_empty());
    let whole = format!("{:?}", whole.unwrap());
    for (node, field) in pairs().into_iter().filter(|pair| !REQUIRED.contains(pair) && !DESCRIBED.contains(pair)) {
        let (found, findings) = body(&without(node, field));
        let findings = super::example::codes(&findings);
        assert!(findings.iter().all(|code| *code == "missing-field"), "{node}.{field}: {findings:?}");
        let found = format!("{:?}", found.unwrap());
        assert_eq!(difference(&found, &whole), None, "{node}.{field}");
    }
}

/// The declarations were copied by hand. Here they are compared with the manual, if that is available.
#[test]
fn the_declarations_are_those_of_the_manual() {
    let Some(manuals) = bunraku_test_support::manuals() else { return };
    let text = std::fs::read_to_string(manuals.join("openhrp-ja.rst.txt")).unwrap();
    // Blocks are indented. A declaration ends with its block, at the next line without indentation.
    let mut declarations = String::new();
    let mut inside = false;
    for line in text.lines() {
        let at_margin = line.chars().next().is_some_and(|first| !first.is_whitespace());
        inside = (inside || line.trim_start().starts_with("PROTO ")) && !at_margin;
        if inside {
            declarations += line.split('#').next().unwrap_or_default();
            declarations.push('\n');
        }
    }
    let words = |text: &str| -> Vec<String> {
        let spaced = text.replace("[]", "[ ]");
        spaced.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(words(&declarations), words(DECLARATIONS.strip_prefix("#VRML V2.0 utf8\n").unwrap()));

    // Fields that the manual explains, by the headings of the nodes.
    let mut explained = BTreeSet::new();
    let mut node = "";
    for line in text.lines() {
        if let Some(heading) = line.strip_suffix("ノード") {
            node = match heading.trim() {
                "GyroSensor" => "Gyro",
                heading => heading,
            };
        } else if let Some(field) = line.trim().strip_prefix("* - ")
            && field.is_ascii()
        {
            explained.insert((node, field));
        }
    }
    let pairs = pairs();
    assert_eq!(explained.difference(&pairs).collect::<Vec<_>>(), [] as [&(&str, &str); 0], "explained, but not here");
    let described: BTreeSet<_> = DESCRIBED.iter().copied().collect();
    assert!(described.is_subset(&explained));
}
