/// What the meshes of a link are to collision detection; primitives are themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollisionShape {
    /// The triangles: exact, but hollow.
    Mesh,
    /// The convex hull of each mesh.
    Hull,
    /// Convex parts that together fill each mesh.
    Parts,
}

impl CollisionShape {
    /// All of them, by the words of model and scene files.
    pub const WORDS: [(&'static str, Self); 3] = [("mesh", Self::Mesh), ("hull", Self::Hull), ("parts", Self::Parts)];

    /// The word of model and scene files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mesh => "mesh",
            Self::Hull => "hull",
            Self::Parts => "parts",
        }
    }
}
