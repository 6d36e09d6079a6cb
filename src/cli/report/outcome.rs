//! The table of a run's origin and outcome, and its warnings.

use serde_json::Value;

/// Origin and outcome of a run, from its summary.
#[derive(Default)]
pub(super) struct Outcome {
    /// Label and text of each row.
    pub(super) rows: Vec<[String; 2]>,
    pub(super) warnings: Vec<String>,
    pub(super) failure: Option<String>,
}

impl Outcome {
    pub(super) fn of(summary: &Value) -> Self {
        let mut rows = Vec::new();
        let mut row = |label: &str, text: String| rows.push([label.to_owned(), text]);
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        for (key, label, unit) in [
            ("scene", "scene", ""),
            ("program", "program", ""),
            ("simulated_time", "simulated", " s"),
            ("steps", "steps", ""),
            ("time_step", "time step", " s"),
        ] {
            if let Some(value) = summary.get(key) {
                // A multiple of a time step has digits that mean nothing.
                let time = value.as_f64().filter(|_| key == "simulated_time").map(|time| format!("{time:.4}"));
                row(label, time.unwrap_or_else(|| text(value)) + unit);
            }
        }
        if let Some(solver) = summary.get("solver") {
            let parts =
                ["joints", "contacts"].iter().filter_map(|key| Some(format!("{key}: {}", solver.get(*key)?.as_str()?)));
            row("solver", parts.collect::<Vec<_>>().join(", "));
        }
        let entries = |key: &str| summary.get(key).and_then(Value::as_object).into_iter().flatten();
        for (law, error) in entries("largest_constraint_errors") {
            let number = |key: &str| error.get(key).and_then(Value::as_f64);
            let at = number("time").map_or_else(String::new, |time| format!(" at {time:.4} s"));
            let of = error.get("constraint").and_then(Value::as_str).unwrap_or_default();
            let velocity = number("velocity").unwrap_or(f64::NAN);
            row(
                &format!("largest error: {}", law.replace('_', " ")),
                format!("{velocity:.1e} m/s or rad/s{at} of {of}"),
            );
        }
        if let Some(gap) = summary.get("largest_joint_gap") {
            let number = |key: &str| gap.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
            let joint = gap.get("joint").and_then(Value::as_str).unwrap_or_default();
            row("largest joint gap", format!("{:.2e} m at {:.4} s of {joint}", number("gap"), number("time")));
        }
        for beyond in summary.get("joints_beyond_range").and_then(Value::as_array).into_iter().flatten() {
            let name = |key: &str| beyond.get(key).and_then(Value::as_str).unwrap_or_default();
            let number = |key: &str| beyond.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
            let text = format!("{:.4} rad or m, first at {:.4} s", number("farthest"), number("time"));
            row(&format!("beyond its range: {}/{}", name("body"), name("joint")), text);
        }
        for (body, state) in entries("end") {
            let position = state.get("translation").and_then(Value::as_array).into_iter().flatten();
            let parts: Vec<String> = position.filter_map(Value::as_f64).map(|part| format!("{part:.4}")).collect();
            row(&format!("end: {body}"), format!("[{}] m", parts.join(", ")));
        }
        if let Some(set) = summary.pointer("/repeat/set").and_then(Value::as_array).filter(|set| !set.is_empty()) {
            row("set", set.iter().map(text).collect::<Vec<_>>().join(", "));
        }
        let warnings = summary.get("warnings").and_then(Value::as_array).into_iter().flatten();
        Self { warnings: warnings.map(text).collect(), failure: summary.get("failure").map(text), rows }
    }
}
