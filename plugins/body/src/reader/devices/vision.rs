//! Cameras, and the optical frame they share with range sensors.

use std::f64::consts::{PI, TAU};

use bunraku_document::Value;
use nalgebra::UnitQuaternion;

use super::keys::{Allowed, Keys, Names, Pair};
use crate::reader::pose::read_rotation;
use crate::{Camera, CameraView, DeviceKind, LensType, OpticalFrame, RangeCamera, RangeFormat};

/// Maximum length of a side of an image, pixels: the limit of common graphics cards.
const LONGEST_SIDE: i32 = 16_384;

const LENS_NAMES: Names = &["lens_type", "lensType"];
const LENSES: &[(&str, LensType)] =
    &[("NORMAL", LensType::Normal), ("FISHEYE", LensType::Fisheye), ("DUAL_FISHEYE", LensType::DualFisheye)];

const OPTICAL_FRAMES: &[(&str, OpticalFrame)] =
    &[("gl", OpticalFrame::Gl), ("cv", OpticalFrame::Cv), ("robotics", OpticalFrame::Robotics)];

/// A camera or range camera, depending on `format`; `None` if the format is unknown.
pub(super) fn read_camera(keys: &Keys<'_, '_, '_>) -> Option<DeviceKind> {
    let format = keys.mapping.get(&["format"]);
    let format = match format.and_then(Value::text) {
        Some("COLOR") => None,
        Some("DEPTH") => Some(RangeFormat::Depth),
        Some("COLOR_DEPTH") => Some(RangeFormat::ColorDepth),
        Some("POINT_CLOUD") => Some(RangeFormat::PointCloud),
        Some("COLOR_POINT_CLOUD") => Some(RangeFormat::ColorPointCloud),
        _ => {
            let node = format.unwrap_or_else(|| keys.mapping.node());
            let message = "a camera without a known `format` records nothing: it is left out";
            let help = "the formats are COLOR, DEPTH, COLOR_DEPTH, POINT_CLOUD and COLOR_POINT_CLOUD";
            keys.report(node.warning("camera-format", message).help(help));
            return None;
        }
    };
    let lens = keys.word(LENS_NAMES, LENSES).unwrap_or_default();
    Some(match format {
        None => DeviceKind::Camera(Camera { view: read_view(keys, lens), lens }),
        Some(format) => {
            if lens != LensType::Normal {
                let message = "a camera that measures distances has a normal lens: `lens_type` counts with COLOR only";
                keys.report(
                    keys.place(LENS_NAMES)
                        .warning("lens-type", message)
                        .help("remove `lens_type`, or write `format: COLOR`"),
                );
            }
            DeviceKind::RangeCamera(read_range_camera(keys, format))
        }
    })
}

fn read_range_camera(keys: &Keys<'_, '_, '_>, format: RangeFormat) -> RangeCamera {
    let default = RangeCamera::new(format);
    let [min_distance, max_distance] = read_distances(keys, [default.min_distance, default.max_distance]);
    RangeCamera {
        view: read_view(keys, LensType::Normal),
        format,
        min_distance,
        max_distance,
        detection_rate: keys.number(&["detection_rate"], Allowed::SHARE, default.detection_rate),
        error_deviation: keys.number(&["error_deviation"], Allowed::NOT_NEGATIVE, default.error_deviation),
    }
}

/// Reads `min_distance` and `max_distance`.
pub(super) fn read_distances(keys: &Keys<'_, '_, '_>, defaults: [f64; 2]) -> [f64; 2] {
    keys.ordered(&Pair {
        names: [&["min_distance", "minDistance"], &["max_distance", "maxDistance"]],
        allowed: [Allowed::NOT_NEGATIVE, Allowed::POSITIVE],
        defaults,
    })
}

/// Reads `optical_frame`, and its rotation combined with `optical_frame_rotation`.
pub(super) fn read_optical_frame(keys: &Keys<'_, '_, '_>) -> (OpticalFrame, UnitQuaternion<f64>) {
    let frame = keys.word(&["optical_frame"], OPTICAL_FRAMES).unwrap_or_default();
    let read = |value, reporter: &_| read_rotation(value, keys.unit, reporter);
    let rotation = keys.mapping.read(&["optical_frame_rotation"], read).unwrap_or_default();
    (frame, frame.rotation() * rotation)
}

