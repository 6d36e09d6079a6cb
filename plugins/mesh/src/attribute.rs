//! Normals, texture coordinates and colours of a face set, as index lists over values.

use std::fmt;

use thiserror::Error;

/// Values for the corners or the faces of a face set (VRML97 §6.23).
///
/// | `indices` | `per_vertex` | index of the value of a corner |
/// |---|---|---|
/// | some | true | entry of `indices` at the position of the corner in the list of faces |
/// | none | true | index of the corner's vertex |
/// | some | false | entry of `indices` at the index of the corner's polygon |
/// | none | false | index of the corner's polygon |
///
/// Polygons are numbered from 0; skipped ones count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attribute<'a, const N: usize> {
    /// The values.
    pub values: &'a [[f64; N]],
    /// Indices of values, from 0. With `per_vertex` the list runs parallel to the faces, including their −1.
    pub indices: Option<&'a [i32]>,
    /// Whether each corner has its own value rather than each polygon.
    pub per_vertex: bool,
}

/// Kind of attribute of a face set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// Normals for shading.
    Normals,
    /// Texture coordinates.
    TextureCoordinates,
    /// Colours.
    Colors,
}

/// Reason why an attribute of a face set was ignored; the faces are kept without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AttributeProblem {
    /// The index list is shorter than the list of faces.
    #[error("the {kind} are left out: their index list has {found} entries and ends before the faces do")]
    TooFewIndices {
        /// Kind of attribute.
        kind: AttributeKind,
        /// Entries of the list.
        found: usize,
    },
    /// An entry of the index list is beyond the last value, or is negative at the position of a corner.
    #[error("the {kind} are left out: entry {position} of their index list is {index}, but there are {found} values")]
    IndexOutOfRange {
        /// Kind of attribute.
        kind: AttributeKind,
        /// Position in the index list, from 0.
        position: usize,
        /// The invalid index.
        index: i32,
        /// Number of values.
        found: usize,
    },
    /// There is no index list, and there are fewer values than vertices or polygons in use.
    #[error("the {kind} are left out: value {missing} is needed, but there are only {found}")]
    TooFewValues {
        /// Kind of attribute.
        kind: AttributeKind,
        /// Index of a missing value, from 0.
        missing: usize,
        /// Number of values.
        found: usize,
    },
    /// A value is infinite, NaN, or too large for single precision.
    #[error("the {kind} are left out: value {position} is not a usable number (infinite, NaN or too large)")]
    NotFinite {
        /// Kind of attribute.
        kind: AttributeKind,
        /// Index of the value, from 0.
        position: usize,
    },
}

impl fmt::Display for AttributeKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Normals => "normals",
            Self::TextureCoordinates => "texture coordinates",
            Self::Colors => "colours",
        })
    }
}

/// Triangle of a face set with its origin in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub corners: [Corner; 3],
    /// Index of the polygon it was cut from.
    pub polygon: usize,
}

/// A corner of a polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub vertex: u32,
    /// Position in the list of faces.
    pub position: usize,
}

impl<const N: usize> Attribute<'_, N> {
    /// The values of the corners of each triangle.
    pub(crate) fn of_corners(
        &self,
        kind: AttributeKind,
        faces: &[Face],
    ) -> Result<Vec<[[f32; N]; 3]>, AttributeProblem> {
        let found = self.values.len();
        let known = |number: usize| self.values.get(number).map(|value| (number, value));
        let number = |corner: Corner, polygon: usize| {
            let position = if self.per_vertex { corner.position } else { polygon };
            let Some(indices) = self.indices else {
                let number = if self.per_vertex { corner.vertex as usize } else { polygon };
                let missing = AttributeProblem::TooFewValues { kind, missing: number, found };
                return known(number).ok_or(missing);
            };
            let &index = indices.get(position).ok_or(AttributeProblem::TooFewIndices { kind, found: indices.len() })?;
            usize::try_from(index).ok().and_then(known).ok_or(AttributeProblem::IndexOutOfRange {
                kind,
                position,
                index,
                found,
            })
        };
        #[expect(clippy::cast_possible_truncation, reason = "attributes are kept in single precision")]
        let value = |corner: Corner, polygon: usize| {
            let (position, value) = number(corner, polygon)?;
            let value = value.map(|number| number as f32);
            let finite = value.iter().all(|number| number.is_finite());
            if finite { Ok(value) } else { Err(AttributeProblem::NotFinite { kind, position }) }
        };
        let triangle = |face: &Face| {
            let [a, b, c] = face.corners;
            Ok([value(a, face.polygon)?, value(b, face.polygon)?, value(c, face.polygon)?])
        };
        faces.iter().map(triangle).collect()
    }
}
