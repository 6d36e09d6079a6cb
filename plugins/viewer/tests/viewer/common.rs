//! Comparison of images with reference images.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_body::{Body, BodyState, LinkIndex, Shape};
use bunraku_document::{Limits, Reporter, SearchRoots};
use bunraku_mesh::{LoadContext, load_scene};
use bunraku_test_support::{Needed, read_links, share, share_model, skip};
use bunraku_viewer::picture::{
    Picture, PictureCamera, PictureError, PictureSize, PosedBody, bounding_box, take_picture,
};
use image::RgbaImage;
use nalgebra::{Affine3, Rotation3, Vector3};

/// Size of reference images: small enough to store, large enough to show errors.
pub const SIZE: PictureSize = PictureSize { width: 160, height: 120 };

/// Largest mean absolute difference of the colour values (0…255). Drivers round and smooth edges differently, which
/// changes a few edge pixels by a few values; a missing or rotated part changes the mean by several.
const LARGEST_MEAN_DIFFERENCE: f64 = 1.0;

/// Difference from which a pixel counts as different: more than rounding, less than another surface.
const NOTICEABLE_DIFFERENCE: u8 = 24;

/// Maximum fraction of different pixels: the edges of a detailed image.
const LARGEST_SHARE_OF_OTHER_PIXELS: f64 = 0.02;

/// If set, the reference images are rewritten.
pub const UPDATE: &str = "BUNRAKU_UPDATE_PICTURES";

/// Renders an image; `None`, with a message, without a graphics device.
pub fn take(bodies: &[PosedBody], camera: &PictureCamera) -> Option<Picture> {
    match take_picture(bodies, camera, SIZE) {
        Ok(picture) => Some(picture),
        Err(error @ (PictureError::NoAdapter(_) | PictureError::NoDevice { .. })) => {
            skip(Needed::Graphics, error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A camera in a direction, with all of the bodies in view.
pub fn framing(bodies: &[PosedBody], direction: [f64; 3]) -> PictureCamera {
    PictureCamera::framing(&bounding_box(bodies).expect("something to see"), Vector3::from(direction), SIZE)
}

pub fn at_rest(body: Body) -> PosedBody {
    PosedBody { state: BodyState::initial(&body), body: Arc::new(body) }
}

/// A model file, or a mesh file of the house, of Choreonoid's share directory; skipped without it.
pub fn from_corpus(file: &str) -> Option<Body> {
    if file.starts_with("model/house") { from_mesh_file(&share()?.join(file)) } else { share_model(file) }
}

/// The shapes of a mesh file with Y up, as a body with one link.
fn from_mesh_file(file: &Path) -> Option<Body> {
    let (roots, limits, reporter) = (SearchRoots::default(), Limits::default(), Reporter::new());
    let scene = load_scene(file, &LoadContext { roots: &roots, limits: &limits, reporter: &reporter }).unwrap();
    let turn = Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    let turn = Affine3::from_matrix_unchecked(turn.to_homogeneous());
    let upright = scene.shapes().into_iter().map(|shape| Shape { transform: turn * shape.transform, ..shape });
    let mut body = read_links("  - { name: ROOT, joint_type: fixed }\n");
    *body.visual_mut(LinkIndex::ROOT).unwrap() = upright.collect();
    Some(body)
}

/// Colour at a position given as fractions of the width from the left and of the height from the top.
pub fn color_at(picture: &RgbaImage, across: f64, down: f64) -> [u8; 3] {
    let x = (across * f64::from(picture.width())) as u32;
    let y = (down * f64::from(picture.height())) as u32;
    let [red, green, blue, _] = picture.get_pixel(x, y).0;
    [red, green, blue]
}

/// Fails if the image differs from the reference image. The image and the difference are written then.
pub fn assert_looks_as_before(name: &str, picture: &RgbaImage) {
    let kept_path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/viewer/pictures").join(format!("{name}.png"));
    if std::env::var_os(UPDATE).is_some() {
        picture.save(&kept_path).unwrap();
        return;
    }
    let written = |picture: &RgbaImage, suffix: &str| -> PathBuf {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}{suffix}.png"));
        picture.save(&path).unwrap();
        path
    };
    let Ok(kept) = image::open(&kept_path) else {
        let found = written(picture, "");
        panic!("there is no {}; set {UPDATE} to make it of {}", kept_path.display(), found.display());
    };
    let kept = kept.into_rgba8();
    assert_eq!(kept.dimensions(), picture.dimensions(), "size of {name}");
    let mut difference = RgbaImage::new(kept.width(), kept.height());
    let (mut sum, mut others) = (0.0, 0.0);
    for ((before, now), shown) in kept.pixels().zip(picture.pixels()).zip(difference.pixels_mut()) {
        let [red, green, blue] = [0, 1, 2].map(|channel| before.0[channel].abs_diff(now.0[channel]));
        shown.0 = [red, green, blue, u8::MAX];
        sum += f64::from(red) + f64::from(green) + f64::from(blue);
        if red.max(green).max(blue) >= NOTICEABLE_DIFFERENCE {
            others += 1.0;
        }
    }
    let pixels = f64::from(kept.width()) * f64::from(kept.height());
    let (mean, share) = (sum / (3.0 * pixels), others / pixels);
    if mean > LARGEST_MEAN_DIFFERENCE || share > LARGEST_SHARE_OF_OTHER_PIXELS {
        panic!(
            "{name} looks different: mean difference {mean:.2}, {:.1} % of the pixels are others.\n  kept:       {}\n  \
             now:        {}\n  difference: {}\nIf that is right, set {UPDATE} and run the test again.",
            100.0 * share,
            kept_path.display(),
            written(picture, "").display(),
            written(&difference, "-difference").display(),
        );
    }
}
