//! Equality of two bodies except for rounding.

use std::sync::Arc;

use bunraku_body::{Body, Device, DeviceKind, Geometry, Joint, Link, Range, Shape};
use bunraku_mesh::{Normals, ShapeOrigin, TriangleMesh};
use nalgebra::{Isometry3, UnitQuaternion};

/// Tolerance of computed rotations and scales: some dozens of roundings, relative to the largest number.
const TOLERANCE: f64 = 1e-12;
/// Tolerance of angles, which read back to the same or an adjacent f64.
const NEIGHBOUR: f64 = 2.0 * f64::EPSILON;

/// Asserts that two bodies are equal; `what` is shown if not.
///
/// # Panics
/// If they differ.
#[track_caller]
pub fn assert_same_body(found: &Body, expected: &Body, what: &str) {
    if let Err(difference) = same_body(found, expected) {
        panic!("{difference}\n{what}");
    }
}

type Same = Result<(), String>;

fn check(same: bool, what: impl FnOnce() -> String) -> Same {
    if same { Ok(()) } else { Err(what()) }
}

macro_rules! equal {
    ($what:expr, $found:expr, $expected:expr) => {
        check($found == $expected, || format!("{}: {:?} instead of {:?}", $what, $found, $expected))?
    };
}

fn same_body(found: &Body, expected: &Body) -> Same {
    equal!("name", found.name, expected.name);
    equal!("joints", found.joints(), expected.joints());
    equal!("joint IDs", found.num_joint_ids(), expected.num_joint_ids());
    equal!("rules", found.collision_rules, expected.collision_rules);
    equal!("info", found.info, expected.info);
    equal!("links", found.links().len(), expected.links().len());
    for (found, expected) in found.links().iter().zip(expected.links()) {
        same_link(found, expected).map_err(|difference| format!("link {}: {difference}", expected.name))?;
    }
    equal!("devices", found.devices.len(), expected.devices.len());
    for (found, expected) in found.devices.iter().zip(&expected.devices) {
        same_device(found, expected).map_err(|difference| format!("device {}: {difference}", expected.name))?;
    }
    equal!("extra joints", found.extra_joints.len(), expected.extra_joints.len());
    for (found, expected) in found.extra_joints.iter().zip(&expected.extra_joints) {
        equal!("kind of extra joint", found.kind.as_str(), expected.kind.as_str());
        equal!("links of extra joint", found.links, expected.links);
        for (found, expected) in found.frames.iter().zip(&expected.frames) {
            pose("frame", found, expected)?;
        }
        if let (Some(found), Some(expected)) = (found.kind.axis(), expected.kind.axis()) {
            close("axis", found.as_slice(), expected.as_slice(), TOLERANCE)?;
        }
    }
    equal!("couplings", found.joint_couplings().len(), expected.joint_couplings().len());
    for (found, expected) in found.joint_couplings().iter().zip(expected.joint_couplings()) {
        equal!("joints of coupling", [found.follower, found.leader], [expected.follower, expected.leader]);
        close("coupling", &found.polynomial, &expected.polynomial, NEIGHBOUR)?;
    }
    equal!("a pose", found.standard_pose.is_some(), expected.standard_pose.is_some());
    let angles = |body: &Body| body.standard_pose.clone().unwrap_or_default();
    angles_same("standard pose", &angles(found), &angles(expected))
}

