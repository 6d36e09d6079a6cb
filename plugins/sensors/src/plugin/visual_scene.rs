//! Visual scene of all bodies, for ray casting.

use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{Body, BodyModel, BodyState};
use bunraku_render::{InstanceIndex, Light, Lighting, Scene};
use bunraku_simulation::SimulationWarnings;

use super::body_sensors::DeviceSwitches;
use super::visual_models::{LinkModels, VisualModels};

/// Bodies with visual shapes.
pub(super) type Seen<'w, 's> =
    Query<'w, 's, (Entity, &'static BodyModel, &'static BodyState, Option<&'static DeviceSwitches>)>;

/// Visual shapes of all bodies at their poses; updated before rays are cast.
#[derive(Resource, Default)]
pub(super) struct VisualScene {
    scene: Scene,
    /// Bodies in the scene.
    bodies: Vec<(Entity, Arc<Body>)>,
    /// For each instance of the scene: index in `bodies`, and link.
    instances: Vec<(usize, usize)>,
    /// Visual models of the links of each model.
    models: Vec<(Arc<Body>, LinkModels)>,
}

impl VisualScene {
    /// Updates the scene to the current poses of all bodies; returns it with its lighting.
    pub fn update(
        &mut self,
        seen: &Seen<'_, '_>,
        shared: &VisualModels,
        warnings: &mut SimulationWarnings,
    ) -> (&Scene, Lighting) {
        let mut bodies: Vec<_> = seen.iter().collect();
        bodies.sort_unstable_by_key(|(entity, ..)| *entity);
        let is_known = |((entity, BodyModel(body), ..), known): (&(Entity, &BodyModel, _, _), &(Entity, Arc<Body>))| {
            *entity == known.0 && Arc::ptr_eq(body, &known.1)
        };
        if bodies.len() != self.bodies.len() || !bodies.iter().zip(&self.bodies).all(is_known) {
            self.bodies = bodies.iter().map(|(entity, BodyModel(body), ..)| (*entity, Arc::clone(body))).collect();
            self.rebuild(shared, warnings);
        }
        let poses = self.instances.iter().enumerate().filter_map(|(index, &(body, link))| {
            let (_, _, state, _) = bodies.get(body)?;
            Some((InstanceIndex(index), *state.link_poses.get(link)?))
        });
        self.scene.set_poses(poses);
        (&self.scene, lighting(&bodies))
    }

    fn rebuild(&mut self, shared: &VisualModels, warnings: &mut SimulationWarnings) {
        let (mut instances, mut shown) = (Vec::new(), Vec::new());
        let mut models = std::mem::take(&mut self.models);
        models.retain(|(model, _)| self.bodies.iter().any(|(_, body)| Arc::ptr_eq(model, body)));
        for (body_index, (entity, body)) in self.bodies.iter().enumerate() {
            let known = models.iter().position(|(model, _)| Arc::ptr_eq(model, body));
            let index = known.unwrap_or_else(|| {
                let (links, findings) = shared.of(body);
                models.push((Arc::clone(body), links));
                for finding in findings {
                    warnings.add(*entity, "BodyModel", || format!("`{}`: {finding}", body.name));
                }
                models.len() - 1
            });
            for (link, model) in models.get(index).into_iter().flat_map(|(_, links)| links.iter().enumerate()) {
                if let Some(model) = model {
                    instances.push((body_index, link));
                    shown.push((Arc::clone(model), nalgebra::Isometry3::identity()));
                }
            }
        }
        self.models = models;
        self.instances = instances;
        self.scene = Scene::new(shown);
    }
}

/// Default lighting, plus lights on bodies that are on.
fn lighting(bodies: &[(Entity, &BodyModel, &BodyState, Option<&DeviceSwitches>)]) -> Lighting {
    let mut lighting = Lighting::default();
    for (_, BodyModel(body), state, switches) in bodies {
        for (index, device) in body.devices.iter().enumerate() {
            let on = switches.and_then(|switches| switches.0.get(index)).copied().unwrap_or(device.enabled);
            let pose = state.link_poses.get(device.link.0).filter(|_| on);
            lighting.lights.extend(pose.and_then(|pose| Light::of_device(device, pose)));
        }
    }
    lighting
}
