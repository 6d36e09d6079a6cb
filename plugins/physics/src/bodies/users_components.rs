//! Warnings about rapier's components on user-defined bodies that the multibody solver ignores.

use bevy::prelude::*;
use bevy_rapier3d::prelude::{Ccd, Dominance, LockedAxes, RigidBody, Sleeping, SoftCcd};
use bunraku_body::LinkOf;
use bunraku_simulation::SimulationWarnings;

type Ignored<'a> = (
    Entity,
    &'a RigidBody,
    (Option<&'a LockedAxes>, Option<&'a Ccd>, Option<&'a SoftCcd>, Option<&'a Dominance>, Option<&'a Sleeping>),
);
type Changes = Or<(
    Changed<LockedAxes>,
    Changed<Ccd>,
    Changed<SoftCcd>,
    Changed<Dominance>,
    Changed<Sleeping>,
    Changed<RigidBody>,
)>;

/// Warns of components with a value that would have an effect in rapier's step.
pub(crate) fn warn(bodies: Query<Ignored<'_>, (Changes, Without<LinkOf>)>, mut warnings: ResMut<SimulationWarnings>) {
    for (entity, body, (locked, ccd, soft_ccd, dominance, sleeping)) in &bodies {
        if *body != RigidBody::Dynamic {
            continue;
        }
        let mut add = |is_set: bool, component: &'static str, help: &str| {
            if is_set {
                warnings
                    .add(entity, component, || format!("`{component}` has no effect with `joints: multibody`; {help}"));
            }
        };
        let is_fast = ccd.is_some_and(|ccd| ccd.enabled);
        let is_soft = soft_ccd.is_some_and(|ccd| ccd.prediction > 0.0);
        let help = "a body that passes through another is a warning of the run";
        add(is_fast, "Ccd", help);
        add(is_soft, "SoftCcd", help);
        let help = "an `ImpulseJoint` to a fixed body restricts its motion";
        add(locked.is_some_and(|axes| !axes.is_empty()), "LockedAxes", help);
        add(dominance.is_some_and(|dominance| dominance.groups != 0), "Dominance", "its mass decides");
        add(
            sleeping.is_some_and(|sleeping| *sleeping != Sleeping::default()),
            "Sleeping",
            "bodies at rest sleep by themselves",
        );
    }
}
