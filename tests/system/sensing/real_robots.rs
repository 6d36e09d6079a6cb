//! Tank and AizuSpider with all their sensors in a house.

use std::fs;

use super::{Results, Table, npy};
use bunraku_test_support::share;

const SCENE: &str = "
format: BunrakuScene
format_version: 1
simulation: { time_step: 0.002, duration: 0.2 }
materials: ${SHARE}/default/materials.yaml
bodies:
  - { name: House, file: '${SHARE}/model/house/house.wrl', drive: static, collision: false }
  - { name: Floor, shape: { type: plane } }
  - { name: Tank, file: '${SHARE}/model/Tank/Tank.body', translation: [ 0.5, -1, 0.1 ] }
  - { name: Spider, file: '${SHARE}/model/AizuSpider/AizuSpiderSS.body', translation: [ 1.5, 1, 0.3 ], controller: { type: servo, kp: 500, kd: 20 } }
sensors: { devices: [ { device: Tank, on: true }, { device: Spider, on: true } ] }
record: { sensors: true }
";

#[test]
fn every_device_of_tank_and_aizu_spider_delivers_data_of_the_right_shape_at_the_right_times() {
    let Some(share) = share() else { return };
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("house.scene.yaml");
    fs::write(&scene, SCENE).unwrap();
    let options = bunraku::scene::SceneOptions {
        load: bunraku::body::LoadOptions {
            roots: bunraku::document::SearchRoots::new(Some(share.clone())),
            ..Default::default()
        },
        ..Default::default()
    };
    let loaded = bunraku::scene::Scene::load(&scene, &options, &bunraku::document::Reporter::new()).unwrap();
    let (results, _) = Results::with_warnings(&scene, &["--share", share.to_str().unwrap()]);
    println!("| device | type | rate, Hz | samples | a sample | bytes |");
    let mut devices = 0;
    for body in &loaded.bodies {
        let labels = bunraku::sensors::device_labels(&body.body);
        for (label, device) in labels.iter().zip(&body.body.devices) {
            let base = results.path(&format!("sensors/{}", body.name));
            let Some(log) = bunraku::sensors::SensorLog::path(&base, label, device) else { continue };
            devices += 1;
            let table = Table::read(&log);
            let rate = match bunraku::sensors::Sensor::new(0, device).unwrap().unwrap().schedule.rate() {
                bunraku::sensors::SampleRate::EveryStep => 500.0,
                bunraku::sensors::SampleRate::Hertz(rate) => rate,
            };
            let is_vector = log.extension().is_some() && !log.ends_with("index.csv");
            // Sample k is taken at the first step at or after k / rate; those of every step from the end of the first
            // step on.
            let times = table.times();
            for (sample, time) in times.iter().enumerate() {
                let due = (sample + usize::from(is_vector)) as f64 / rate;
                assert!((-1e-9..0.002).contains(&(time - due)), "{label}: sample {sample} at {time} s");
            }
            let expected = if is_vector { 100.0 } else { (0.2 * rate + 1e-6).floor() + 1.0 };
            assert_eq!(times.len() as f64, expected, "{label}");
            let (shape, bytes) = if is_vector {
                assert!(table.rows.iter().flatten().all(|value| value.is_finite()));
                (format!("{} numbers", table.columns.len() - 1), fs::metadata(&log).unwrap().len())
            } else {
                let text = fs::read_to_string(&log).unwrap();
                let last = text.lines().last().unwrap().to_owned();
                let files: Vec<_> = last.split(',').skip(9).map(|file| log.with_file_name(file)).collect();
                let shapes: Vec<String> = files
                    .iter()
                    .map(|file| match file.extension().unwrap().to_str().unwrap() {
                        "npy" => {
                            let (values, [rows, columns]) = npy(file);
                            assert!(values.iter().any(|value| value.is_finite()), "{label} sees nothing");
                            format!("{rows} × {columns}")
                        }
                        "png" => {
                            let picture = image::open(file).unwrap();
                            format!("{} × {} pixels", picture.width(), picture.height())
                        }
                        _ => "cloud".to_owned(),
                    })
                    .collect();
                (shapes.join(", "), files.iter().map(|file| fs::metadata(file).unwrap().len()).sum())
            };
            println!(
                "| {}/{label} | {} | {rate} | {} | {shape} | {bytes} |",
                body.name,
                device.type_name(),
                times.len()
            );
        }
    }
    assert!(devices >= 10, "{devices}");
}
