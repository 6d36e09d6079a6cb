//! Bodies that are added while a scene runs.

use std::sync::Arc;

use bunraku_body::{Actuation, Body, BodyState, LinkIndex};
use bunraku_document::Diagnostic;
use bunraku_physics::{
    BodyCollision, JointLimits, JointLosses, JointSolver, JointSprings, VelocityLimits, massless_links,
};
use bunraku_sensors::BodySensors;
use nalgebra::Isometry3;

use super::around_model::{HOLD, holding_gains, suggested_values};
use super::model::{ControllerKind, SceneBody, SceneController, SceneDrive};

impl SceneBody {
    /// A body with its root at `pose`, whose joints are held by servos as in the scene that [`Scene::load`](crate::Scene::load)
    /// makes around a model. All its sensors are simulated, except those with errors, which are returned.
    pub fn around_model(name: String, mut model: Arc<Body>, pose: &Isometry3<f64>) -> (Self, Vec<Diagnostic>) {
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
        let (sensors, faults) = BodySensors::all(&model);
        let body = Self {
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
        };
        (body, faults)
    }
}

#[cfg(test)]
mod tests {
    use bunraku_document::{Reporter, SourceFile};

    use super::*;

    const WATCHER: &str = "format: ChoreonoidBody\nformat_version: 2.0\nname: Watcher\nlinks:\n  - name: POST\n    elements:\n      \
        - { type: Camera, name: EYE, format: COLOR, width: 16, height: 12 }\n      \
        - { type: Transform, scale: [ 0, 1, 1 ], elements: [ { type: Camera, name: BLIND, format: COLOR, width: 16, height: 12 } ] }\n      \
        - { type: Imu, name: FELT }\n";

    #[test]
    fn cameras_are_simulated_too_and_faulty_sensors_are_reported() {
        let reporter = Reporter::new();
        let model = bunraku_body::read(&SourceFile::from_text("watcher", WATCHER), &Default::default(), &reporter);
        let (body, faults) =
            SceneBody::around_model("one".to_owned(), Arc::new(model.unwrap()), &Isometry3::identity());
        let devices: Vec<_> = body.sensors.unwrap().sensors.iter().map(|sensor| sensor.device).collect();
        assert_eq!(devices, [0, 2]);
        assert!(faults.len() == 1 && faults[0].message.contains("`BLIND`"), "{faults:?}");
    }
}
