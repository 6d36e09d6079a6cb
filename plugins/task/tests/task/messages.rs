//! Messages about invalid tasks: the printed message of each error, stored in `snapshots/`.
//!
//! After a change, `INSTA_UPDATE=always cargo test` rewrites the files. Review the changes as a user who reads the
//! message for the first time.

use bunraku_document::render;

use crate::common::findings;

/// A valid task; each test damages one part of it.
pub const SOUND: &str = r#"- taskName: "fetch"
  comment: ""
  models:
  - name: "cup"
    master_name: "CUP"
    type: Work
    pos: [0.4, 0.2, 0.8, 0, 0, 0]
  states:
  - id: 1
    type: 1
    pos: [0, 0]
  - id: 2
    type: 5
    pos: [100, 0]
    cmd_name: "moveArm"
    disp_name: "Arm"
    arguments:
    - name: "xyz"
      value: "xyz(cupF) + rotFromRpy(rpy(cupF)) * [0, 0, above]"
    - name: "rpy"
      value: "rpy(cupF)"
    - name: "tm"
      value: "1.0"
    - name: "armID"
      value: "handID"
    model_actions:
    - action: "attach"
      model: "cup"
      target: "handID"
  - id: 3
    type: 3
    pos: [200, 0]
    condition: "above > 0.1 && _RESULT"
  - id: 4
    type: 6
    pos: [300, 0]
  - id: 5
    type: 2
    pos: [400, 0]
  transitions:
  - source_id: 1
    target_id: 2
  - source_id: 2
    target_id: 3
  - source_id: 3
    target_id: 4
  - source_id: 3
    target_id: 5
    source_index: 1
  - source_id: 4
    target_id: 5
  parameters:
  - param_type: 2
    name: "above"
    disp_name: "height above the cup"
    values: 0.15
    hide: false
  - param_type: 1
    name: "handID"
    disp_name: "hand"
    values: 0
    hide: false
  - param_type: 3
    name: "cupF"
    disp_name: "cup"
    values: [0.4, 0.2, 0.8, 0, 0, 0]
    model_name: "cup"
    model_param_id: 0
    hide: false
  files: []
  images: []
  model_master:
  - name: "CUP"
    file_name: "cup.wrl"
    features:
    - name: "rim"
      value: "origin + [0, 0, 0.1, 0, 0, 0]"
"#;

#[test]
fn the_sound_task_has_no_finding() {
    let found: Vec<String> = findings(SOUND).iter().map(render::plain).collect();
    assert_eq!(found, Vec::<String>::new());
}

