//! Visuals of bodies: Bevy meshes, materials and lights on the link entities of spawned bodies.
//!
//! Each visual shape of a link becomes a child of the link's entity. Equal shapes share their assets, within a body and
//! between bodies, as long as they are used. A simulation without rendering omits [`BodyVisualsPlugin`] and has no
//! cost.

#![expect(clippy::cast_possible_truncation, reason = "renderers have single precision")]

mod cache;
mod drawing;
mod lights;
mod materials;
mod meshes;
mod textures;

use bevy::camera::visibility::VisibilitySystems;
use bevy::prelude::*;
use bunraku_document::Diagnostic;

use crate::{Body, BodyLinks, BodyModel, DeviceKind, Link, LinkNumber};
use cache::VisualCache;
use drawing::Drawing;

pub use lights::LIGHT_REFERENCE_DISTANCE;

/// Gives each spawned body its meshes, materials and lights.
///
/// It needs the rendering plugins (`PbrPlugin` and its dependencies) and does nothing in an app without them. Texture
/// images are read when the body is spawned; the app waits for them.
pub struct BodyVisualsPlugin;

/// A rendered shape, a child of its link's entity.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisualShape {
    /// Index in [`Link::visual`].
    pub index: usize,
}

/// A light of a device of the body, a child of its link's entity. It is hidden while the device is off.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLight {
    /// Index of the device in [`Body::devices`].
    pub index: usize,
}

/// Findings about visuals of the body, on the body entity. Present once the visuals are created; empty if there are
/// none.
#[derive(Component, Clone, Debug, Default)]
pub struct VisualDiagnostics(pub Vec<Diagnostic>);

impl Plugin for BodyVisualsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<VisualCache>();
        app.add_systems(
            PostUpdate,
            draw_new_bodies
                .run_if(resource_exists::<Assets<Mesh>>.and_then(resource_exists::<Assets<StandardMaterial>>))
                .before(TransformSystems::Propagate)
                .before(VisibilitySystems::CalculateBounds)
                .before(VisibilitySystems::VisibilityPropagate),
        );
    }
}

fn draw_new_bodies(
    mut commands: Commands,
    mut cache: ResMut<VisualCache>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut images: ResMut<Assets<Image>>,
    bodies: Query<(Entity, &BodyModel, &BodyLinks), Added<BodyModel>>,
    numbers: Query<&LinkNumber>,
) {
    if bodies.is_empty() {
        return;
    }
    cache.forget_unused(&meshes, &materials, &images);
    for (entity, BodyModel(body), links) in &bodies {
        let mut drawing = Drawing {
            cache: &mut cache,
            meshes: &mut meshes,
            materials: &mut materials,
            images: &mut images,
            diagnostics: Vec::new(),
        };
        for link_entity in links.iter() {
            let Ok(&LinkNumber(index)) = numbers.get(link_entity) else { continue };
            let Some(link) = body.links().get(index.0) else { continue };
            commands.entity(link_entity).insert_if_new(Visibility::default());
            draw_shapes(&mut commands, link_entity, link, &mut drawing);
            add_lights(&mut commands, link_entity, body, index);
        }
        commands.entity(entity).insert(VisualDiagnostics(drawing.diagnostics));
    }
}

fn draw_shapes(commands: &mut Commands, link_entity: Entity, link: &Link, drawing: &mut Drawing) {
    for (index, shape) in link.visual.iter().enumerate() {
        let Some((mesh, transform)) = meshes::draw(shape, drawing) else { continue };
        let material = materials::draw(shape, drawing);
        commands.spawn((
            VisualShape { index },
            Mesh3d(mesh),
            MeshMaterial3d(material),
            transform,
            ChildOf(link_entity),
        ));
    }
}

fn add_lights(commands: &mut Commands, link_entity: Entity, body: &Body, link: crate::LinkIndex) {
    let devices = body.devices.iter().enumerate().filter(|(_, device)| device.link == link);
    for (index, device) in devices {
        let common = || {
            let visibility = if device.enabled { Visibility::Inherited } else { Visibility::Hidden };
            (DeviceLight { index }, Name::new(device.name.clone()), visibility, ChildOf(link_entity))
        };
        match &device.kind {
            DeviceKind::PointLight(light) => {
                commands.spawn((lights::point_light(light), lights::place(device), common()));
            }
            DeviceKind::SpotLight(light) => {
                commands.spawn((lights::spot_light(light), lights::aim(device, light), common()));
            }
            _ => {}
        }
    }
}
