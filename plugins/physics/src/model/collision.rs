use bevy::prelude::*;
use bunraku_body::{CollisionShape, ContactMaterials};

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

/// What becomes of the collision shapes of a link. Put it on a link entity to choose for that link, whatever its model says; without it a
/// link is [`LinkCollision::Automatic`].
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component)]
pub enum LinkCollision {
    /// As the model says ([`Link::collision_shape`](bunraku_body::Link::collision_shape)). Where it says nothing, primitives are themselves;
    /// meshes are convex hulls where the link moves, and triangles where it does not, which have no inside to be pushed out of.
    /// [`hull_findings`](crate::hull_findings) tells of hulls that are much larger than their meshes.
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

impl LinkCollision {
    /// What is to be made of a link of a model that says this about it.
    pub(crate) fn of_link(self, model: Option<CollisionShape>) -> Self {
        match (self, model) {
            (Self::Automatic, Some(CollisionShape::Mesh)) => Self::Triangles,
            (Self::Automatic, Some(CollisionShape::Hull)) => Self::ConvexHull,
            (Self::Automatic, Some(CollisionShape::Parts)) => Self::ConvexParts,
            (chosen, _) => chosen,
        }
    }
}

/// The contact material table of the world; it may be changed between steps.
#[derive(Resource, Clone, Debug, Default, Reflect)]
#[reflect(opaque, Resource)]
pub struct SurfaceMaterials(pub ContactMaterials);
