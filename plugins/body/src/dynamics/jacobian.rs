use nalgebra::{Matrix3, Matrix3xX, Matrix6xX, Point3, Vector3};

use super::{Configuration, Coordinate};
use crate::LinkIndex;

impl Configuration<'_> {
    /// Geometric Jacobian of a point that is fixed to a link; `point` is in the link frame, m.
    ///
    /// Size 6 × [`num_coordinates`](super::num_coordinates). The product with the velocities is the velocity of the
    /// point (rows 0–2, m/s) and the angular velocity of the link (rows 3–5, rad/s), both in world axes. The product of
    /// its transpose with a force at the point and a torque on the link is the vector of efforts with the same power.
    /// Zero for a link that does not exist.
    ///
    /// Featherstone §2.8 and §8.5; here the columns are taken at the point.
    pub fn jacobian(&self, link: LinkIndex, point: &Point3<f64>) -> Matrix6xX<f64> {
        let mut jacobian = Matrix6xX::zeros(self.num_coordinates());
        let Some(pose) = self.poses.get(link.0) else {
            return jacobian;
        };
        let point = (pose * point).coords;
        if !self.body.is_fixed() {
            jacobian.fixed_view_mut::<6, 6>(0, 0).fill_with_identity();
            let offset = point - self.poses[0].translation.vector;
            jacobian.fixed_view_mut::<3, 3>(0, 3).copy_from(&turning(&offset));
        }
        for link in self.up_from(link) {
            if let Some(joint) = &self.joints[link.0] {
                let offset = point - self.poses[link.0].translation.vector;
                let Coordinate(column) = self.coordinate(joint);
                let mut column = jacobian.column_mut(column);
                column.fixed_rows_mut::<3>(0).copy_from(&joint.direction.velocity_at(&offset));
                column.fixed_rows_mut::<3>(3).copy_from(&joint.direction.angular);
            }
        }
        jacobian
    }

    /// Jacobian of the centre of mass of the whole body, 3 × [`num_coordinates`](super::num_coordinates). The product
    /// with the velocities is the velocity of the centre of mass, m/s, in world axes.
    ///
    /// Mean of the links' Jacobians, weighted by mass. For a body without mass it is that of the root origin, as in
    /// [`Body::center_of_mass`](crate::Body::center_of_mass).
    pub fn center_of_mass_jacobian(&self) -> Matrix3xX<f64> {
        let mut jacobian = Matrix3xX::zeros(self.num_coordinates());
        let root = self.poses[0].translation.vector;
        let total = self.body.mass();
        // Mass and first moment (kg·m, about the root origin) of the subtree of each link.
        let mut masses = vec![0.0; self.poses.len()];
        let mut moments = vec![Vector3::zeros(); self.poses.len()];
        for (index, link) in self.body.indexed_links().rev() {
            masses[index.0] += link.mass.mass;
            moments[index.0] += link.mass.mass * (self.offset(LinkIndex::ROOT, index) + self.lever(index, link));
            if let Some(parent) = link.parent {
                masses[parent.0] += masses[index.0];
                let moment = moments[index.0];
                moments[parent.0] += moment;
            }
        }
        let share = if total > 0.0 { total.recip() } else { 0.0 };
        for (LinkIndex(link), _) in self.body.indexed_links() {
            let Some(joint) = &self.joints[link] else { continue };
            let origin = self.poses[link].translation.vector - root;
            let lever = moments[link] - origin * masses[link];
            let column = joint.direction.linear * masses[link] + joint.direction.angular.cross(&lever);
            jacobian.set_column(self.coordinate(joint).0, &(column * share));
        }
        if !self.body.is_fixed() {
            jacobian.fixed_view_mut::<3, 3>(0, 0).fill_with_identity();
            jacobian.fixed_view_mut::<3, 3>(0, 3).copy_from(&turning(&(moments[0] * share)));
        }
        jacobian
    }
}

/// Matrix that maps ω to ω × `offset`.
fn turning(offset: &Vector3<f64>) -> Matrix3<f64> {
    -offset.cross_matrix()
}
