//! Angles, translations, rotations and scales.

use bunraku_document::{Mapping, Reporter, Result, Value};
use nalgebra::{Affine3, Isometry3, Matrix4, Translation3, Unit, UnitQuaternion, Vector3};

/// The unit of angles in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AngleUnit {
    Degree,
    Radian,
}

impl AngleUnit {
    /// An angle of the file in radian.
    pub(super) fn to_radian(self, angle: f64) -> f64 {
        match self {
            Self::Degree => angle.to_radians(),
            Self::Radian => angle,
        }
    }
}

/// A rotation axis shorter than this has no direction.
const SHORTEST_AXIS: f64 = 1e-6;

/// `translation` and `rotation` of a mapping; each may be a list of such, which add up in order.
pub(super) fn read_pose(mapping: &Mapping<'_, '_>, unit: AngleUnit) -> Isometry3<f64> {
    let translation = read_translation_key(mapping).unwrap_or_else(Translation3::identity);
    Isometry3::from_parts(translation, read_rotation_key(mapping, unit).unwrap_or_default())
}

/// The `translation` of a mapping, if it has one.
pub(super) fn read_translation_key(mapping: &Mapping<'_, '_>) -> Option<Translation3<f64>> {
    mapping.read(&["translation"], read_translation).map(Translation3::from)
}

/// The `rotation` of a mapping, if it has one.
pub(super) fn read_rotation_key(mapping: &Mapping<'_, '_>, unit: AngleUnit) -> Option<UnitQuaternion<f64>> {
    mapping.read(&["rotation"], |value, reporter| read_rotation(value, unit, reporter))
}

/// `translation`, `rotation` and `scale`; the scale applies first.
pub(super) fn read_transform(mapping: &Mapping<'_, '_>, unit: AngleUnit) -> Affine3<f64> {
    let pose = read_pose(mapping, unit).to_homogeneous();
    let scale = mapping.array::<3>(&["scale"]).map_or_else(|| Vector3::repeat(1.0), Vector3::from);
    Affine3::from_matrix_unchecked(pose * Matrix4::new_nonuniform_scaling(&scale))
}

pub(super) fn read_translation(value: Value<'_>, reporter: &Reporter) -> Result<Vector3<f64>> {
    if is_nested(value) {
        return value.items().into_iter().flatten().map(|item| Ok(Vector3::from(item.as_array::<3>(reporter)?))).sum();
    }
    Ok(Vector3::from(value.as_array::<3>(reporter)?))
}

pub(super) fn read_rotation(value: Value<'_>, unit: AngleUnit, reporter: &Reporter) -> Result<UnitQuaternion<f64>> {
    if is_nested(value) {
        let mut rotations = value.items().into_iter().flatten().map(|item| read_axis_angle(item, unit, reporter));
        return rotations.try_fold(UnitQuaternion::identity(), |product, rotation| Ok(product * rotation?));
    }
    read_axis_angle(value, unit, reporter)
}

fn read_axis_angle(value: Value<'_>, unit: AngleUnit, reporter: &Reporter) -> Result<UnitQuaternion<f64>> {
    let [x, y, z, angle] = value.as_array::<4>(reporter).map_err(|mut error| {
        error.help = Some("a rotation is an axis and an angle: `[ x, y, z, angle ]`".to_owned());
        error
    })?;
    match Unit::try_new(Vector3::new(x, y, z), SHORTEST_AXIS) {
        Some(axis) => Ok(UnitQuaternion::from_axis_angle(&axis, unit.to_radian(angle))),
        None => Err(Box::new(value.error("zero-axis", "the rotation axis is zero"))),
    }
}

/// Whether a list contains lists.
fn is_nested(value: Value<'_>) -> bool {
    value.items().and_then(|mut items| items.next()).is_some_and(|first| first.items().is_some())
}
