//! Visual scene of all bodies, for ray casting.

use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{Body, BodyModel, BodyState, LinkIndex};
use bunraku_render::{InstanceIndex, Light, Lighting, Motion, Scene};
use bunraku_simulation::SimulationWarnings;

use super::body_sensors::{DeviceSwitches, StepStart};
use super::visual_models::{LinkModels, VisualModels};

/// Bodies with visual shapes.
pub(super) type Seen<'w, 's> = Query<'w, 's, SeenBody<'static>>;

type SeenBody<'a> = (
    Entity,
    &'a BodyModel,
    &'a BodyState,
    Option<&'a DeviceSwitches>,
    Option<&'a Name>,
    // Link poses at the start of the step, if a sensor needs them.
    Option<&'a StepStart>,
);

/// Light of the surroundings in images of sensors; lamps on bodies are added to it.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct SurroundingLight(pub Lighting);

/// Visual shapes of all bodies at their poses; updated before rays are cast.
#[derive(Resource, Default)]
pub(super) struct VisualScene {
    scene: Scene,
    /// Bodies in the scene.
    bodies: Vec<(Entity, Arc<Body>)>,
    /// For each instance of the scene: index in `bodies`, and link.
    instances: Vec<(usize, usize)>,
    /// Name of each instance, `body/link`.
    names: Vec<String>,
    /// Visual models of the links of each model.
    models: Vec<(Arc<Body>, LinkModels)>,
}

/// Everything that sensors see.
pub(super) struct VisualView<'v> {
    pub scene: &'v Scene,
    pub lighting: Lighting,
    /// Name of each instance of the scene, `body/link`.
    pub names: &'v [String],
}

impl VisualScene {
    /// Updates the scene to the current poses of all bodies; returns it with its lighting. If link poses at the start of
    /// the step are known, links move from there.
    pub fn update(
        &mut self,
        seen: &Seen<'_, '_>,
        (shared, SurroundingLight(light)): (&VisualModels, &SurroundingLight),
        warnings: &mut SimulationWarnings,
    ) -> VisualView<'_> {
        let mut bodies: Vec<_> = seen.iter().collect();
        bodies.sort_unstable_by_key(|(entity, ..)| *entity);
        let is_known =
            |((entity, BodyModel(body), ..), known): (&(Entity, &BodyModel, _, _, _, _), &(Entity, Arc<Body>))| {
                *entity == known.0 && Arc::ptr_eq(body, &known.1)
            };
        if bodies.len() != self.bodies.len() || !bodies.iter().zip(&self.bodies).all(is_known) {
            self.bodies = bodies.iter().map(|(entity, BodyModel(body), ..)| (*entity, Arc::clone(body))).collect();
            self.rebuild(shared, warnings);
            let name = |&(body, link): &(usize, usize)| {
                let (_, BodyModel(model), _, _, name, _) = bodies.get(body)?;
                let body = name.map_or(model.name.as_str(), Name::as_str);
                Some(format!("{body}/{}", model.link(LinkIndex(link)).name))
            };
            self.names = self.instances.iter().map(|instance| name(instance).unwrap_or_default()).collect();
        }
        let motions = self.instances.iter().enumerate().filter_map(|(index, &(body, link))| {
            let (_, _, state, _, _, start) = bodies.get(body)?;
            let end = *state.link_poses.get(link)?;
            let start = start.and_then(|start| start.0.get(link));
            Some((InstanceIndex(index), start.map_or_else(|| Motion::still(end), |start| Motion::new(*start, end))))
        });
        self.scene.set_motions(motions);
        VisualView { scene: &self.scene, lighting: lighting(light, &bodies), names: &self.names }
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

/// Light of the surroundings, plus lights on bodies that are on.
fn lighting(surroundings: &Lighting, bodies: &[SeenBody<'_>]) -> Lighting {
    let mut lighting = surroundings.clone();
    for (_, BodyModel(body), state, switches, ..) in bodies {
        for (index, device) in body.devices.iter().enumerate() {
            let on = switches.and_then(|switches| switches.0.get(index)).copied().unwrap_or(device.enabled);
            let pose = state.link_poses.get(device.link.0).filter(|_| on);
            lighting.lights.extend(pose.and_then(|pose| Light::of_device(device, pose)));
        }
    }
    lighting
}
