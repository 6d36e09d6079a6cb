//! Normals, texture coordinates and colours of a face set, as index lists over values.

use std::fmt;

use thiserror::Error;

/// Values for the corners or the faces of a face set (VRML97 §6.23).
///
/// | `indices` | `per_vertex` | the value of a corner is |
/// |---|---|---|
/// | some | true | the one named by the entry of `indices` at the index of the corner in the list of faces |
/// | none | true | the one with the number of the corner's vertex |
/// | some | false | the one named by the entry of `indices` with the number of the corner's polygon |
/// | none | false | the one with the number of the corner's polygon |
///
/// Polygons are numbered from 0, those that are left out included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attribute<'a, const N: usize> {
    /// The values.
    pub values: &'a [[f64; N]],
    /// Numbers of values from 0. With `per_vertex` the list runs parallel to the faces, their −1 included.
    pub indices: Option<&'a [i32]>,
    /// Whether each corner has a value of its own rather than each polygon.
    pub per_vertex: bool,
}

/// Which attribute of a face set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// Directions for shading.
    Normals,
    /// Texture coordinates.
    TextureCoordinates,
    /// Colours.
    Colors,
}

/// Why an attribute of a face set was left out; the faces are there without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AttributeProblem {
    /// The index list ends before the faces do.
    #[error("the {kind} are left out: their index list has {found} entries and ends before the faces do")]
    TooFewIndices {
        /// Of what.
        kind: AttributeKind,
        /// Entries of the list.
        found: usize,
    },
    /// An entry of the index list names a value that does not exist, or is negative at the index of a corner.
    #[error("the {kind} are left out: entry {position} of their index list is {index}, but there are {found} values")]
    IndexOutOfRange {
        /// Of what.
        kind: AttributeKind,
        /// Where in the index list, from 0.
        position: usize,
        /// The index found there.
        index: i32,
        /// How many values there are.
        found: usize,
    },
    /// There is no index list, and fewer values than vertices or polygons in use.
    #[error("the {kind} are left out: value {missing} is needed, but there are only {found}")]
    TooFewValues {
        /// Of what.
        kind: AttributeKind,
        /// The number of a value that is missing, from 0.
        missing: usize,
        /// How many values there are.
        found: usize,
    },
    /// A value is infinite, not a number, or too large for single precision.
    #[error("the {kind} are left out: value {position} is not a usable number (infinite, not a number or too large)")]
    NotFinite {
        /// Of what.
        kind: AttributeKind,
        /// Which one, from 0.
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

/// A triangle of a face set and where in the file it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub corners: [Corner; 3],
    /// Number of the polygon it was cut from.
    pub polygon: usize,
}

/// A corner of a polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub vertex: u32,
    /// Where it stands in the list of faces.
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
        let number = |corner: Corner, polygon: usize| {
            let position = if self.per_vertex { corner.position } else { polygon };
            let Some(indices) = self.indices else {
                let number = if self.per_vertex { corner.vertex as usize } else { polygon };
                let missing = AttributeProblem::TooFewValues { kind, missing: number, found };
                return if number < found { Ok(number) } else { Err(missing) };
            };
            let &index = indices.get(position).ok_or(AttributeProblem::TooFewIndices { kind, found: indices.len() })?;
            usize::try_from(index).ok().filter(|&number| number < found).ok_or(AttributeProblem::IndexOutOfRange {
                kind,
                position,
                index,
                found,
            })
        };
        let value = |corner: Corner, polygon: usize| {
            let position = number(corner, polygon)?;
            let value = self.values[position].map(|number| number as f32);
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
