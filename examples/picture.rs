//! A picture of a model: `cargo run --example picture --features viewer -- robot.body robot.png [640x480]`.
//!
//! `BUNRAKU_SHARE` is the directory for `${SHARE}`. No window is opened.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use bunraku::body::{BodyState, LoadOptions};
use bunraku::document::{Reporter, SearchRoots};
use bunraku::viewer::picture::{PictureCamera, PictureSize, PosedBody, bounding_box, take_picture};
use nalgebra::Vector3;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [model, output, rest @ ..] = arguments.as_slice() else {
        return Err("name a model file and a picture to write".into());
    };
    let size = match rest.first().and_then(|text| text.to_str()) {
        Some(text) => {
            let (width, height) = text.split_once('x').ok_or("write the size as 640x480")?;
            PictureSize { width: width.parse()?, height: height.parse()? }
        }
        None => PictureSize { width: 640, height: 480 },
    };
    let roots = SearchRoots::new(std::env::var_os("BUNRAKU_SHARE").map(PathBuf::from));
    let reporter = Reporter::new();
    let options = LoadOptions { roots, ..LoadOptions::default() };
    let body = bunraku::body::load(model.as_ref(), &options, &reporter);
    let body = body.ok_or_else(|| reporter.into_error(model.as_ref()))?;
    let bodies = [PosedBody { state: BodyState::initial(&body), body: Arc::new(body) }];
    let bounds = bounding_box(&bodies).ok_or("there is nothing to see")?;
    // From the front, slightly from the right and above.
    let camera = PictureCamera::framing(&bounds, Vector3::new(-1.0, 0.6, -0.4), size);
    take_picture(&bodies, &camera, size)?.image.save(output)?;
    Ok(())
}
