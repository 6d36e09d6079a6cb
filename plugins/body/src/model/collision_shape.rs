/// Shape of the meshes of a link for collision detection. Primitives are not affected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollisionShape {
    /// The triangles: exact, but hollow.
    Mesh,
    /// The convex hull of each mesh.
    Hull,
    /// Convex parts that together fill each mesh (convex decomposition).
    Parts,
}

impl CollisionShape {
    /// All shapes, with their names in model and scene files.
    pub const WORDS: [(&'static str, Self); 3] = [("mesh", Self::Mesh), ("hull", Self::Hull), ("parts", Self::Parts)];

    /// Name in model and scene files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mesh => "mesh",
            Self::Hull => "hull",
            Self::Parts => "parts",
        }
    }
}
