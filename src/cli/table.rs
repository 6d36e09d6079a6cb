//! Tables over time (`.csv`), which runs write in addition to motions.

use std::path::Path;

use bunraku::motion::Channel;

use super::common::Failure;

/// The name of a column and its unit. The unit is in brackets behind the name (`ax [m/s^2]`), or else behind the last
/// dot, or absent.
fn name_and_unit(column: &str) -> (&str, &str) {
    match column.strip_suffix(']').and_then(|column| column.split_once(" [")) {
        Some((name, unit)) => (name, unit),
        None => (column, column.rsplit_once('.').map_or("", |(_, unit)| unit)),
    }
}

/// The numeric columns except `time`.
///
/// # Errors
/// If the file cannot be read, or has no such column.
pub fn channels(path: &Path) -> Result<Vec<Channel>, Failure> {
    let failed = |error: String| Failure::Message(format!("cannot read the table: {error}: {}", path.display()));
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_path(path)
        .map_err(|error| failed(error.to_string()))?;
    let names: Vec<String> =
        reader.headers().map_err(|error| failed(error.to_string()))?.iter().map(str::to_owned).collect();
    let Some(time) = names.iter().position(|name| name_and_unit(name).0 == "time") else {
        return Err(failed("it has no column `time`".to_owned()));
    };
    let mut channels: Vec<Channel> = names
        .iter()
        .map(|column| name_and_unit(column))
        .map(|(name, unit)| Channel { name: name.to_owned(), unit: unit.to_owned(), points: Vec::new() })
        .collect();
    for row in reader.records() {
        let row = row.map_err(|error| failed(error.to_string()))?;
        let number = |index: usize| row.get(index).and_then(|cell| cell.parse::<f64>().ok());
        let Some(time) = number(time) else { continue };
        for (index, channel) in channels.iter_mut().enumerate() {
            channel.points.push((time, number(index).unwrap_or(f64::NAN)));
        }
    }
    channels.remove(time);
    // Columns of text, such as the names of links, cannot be plotted.
    channels.retain(|channel| channel.points.is_empty() || channel.points.iter().any(|point| point.1.is_finite()));
    Ok(channels)
}
