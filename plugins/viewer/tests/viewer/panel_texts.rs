//! Texts of each panel: without bodies, with one link, sixty links, a task and problems. Images of panels would depend
//! on driver and fonts; roles, labels and values do not.

use std::fmt::Write;

use bevy::prelude::Entity;
use bevy_egui::egui::accesskit::Role;
use bunraku_body::{Drive, LinkIndex};
use bunraku_document::Severity;
use bunraku_task::Control;
use bunraku_task::designer::{Pattern, design};
use bunraku_task::model::StateId;
use bunraku_viewer::panels::Panel;
use bunraku_viewer::view::{Problem, Selection, ShownTask, TaskProgress};
use egui_kittest::kittest::NodeT;
use egui_tiles::Tree;

use crate::panels::{Bench, body};

/// A line for each widget with a text.
fn lines(harness: &egui_kittest::Harness<'_, Bench>) -> Vec<String> {
    let root = harness.root();
    let nodes = root.children_recursive();
    let line = |node: egui_kittest::Node<'_>| {
        let node = node.accesskit_node();
        if node.role() == Role::TextRun {
            return None;
        }
        let (label, value) = (node.label().unwrap_or_default(), node.value().unwrap_or_default());
        let text = match (label.is_empty(), value.is_empty() || value == label) {
            (true, true) => return None,
            (_, true) => label,
            (true, false) => value,
            (false, false) => format!("{label} = {value}"),
        };
        let mark = if node.is_selected() == Some(true) { ", selected" } else { "" };
        Some(format!("{:?}{mark}: {}", node.role(), text.replace('\n', " ")))
    };
    nodes.into_iter().filter_map(line).collect()
}

/// Texts that a panel adds to the time line above it.
fn texts(mut bench: Bench, panels: &[Panel]) -> String {
    bench.desk.kept.layout = Tree::new_tabs("panels", vec![Panel::View]);
    let mut harness = bench.harness();
    harness.run_ok();
    let bar = lines(&harness);
    let mut text = format!("# Time line\n{}\n", bar.join("\n"));
    for panel in panels {
        harness.state_mut().desk.kept.layout = Tree::new_tabs("panels", vec![*panel]);
        harness.run_ok();
        let mut around = bar.clone();
        let _ = writeln!(text, "\n# {}", panel.title());
        for line in lines(&harness) {
            match around.iter().position(|known| *known == line) {
                Some(index) => drop(around.remove(index)),
                None => {
                    let _ = writeln!(text, "{line}");
                }
            }
        }
    }
    text
}

#[test]
fn panel_texts_match_their_snapshots() {
    let entity = Entity::from_bits(7);
    insta::assert_snapshot!("no_body", texts(Bench::new(vec![]), &Panel::ALL));
    let mut bench = Bench::new(vec![body(1, Drive::Static)]);
    bench.shown.selection = Some(Selection::body(entity));
    insta::assert_snapshot!("one_link", texts(bench, &Panel::ALL));
    let mut bench = Bench::new(vec![body(60, Drive::Physics)]);
    bench.shown.selection = Some(Selection::link(entity, LinkIndex(59)));
    insta::assert_snapshot!("sixty_links", texts(bench, &Panel::ALL));
    let mut bench = Bench::new(vec![]);
    bench.shown.problems.push(Problem {
        severity: Severity::Error,
        code: "unknown-joint".to_owned(),
        message: "`Arm` has no joint `ELBOW`".to_owned(),
        place: "arm.scene.yaml:7:3".to_owned(),
        help: Some("did you mean `ELBOW_Y`?".to_owned()),
    });
    bench.shown.tasks.push(ShownTask {
        robot: entity,
        robot_name: "Arm".to_owned(),
        task: design(Pattern::PickPlace, "fetch", ""),
        current: Some(StateId(4)),
        control: Control::Run,
        progress: TaskProgress::Going,
    });
    insta::assert_snapshot!("task_and_problems", texts(bench, &[Panel::Task, Panel::Problems]));
}
