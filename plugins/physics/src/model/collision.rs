use bevy::prelude::*;
use bunraku_body::{CollisionShape, ContactMaterials};

/// Collision rules of a body; a component of the body entity. The default is [`BodyCollision::default`].
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Component)]
pub struct BodyCollision {
    /// Whether it collides at all.
    pub enabled: bool,
    /// Whether its links collide with each other: all pairs but those that the model excludes
    /// ([`bunraku_body::Body::collision_filter`]), by default neighbours.
    pub with_itself: bool,
}

impl Default for BodyCollision {
    /// Collides with other bodies, not with itself.
    fn default() -> Self {
        Self { enabled: true, with_itself: false }
    }
}

/// Kind of collider of a link; a component of the link entity that takes precedence over the model. The default is
/// [`LinkCollision::Automatic`].
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component)]
pub enum LinkCollision {
    /// As the model specifies ([`Link::collision_shape`](bunraku_body::Link::collision_shape)). By default primitives are primitives;
    /// meshes are convex hulls on links that move, and triangles on others, which have no interior to be pushed out of.
    /// [`hull_findings`](crate::hull_findings) lists hulls that are much larger than their meshes.
    #[default]
    Automatic,
    /// Each shape is its convex hull.
    ConvexHull,
    /// Each mesh is decomposed into convex parts, which takes a fraction of a second.
    ConvexParts,
    /// Each mesh is its triangles: exact, but a shape that is inside is not pushed out.
    Triangles,
    /// The link does not collide.
    Nothing,
}

impl LinkCollision {
    /// The kind for a link whose model specifies `model`.
    pub(crate) fn of_link(self, model: Option<CollisionShape>) -> Self {
        match (self, model) {
            (Self::Automatic, Some(CollisionShape::Mesh)) => Self::Triangles,
            (Self::Automatic, Some(CollisionShape::Hull)) => Self::ConvexHull,
            (Self::Automatic, Some(CollisionShape::Parts)) => Self::ConvexParts,
            (chosen, _) => chosen,
        }
    }
}

/// The contact material table; it may be changed between steps.
#[derive(Resource, Clone, Debug, Default, Reflect)]
#[reflect(opaque, Resource)]
pub struct SurfaceMaterials(pub ContactMaterials);
