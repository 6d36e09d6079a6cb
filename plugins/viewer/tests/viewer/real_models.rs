//! Models of the corpus match their reference images.

use bunraku_body::{LoadOptions, WriteOptions};
use bunraku_document::{Reporter, SearchRoots};
use bunraku_test_support::TestFolder;

use crate::common::{SIZE, assert_looks_as_before, at_rest, framing, from_corpus, take};

/// Name of the reference image, file in the share directory, direction of view. A mesh file with Y up is rotated
/// upright.
const MODELS: &[(&str, &str, [f64; 3])] = &[
    ("SR1", "model/SR1/SR1.body", [-1.0, -0.6, -0.3]),
    ("Tank", "model/Tank/Tank.body", [-1.0, -0.6, -0.4]),
    ("AizuSpider", "model/AizuSpider/AizuSpiderSS.body", [-1.0, -0.6, -0.4]),
    ("PA10", "model/PA10/PA10.body", [-1.0, -0.6, -0.2]),
    ("RIC30", "model/RIC30/RIC30.body", [-1.0, -0.6, -0.2]),
    ("house", "model/house/house.wrl", [0.4, 1.0, -0.7]),
    ("vase", "model/house/vase.wrl", [0.4, 1.0, -0.3]),
];

#[test]
fn models_look_as_before() {
    for (name, file, direction) in MODELS {
        let Some(body) = from_corpus(file) else { return };
        let bodies = [at_rest(body)];
        let Some(picture) = take(&bodies, &framing(&bodies, *direction)) else { return };
        assert!(picture.diagnostics.is_empty(), "{name}: {:?}", picture.diagnostics);
        assert_looks_as_before(name, &picture.image);
    }
}

/// OpenHRP models that are written as `.body` files and read again.
const CONVERTED: &[&str] =
    &["SR1/SR1", "PA10/PA10", "GR001/GR001", "RIC30/RIC30", "misc/ClosedLinkSample", "misc/crawler"];

#[test]
fn a_converted_model_looks_the_same() {
    let directory = TestFolder::new();
    for model in CONVERTED {
        let Some(body) = from_corpus(&format!("model/{model}.wrl")) else { return };
        let path = directory.join("converted.body");
        let options = WriteOptions { path: &path, roots: &SearchRoots::default() };
        std::fs::write(&path, bunraku_body::write(&body, &options, &Reporter::new()).text).unwrap();
        let reporter = Reporter::new();
        let converted = bunraku_body::load(&path, &LoadOptions::default(), &reporter);
        let converted = [at_rest(converted.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics())))];
        let original = [at_rest(body)];
        let camera = framing(&original, [-1.0, -0.6, -0.3]);
        let (Some(before), Some(after)) = (take(&original, &camera), take(&converted, &camera)) else { return };
        let differing = before.image.pixels().zip(after.image.pixels()).filter(|(before, after)| {
            before.0.iter().zip(after.0).any(|(before, after)| before.abs_diff(after) > ROUNDED_COLOR)
        });
        let share = differing.count() as f64 / f64::from(SIZE.width * SIZE.height);
        println!("{model:<24} {:.2} % of the pixels differ", 100.0 * share);
        assert!(share <= OTHER_EDGES, "{model}: {:.2} % of the pixels differ", 100.0 * share);
    }
}

/// Maximum fraction of different pixels. Vertices are the same, but a pose may differ in its last digit, which changes
/// a pixel on an edge now and then.
const OTHER_EDGES: f64 = 0.001;
/// Colours may be rounded in the other direction.
const ROUNDED_COLOR: u8 = 2;

#[test]
fn the_same_picture_twice_has_the_same_pixels() {
    let (name, file, direction) = MODELS[0];
    let Some(body) = from_corpus(file) else { return };
    let bodies = [at_rest(body)];
    let camera = framing(&bodies, direction);
    let Some(first) = take(&bodies, &camera) else { return };
    let Some(second) = take(&bodies, &camera) else { return };
    assert!(first.image == second.image, "{name}");
}
