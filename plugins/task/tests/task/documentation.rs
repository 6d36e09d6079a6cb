//! The page on tasks matches the code, and our own files have no findings.

use std::path::Path;

use bunraku_body::LoadOptions;
use bunraku_document::{Reporter, SourceFile};
use bunraku_task::commands::COMMANDS;
use bunraku_task::designer::Pattern;
use bunraku_task::expression::Function;
use bunraku_task::robot::read_mapping;

use crate::arms::assets;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/task-format.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn every_command_function_and_pattern_is_on_the_page() {
    let page = page();
    let commands = COMMANDS.iter().map(|command| command.name);
    let functions = Function::ALL.into_iter().map(Function::name);
    for name in commands.chain(functions).chain(Pattern::ALL.into_iter().map(Pattern::name)) {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
    for formal in
        COMMANDS.iter().filter(|command| !command.name.starts_with("recognize")).flat_map(|found| found.formals)
    {
        let optional = matches!(formal.name, "torque" | "max_depth");
        assert!(optional || page.contains(&format!("`{}`", formal.name)), "{}", formal.name);
    }
}

#[test]
fn the_mapping_on_the_page_can_be_read() {
    let page = page();
    let example = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let reporter = Reporter::new();
    let mapping = read_mapping(&SourceFile::from_text("page.yaml", example), &reporter);
    assert_eq!(reporter.into_diagnostics().len(), 0);
    let mapping = mapping.unwrap();
    assert_eq!((mapping.tools.len(), mapping.grippers.len()), (1, 1));
    assert_eq!(mapping.torso.unwrap().0, "CHEST");
}

#[test]
fn our_models_are_plausible() {
    for name in ["arm", "table", "block"] {
        let reporter = Reporter::strict();
        let options = LoadOptions { check_plausibility: true, ..LoadOptions::default() };
        let body = bunraku_body::load(&assets(&format!("models/{name}.body")), &options, &reporter);
        let found: Vec<String> = reporter.into_diagnostics().iter().map(ToString::to_string).collect();
        assert_eq!((found, body.is_some()), (Vec::new(), true), "{name}");
    }
}
