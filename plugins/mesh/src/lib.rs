//! Shapes: [`Primitive`]s as model files name them and the [`TriangleMesh`]es they become.
//!
//! Lengths are metres. Primitives are centred on the origin; cylinders, cones and capsules stand on the Y axis,
//! as in VRML and in Choreonoid's body files.

mod primitive;
mod triangle_mesh;

pub use primitive::{DEFAULT_DIVISIONS, Primitive};
pub use triangle_mesh::{BoundingBox, TriangleMesh};
