//! `bunraku report` and `bunraku compare --report`: the page is unpacked as its program does it.

use std::fs;
use std::io::Read;

use base64::Engine;
use bunraku::motion::BodyMotion;
use serde_json::Value;

use super::desk::{ARM, Desk, SCENE};
use crate::common::{stderr, stdout};

/// A box that falls on a floor and slides, with a sensor, and a camera that sees it.
const BOX: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Box
links:
  - name: \"</script><b>\"
    joint_type: free
    mass: 2
    inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ]
    elements:
      - type: Shape
        geometry: { type: Box, size: [ 0.2, 0.3, 0.4 ] }
        appearance: { material: { diffuse: [ 1, 0, 0 ] } }
      - { type: AccelerationSensor, id: 0 , name: Felt }
      - { type: Camera, id: 0, name: Eye, format: COLOR, width: 16, height: 12, frame_rate: 10, translation: [ 0, 0, 1 ] }
";

const FALL: &str = "\
format: BunrakuScene
format_version: 1
simulation: { duration: 0.6 }
bodies:
  - { name: Box, file: box.body, translation: [ 0, 0, 0.3 ], linear_velocity: [ 1, 0, 0 ] }
  - { name: Floor, shape: { type: plane, size: [ 4, 4 ] } }
record: { sensors: true, contacts: [ Box ] }
";

fn desk() -> Desk {
    let desk = Desk::new(ARM, SCENE);
    desk.write("box.body", BOX);
    desk.write("fall.scene.yaml", FALL);
    run(&desk, "out/fall", &[]);
    desk
}

