use bevy::prelude::{Entity, Resource};
use bunraku_body::LinkIndex;

/// What is selected: a body, or one of its links or devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The body entity.
    pub body: Entity,
    /// The link; `None`: the body as a whole.
    pub link: Option<LinkIndex>,
    /// The device, by its index in the model.
    pub device: Option<usize>,
}

impl Selection {
    /// A body as a whole.
    pub fn body(body: Entity) -> Self {
        Self { body, link: None, device: None }
    }

    /// A link.
    pub fn link(body: Entity, link: LinkIndex) -> Self {
        Self { body, link: Some(link), device: None }
    }
}

/// What is selected now.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Selected(pub Option<Selection>);
