//! The table of the missing parts of a project.

use bunraku::scene::MissingPart;

use super::messages;

/// One line for each part: its kind, its name, the file as the project names it, where it is named, and why it is
/// missing.
pub fn table(missing: &[MissingPart]) -> Vec<String> {
    let cells = |part: &MissingPart| {
        let or_none = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
        let place = part.place.as_ref().map(|place| {
            let span = place.span.map(|span| format!(":{}:{}", span.start.line, span.start.column));
            let file = place.source.path();
            let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
            name + &span.unwrap_or_default()
        });
        [part.kind.as_str().to_owned(), or_none(&part.name), or_none(&part.file), or_none(&place.unwrap_or_default())]
    };
    let rows: Vec<[String; 4]> = missing.iter().map(cells).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3].map(width);
    let line = |(row, part): (&[String; 4], &MissingPart)| {
        let padded = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("  {}  {}", padded.collect::<Vec<_>>().join("  "), part.reason)
    };
    rows.iter().zip(missing).map(line).collect()
}

/// Prints the table to stderr, if anything is missing.
pub fn print(missing: &[MissingPart]) {
    if !missing.is_empty() {
        messages::table(&format!("missing    {}", missing.len()), &table(missing));
    }
}