/// Replaces a text of the valid task and compares the messages with the snapshot of this name. Each finding has a line,
/// a column and help.
#[track_caller]
fn spoiled(good: &str, bad: &str, snapshot: &str) {
    assert!(SOUND.contains(good), "{good}");
    let found = findings(&SOUND.replacen(good, bad, 1));
    assert!(!found.is_empty(), "the mistake was not noticed");
    for finding in &found {
        assert!(finding.position().is_some(), "no place: {finding}");
        assert!(finding.help.is_some(), "no help: {finding}");
    }
    insta::assert_snapshot!(snapshot, found.iter().map(render::plain).collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn the_graph_of_states() {
    spoiled("    target_id: 2\n", "    target_id: 22\n", "transition_to_nowhere");
    spoiled("  - id: 4\n", "  - id: 5\n", "state_twice");
    spoiled("  - source_id: 3\n    target_id: 5\n    source_index: 1\n", "", "missing_branch");
    spoiled("    source_index: 1\n", "", "two_true_branches");
    spoiled("  - source_id: 4\n    target_id: 5\n", "", "no_way_on");
    spoiled("  - source_id: 4\n    target_id: 5\n", "  - source_id: 4\n    target_id: 3\n", "loop_without_a_command");
    spoiled("    target_id: 4\n", "    target_id: 2\n", "unreachable_state");
    spoiled("    type: 1\n", "    type: 6\n", "no_initial_state");
    spoiled("    type: 6\n", "    type: 4\n", "fork");
    spoiled("    type: 6\n", "    type: 7\n", "unknown_state_type");
}

#[test]
fn commands_and_their_arguments() {
    spoiled("\"moveArm\"", "\"moveAmr\"", "unknown_command");
    spoiled("name: \"armID\"", "name: \"armId\"", "unknown_argument");
    spoiled("    - name: \"rpy\"\n      value: \"rpy(cupF)\"\n", "", "missing_argument");
    spoiled("value: \"rpy(cupF)\"", "value: \"cupF\"", "argument_of_another_type");
    spoiled(
        "    - name: \"armID\"\n      value: \"handID\"",
        "    - name: \"armID\"\n      value: \"0.5\"",
        "half_an_arm",
    );
    spoiled("value: \"1.0\"", "value: \"\"", "empty_argument");
    spoiled("\"attach\"", "\"atach\"", "unknown_action");
    spoiled("      model: \"cup\"\n", "      model: \"cap\"\n", "action_on_an_unknown_model");
}

#[test]
fn expressions() {
    spoiled("rotFromRpy(rpy", "rotFromRPY(rpy", "unknown_function");
    spoiled("[0, 0, above]\"", "[0, 0, abve]\"", "unknown_name");
    spoiled("[0, 0, above]\"", "[0, 0,\\\n        \\ abve]\"", "unknown_name_in_a_folded_text");
    spoiled("* [0, 0, above]", "- [0, 0, above]", "rotation_minus_vector");
    spoiled("rpy(cupF)) *", "rpy(cupF) *", "unbalanced_parenthesis");
    spoiled("rotFromRpy(rpy", "rotFomrRpy(rpy", "misspelling_of_the_manual");
    spoiled("above > 0.1 && _RESULT", "cupF", "condition_that_is_a_pose");
    spoiled("origin + [0, 0, 0.1, 0, 0, 0]", "cup + [0, 0, 0.1, 0, 0, 0]", "feature_of_a_name");
}

#[test]
fn models_and_parameters() {
    spoiled("master_name: \"CUP\"", "master_name: \"CUPS\"", "unknown_master");
    spoiled("    model_name: \"cup\"\n", "    model_name: \"cups\"\n", "parameter_of_an_unknown_model");
    spoiled("model_param_id: 0", "model_param_id: 3", "parameter_of_an_unknown_feature");
    spoiled("name: \"handID\"\n    disp_name", "name: \"above\"\n    disp_name", "parameter_twice");
    spoiled("param_type: 2", "param_type: 9", "unknown_parameter_type");
    spoiled("values: 0.15", "values: [0.1, 0.2]", "number_that_is_a_list");
    spoiled("    pos: [0.4, 0.2, 0.8, 0, 0, 0]", "    pos: [0.4, 0.2, 0.8]", "pose_of_three_numbers");
    spoiled("parameters:", "paramaters:", "misspelt_key");
    spoiled("taskName", "taskNmae", "no_task");
}

/// The range of a name excludes surrounding parentheses.
#[test]
fn a_name_in_parentheses_is_reported_at_the_name() {
    let found = findings(&SOUND.replacen("value: \"1.0\"", "value: \"1 + ((zz))\"", 1));
    let message = found[0].to_string();
    assert!(message.contains("column 7: there is neither a parameter nor a model `zz`"), "{message}");
    let line = SOUND.lines().position(|line| line.contains("value: \"1.0\"")).unwrap() + 1;
    let position = found[0].position().unwrap();
    assert_eq!((position.line as usize, position.column), (line, 21), "{message}");
    // An operator with wrong types spans both operands, with their parentheses.
    let found = findings(&SOUND.replacen("value: \"1.0\"", "value: \"(cupF) * (xyz(cupF))\"", 1));
    let span = found[0].place.as_ref().unwrap().span.unwrap();
    assert_eq!((span.start.column, span.end.column), (15, 35), "{found:?}");
}

#[test]
fn a_parameter_or_model_named_like_a_number_is_reported() {
    for (good, name) in [("name: \"above\"\n    disp", "inf"), ("name: \"above\"\n    disp", "NaN")] {
        let text = SOUND.replacen(good, &good.replace("above", name), 1).replace("above", name);
        let found = findings(&text);
        let hidden = found.iter().find(|found| found.code == "hidden-name").unwrap_or_else(|| panic!("{found:?}"));
        assert!(hidden.message.contains(&format!("the parameter `{name}` is hidden by a number")), "{hidden}");
        assert!(hidden.position().is_some() && hidden.help.as_ref().is_some_and(|help| help.contains("rename it")));
    }
    let text = SOUND.replace("\"cup\"", "\"infinity\"");
    assert!(findings(&text).iter().any(|found| found.message == "the model `infinity` is hidden by a number"));
    let text = SOUND.replace("above", "nan_above");
    assert_eq!(findings(&text).len(), 0, "whole names alone are numbers");
}
