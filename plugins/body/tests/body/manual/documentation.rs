//! `docs/reference/body-format.md` lists exactly the keys that the examples cover.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::tables::table_rows;
use crate::manual::{examples, exercised, manual_keys};

/// A row of a table: a key of a node.
struct Row {
    node: String,
    key: String,
    /// Other spellings, in parentheses after the key.
    aliases: BTreeSet<String>,
    /// The manual, Choreonoid and Bunraku.
    cells: Vec<String>,
}

/// Words in backticks of the first cell: each key with the words in parentheses after it.
fn keys(cell: &str) -> Vec<(String, BTreeSet<String>)> {
    let mut keys: Vec<(String, BTreeSet<String>)> = Vec::new();
    let mut inside = false;
    for (number, part) in cell.split('`').enumerate() {
        if number % 2 == 0 {
            for letter in part.chars() {
                match letter {
                    '(' => inside = true,
                    ')' => inside = false,
                    _ => {}
                }
            }
        } else if inside {
            keys.last_mut().unwrap().1.insert(part.to_owned());
        } else {
            keys.push((part.to_owned(), BTreeSet::new()));
        }
    }
    keys
}

/// The rows of all tables, one for each key.
fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for row in table_rows("body-format.md") {
        for (key, aliases) in keys(&row.keys) {
            rows.push(Row { node: row.node.clone(), key, aliases, cells: row.cells.clone() });
        }
    }
    rows
}

#[test]
fn every_key_of_the_manual_has_a_row() {
    let rows = rows();
    let manual: BTreeSet<_> = manual_keys::pairs().collect();
    let documented: BTreeSet<_> = rows.iter().map(|row| (row.node.as_str(), row.key.as_str())).collect();
    let missing: Vec<_> = manual.difference(&documented).collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
    for row in &rows {
        let name = format!("{}.{}", row.node, row.key);
        let in_manual = manual.contains(&(row.node.as_str(), row.key.as_str()));
        assert_eq!(row.cells[0] != "—", in_manual, "{name}: the column of the manual says {}", row.cells[0]);
    }
}

#[test]
fn every_row_has_an_example_and_every_example_a_row() {
    let rows = rows();
    let documented: BTreeSet<_> = rows.iter().map(|row| (row.node.as_str(), row.key.as_str())).collect();
    let exercised = exercised();
    assert_eq!(documented.difference(&exercised).collect::<Vec<_>>(), [] as [&(&str, &str); 0], "without an example");
    assert_eq!(exercised.difference(&documented).collect::<Vec<_>>(), [] as [&(&str, &str); 0], "without a row");
    assert_eq!(documented.len(), rows.len(), "a key has two rows");
}

#[test]
fn other_spellings_and_angles_are_those_of_the_examples() {
    let mut shown: BTreeMap<(String, String), (BTreeSet<String>, bool)> = BTreeMap::new();
    for example in examples() {
        let entry = shown.entry((example.node.to_owned(), example.key.to_owned())).or_default();
        entry.0.extend(example.aliases.iter().map(|&alias| alias.to_owned()));
        entry.1 |= example.is_angle;
    }
    let mut wrong = Vec::new();
    for row in rows() {
        let name = format!("{}.{}", row.node, row.key);
        let (aliases, is_angle) = &shown[&(row.node, row.key)];
        if &row.aliases != aliases {
            wrong.push(format!("{name} is also {aliases:?}, but the row says {:?}", row.aliases));
        }
        if row.cells[2].contains('∠') != *is_angle {
            wrong.push(format!("{name} is {} angle", if *is_angle { "an" } else { "no" }));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