fn run(desk: &Desk, out: &str, more: &[&str]) {
    let output = desk.bunraku(&[&["run", "fall.scene.yaml", "--out", out, "--quiet"], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

/// A page, unpacked.
struct Page {
    html: String,
    description: Value,
    binary: Vec<u8>,
}

impl Page {
    fn read(desk: &Desk, name: &str) -> Self {
        let html = fs::read_to_string(desk.path().join(name)).unwrap();
        let (_, data) = html.split_once("<script id=\"data\" type=\"text/plain\">").unwrap();
        let data = data.split_once("</script>").unwrap().0;
        let packed = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
        let (length, rest) = bytes.split_first_chunk::<4>().unwrap();
        let (description, binary) = rest.split_at(u32::from_le_bytes(*length) as usize);
        Self { description: serde_json::from_slice(description).unwrap(), binary: binary.to_vec(), html }
    }

    fn bytes(&self, described: &Value) -> &[u8] {
        let number = |key: &str| described[key].as_u64().unwrap() as usize;
        &self.binary[number("at")..number("at") + number("count")]
    }

    /// An array as `pack.rs` describes it.
    fn array(&self, described: &Value) -> Vec<f64> {
        let number = |key: &str| described[key].as_u64().unwrap() as usize;
        let (at, count, stride) = (number("at"), number("count"), number("stride"));
        let kind = described["kind"].as_str().unwrap();
        let width = usize::from(kind[1..].parse::<u8>().unwrap() / 8);
        let mut words: Vec<u32> = (0..count)
            .map(|index| {
                (0..width).map(|plane| u32::from(self.binary[at + plane * count + index]) << (8 * plane)).sum()
            })
            .collect();
        for index in (0..count).filter(|_| stride > 0) {
            let folded = words[index];
            let before = index.checked_sub(stride).map_or(0, |before| words[before]);
            let unfolded = (folded >> 1) ^ 0_u32.wrapping_sub(folded & 1);
            words[index] = unfolded.wrapping_add(before) & (u32::MAX >> (32 - 8 * width));
        }
        let number = |word: u32| match kind {
            "f32" => f64::from(f32::from_bits(word)),
            "i16" => f64::from((word as u16).cast_signed()),
            "i32" => f64::from(word.cast_signed()),
            "i8" => f64::from((word as u8).cast_signed()),
            _ => f64::from(word),
        };
        words.into_iter().map(number).collect()
    }

    /// The curve of this name in a run, at its times: the lowest and the highest values.
    fn curve(&self, name: &str, run: u64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let curves = self.description["curves"].as_array().unwrap();
        let curve = curves.iter().find(|curve| curve["name"] == name && curve["run"] == run).unwrap();
        let [least, most] = [0, 1].map(|at| curve["range"][at].as_f64().unwrap());
        let values = |described: &Value| {
            let codes = self.array(described).into_iter();
            codes.map(|code| least + (most - least) * code / 65534.0).collect::<Vec<f64>>()
        };
        let low = values(&curve["low"]);
        let high = if curve["high"].is_null() { low.clone() } else { values(&curve["high"]) };
        let base = curve["times"].as_u64().unwrap() as usize;
        (self.array(&self.description["times"][base]), low, high)
    }
}

fn report(desk: &Desk, arguments: &[&str]) -> String {
    let output = desk.bunraku(&[&["report"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn a_page_has_the_motion_the_curves_and_the_contacts_of_a_run() {
    let desk = desk();
    assert!(report(&desk, &["out/fall"]).starts_with("written    fall.html (0.0"));
    let page = Page::read(&desk, "fall.html");
    let motion = BodyMotion::load(&desk.path().join("out/fall/Box.seq"), &bunraku::document::Reporter::new()).unwrap();
    let links = motion.link_positions.unwrap();
    let times = page.array(&page.description["times"][0]);
    assert_eq!((times.len(), times[36]), (37, f64::from(0.6_f32)));
    let body = &page.description["runs"][0]["bodies"][0];
    let (positions, rotations) = (page.array(&body["positions"]), page.array(&body["rotations"]));
    for frame in [0, 13, 36] {
        // Recorded at each millisecond: frames in between are interpolated.
        let near = links.frame((times[frame] * 1000.0).round() as usize)[0];
        let off = (positions[3 * frame + 2] * 1e-5 - near.translation.z).abs();
        assert!(off < 3e-3, "{off} m at frame {frame}");
        let size: f64 = rotations[4 * frame..4 * frame + 4].iter().map(|part| part * part).sum::<f64>().sqrt();
        assert!((size / 32767.0 - 1.0).abs() < 1e-4);
    }
    assert_eq!((positions[2], positions[36 * 3]), (30_000.0, (links.frame(600)[0].translation.x * 1e5).round()));

    // The peak of an impact of one millisecond is in a curve of 60 frames a second.
    let table = fs::read_to_string(desk.path().join("out/fall/sensors/Box/Felt.csv")).unwrap();
    let az = |line: &str| line.split(',').nth(3).and_then(|cell| cell.parse::<f64>().ok());
    let peak = table.lines().filter_map(az).fold(f64::MIN, f64::max);
    let (at, _, high) = page.curve("az", 0);
    let found = high.iter().copied().fold(f64::MIN, f64::max);
    assert!(peak > 100.0 && (found - peak).abs() < 1e-3 * peak && at.len() == 37, "{found} {peak}");

    // In the end the box lies on the floor, which carries it.
    let contacts = &page.description["runs"][0]["contacts"][0];
    let (first, points, forces) =
        (page.array(&contacts["first"]), page.array(&contacts["positions"]), page.array(&contacts["forces"]));
    assert_eq!((first.len(), first[1]), (38, 0.0));
    let last = first[36] as usize..first[37] as usize;
    assert!((3..=4).contains(&last.len()), "{last:?}");
    let carried: f64 = last.clone().map(|point| forces[3 * point + 2]).sum();
    assert!((carried - 2.0 * 9.80665).abs() < 0.05, "{carried} N");
    assert!(last.into_iter().all(|point| points[3 * point + 2].abs() < 100.0));
    let (_, force, _) = page.curve("force", 0);
    assert_eq!(force[0], 0.0);

    let rows = page.description["runs"][0]["rows"].as_array().unwrap();
    assert!(rows.contains(&serde_json::json!(["simulated", "0.6000 s"])), "{rows:?}");

    let camera = &page.description["runs"][0]["pictures"][0];
    assert_eq!((&camera["name"], camera["times"].as_array().unwrap().len()), (&"Box: Eye".into(), 7));
    let file = fs::read(desk.path().join("out/fall/sensors/Box/Eye/000003.png")).unwrap();
    assert_eq!(page.bytes(&camera["pictures"][3]), file);
}

#[test]
fn a_page_needs_nothing_else_and_its_geometry_is_that_of_the_model() {
    let desk = desk();
    fs::rename(desk.path().join("out/fall"), desk.path().join("out/<i>&fall")).unwrap();
    report(&desk, &["out/<i>&fall", "--scene", "fall.scene.yaml", "--out", "page.HTML"]);
    let page = Page::read(&desk, "page.HTML");
    assert!(page.html.contains("<title>&lt;i&gt;&amp;fall</title>") && !page.html.contains("<i>&"));
    // The name of the link is in the compressed data only.
    assert!(!page.html.contains("</script><b>"));
    for outside in ["http:", "https:", "src=", "href=", "@import", "url("] {
        assert!(!page.html.contains(outside), "{outside}");
    }
    let marks: Vec<&str> = page.html.match_indices("{{").map(|(at, _)| &page.html[at..at + 10]).collect();
    assert!(marks.is_empty(), "{marks:?}");
    let meshes = page.description["meshes"].as_array().unwrap();
    assert_eq!(meshes.len(), 2);
    let mesh = &meshes[0];
    let part = &mesh["parts"][0];
    assert_eq!((&part["color"], part["indices"]["count"].as_u64()), (&serde_json::json!([1.0, 0.0, 0.0]), Some(36)));
    let positions = page.array(&part["positions"]);
    let extent: Vec<f64> = (0..3).map(|axis| mesh["extent"][axis].as_f64().unwrap()).collect();
    assert!((extent[1] - 0.3).abs() < 1e-6 && positions.iter().all(|part| [0.0, 65535.0].contains(part)));
    let normals = page.array(&part["normals"]);
    // Each corner of a box is outwards of its normal.
    for (position, normal) in positions.chunks(3).zip(normals.chunks(3)) {
        let outwards: f64 = position.iter().zip(normal).map(|(part, normal)| (part - 32767.5) * normal).sum();
        assert!(outwards > 0.0);
    }
    assert!(page.array(&part["indices"]).iter().all(|index| *index < positions.len() as f64 / 3.0));
}

#[test]
fn two_runs_are_shown_over_each_other() {
    let desk = desk();
    run(&desk, "out/slow", &["--set", "bodies.Box.linear_velocity=[0.5,0,0]", "--duration", "0.4"]);
    let output = desk.bunraku(&["compare", "out/fall", "out/slow", "--report", "both.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let page = Page::read(&desk, "both.html");
    let names: Vec<&Value> = page.description["runs"].as_array().unwrap().iter().map(|run| &run["name"]).collect();
    assert_eq!(names, ["fall", "slow"]);
    assert_eq!(page.description["title"], "fall and slow");
    assert_eq!(page.description["meshes"].as_array().unwrap().len(), 2, "both have the same models");
    let end = |run: u64| page.curve("root.x", run).2.into_iter().next_back().unwrap();
    assert!(end(0) > end(1) + 0.05, "{} {}", end(0), end(1));
    // The shorter run stays where it ended.
    let body = &page.description["runs"][1]["bodies"][0];
    let positions = page.array(&body["positions"]);
    assert_eq!((positions.len(), positions[3 * 36]), (3 * 37, positions[3 * 24]));

    let motions = ["compare", "out/fall/Box.seq", "out/slow/Box.seq", "--report", "motions.html"];
    let output = desk.bunraku(&motions);
    assert!(stderr(&output).contains("name the model that moves with `--body`"), "{}", stderr(&output));
    let output = desk.bunraku(&[&motions[..], &["--body", "box.body"]].concat());
    assert!(stdout(&output).contains("written    motions.html") && stdout(&output).contains("compared   401 frames"));
    assert_eq!(Page::read(&desk, "motions.html").description["runs"].as_array().unwrap().len(), 2);
}

#[test]
fn what_cannot_be_reported_is_explained() {
    let desk = desk();
    let fails = |arguments: &[&str], code: i32, expected: &str| {
        let output = desk.bunraku(arguments);
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert!(stderr(&output).contains(expected), "no {expected:?} in:\n{}", stderr(&output));
    };
    fails(&["report", "nowhere"], 1, "has no summary.json");
    fails(&["report", "box.body"], 1, "is a file, and the directory of a run's results is expected");
    fails(&["report", "out/fall", "--out", "page.pdf"], 2, "the page must end in `.html`");
    fails(&["report", "out/fall", "--out", "none/page.html"], 1, "cannot write the page");
    fails(&["compare", "out/fall", "out/fall", "--report", "a.html", "--tolerance", "1"], 2, "go with motions");
    // A list of pictures does not lead to other files.
    let eye = desk.path().join("out/fall/sensors/Box/Eye");
    fs::copy(eye.join("000003.png"), desk.path().join("out/fall/Box.png")).unwrap();
    let index = eye.join("index.csv");
    let text = fs::read_to_string(&index).unwrap();
    fs::write(&index, text.replace("000003.png", "../../../Box.png").replace("000004.png", "none.png")).unwrap();
    report(&desk, &["out/fall"]);
    let page = Page::read(&desk, "fall.html");
    assert_eq!(page.description["runs"][0]["pictures"][0]["times"].as_array().unwrap().len(), 5);
    fs::write(desk.path().join("out/fall/Box.contacts.csv"), "time [s],x [m]\n0,1\n").unwrap();
    fails(&["report", "out/fall"], 1, "it has no column `y [m]`");
}

#[test]
fn a_scene_elsewhere_that_was_named_by_its_path_is_found_again() {
    let desk = desk();
    let elsewhere = Desk::new(ARM, SCENE);
    let scene = desk.path().join("fall.scene.yaml").display().to_string();
    let from = elsewhere.path().canonicalize().unwrap();
    let upwards: std::path::PathBuf = from.components().skip(1).map(|_| "..").collect();
    let relative = upwards.join(scene.trim_start_matches('/')).display().to_string();
    for (scene, out) in [(&scene, "out/absolute"), (&relative, "out/relative")] {
        let output = elsewhere.bunraku(&["run", scene, "--out", out, "--quiet"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        report(&elsewhere, &[out]);
        let output = elsewhere.bunraku(&["rerun", out]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    assert_eq!(
        fs::read(elsewhere.path().join("out/absolute/summary.json")).unwrap(),
        fs::read(desk.path().join("out/fall/summary.json")).unwrap(),
        "the same results in every directory"
    );
    // A note of a file with another name, or of a scene that has changed, is not followed.
    let note = elsewhere.path().join("out/absolute/.bunraku.scene");
    let refused = |how: &str| {
        let output = elsewhere.bunraku(&["report", "out/absolute"]);
        assert_eq!(output.status.code(), Some(1), "{how}");
        assert!(stderr(&output).contains("neither here nor around the results"), "{how}: {}", stderr(&output));
    };
    let (there, copy) = (fs::read_to_string(&note).unwrap(), desk.path().join("copy.scene.yaml"));
    assert_eq!(there, format!("{scene}\n"));
    fs::copy(&scene, &copy).unwrap();
    fs::write(&note, copy.display().to_string()).unwrap();
    refused("another name");
    fs::write(&note, there).unwrap();
    desk.write("fall.scene.yaml", &FALL.replace("0.6", "0.5"));
    refused("another content");
}
