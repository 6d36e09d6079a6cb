//! Readers of mesh files, tested with our own texts, against other readers, and with real files.

// Failed assumptions in tests may panic; output of helpers is visible when a test fails.
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
