use bevy::prelude::{Entity, Resource};
use bunraku_body::LinkIndex;

/// Selected body, link or device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Body entity.
    pub body: Entity,
    /// Link; `None` for the whole body.
    pub link: Option<LinkIndex>,
    /// Device, by its index in the model.
    pub device: Option<usize>,
}

impl Selection {
    /// Selects a whole body.
    pub fn body(body: Entity) -> Self {
        Self { body, link: None, device: None }
    }

    /// Selects a link.
    pub fn link(body: Entity, link: LinkIndex) -> Self {
        Self { body, link: Some(link), device: None }
    }
}

/// Current selection.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Selected(pub Option<Selection>);
