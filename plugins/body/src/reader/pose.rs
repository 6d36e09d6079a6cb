//! Angles, translations, rotations and scales.

use bunraku_document::{Mapping, Reporter, Result, Value, closest};
use nalgebra::{Affine3, Isometry3, Matrix4, Translation3, UnitQuaternion, Vector3};

/// Angle unit of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AngleUnit {
    Degree,
    Radian,
}

impl AngleUnit {
    /// Converts an angle of the file to radian.
    pub(super) fn to_radian(self, angle: f64) -> f64 {
        match self {
            Self::Degree => angle.to_radians(),
            Self::Radian => angle,
        }
    }
}

/// Angle unit given at the top of a file.
pub(super) fn read_angle_unit(top: &Mapping<'_, '_>, version: f64) -> AngleUnit {
    let Some(value) = top.get(&["angle_unit", "angleUnit"]) else {
        return AngleUnit::Degree;
    };
    match value.text() {
        Some("degree") => AngleUnit::Degree,
        Some("radian") => {
            if version >= 2.0 {
                let message =
                    "the angles are in radian, as the manual allows; Choreonoid refuses that from version 2.0 on";
                let help = "write `format_version: 1.0`, which means the same otherwise";
                top.reporter().report(value.note("manual-wins", message).help(help));
            }
            AngleUnit::Radian
        }
        _ => {
            let diagnostic = value.expected("`degree` or `radian`");
            top.reporter().report(match value.text().and_then(|word| closest(word, ["degree", "radian"])) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic,
            });
            AngleUnit::Degree
        }
    }
}

/// Minimum length of a rotation axis.
const SHORTEST_AXIS: f64 = 1e-6;

/// Reads `translation` and `rotation` of a mapping; each may be a list, which is composed in order.
pub(super) fn read_pose(mapping: &Mapping<'_, '_>, unit: AngleUnit) -> Isometry3<f64> {
    let translation = read_translation_key(mapping).unwrap_or_else(Translation3::identity);
    Isometry3::from_parts(translation, read_rotation_key(mapping, unit).unwrap_or_default())
}

/// `translation` of a mapping, if given.
pub(super) fn read_translation_key(mapping: &Mapping<'_, '_>) -> Option<Translation3<f64>> {
    mapping.read(&["translation"], read_translation).map(Translation3::from)
}

/// `rotation` of a mapping, if given.
pub(super) fn read_rotation_key(mapping: &Mapping<'_, '_>, unit: AngleUnit) -> Option<UnitQuaternion<f64>> {
    mapping.read(&["rotation"], |value, reporter| read_rotation(value, unit, reporter))
}

/// Reads `translation`, `rotation` and `scale`. The scale is applied first, along the axes rotated by
/// `scale_orientation`.
pub(super) fn read_transform(mapping: &Mapping<'_, '_>, unit: AngleUnit) -> Affine3<f64> {
    let pose = read_pose(mapping, unit).to_homogeneous();
    let scale = mapping.array::<3>(&["scale"]).map_or_else(|| Vector3::repeat(1.0), Vector3::from);
    let scale = Matrix4::new_nonuniform_scaling(&scale);
    let orientation = mapping
        .read(&["scale_orientation", "scaleOrientation"], |value, reporter| read_rotation(value, unit, reporter))
        .filter(|orientation| *orientation != UnitQuaternion::identity());
    let Some(orientation) = orientation else { return Affine3::from_matrix_unchecked(pose * scale) };
    let turn = orientation.to_homogeneous();
    Affine3::from_matrix_unchecked(pose * turn * scale * turn.transpose())
}

/// A vector, or a (nested) list of vectors, which are summed; zero for an empty list.
pub(super) fn read_translation(value: Value<'_>, reporter: &Reporter) -> Result<Vector3<f64>> {
    let mut sum = Vector3::zeros();
    each(value, &mut |vector| {
        sum += Vector3::from(vector.as_array::<3>(reporter)?);
        Ok(())
    })?;
    Ok(sum)
}

/// An axis with an angle, or a (nested) list of rotations, which are multiplied from left to right; identity for an
/// empty list.
pub(super) fn read_rotation(value: Value<'_>, unit: AngleUnit, reporter: &Reporter) -> Result<UnitQuaternion<f64>> {
    let mut product = UnitQuaternion::identity();
    each(value, &mut |rotation| {
        product *= read_axis_angle(rotation, unit, reporter)?;
        Ok(())
    })?;
    Ok(product)
}

/// Maximum number of nested lists of one value: real files have about ten, and aliases of aliases multiply them.
const MOST_LISTS: usize = 10_000;

/// Visits the innermost lists of nested lists in order; a value that is not a list is visited itself.
fn each<'a>(value: Value<'a>, visit: &mut impl FnMut(Value<'a>) -> Result<()>) -> Result<()> {
    let mut pending = vec![value];
    let mut count = 0;
    while let Some(value) = pending.pop() {
        let is_outer = value.items().is_some_and(|mut items| items.all(|item| item.items().is_some()));
        count += 1;
        if count + pending.len() > MOST_LISTS || value.items().is_some_and(|items| items.len() > MOST_LISTS) {
            let message = format!("more than {MOST_LISTS} vectors or rotations are put together here");
            let help = "an alias stands for all it names: are there aliases of aliases?";
            return Err(Box::new(value.error("limit-elements", message).help(help)));
        }
        if is_outer {
            let inner: Vec<_> = value.items().into_iter().flatten().collect();
            pending.extend(inner.into_iter().rev());
        } else {
            visit(value)?;
        }
    }
    Ok(())
}

fn read_axis_angle(value: Value<'_>, unit: AngleUnit, reporter: &Reporter) -> Result<UnitQuaternion<f64>> {
    let [x, y, z, angle] = value.as_array::<4>(reporter).map_err(|mut error| {
        error.help = Some("a rotation is an axis and an angle: `[ x, y, z, angle ]`".to_owned());
        error
    })?;
    match bunraku_mesh::unit_vector(Vector3::new(x, y, z), SHORTEST_AXIS) {
        Some(axis) => Ok(UnitQuaternion::from_axis_angle(&axis, unit.to_radian(angle))),
        None => {
            let diagnostic = value.error("zero-axis", "the rotation axis is zero");
            Err(Box::new(diagnostic.help("write an axis and an angle, such as `[ 0, 0, 1, 90 ]`")))
        }
    }
}
