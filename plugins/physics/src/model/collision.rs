use bevy::prelude::*;
use bunraku_body::ContactMaterials;

/// What a body may collide with. Put it on a body entity; without it a body is [`BodyCollision::default`].
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Component)]
pub struct BodyCollision {
    /// Whether it touches anything at all.
    pub enabled: bool,
    /// Whether its links touch each other: all pairs but those that the model excludes
    /// ([`bunraku_body::Body::collision_filter`]), which without rules of its own are neighbours.
    pub with_itself: bool,
}

impl Default for BodyCollision {
    /// Touches others, but not itself.
    fn default() -> Self {
        Self { enabled: true, with_itself: false }
    }
}

/// What becomes of the collision shapes of a link. Put it on a link entity to choose for that link; without it a link is
/// [`LinkCollision::Automatic`].
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component)]
pub enum LinkCollision {
    /// Primitives are themselves; meshes are convex hulls where the link moves and their very triangles where it does
    /// not, for triangles have no inside to be pushed out of.
    #[default]
    Automatic,
    /// Each shape is its convex hull.
    ConvexHull,
    /// Each mesh is a number of convex parts that fill it. Finding them takes a fraction of a second for each mesh.
    ConvexParts,
    /// Each mesh is its triangles: exact, but what has got inside is not pushed out.
    Triangles,
    /// The link touches nothing.
    Nothing,
}

/// The contact material table of the world; it may be changed between steps.
#[derive(Resource, Clone, Debug, Default, Reflect)]
#[reflect(opaque, Resource)]
pub struct SurfaceMaterials(pub ContactMaterials);
