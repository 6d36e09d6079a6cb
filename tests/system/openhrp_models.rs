//! `convert` from OpenHRP's format writes an equivalent model.

use std::path::Path;

use bunraku_test_support::{TestFolder, share};
use serde_json::Value;

use crate::common::{bunraku, stderr};

const MODELS: &[&str] =
    &["SR1/SR1", "PA10/PA10", "GR001/GR001", "RIC30/RIC30", "misc/ClosedLinkSample", "misc/crawler"];

/// Tolerance for angles converted through degrees and poses through products of f64.
const ROUNDING: f64 = 1e-9;

fn info(model: &Path) -> Value {
    let output = bunraku().arg("info").arg(model).arg("--json").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let mut document: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Locations in the file and findings; a converted model has another format.
    for key in ["diagnostics", "format"] {
        document.as_object_mut().unwrap().remove(key).unwrap();
    }
    document
}

fn assert_same(path: &str, before: &Value, after: &Value) {
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{path}");
            a.iter().for_each(|(key, value)| assert_same(&format!("{path}.{key}"), value, &b[key]));
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{path}");
            a.iter().zip(b).enumerate().for_each(|(index, (a, b))| assert_same(&format!("{path}[{index}]"), a, b));
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            assert!((a - b).abs() <= ROUNDING * a.abs().max(1.0), "{path}: {a} became {b}");
        }
        _ => assert_eq!(before, after, "{path}"),
    }
}

#[test]
fn a_converted_model_is_the_same_model() {
    let Some(share) = share() else { return };
    let directory = TestFolder::new();
    for model in MODELS {
        let source = share.join("model").join(format!("{model}.wrl"));
        let written = directory.join(model).with_extension("body");
        std::fs::create_dir_all(written.parent().unwrap()).unwrap();
        let output = bunraku().arg("convert").args([&source, &written]).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        assert_same(model, &info(&source), &info(&written));
    }
}
