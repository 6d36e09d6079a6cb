//! `docs/reference/openhrp-format.md` lists exactly the fields that the examples cover.

use std::collections::BTreeSet;

use super::{declared, exercised, vrml_nodes};

use crate::common::tables::table_rows;

/// A row of a table: a field of a node, or a node of VRML97.
struct Row {
    node: String,
    field: String,
    /// The manual, Choreonoid and Bunraku.
    cells: Vec<String>,
}

/// The rows of all tables, one for each field.
fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for row in table_rows("openhrp-format.md") {
        // Every second part is in backticks.
        for field in row.keys.split('`').skip(1).step_by(2) {
            rows.push(Row { node: row.node.clone(), field: field.to_owned(), cells: row.cells.clone() });
        }
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
