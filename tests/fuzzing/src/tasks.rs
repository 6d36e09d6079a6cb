//! Task files, their expressions, and mappings of robots.

use bunraku_document::Reporter;
use bunraku_task::expression::{Expression, Unknown, Value};

use crate::findings;
use crate::scratch::{path_of, with_file};

/// Task files of every generation, checked and written again.
pub fn task(bytes: &[u8]) {
    with_file("fuzz.yaml", bytes, |path| {
        let reporter = Reporter::new();
        let tasks = bunraku_task::reader::load(path, &reporter);
        findings::check(reporter, tasks.is_some());
        let reporter = Reporter::new();
        for task in tasks.iter().flatten() {
            bunraku_task::check::check(task, &reporter);
            bunraku_task::check::check_files(task, &path_of(""), &reporter);
        }
        reporter.into_diagnostics().iter().for_each(findings::check_finding);
    });
}

/// An expression, parsed and evaluated.
pub fn expression(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let outcome = Expression::parse(text).and_then(|expression| {
        expression.evaluate(&|name| match name {
            "x" => Ok(Value::Scalar(1.5)),
            "v" => Ok(Value::Vector3(nalgebra::Vector3::new(1.0, 2.0, 3.0))),
            _ => Err(Unknown { message: format!("there is no `{name}`"), help: "use `x`".to_owned() }),
        })
    });
    if let Err(error) = outcome {
        assert!(!error.to_string().is_empty());
    }
}

/// A mapping of a robot.
pub fn mapping(bytes: &[u8]) {
    with_file("fuzz.robot.yaml", bytes, |path| {
        let reporter = Reporter::new();
        let mapping = bunraku_task::robot::load_mapping(path, &reporter);
        findings::check(reporter, mapping.is_some());
    });
}
