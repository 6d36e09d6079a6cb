//! Gaps of extra joints after a step.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bunraku_body::BodyModel;
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus};

use super::acting::{Acting, ActingOn};
use super::health::WIDEST_GAP;
use super::words::in_digits;
use crate::model::extra_joint::SimulatedExtraJoint;
use crate::model::joint_name::JointName;
use crate::model::simulated_body::SimulatedBody;
use crate::model::widest_gap::WidestGap;

/// Where gaps of joints are reported.
#[derive(SystemParam)]
pub(crate) struct Gaps<'w, 's> {
    clock: Res<'w, SimulationClock>,
    status: ResMut<'w, SimulationStatus>,
    widest: ResMut<'w, WidestGap>,
    names: Query<'w, 's, &'static SimulatedExtraJoint>,
    models: Query<'w, 's, (&'static BodyModel, Option<&'static Name>)>,
    acting: Query<'w, 's, ActingOn<'static>, With<SimulatedBody>>,
}

impl Gaps<'_, '_> {
    /// Notes joints by their gaps after the step and at the start, m. A joint that is torn apart stops the simulation.
    pub fn see(&mut self, joints: impl IntoIterator<Item = (f64, f64, JointName)>) {
        let time = self.clock.time() + self.clock.time_step();
        for (gap, start_gap, joint) in joints {
            self.widest.add(gap - start_gap, time, joint);
            if gap > WIDEST_GAP + start_gap {
                let name = joint.in_words(|joint| self.names.get(joint).ok(), |body| self.models.get(body).ok());
                let (gap, causes) = (in_digits(gap * 1e3, 0), Acting::on_any(self.acting).usual_causes(false));
                let message = format!("the simulation diverged: {name} is torn apart by {gap} mm; {causes}");
                *self.status = SimulationStatus::Failed(SimulationFault { time, message });
                return;
            }
        }
    }
}
