//! Bodies that are added while a scene runs.

use std::sync::Arc;

use bunraku_body::{Actuation, Body, BodyState, LinkIndex};
use bunraku_physics::{
    BodyCollision, JointLimits, JointLosses, JointSolver, JointSprings, VelocityLimits, massless_links,
};
use bunraku_sensors::{BodySensors, SensorKind};
use nalgebra::Isometry3;

use super::around_model::{HOLD, holding_gains, suggested_values};
use super::model::{ControllerKind, SceneBody, SceneController, SceneDrive};

impl SceneBody {
    /// A body with its root at `pose`, whose joints are held by servos as in the scene that [`Scene::load`](crate::Scene::load)
    /// makes around a model. All its sensors are simulated, except cameras.
    pub fn around_model(name: String, mut model: Arc<Body>, pose: &Isometry3<f64>) -> Self {
        if massless_links(&model, JointSolver::default()).contains(&LinkIndex::ROOT) {
            Arc::make_mut(&mut model).set_fixed(true);
        }
        let displacements = model.initial_displacements();
        let controller = (model.num_joints() > 0).then(|| {
            let (stiffness, damping) = holding_gains((&model, model.is_fixed()), pose, &displacements, HOLD);
            let gains = stiffness.into_iter().zip(damping);
            let servos = gains.map(|(stiffness, damping)| Actuation::Displacement { stiffness, damping });
            SceneController {
                kind: ControllerKind::Servo(servos.collect()),
                motion: None,
                reference: None,
                velocities: None,
                efforts: None,
                gravity_compensation: false,
            }
        });
        let suggested = suggested_values(&model);
        let (mut sensors, _) = BodySensors::all(&model);
        sensors.sensors.retain(|sensor| !matches!(sensor.kind, SensorKind::Camera(_)));
        Self {
            name,
            initial: BodyState::at_rest(&model, pose, displacements),
            body: model,
            drive: SceneDrive::Physics,
            controller,
            collision: BodyCollision::default(),
            initial_twist: Default::default(),
            joint_limits: JointLimits::default(),
            velocity_limits: VelocityLimits::default(),
            losses: Some(JointLosses { damping: suggested.damping, friction: suggested.friction }),
            springs: Some(JointSprings { stiffness: suggested.stiffness, rest: suggested.rest }),
            sensors: (!sensors.sensors.is_empty()).then_some(sensors),
            switches: None,
            records_contacts: false,
            records_balance: false,
            robot: None,
        }
    }
}
