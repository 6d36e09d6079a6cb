use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use bevy::prelude::*;
use bunraku_mesh::{Pixels, TriangleMesh};

/// Assets by what they were made of, so that shapes that are alike share them. It does not keep them alive.
#[derive(Resource, Default)]
pub struct VisualCache {
    pub meshes: HashMap<MeshKey, AssetId<Mesh>>,
    pub materials: HashMap<MaterialKey, AssetId<StandardMaterial>>,
    /// With whether they are see-through somewhere.
    pub images: HashMap<ImageKey, (AssetId<Image>, bool)>,
}

/// All that tells meshes apart.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MeshKey {
    pub form: FormKey,
    /// The part of the shape's transform that is in the vertices, as bits.
    pub baked: Option<[u64; 12]>,
    pub textured: bool,
}

/// All that tells forms apart.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum FormKey {
    /// Kind, measures as bits, divisions.
    Primitive([u64; 6]),
    Mesh(Identity<TriangleMesh>),
}

/// All that tells materials apart.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MaterialKey {
    /// Colours and factors, as bits.
    pub numbers: Vec<u64>,
    /// The picture, and its transform as bits.
    pub texture: Option<(ImageKey, [u64; 6])>,
    pub solid: bool,
}

/// All that tells pictures apart.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ImageKey {
    pub source: ImageSource,
    pub repeat: [bool; 2],
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub enum ImageSource {
    File(PathBuf),
    Encoded(Identity<[u8]>),
    Pixels(Identity<Pixels>),
}

/// A shared value as itself, whatever it holds. The address is not given to another value while this is there.
pub struct Identity<T: ?Sized>(Weak<T>);

impl<T: ?Sized> Identity<T> {
    pub fn of(value: &Arc<T>) -> Self {
        Self(Arc::downgrade(value))
    }
}

impl<T: ?Sized> Clone for Identity<T> {
    fn clone(&self) -> Self {
        Self(Weak::clone(&self.0))
    }
}

impl<T: ?Sized> PartialEq for Identity<T> {
    fn eq(&self, other: &Self) -> bool {
        Weak::ptr_eq(&self.0, &other.0)
    }
}

impl<T: ?Sized> Eq for Identity<T> {}

impl<T: ?Sized> Hash for Identity<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_ptr().cast::<()>().hash(state);
    }
}

impl VisualCache {
    /// Drops what names assets that are gone.
    pub fn forget_unused(
        &mut self,
        meshes: &Assets<Mesh>,
        materials: &Assets<StandardMaterial>,
        images: &Assets<Image>,
    ) {
        self.meshes.retain(|_, id| meshes.contains(*id));
        self.materials.retain(|_, id| materials.contains(*id));
        self.images.retain(|_, (id, _)| images.contains(*id));
    }
}
