//! `docs/reference/results.md` has exactly the keys and columns that the program writes.

use std::collections::BTreeSet;
use std::fs;

use super::pages::root;

/// The names of the public fields of a struct in a source file, apart from those that are not serialized.
fn fields(file: &str, structure: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let start = text.find(&format!("pub struct {structure} {{")).unwrap_or_else(|| panic!("no {structure} in {file}"));
    let body = text[start..].split("\n}").next().unwrap();
    let mut is_skipped = false;
    let mut names = BTreeSet::new();
    for line in body.lines().map(str::trim) {
        match line.strip_prefix("pub ").and_then(|line| line.split_once(':')) {
            Some((name, _)) if !is_skipped => _ = names.insert(name.to_owned()),
            _ => is_skipped = line == "#[serde(skip)]",
        }
    }
    names
}

/// The names of the variants of an enum in a source file, in snake case.
fn variants(file: &str, name: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let start = text.find(&format!("pub enum {name} {{")).unwrap();
    let body = text[start..].split("\n}").next().unwrap();
    let lines =
        body.lines().filter_map(|line| line.strip_prefix("    ")).filter(|line| line.starts_with(char::is_uppercase));
    let snake = |line: &str| {
        let letters = line.chars().take_while(|letter| letter.is_alphanumeric()).enumerate();
        letters.fold(String::new(), |mut name, (at, letter)| {
            if at > 0 && letter.is_uppercase() {
                name.push('_');
            }
            name.push(letter.to_ascii_lowercase());
            name
        })
    };
    lines.map(snake).collect()
}

/// The names in the first cells of the table below a heading, or below a line that begins with `| key of`.
fn rows(page: &str, start: &str) -> BTreeSet<String> {
    let rest = &page[page.find(start).unwrap_or_else(|| panic!("no {start}"))..];
    let rows = rest.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|')).skip(2);
    let cells = rows.flat_map(|row| row.split('|').nth(1).unwrap().split(", ").collect::<Vec<_>>());
    cells.map(|cell| cell.trim().trim_matches('`').to_owned()).collect()
}

#[test]
fn the_page_of_results_has_the_keys_that_are_written() {
    let page = fs::read_to_string(root().join("docs/reference/results.md")).unwrap();
    let mut summary = fields("src/cli/run/summary.rs", "Summary");
    assert!(summary.remove("speed"), "speed is printed only");
    assert_eq!(rows(&page, "## `summary.json`"), summary);
    assert_eq!(rows(&page, "| key of `speed` |"), fields("src/cli/run/summary.rs", "Speed"));
    assert_eq!(rows(&page, "### `task`"), fields("src/cli/run/task_summary.rs", "TaskSummary"));
    assert_eq!(rows(&page, "### `hands`"), variants("plugins/scene/src/hand.rs", "HandAct"));
    let source = fs::read_to_string(root().join("plugins/sensors/src/plugin/contact_log.rs")).unwrap();
    let header = source.split("rows.push(\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(rows(&page, "## `<body>.contacts.csv`"), header.split(',').map(str::to_owned).collect());
}
