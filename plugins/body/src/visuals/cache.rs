use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use bevy::prelude::*;
use bunraku_mesh::{Pixels, TriangleMesh};

/// Assets by their source data, so that equal shapes share them. It does not keep assets alive.
#[derive(Resource, Default)]
pub struct VisualCache {
    pub meshes: HashMap<MeshKey, AssetId<Mesh>>,
    pub materials: HashMap<MaterialKey, AssetId<StandardMaterial>>,
    /// Images, and whether they contain transparent pixels.
    pub images: HashMap<ImageKey, (AssetId<Image>, bool)>,
}

/// Source data of a mesh.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MeshKey {
    pub form: FormKey,
    /// Part of the shape's transform that is applied to the vertices, as bits.
    pub baked: Option<[u64; 12]>,
    pub textured: bool,
}

/// Source data of a geometry.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum FormKey {
    /// Kind, dimensions as bits, divisions.
    Primitive([u64; 6]),
    Mesh(Identity<TriangleMesh>),
}

/// Source data of a material.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MaterialKey {
    /// Colours and factors, as bits.
    pub numbers: Vec<u64>,
    /// The image, and its transform as bits.
    pub texture: Option<(ImageKey, [[u64; 2]; 3])>,
    pub solid: bool,
}

/// Source data of an image.
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

/// Identity of a shared value, independent of its content. The address is not reused while this exists.
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
    /// Drops entries whose assets no longer exist.
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
