//! Readers of mesh files, against texts of our own, other readers and real files.

// A test that cannot go on says so loudly; what helpers say is seen where a test fails.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod collada;
mod common;
mod gltf;
mod mesh_corpus;
mod obj;
mod stl;
mod vrml_corpus;
mod vrml_differential;
mod vrml_hostile;
mod vrml_scene;
mod vrml_tree;
