//! Rapier's context: shapes, contact rules and mass properties.

pub(crate) mod breakdown;
pub(crate) mod colliders;
pub(crate) mod contacts;
pub(crate) mod context;
pub(crate) mod convert;
pub(crate) mod culling;
pub(crate) mod drawn_links;
pub(crate) mod hulls;
pub(crate) mod mass_properties;
pub(crate) mod mesh_edges;
pub(crate) mod state;
pub(crate) mod tracks;
