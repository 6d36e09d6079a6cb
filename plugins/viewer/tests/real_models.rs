//! Models of the corpus look as they did before.

// A test that cannot go on should say so loudly.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{assert_looks_as_before, at_rest, framing, from_corpus, take};

/// Name of the kept picture, file in the share directory, direction of view. A mesh file, whose Y is up, is stood upright.
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
