//! Contacts of the parts of the solver.
//!
//! | step | input | output | file |
//! |---|---|---|---|
//! | broad phase | rapier's boxes about colliders | candidate pairs | [`broad_phase`] |
//! | narrow phase | shapes in f64, poses of the solver | contact patches: points with one normal | [`patches`] |
//! | contacts | patches, materials, contact law | contacts for the solver, reported contacts | [`contacts`] |
//! | after the solve | end poses | parts that passed through something | [`tunnelling`] |
//!
//! The broad phase is rapier's, f32, and runs only when a collider could leave its box. The narrow phase is our own, by parry in f64, and has no
//! memory: the contacts of a step are a function of its poses. The state of the broad phase has no influence on them, so that a snapshot keeps none
//! of it, and a body far away changes nothing.
//!
//! A pair of convex parts is tested by the first of these that applies: [`over_face`] (above the inside of a face of the ground), [`box_box`],
//! parry's own function for the two shapes ([`manifold`]). Triangles of meshes are tested one by one with the normals that
//! their neighbours allow ([`crate::world::mesh_edges`]).

mod box_box;
mod broad_phase;
mod contact_point;
mod contacts;
mod flagged_pairs;

mod manifold;
mod over_face;
mod patches;
mod prediction;
pub(crate) mod reported_contact;
mod shapes;
pub(crate) mod state;
pub(crate) mod tunnelling;
