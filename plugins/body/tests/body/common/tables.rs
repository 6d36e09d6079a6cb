//! Parser of the tables in the documents on file formats.

use std::path::Path;

/// A row of a table below a third-level heading, which is the name of a node.
pub struct TableRow {
    pub node: String,
    /// The first cell, with the keys of the node in backticks.
    pub keys: String,
    /// The manual, Choreonoid and Bunraku.
    pub cells: Vec<String>,
}

/// The rows of all tables of a file in `docs/reference/`.
#[track_caller]
pub fn table_rows(document: &str) -> Vec<TableRow> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(document);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut rows = Vec::new();
    let mut node = String::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix('#') {
            node = heading.strip_prefix("## ").unwrap_or_default().to_owned();
        }
        let Some(inner) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) else { continue };
        let mut cells = inner.split('|').map(|cell| cell.trim().to_owned());
        let keys = cells.next().unwrap_or_default();
        if node.is_empty() || !keys.starts_with('`') {
            continue;
        }
        let cells: Vec<_> = cells.collect();
        assert_eq!(cells.len(), 3, "{node}: {keys}: {cells:?}");
        assert!(cells.iter().all(|cell| !cell.is_empty()), "{node}: {keys} has an empty cell");
        rows.push(TableRow { node: node.clone(), keys, cells });
    }
    rows
}
