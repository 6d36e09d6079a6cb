//! A table with named columns, of integers, numbers or texts.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::common::Failure;

/// Rows of named values; a row may have no value in a column.
#[derive(Debug, Default)]
pub struct Table {
    pub columns: Vec<Column>,
    /// Index of each column.
    by_name: BTreeMap<String, usize>,
    pub num_rows: usize,
}

#[derive(Debug)]
pub struct Column {
    pub name: String,
    /// By row; shorter than the table if the last rows have none.
    cells: Vec<Option<Value>>,
}

/// The cells of a column by row, of the narrowest kind that has them all.
#[derive(Debug, PartialEq)]
pub enum Cells {
    Integers(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
}

impl Table {
    pub fn begin_row(&mut self) {
        self.num_rows += 1;
    }

    /// Sets a value of the last row. The parts of mappings, and of lists of single values, are in columns of their own,
    /// `name.part`; of a list of mappings only the number of items is kept.
    pub fn set(&mut self, name: &str, value: &Value) {
        match value {
            Value::Null => {}
            Value::Object(parts) => parts.iter().for_each(|(part, value)| self.set(&format!("{name}.{part}"), value)),
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_string()) => {
                self.set(name, &Value::from(items.len()));
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| self.set(&format!("{name}.{index}"), item));
            }
            scalar => {
                let row = self.num_rows.saturating_sub(1);
                let index = *self.by_name.entry(name.to_owned()).or_insert(self.columns.len());
                if index == self.columns.len() {
                    self.columns.push(Column { name: name.to_owned(), cells: Vec::new() });
                }
                if let Some(column) = self.columns.get_mut(index) {
                    column.cells.resize(row + 1, None);
                    column.cells[row] = Some(scalar.clone());
                }
            }
        }
    }

    /// The table as text, with a line for the names.
    ///
    /// # Errors
    /// Never, as far as is known: it is written to memory.
    pub fn to_csv(&self) -> Result<Vec<u8>, Failure> {
        let failed = |error: String| Failure::Message(format!("the table cannot be written: {error}"));
        let mut csv = csv::Writer::from_writer(Vec::new());
        let mut written = csv.write_record(self.columns.iter().map(|column| &column.name));
        for row in 0..self.num_rows {
            let cells = self.columns.iter().map(|column| match column.cells.get(row) {
                Some(Some(Value::String(text))) => text.clone(),
                Some(Some(value)) => value.to_string(),
                Some(None) | None => String::new(),
            });
            written = written.and_then(|()| csv.write_record(cells));
        }
        written.map_err(|error| failed(error.to_string()))?;
        csv.into_inner().map_err(|error| failed(error.to_string()))
    }
}

impl Column {
    /// Its cells in a table with this number of rows.
    pub fn cells(&self, num_rows: usize) -> Cells {
        let cells = (0..num_rows).map(|row| self.cells.get(row).and_then(Option::as_ref));
        let all = |is: fn(&Value) -> bool| cells.clone().flatten().all(is);
        if all(|value| value.is_i64()) {
            return Cells::Integers(cells.map(|cell| cell.and_then(Value::as_i64)).collect());
        }
        if all(Value::is_number) {
            return Cells::Numbers(cells.map(|cell| cell.and_then(Value::as_f64)).collect());
        }
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Cells::Texts(cells.map(|cell| cell.map(text)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_of_values_are_columns() {
        let mut table = Table::default();
        table.begin_row();
        table.set("a", &json!(1));
        table.begin_row();
        table.set("a", &json!(2.5));
        table.set("end", &json!({ "x": [1, 2], "names": ["p", "q"], "none": null }));
        table.set("joints", &json!([{ "j": 1 }, { "j": 2 }]));
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["a", "end.x.0", "end.x.1", "end.names", "joints"]);
        assert_eq!(table.columns[0].cells(2), Cells::Numbers(vec![Some(1.0), Some(2.5)]));
        assert_eq!(table.columns[4].cells(2), Cells::Integers(vec![None, Some(2)]));
        let csv = String::from_utf8(table.to_csv().ok().unwrap()).unwrap();
        assert_eq!(csv, "a,end.x.0,end.x.1,end.names,joints\n1,,,,\n2.5,1,2,2,2\n");
    }
}
