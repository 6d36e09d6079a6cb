//! Calibrated lenses compared with OpenCV.

use bunraku_render::{Intrinsics, Lens, View, ViewError};
use nalgebra::{Unit, Vector3};

const INTRINSICS: Intrinsics = Intrinsics { fx: 520.9, fy: 521.0, cx: 325.1, cy: 249.7 };
const BROWN: [f64; 8] = [0.2312, -0.7849, -0.0033, -0.0001, 0.9172, 0.0, 0.0, 0.0];
const RATIONAL: [f64; 8] = [0.52, -0.13, 0.0011, -0.0008, 0.021, 0.61, -0.11, 0.013];
const FISHEYE: [f64; 4] = [0.0034, 0.00071, -0.0023, 0.00061];

// Points (x right, y down, z ahead) and their pixels, printed by `python benches/peers/lenses.py` with OpenCV 5.0.0.
const BROWN_PIXELS: [([f64; 3], [f64; 2]); 6] = [
    ([0.0, 0.0, 1.0], [325.1, 249.7]),
    ([0.3, -0.2, 1.0], [484.498985625568, 143.18558479072]),
    ([-0.5, 0.4, 1.2], [103.43089383569259, 426.5679388096297]),
    ([0.1, 0.45, 0.8], [391.5020679124764, 548.0736530486598]),
    ([-0.35, -0.35, 0.9], [117.21524032646803, 41.2710550177228]),
    ([0.7, 0.05, 2.0], [510.6983869536058, 262.7483420514799]),
];
const RATIONAL_PIXELS: [([f64; 3], [f64; 2]); 6] = [
    ([0.0, 0.0, 1.0], [325.1, 249.7]),
    ([0.3, -0.2, 1.0], [479.4286847053182, 146.83283898634315]),
    ([-0.5, 0.4, 1.2], [112.6771935937096, 419.7391056200063]),
    ([0.1, 0.45, 0.8], [388.40328699443626, 535.4325234368602]),
    ([-0.35, -0.35, 0.9], [127.42028558344151, 52.28175013335925]),
    ([0.7, 0.05, 2.0], [505.3406448063534, 262.65103187186634]),
];
const FISHEYE_PIXELS: [([f64; 3], [f64; 2]); 8] = [
    ([0.0, 0.0, 1.0], [325.1, 249.7]),
    ([0.3, -0.2, 1.0], [475.14394779571455, 149.65149830221122]),
    ([-0.5, 0.4, 1.2], [125.56010217077699, 409.3625636690731]),
    ([0.1, 0.45, 0.8], [384.22591451422574, 515.8176935661398]),
    ([-0.35, -0.35, 0.9], [139.7335392505132, 64.29795344503233]),
    ([0.7, 0.05, 2.0], [500.5098062521547, 262.23167718747396]),
    ([2.0, 0.5, 1.0], [891.9973787242347, 391.4515522726657]),
    ([-1.0, 3.0, 0.7], [101.93838761172066, 919.3133618024201]),
];

fn view(lens: Lens) -> View {
    View { width: 640, height: 480, lens, near: 0.01, far: 100.0 }
}

/// Points, m, and their pixels.
type Projected = &'static [([f64; 3], [f64; 2])];

fn lenses() -> [(Lens, Projected); 3] {
    [
        (Lens::RadialTangential { intrinsics: INTRINSICS, coefficients: BROWN }, &BROWN_PIXELS),
        (Lens::RadialTangential { intrinsics: INTRINSICS, coefficients: RATIONAL }, &RATIONAL_PIXELS),
        (Lens::KannalaBrandt { intrinsics: INTRINSICS, coefficients: FISHEYE }, &FISHEYE_PIXELS),
    ]
}

#[test]
fn distorted_points_are_on_the_pixels_of_opencv_to_a_millionth() {
    let mut largest = 0.0_f64;
    for (lens, pixels) in lenses() {
        for ([x, y, z], [column, row]) in pixels {
            // Our optical frame has +Y up and looks along −Z; our pixels are counted from the corner of the image.
            let ours = Vector3::new(*x, -y, -z);
            let found = view(lens).project(&ours).unwrap();
            let differences = [found[0] - 0.5 - column, found[1] - 0.5 - row];
            largest = differences.into_iter().fold(largest, |largest, difference| largest.max(difference.abs()));
            // And back, unless the lens shows nothing there.
            if let Some(direction) = view(lens).direction(found[0], found[1]) {
                let expected = Unit::new_normalize(ours);
                assert!((direction.into_inner() - expected.into_inner()).norm() < 1e-11, "{lens:?} {ours}");
            } else {
                panic!("{lens:?} {ours}");
            }
        }
    }
    println!("largest difference from OpenCV: {largest:.1e} px");
    assert!(largest < 1e-6, "{largest}");
}

#[test]
fn every_pixel_is_projected_back_to_itself_by_every_lens() {
    let plain = [Lens::Normal { field_of_view: 1.0 }, Lens::Fisheye { field_of_view: 4.0 }, Lens::DualFisheye];
    for lens in plain.into_iter().chain(lenses().map(|(lens, _)| lens)) {
        let (view, mut shown) = (view(lens), 0);
        for row in (0..480).step_by(7) {
            for column in (0..640).step_by(7) {
                let (x, y) = (f64::from(column) + 0.5, f64::from(row) + 0.5);
                let Some(direction) = view.direction(x, y) else { continue };
                let [back_x, back_y] = view.project(&(direction.into_inner() * 3.0)).unwrap();
                assert!((back_x - x).hypot(back_y - y) < 1e-9, "{lens:?} {x} {y}: {back_x} {back_y}");
                shown += 1;
            }
        }
        assert!(shown > 3000, "{lens:?} {shown}");
    }
}

/// A barrel distortion folds at r = 1/√(−3·k1): nothing is shown beyond, instead of a mirrored picture.
#[test]
fn pixels_beyond_the_fold_of_a_law_are_empty() {
    let coefficients = [-0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let lens = Lens::RadialTangential { intrinsics: Intrinsics { fx: 300.0, fy: 300.0, ..INTRINSICS }, coefficients };
    let rim = 1.0 / 0.9_f64.sqrt();
    let furthest = 300.0 * rim * (1.0 - 0.3 * rim * rim);
    let at = |radius: f64| view(lens).direction(INTRINSICS.cx + 0.5 + radius, INTRINSICS.cy + 0.5);
    assert!(at(furthest - 0.1).is_some() && at(furthest + 0.1).is_none());
    assert!(at(furthest - 0.1).unwrap().x / -at(furthest - 0.1).unwrap().z < rim);
}

#[test]
fn impossible_calibrations_are_refused() {
    for intrinsics in [Intrinsics { fx: 0.0, ..INTRINSICS }, Intrinsics { cy: f64::NAN, ..INTRINSICS }] {
        let lens = Lens::KannalaBrandt { intrinsics, coefficients: FISHEYE };
        assert_eq!(view(lens).check(), Err(ViewError::Calibration));
    }
    let lens = Lens::RadialTangential { intrinsics: INTRINSICS, coefficients: [f64::INFINITY; 8] };
    assert_eq!(view(lens).check(), Err(ViewError::Calibration));
}
