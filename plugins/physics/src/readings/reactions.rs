//! Reactions of links by the laws of Newton and Euler.

use bevy::prelude::Entity;
use bunraku_body::dynamics::{Twist, Wrench};
use bunraku_body::{Body, JointKind, LinkIndex};
use nalgebra::{Isometry3, Vector3};
use typed_index_collections::{TiSlice, TiVec, ti_vec};

use super::contact_forces::Contacts;
use crate::actuation::external_forces::ExternalForces;

/// Motion of the links of a body in the middle of a step, to which accelerations and forces belong; world axes.
pub(crate) trait Middle {
    fn pose(&self, link: LinkIndex) -> Isometry3<f64>;
    /// Angular velocity, rad/s.
    fn spin(&self, link: LinkIndex) -> Vector3<f64>;
    /// Acceleration of a link's origin, m/s², and angular acceleration, rad/s².
    fn acceleration(&self, link: LinkIndex) -> Twist;
}

pub(crate) fn add(sum: &mut Wrench, more: &Wrench) {
    sum.force += more.force;
    sum.torque += more.torque;
}

/// Wrenches of contacts and external forces on the links of a body, about the link origins, world axes.
pub(crate) fn outside(
    (entity, body): (Entity, &Body),
    contacts: &Contacts<'_, '_>,
    external: Option<&ExternalForces>,
) -> TiVec<LinkIndex, Wrench> {
    let mut outside: TiVec<LinkIndex, Wrench> =
        body.indexed_links().map(|(link, _)| contacts.wrench(entity, link)).collect();
    for (link, wrench) in external.iter().flat_map(|external| external.acting()) {
        add(&mut outside[*link], wrench);
    }
    outside
}

/// Finds the reactions of links that are not known, from the leaves to the root.
pub(crate) fn find(
    body: &Body,
    middle: &impl Middle,
    (outside, gravity): (&TiSlice<LinkIndex, Wrench>, &Vector3<f64>),
    is_known: impl Fn(LinkIndex) -> bool,
    reactions: &mut TiSlice<LinkIndex, Wrench>,
) {
    // Sums of the reactions of children.
    let mut taken: TiVec<LinkIndex, Wrench> = ti_vec![Wrench::ZERO; reactions.len()];
    for (index, link) in body.indexed_links().collect::<Vec<_>>().into_iter().rev() {
        let pose = middle.pose(index);
        if !is_known(index) {
            let rate = middle.acceleration(index);
            let spin = middle.spin(index);
            let center = pose.rotation * link.mass.center_of_mass.coords;
            let linear = rate.linear + rate.angular.cross(&center) + spin.cross(&spin.cross(&center)) - gravity;
            let force = linear * link.mass.mass;
            let rotation = pose.rotation.to_rotation_matrix();
            let inertia = (link.mass.inertia + link.mass.inertia.transpose()) * 0.5;
            let inertia = rotation.matrix() * inertia * rotation.matrix().transpose();
            let torque = inertia * rate.angular + spin.cross(&(inertia * spin)) + center.cross(&force);
            reactions[index] = Wrench {
                force: force + taken[index].force - outside[index].force,
                torque: torque + taken[index].torque - outside[index].torque,
            };
        }
        let Some(parent) = link.parent else { continue };
        // A free joint transmits nothing.
        if link.joint.kind == JointKind::Free {
            continue;
        }
        let Wrench { force, torque } = reactions[index];
        let offset = pose.translation.vector - middle.pose(parent).translation.vector;
        add(&mut taken[parent], &Wrench { force, torque: torque + offset.cross(&force) });
    }
}
