use bevy::prelude::*;
use bunraku_simulation::{RegisterSimulationState, SimulationPlugin};

use crate::{
    BodyLinks, BodyModel, BodyState, Drive, JointActuation, JointEfforts, JointTargets, LinkNumber, LinkOf, ToBevy,
};

/// Bodies as entities, and link poses as transforms. Adds the [`SimulationPlugin`] if it is missing.
///
/// An entity with a [`BodyModel`] is a body. Transforms of link entities, and of body entities that have one, are written from
/// [`BodyState`] once per update of the app, before Bevy propagates transforms.
///
/// With the feature `assets`, and in an app with Bevy's `AssetPlugin`, model files are assets: see `BodyAsset`.
pub struct BodyPlugin;

impl Plugin for BodyPlugin {
    fn build(&self, app: &mut App) {
        SimulationPlugin::ensure(app);
        app.register_simulation_state::<BodyState>()
            .register_simulation_state::<JointActuation>()
            .register_simulation_state::<JointEfforts>()
            .register_simulation_state::<JointTargets>()
            .register_type::<BodyModel>()
            .register_type::<BodyState>()
            .register_type::<Drive>()
            .register_type::<BodyLinks>()
            .register_type::<LinkOf>()
            .register_type::<LinkNumber>()
            .register_type::<JointActuation>()
            .register_type::<JointEfforts>()
            .register_type::<JointTargets>();
        app.add_systems(PostUpdate, write_transforms.before(TransformSystems::Propagate));
        #[cfg(feature = "assets")]
        crate::asset::register(app);
    }

    // Repeated here for apps that add `AssetPlugin` later.
    #[cfg(feature = "assets")]
    fn finish(&self, app: &mut App) {
        crate::asset::register(app);
    }
}

fn write_transforms(
    bodies: Query<(Entity, &BodyState, &BodyLinks), Changed<BodyState>>,
    mut transforms: Query<&mut Transform>,
) {
    for (body, state, links) in &bodies {
        let of_root = state.link_poses.iter().take(1).map(|pose| (pose, body));
        for (pose, entity) in state.link_poses.iter().zip(links.iter()).chain(of_root) {
            if let Ok(mut transform) = transforms.get_mut(entity) {
                transform.set_if_neq(pose.to_bevy().with_scale(transform.scale));
            }
        }
    }
}
