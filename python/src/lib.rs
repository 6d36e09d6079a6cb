//! The extension module of the Python package `bunraku`: simulations of the library `bunraku`, and NumPy arrays of
//! their state.
//!
//! `world` is a headless simulation without Python. The classes around it never hold its lock while they wait: a call
//! from a second thread gets a `BusyError`, and a panic becomes an `InternalError`.

#![cfg(feature = "python")]

mod arrays;
mod batch;
mod body;
mod errors;
mod loading;
mod model;
mod motion;
mod sensors;
mod shared;
mod simulation;
mod world;

use pyo3::prelude::*;

/// The compiled part of the package `bunraku`.
#[pymodule]
mod _bunraku {
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::body::BodyView;
    #[pymodule_export]
    use crate::model::{Body, load_body};
    #[pymodule_export]
    use crate::motion::{read_motion, write_motion};
    #[pymodule_export]
    use crate::simulation::{Simulation, Snapshot};
}
