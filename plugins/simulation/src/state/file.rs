//! Snapshots as bytes.
//!
//! The format is a header with the version of the program, the entities with their names, then the states in order,
//! each with the name of its store. It is encoded by the crate `postcard`, which preserves every bit of a number.

use std::collections::BTreeMap;

use bevy::prelude::*;
use serde::{Deserialize, Serialize};

use super::registry::StateRegistry;
use super::{SimulationSnapshot, SnapshotError};

/// The first bytes of a snapshot.
const MAGIC: &[u8] = b"BunrakuSnapshot\n";

/// The registered state changes with the program, so only the same version can read it.
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Serialize, Deserialize)]
struct Contents {
    /// Bits and name of each entity.
    entities: Vec<(u64, String)>,
    /// Name of the store and its bytes.
    states: Vec<(String, Vec<u8>)>,
}

impl SimulationSnapshot {
    /// The snapshot as bytes, for a file. The world must be the one it was taken from, or have the same registered
    /// state.
    ///
    /// # Errors
    /// If registered state cannot be serialized.
    pub fn to_bytes(&self, world: &mut World) -> Result<Vec<u8>, SnapshotError> {
        let registry = StateRegistry::of(world).clone();
        let states = self.states.iter().filter_map(|(name, saved)| Some((name, registry.stores.get(name)?, saved)));
        let states = states.map(|(name, store, saved)| {
            let bytes = (store.write)(saved);
            let bytes = bytes.map_err(|error| SnapshotError::Unfit(format!("{name} cannot be written: {error}")));
            bytes.map(|bytes| ((*name).to_owned(), bytes))
        });
        let entities = self.entities.iter().map(|(entity, name)| (entity.to_bits(), name.clone())).collect();
        let contents = Contents { entities, states: states.collect::<Result<_, _>>()? };
        let mut bytes = MAGIC.to_vec();
        let damaged = |error: postcard::Error| SnapshotError::Unfit(error.to_string());
        bytes.extend(postcard::to_stdvec(VERSION).map_err(damaged)?);
        bytes.extend(postcard::to_stdvec(&contents).map_err(damaged)?);
        Ok(bytes)
    }

    /// Reads the bytes of [`SimulationSnapshot::to_bytes`], in this process or another one; `world` must have the same
    /// registered state.
    ///
    /// # Errors
    /// If the bytes are not a snapshot, of another version or damaged, or if other state is registered.
    pub fn from_bytes(bytes: &[u8], world: &mut World) -> Result<Self, SnapshotError> {
        let registry = StateRegistry::of(world).clone();
        let damaged = |error: postcard::Error| SnapshotError::Damaged(error.to_string());
        let rest = bytes.strip_prefix(MAGIC).ok_or(SnapshotError::NoSnapshot)?;
        let (version, rest) = postcard::take_from_bytes::<String>(rest).map_err(damaged)?;
        if version != VERSION {
            return Err(SnapshotError::OtherVersion { found: version, expected: VERSION.to_owned() });
        }
        let contents: Contents = postcard::from_bytes(rest).map_err(damaged)?;
        let mut states = BTreeMap::new();
        for (name, bytes) in &contents.states {
            let Some((known, store)) = registry.stores.get_key_value(name.as_str()) else {
                return Err(SnapshotError::OtherState(format!("{name} is in the snapshot only")));
            };
            let saved = (store.read)(bytes);
            states.insert(*known, saved.map_err(|error| SnapshotError::Damaged(format!("{name}: {error}")))?);
        }
        if let Some(missing) = registry.stores.keys().find(|name| !states.contains_key(**name)) {
            return Err(SnapshotError::OtherState(format!("{missing} is not in the snapshot")));
        }
        let entity = |(bits, name): (u64, String)| Some((Entity::try_from_bits(bits)?, name));
        let entities = contents.entities.into_iter().map(entity).collect::<Option<_>>();
        let entities = entities.ok_or_else(|| SnapshotError::Damaged("an entity that cannot be".to_owned()))?;
        Ok(Self { states, entities, is_foreign: true })
    }
}
