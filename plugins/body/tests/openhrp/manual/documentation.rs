//! `docs/openhrp-format.md` says what the examples show, no more and no less.

use std::collections::BTreeSet;
use std::path::Path;

use super::{declared, exercised, vrml_nodes};

/// A row of a table: a field of a node, or a node of VRML97.
struct Row {
    node: String,
    field: String,
    /// What the manual says, what Choreonoid does, what Bunraku does.
    cells: Vec<String>,
}

/// The rows of all tables below headings of the third level, which are the names of nodes.
fn rows() -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openhrp-format.md");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut rows = Vec::new();
    let mut node = String::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix('#') {
            node = heading.strip_prefix("## ").unwrap_or_default().to_owned();
        }
        let Some(inner) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) else { continue };
        let cells: Vec<String> = inner.split('|').map(|cell| cell.trim().to_owned()).collect();
        if node.is_empty() || !cells[0].starts_with('`') {
            continue;
        }
        // Every other part is in backticks.
        for field in cells[0].split('`').skip(1).step_by(2) {
            rows.push(Row { node: node.clone(), field: field.to_owned(), cells: cells[1..].to_vec() });
        }
    }
    for row in &rows {
        let name = format!("{}.{}", row.node, row.field);
        assert_eq!(row.cells.len(), 3, "{name}: {:?}", row.cells);
        assert!(row.cells.iter().all(|cell| !cell.is_empty()), "{name} has an empty cell");
    }
    rows
}

/// The heading of the table of standard nodes.
const STANDARD: &str = "VRML97";

#[test]
fn every_field_of_the_manual_has_a_row() {
    let rows: Vec<Row> = rows().into_iter().filter(|row| row.node != STANDARD).collect();
    let manual = declared::pairs();
    let documented: BTreeSet<_> = rows.iter().map(|row| (row.node.as_str(), row.field.as_str())).collect();
    let missing: Vec<_> = manual.difference(&documented).collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
    for row in &rows {
        let in_manual = manual.contains(&(row.node.as_str(), row.field.as_str()));
        assert_eq!(row.cells[0] != "—", in_manual, "{}.{}: the manual's column is wrong", row.node, row.field);
    }
}

#[test]
fn every_row_has_an_example_and_every_example_a_row() {
    let rows = rows();
    let documented: BTreeSet<_> = rows.iter().map(|row| (row.node.as_str(), row.field.as_str())).collect();
    let mut exercised = exercised();
    exercised.extend(vrml_nodes::names().map(|name| (STANDARD, name)));
    assert_eq!(documented.difference(&exercised).collect::<Vec<_>>(), [] as [&(&str, &str); 0], "without an example");
    assert_eq!(exercised.difference(&documented).collect::<Vec<_>>(), [] as [&(&str, &str); 0], "without a row");
    assert_eq!(documented.len(), rows.len(), "a field has two rows");
}
