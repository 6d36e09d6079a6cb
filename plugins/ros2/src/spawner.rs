//! Bodies that clients request.

use std::fmt::Debug;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::Body;
use nalgebra::Isometry3;

/// The model of a requested body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelSource<'a> {
    /// A file, as a path or a URI.
    File(&'a str),
    /// The content of a file.
    Text(&'a str),
}

/// Why a model cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpawnError {
    /// There is no such file, or it may not be read.
    NoResource(String),
    /// Its format is unknown.
    UnsupportedFormat(String),
    /// It has errors.
    Faulty(String),
}

/// Reads and spawns bodies for clients; it decides which files may be read.
pub trait Spawner: Debug + Send + Sync {
    /// Reads a model.
    ///
    /// # Errors
    /// The reason, for the client.
    fn load(&self, source: ModelSource<'_>) -> Result<Arc<Body>, SpawnError>;

    /// Spawns a body with its root at `pose`. Its entity has this name.
    fn spawn(&self, world: &mut World, name: String, model: Arc<Body>, pose: &Isometry3<f64>) -> Entity;
}