fn read_view(keys: &Keys<'_, '_, '_>, lens: LensType) -> CameraView {
    let default = CameraView::default();
    let [near_clip_distance, far_clip_distance] = keys.ordered(&Pair {
        names: [&["near_clip_distance", "nearClipDistance"], &["far_clip_distance", "farClipDistance"]],
        allowed: [Allowed::POSITIVE; 2],
        defaults: [default.near_clip_distance, default.far_clip_distance],
    });
    let (optical_frame, optical_rotation) = read_optical_frame(keys);
    let width = read_side(keys, "width", &["width"]).filter(|&width| fits(keys, lens, width)).unwrap_or(default.width);
    let height = read_height(keys, lens, width).unwrap_or(default.height);
    CameraView {
        width,
        height,
        field_of_view: read_field_of_view(keys, lens).unwrap_or(default.field_of_view),
        near_clip_distance,
        far_clip_distance,
        frame_rate: keys.number(&["frame_rate", "frameRate"], Allowed::POSITIVE, default.frame_rate),
        optical_frame,
        optical_rotation,
    }
}

fn read_side(keys: &Keys<'_, '_, '_>, name: &str, names: Names) -> Option<u32> {
    let value = keys.mapping.get(names)?;
    let side = keys.keep(value.as_integer(keys.reporter()))?;
    if !(1..=LONGEST_SIDE).contains(&side) {
        let message = format!("the {name} of a picture must be from 1 to {LONGEST_SIDE} pixels, not {side}");
        keys.report(value.warning("out-of-range", message).help("write a number of pixels, such as 640"));
        return None;
    }
    u32::try_from(side).ok()
}

/// Whether the height that follows from this width and the lens is allowed.
fn fits(keys: &Keys<'_, '_, '_>, lens: LensType, width: u32) -> bool {
    let fits = lens.height(width) != Some(0);
    if !fits {
        let message = "a picture of two circles is at least 2 pixels wide: the width is ignored";
        keys.report(keys.place(&["width"]).warning("out-of-range", message).help("write a width such as 1280"));
    }
    fits
}

/// With a fisheye lens the width determines the height, as in the manual; a different height in the file gives a note.
fn read_height(keys: &Keys<'_, '_, '_>, lens: LensType, width: u32) -> Option<u32> {
    let written = read_side(keys, "height", &["height"]);
    let Some(dictated) = lens.height(width) else { return written };
    if written.is_some_and(|written| written != dictated) {
        let message = format!("with this lens the height follows from the width: it is {dictated}");
        keys.report(keys.place(&["height"]).note("fisheye-height", message).help("leave `height` out"));
    }
    Some(dictated)
}

fn read_field_of_view(keys: &Keys<'_, '_, '_>, lens: LensType) -> Option<f64> {
    const NAMES: Names = &["field_of_view", "fieldOfView"];
    const NORMAL: Allowed = Allowed::new(|angle| 0.0 < angle && angle < PI, "greater than 0 and less than a half turn");
    const FISHEYE: Allowed =
        Allowed::new(|angle| 0.0 < angle && angle <= TAU, "greater than 0 and at most a full turn");
    /// Rounding tolerance of π converted from degrees.
    const ROUNDING: f64 = 1e-9;
    if lens == LensType::Normal {
        return keys.placed_angle(NAMES, NORMAL).map(|angle| angle.number);
    }
    let written = keys.placed_angle(NAMES, FISHEYE);
    match (lens, written) {
        (LensType::DualFisheye, Some(angle)) if (angle.number - PI).abs() > ROUNDING => {
            let message = "DUAL_FISHEYE shows 180 degrees in each circle: `field_of_view` is ignored";
            keys.report(angle.value.note("fisheye-angle", message).help("leave `field_of_view` out"));
            Some(PI)
        }
        (LensType::DualFisheye, _) => Some(PI),
        (_, Some(angle)) if angle.number > PI + ROUNDING => {
            let message = "Choreonoid shows 180 degrees of a fisheye lens at most";
            keys.report(
                angle.value.note("fisheye-angle", message).help("write 180 or less for the same picture there"),
            );
            Some(angle.number)
        }
        (_, written) => written.map(|angle| angle.number),
    }
}