fn same_link(found: &Link, expected: &Link) -> Same {
    equal!("name", found.name, expected.name);
    equal!("parent", found.parent, expected.parent);
    pose("offset", &found.offset, &expected.offset)?;
    same_joint(&found.joint, &expected.joint)?;
    equal!("mass", found.mass, expected.mass);
    equal!("material", found.material, expected.material);
    equal!("collision shape", found.collision_shape, expected.collision_shape);
    equal!("info", found.info, expected.info);
    equal!("scenery", found.scenery.len(), expected.scenery.len());
    for (found, expected) in found.scenery.iter().zip(&expected.scenery) {
        equal!("scenery", (found.kind, &found.name, &found.info), (expected.kind, &expected.name, &expected.info));
        matrix("scenery", found.transform.matrix().as_slice(), expected.transform.matrix().as_slice())?;
    }
    for (what, found, expected) in
        [("visual", &found.visual, &expected.visual), ("collision", &found.collision, &expected.collision)]
    {
        equal!(what, found.len(), expected.len());
        for (number, (found, expected)) in found.iter().zip(expected).enumerate() {
            same_shape(found, expected).map_err(|difference| format!("{what} {number}: {difference}"))?;
        }
    }
    Ok(())
}

fn same_joint(found: &Joint, expected: &Joint) -> Same {
    equal!("id", found.id, expected.id);
    equal!("joint name", found.name, expected.name);
    equal!("kind", found.kind, expected.kind);
    equal!("axis", found.axis, expected.axis);
    equal!("actuation mode", found.actuation_mode, expected.actuation_mode);
    equal!("effort", found.effort_range, expected.effort_range);
    equal!("inertia", found.equivalent_rotor_inertia, expected.equivalent_rotor_inertia);
    equal!("motor", found.motor, expected.motor);
    angles_same("initial displacement", &[found.initial_displacement], &[expected.initial_displacement])?;
    let ends = |range: &Range| [range.lower, range.upper];
    angles_same("range", &ends(&found.displacement_range), &ends(&expected.displacement_range))?;
    angles_same("velocity", &ends(&found.velocity_range), &ends(&expected.velocity_range))
}

fn same_shape(found: &Shape, expected: &Shape) -> Same {
    matrix("transform", found.transform.matrix().as_slice(), expected.transform.matrix().as_slice())?;
    let mut look = found.appearance.clone();
    if let (Some(texture), Some(expected)) = (&mut look.texture, &expected.appearance.texture) {
        angles_same("texture rotation", &[texture.transform.rotation], &[expected.transform.rotation])?;
        texture.transform.rotation = expected.transform.rotation;
        if let (bunraku_mesh::TextureImage::File(found), bunraku_mesh::TextureImage::File(expected)) =
            (&mut texture.image, &expected.image)
        {
            equal!("texture", found.canonicalize().ok(), expected.canonicalize().ok());
            found.clone_from(expected);
        }
    }
    equal!("appearance", look, expected.appearance);
    equal!("origin", found.origin.is_some(), expected.origin.is_some());
    if let (Some(found), Some(expected)) = (&found.origin, &expected.origin) {
        same_origin(found, expected)?;
    }
    match (&found.geometry, &expected.geometry) {
        (Geometry::Mesh(found), Geometry::Mesh(expected)) if Arc::ptr_eq(found, expected) => Ok(()),
        (Geometry::Mesh(found), Geometry::Mesh(expected)) => same_mesh(found, expected),
        (found, expected) => {
            equal!("geometry", found, expected);
            Ok(())
        }
    }
}

fn same_origin(found: &ShapeOrigin, expected: &ShapeOrigin) -> Same {
    equal!("file", found.file.canonicalize().ok(), expected.file.canonicalize().ok());
    equal!("part", found.part, expected.part);
    equal!("unit", (found.unit, found.y_up), (expected.unit, expected.y_up));
    equal!("as geometry", found.as_geometry, expected.as_geometry);
    matrix("origin", found.transform.matrix().as_slice(), expected.transform.matrix().as_slice())
}

fn same_mesh(found: &TriangleMesh, expected: &TriangleMesh) -> Same {
    let mut found = found.clone();
    if let (Normals::Crease(angle), Normals::Crease(expected)) = (&mut found.normals, &expected.normals) {
        angles_same("crease angle", &[*angle], &[*expected])?;
        *angle = *expected;
    }
    check(found == *expected, || "the meshes differ".to_owned())
}

