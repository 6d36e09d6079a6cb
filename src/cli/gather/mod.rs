//! `bunraku gather`: the summaries of a sweep as one table.

mod parquet;
mod table;

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use self::table::Table;
use super::common::Failure;
use super::messages;
use super::output::{document, line};
use super::sweep::{Outcome, Sweep};

/// Write the summaries of a sweep as one table, .csv and .parquet
///
/// A row for each run of the manifest: its number, its values, whether it is `done`, `failed` or `missing`, and all
/// numbers and texts of its summary.json. A column of the table is named after where its value is in the summary:
/// `end.Rover.translation.0`.
#[derive(Args)]
pub struct GatherArgs {
    /// The directory of a sweep
    directory: PathBuf,
    /// The table, and beside it the same with `.parquet` for its ending [default: DIR/summary.csv]
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
    /// Print what came of it as one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

/// Parts of a summary that are not results of the run: they are in the manifest, or the same in all runs.
const LEFT_OUT: [&str; 8] = ["program", "scene", "solver", "files", "unfinished", "repeat", "sha256", "resolved_scene"];

pub fn gather(arguments: &GatherArgs) -> Result<(), Failure> {
    let sweep = Sweep::read(&arguments.directory)?;
    let mut table = Table::default();
    let (mut missing, mut failed) = (0, 0);
    for row in &sweep.rows {
        table.begin_row();
        table.set("run", &json!(row.number));
        if let Some(seed) = row.seed {
            table.set("seed", &json!(seed));
        }
        for (path, value) in sweep.paths.iter().zip(&row.values) {
            table.set(
                path,
                &value.parse().ok().and_then(serde_json::Number::from_f64).map_or(json!(value), json_number),
            );
        }
        let outcome = sweep.outcome(row);
        let status = match &outcome {
            Outcome::Missing => "missing",
            Outcome::Ended(summary) if summary.get("failure").is_none() => "done",
            Outcome::Ended(_) | Outcome::Failed(_) => "failed",
        };
        missing += usize::from(status == "missing");
        failed += usize::from(status == "failed");
        table.set("status", &json!(status));
        match outcome {
            Outcome::Ended(serde_json::Value::Object(summary)) => {
                for (key, value) in summary.iter().filter(|(key, _)| !LEFT_OUT.contains(&key.as_str())) {
                    table.set(key, value);
                }
            }
            Outcome::Failed(reason) => table.set("failure", &json!(reason)),
            Outcome::Ended(_) | Outcome::Missing => {}
        }
        if !row.sha256.is_empty() {
            table.set("sha256", &json!(row.sha256));
        }
    }
    let csv = arguments.out.clone().unwrap_or_else(|| arguments.directory.join("summary.csv"));
    if csv.extension().is_none_or(|ending| ending != "csv") {
        return Err(Failure::Usage(format!("the table must end in `.csv`: {}", csv.display())));
    }
    let files = [(csv.clone(), table.to_csv()?), (csv.with_extension("parquet"), parquet::bytes(&table))];
    for (path, bytes) in &files {
        write(path, bytes)?;
    }
    if missing > 0 {
        let message = format!(
            "{} not come to an end: `bunraku sweep {}` continues it",
            has(missing),
            arguments.directory.display()
        );
        messages::warning(&message);
    }
    let [csv, parquet] = files.map(|(path, _)| path);
    if arguments.json {
        let runs = sweep.rows.len();
        return document(
            &json!({ "runs": runs, "failed": failed, "missing": missing, "csv": csv, "parquet": parquet }),
        );
    }
    let done = sweep.rows.len() - missing - failed;
    line(format!("runs       {}: {done} done, {failed} failed, {missing} missing", sweep.rows.len()))?;
    line(format!("written    {}", csv.display()))?;
    line(format!("written    {}", parquet.display()))
}

/// A number that is whole as an integer.
fn json_number(number: serde_json::Number) -> serde_json::Value {
    let whole = number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() < 9e15);
    #[allow(clippy::cast_possible_truncation)]
    whole.map_or(serde_json::Value::Number(number), |value| json!(value as i64))
}

fn has(missing: usize) -> String {
    format!("{} {}", messages::count(missing, "run"), if missing == 1 { "has" } else { "have" })
}

fn write(path: &std::path::Path, bytes: &[u8]) -> Result<(), Failure> {
    use std::io::Write;
    bunraku::document::write_atomically(path, |file| file.write_all(bytes))
        .map_err(|error| Failure::Message(format!("cannot write the table: {error}: {}", path.display())))
}
