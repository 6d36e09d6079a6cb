//! Bodies that can be seen: Bevy meshes, materials and lights on the link entities of spawned bodies.
//!
//! Each visual shape of a link becomes a child of the link's entity; shapes that are alike share their assets, within a
//! body and between bodies, for as long as someone uses them. A simulation that draws nothing leaves
//! [`BodyVisualsPlugin`] out and pays nothing.

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

/// Draws bodies: gives each body that is spawned its meshes, materials and lights.
///
/// It needs the plugins that draw (`PbrPlugin` and what that needs) and does nothing in an app without them. Pictures on
/// surfaces are read when the body is spawned, while the app waits.
pub struct BodyVisualsPlugin;

/// A shape that is drawn, a child of its link's entity.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisualShape {
    /// Its index in [`Link::visual`].
    pub index: usize,
}

/// A light that belongs to a device of the body, a child of its link's entity. It is hidden while the device is off.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLight {
    /// The index of the device in [`Body::devices`].
    pub index: usize,
}

/// What could not be drawn as the model says, on the body entity. It is there once the body is drawn; empty if all is well.
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