fn same_device(found: &Device, expected: &Device) -> Same {
    matrix("transform", found.transform.matrix().as_slice(), expected.transform.matrix().as_slice())?;
    let mut found = found.clone();
    found.transform = expected.transform;
    // Computed values and angles must be close, and are then set equal.
    match (&mut found.kind, &expected.kind) {
        (DeviceKind::Camera(found), DeviceKind::Camera(expected)) => {
            near_view(&mut found.view, &expected.view)?;
        }
        (DeviceKind::RangeCamera(found), DeviceKind::RangeCamera(expected)) => {
            near_view(&mut found.view, &expected.view)?;
        }
        (DeviceKind::RangeSensor(found), DeviceKind::RangeSensor(expected)) => {
            rotation("optical frame", &found.optical_rotation, &expected.optical_rotation)?;
            found.optical_rotation = expected.optical_rotation;
            for (found, expected) in [(&mut found.yaw, &expected.yaw), (&mut found.pitch, &expected.pitch)] {
                angles_same("scan", &[found.min, found.max, found.step], &[expected.min, expected.max, expected.step])?;
                *found = *expected;
            }
        }
        (DeviceKind::SpotLight(found), DeviceKind::SpotLight(expected)) => {
            close("direction", found.direction.as_slice(), expected.direction.as_slice(), TOLERANCE)?;
            angles_same(
                "cone",
                &[found.beam_width, found.cut_off_angle],
                &[expected.beam_width, expected.cut_off_angle],
            )?;
            found.direction = expected.direction;
            (found.beam_width, found.cut_off_angle) = (expected.beam_width, expected.cut_off_angle);
        }
        (DeviceKind::Conveyor(found), DeviceKind::Conveyor(expected)) => {
            close("axis", found.axis.as_slice(), expected.axis.as_slice(), TOLERANCE)?;
            found.axis = expected.axis;
        }
        (DeviceKind::Marker(found), DeviceKind::Marker(expected)) => {
            pose("offset", &found.offset, &expected.offset)?;
            found.offset = expected.offset;
        }
        _ => {}
    }
    equal!("device", &found, expected);
    Ok(())
}

fn near_view(found: &mut bunraku_body::CameraView, expected: &bunraku_body::CameraView) -> Same {
    rotation("optical frame", &found.optical_rotation, &expected.optical_rotation)?;
    angles_same("field of view", &[found.field_of_view], &[expected.field_of_view])?;
    found.optical_rotation = expected.optical_rotation;
    found.field_of_view = expected.field_of_view;
    Ok(())
}

fn pose(what: &str, found: &Isometry3<f64>, expected: &Isometry3<f64>) -> Same {
    equal!(what, found.translation, expected.translation);
    rotation(what, &found.rotation, &expected.rotation)
}

fn rotation(what: &str, found: &UnitQuaternion<f64>, expected: &UnitQuaternion<f64>) -> Same {
    let (found, expected) = (found.to_rotation_matrix(), expected.to_rotation_matrix());
    close(what, found.matrix().as_slice(), expected.matrix().as_slice(), TOLERANCE)
}

fn angles_same(what: &str, found: &[f64], expected: &[f64]) -> Same {
    let near =
        |(&found, &expected): (&f64, &f64)| found == expected || (found - expected).abs() <= NEIGHBOUR * expected.abs();
    let same = found.len() == expected.len() && found.iter().zip(expected).all(near);
    check(same, || format!("{what}: {found:?} instead of {expected:?}"))
}

/// Compares numbers relative to the largest of them.
fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) -> Same {
    let largest = expected.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()));
    let near = |(found, expected): (&f64, &f64)| (found - expected).abs() <= tolerance * largest;
    check(found.iter().zip(expected).all(near), || format!("{what}: {found:?} instead of {expected:?}"))
}

/// Compares affine maps by columns: the linear part separately, because a translation may be much larger.
fn matrix(what: &str, found: &[f64], expected: &[f64]) -> Same {
    close(what, &found[..12], &expected[..12], TOLERANCE)?;
    close(what, &found[12..], &expected[12..], TOLERANCE)
}
