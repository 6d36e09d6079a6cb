//! Every real `.body` and `.wrl` file loads.

use std::collections::{BTreeMap, BTreeSet};

use bunraku_body::{DeviceKind, LoadOptions};
use bunraku_document::{Reporter, SearchRoots, Severity};
use bunraku_test_support::files_below;

/// Devices of plugins of the original, which are stored as data with a warning, and the models that use them.
const PLUGIN_DEVICES: &[(&str, &[&str])] = &[
    ("AgxTank.body", &["AGXVehicleContinuousTrackDevice"]),
    ("AizuSpiderDA.body", &["AGXVehicleContinuousTrackDevice"]),
    ("AizuSpiderNA.body", &["AGXVehicleContinuousTrackDevice"]),
    ("AizuSpiderSA.body", &["AGXVehicleContinuousTrackDevice"]),
    ("DoubleArmV7A.body", &["AGXVehicleContinuousTrackDevice"]),
    ("PxCrawler.body", &["PxContinuousTrack"]),
    ("PxTank.body", &["PxContinuousTrack"]),
    ("fire.body", &["FireDevice"]),
    ("fountain.body", &["FountainDevice"]),
    ("mid360.body", &["LivoxMid360"]),
    ("rain.body", &["RainDevice"]),
    ("smoke.body", &["SmokeDevice"]),
    ("snow.body", &["SnowDevice"]),
];

#[test]
fn every_model_of_the_corpus_loads() {
    let Some(corpus) = bunraku_test_support::corpus() else { return };
    let options = LoadOptions { roots: SearchRoots::new(Some(corpus.join("share"))), ..LoadOptions::default() };
    let files = files_below(&corpus, &["body"]);
    let mut unknown: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut failures = Vec::new();
    println!("{:<60} {:>5} {:>7} verdict", "file", "links", "devices");
    for file in &files {
        let name = file.strip_prefix(&corpus).unwrap().display().to_string();
        let reporter = Reporter::new();
        let body = bunraku_body::load(file, &options, &reporter);
        let findings = reporter.diagnostics();
        let lost = findings.iter().filter(|finding| {
            finding.severity == Severity::Error
                || matches!(
                    finding.code,
                    "file-not-found" | "outside-roots" | "unknown-fragment" | "unknown-mesh-format"
                )
        });
        failures.extend(lost.map(|finding| finding.to_string()));
        let Some(body) = body else {
            println!("{name:<60} {:>5} {:>7} does not load", "-", "-");
            failures.push(format!("{name} does not load"));
            continue;
        };
        let others = body.devices.iter().filter_map(|device| match &device.kind {
            DeviceKind::Other(word) => Some(word.clone()),
            _ => None,
        });
        let others: BTreeSet<String> = others.collect();
        let warnings = reporter.count(Severity::Warning);
        let verdict = match (warnings, others.is_empty()) {
            (0, true) => "loads".to_owned(),
            (_, true) => format!("loads, {warnings} warnings"),
            (_, false) => {
                let devices = others.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
                format!("loads, {warnings} warnings; needs a plugin for {devices}")
            }
        };
        println!("{name:<60} {:>5} {:>7} {verdict}", body.links().len(), body.devices.len());
        if !others.is_empty() {
            unknown.insert(name.rsplit('/').next().unwrap_or(&name).to_owned(), others);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let expected: BTreeMap<String, BTreeSet<String>> = PLUGIN_DEVICES
        .iter()
        .map(|(file, devices)| ((*file).to_owned(), devices.iter().map(|&device| device.to_owned()).collect()))
        .collect();
    assert_eq!(unknown, expected);
    assert!(files.len() >= 73, "{} files", files.len());
}

#[test]
fn every_real_wrl_file_loads_as_a_model() {
    let Some(corpus) = bunraku_test_support::corpus() else { return };
    let options = LoadOptions { roots: SearchRoots::new(Some(corpus.join("share"))), ..LoadOptions::default() };
    let files = files_below(&corpus, &["wrl"]);
    let mut failures = Vec::new();
    let mut robots = 0;
    for file in &files {
        let reporter = Reporter::new();
        match bunraku_body::load(file, &options, &reporter) {
            Some(body) => robots += usize::from(body.root().name != "Root"),
            None => failures.extend(reporter.into_diagnostics().iter().map(ToString::to_string)),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(files.len() >= 150 && robots >= 24, "{} files, {robots} of them with joints", files.len());
}
