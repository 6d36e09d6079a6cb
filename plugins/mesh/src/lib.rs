//! Shapes of model files: [`Primitive`]s, [`Extrusion`]s, [`ElevationGrid`]s and [face sets](indexed_face_set), and the
//! [`TriangleMesh`]es made of them.
//!
//! Lengths are metres. Primitives are centred on the origin. The axis of cylinders, cones and capsules is Y, as in VRML
//! and in Choreonoid's body files.

// Sines and the like are those of `libm`, so that results have the same bits everywhere.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// No bytes of a file make a reader panic or lose digits: `get` and patterns instead of indices.
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod appearance;
mod attribute;
mod collada;
mod context;
mod corner_normals;
mod corner_tree;
mod draw_mesh;
mod elevation_grid;
mod error;
mod extrusion;
mod gltf_scene;
mod indexed_face_set;
mod load;
mod merge;
mod mesh_builder;
mod mesh_file;
mod obj;
mod picture;
mod polygon;
mod primitive;
mod scene;
mod shape;
mod stl;
#[cfg(test)]
mod testing;
mod texture_mapping;
mod triangle_mesh;
mod unit;
pub mod vrml;

pub use appearance::{Appearance, Pixels, Texture, TextureImage, TextureTransform};
pub use attribute::{Attribute, AttributeKind, AttributeProblem};
pub use context::LoadContext;
pub use draw_mesh::DrawMesh;
pub use elevation_grid::ElevationGrid;
pub use error::MeshError;
pub use extrusion::{Extrusion, MAX_EXTRUSION_VERTICES};
pub use indexed_face_set::{FaceSet, FaceSetInput, UnknownVertices, indexed_face_set, triangle_mesh};
pub use load::{extensions, load_scene};
pub use picture::{DecodedPicture, MAX_TEXTURE_SIDE, PictureError, decode_picture};
pub use polygon::{MAX_POLYGON_CORNERS, triangulate_polygon};
pub use primitive::{DEFAULT_DIVISIONS, MAX_LENGTH, Primitive};
pub use scene::{MeshScene, SceneNode};
pub use shape::{Geometry, Shape, ShapeOrigin};
pub use triangle_mesh::{BoundingBox, Normals, TriangleMesh};
pub use unit::{unit_quaternion, unit_vector};
