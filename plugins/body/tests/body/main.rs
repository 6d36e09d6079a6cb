//! Models: reading, diagnostics, computations and writing.

// Failed assumptions in tests may panic; output of helpers is visible when a test fails.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod assets;
mod common;
mod corpus;
mod devices;
mod dynamics;
mod extra_joints;
mod hostile_files;
mod joint_couplings;
mod kinematics;
mod limits;
mod links_and_joints;
mod manual;
mod mass_and_shapes;
mod meshes;
mod messages;
mod mistakes;
mod mjcf;
mod mutation;
mod openhrp;
mod openhrp_fuzz;
mod openhrp_golden;
mod openhrp_limits;
mod openhrp_messages;
mod plausibility;
mod resources;
mod self_collision;
mod statements;
mod sub_bodies;
mod urdf;
mod visuals;
mod writer;
