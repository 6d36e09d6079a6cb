//! SR1's walk compared with the recordings of Choreonoid's sensors.

use bunraku::body::LoadOptions;
use bunraku::document::{Reporter, SearchRoots};

use super::{Results, Table, mean};
use bunraku_test_support::{golden, share};

/// Number of steps whose mean is compared, 0.1 s: steps of the walk cause impacts that differ between solvers.
const WINDOW: usize = 50;

/// Means of windows of a column.
fn windows(values: &[f64]) -> Vec<f64> {
    values.chunks_exact(WINDOW).map(mean).collect()
}

/// Root of the mean square of the differences.
fn difference(ours: &[f64], theirs: &[f64]) -> f64 {
    let squares: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| (ours - theirs).powi(2)).collect();
    mean(&squares).sqrt()
}

#[test]
fn gyro_acceleration_and_ankles_are_as_choreonoid_recorded_them() {
    let (Some(share), Some(golden)) = (share(), golden()) else { return };
    let theirs = Table::read(&golden.join("sensors/SR1Walk-SR1.csv"));
    let results = Results::of_ours(
        "sr1_walk.scene.yaml",
        &["--set", "record.sensors=true", "--set", "record.contacts=true", "--share", share.to_str().unwrap()],
    );
    println!("| sensor | rms of Choreonoid's | rms of the difference |");
    let mut found = Vec::new();
    for (device, columns) in [
        ("WaistGyro", ["wx", "wy", "wz"]),
        ("WaistAccelSensor", ["ax", "ay", "az"]),
        ("WaistIMU", ["ax", "ay", "az"]),
        ("LeftAnkleForceSensor", ["fx", "fy", "fz"]),
        ("RightAnkleForceSensor", ["fx", "fy", "fz"]),
    ] {
        let ours = results.table(&format!("sensors/SR1/{device}.csv"));
        for column in columns {
            let theirs = theirs.column(&format!("{device}.{column}"));
            // Bunraku's samples begin with the first step, Choreonoid's with the state before it.
            let (ours, theirs) = (windows(&ours.column(column)), windows(&theirs[1..]));
            let (size, apart) = (difference(&theirs, &vec![0.0; theirs.len()]), difference(&ours, &theirs));
            println!("| {device} {column} | {size:.4} | {apart:.4} |");
            found.push((device, column, apart));
        }
    }
    let of = |device: &str, column: &str| found.iter().find(|found| (found.0, found.1) == (device, column)).unwrap().2;
    for axis in ["wx", "wy", "wz"] {
        assert!(of("WaistGyro", axis) < 0.05, "{axis}");
    }
    for axis in ["ax", "ay", "az"] {
        assert!(of("WaistAccelSensor", axis) < 0.6, "{axis}");
    }

    // Over the walk the ankles carry the weight above them, less the load that touches the floor beside them:
    // occasionally the links above the feet touch it, also in Choreonoid's walk, whose ankles carry 8 % less than the
    // weight.
    let options = LoadOptions { roots: SearchRoots::new(Some(share.clone())), ..LoadOptions::default() };
    let body = bunraku::body::load(&share.join("model/SR1/SR1.body"), &options, &Reporter::new()).unwrap();
    let feet = ["LeftAnkleForceSensor", "RightAnkleForceSensor"].map(|name| {
        let device = body.devices.iter().find(|device| device.name == name).unwrap();
        body.link(device.link).mass.mass
    });
    let weight = (body.mass() - feet.iter().sum::<f64>()) * 9.80665;
    let ankles = ["LeftAnkleForceSensor", "RightAnkleForceSensor"]
        .map(|name| mean(&results.table(&format!("sensors/SR1/{name}.csv")).column("fz")[250..]));
    let contacts = std::fs::read_to_string(results.path("SR1.contacts.csv")).unwrap();
    let mut beside = 0.0;
    let mut rows = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(contacts.as_bytes());
    for row in rows.records().map(Result::unwrap) {
        let number = |column: usize| row[column].parse::<f64>().unwrap();
        // Feet are `…_ANKLE_R`; the ankles' means begin after 250 steps.
        if !row[1].ends_with("_ANKLE_R") && number(0) > 0.501 {
            beside += number(12) / (6701.0 - 250.0);
        }
    }
    let carried = ankles[0] + ankles[1] + beside;
    println!("ankles carry {:.1} N, links above them {beside:.1} N, of {weight:.1} N", ankles[0] + ankles[1]);
    assert!((carried / weight - 1.0).abs() < 0.005, "{carried} N of {weight} N");
}
