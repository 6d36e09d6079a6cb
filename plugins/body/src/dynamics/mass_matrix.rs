use nalgebra::{DMatrix, Matrix3, Vector3};

use super::{Configuration, Coordinate, Twist, Wrench};
use crate::LinkIndex;

/// Inertia of several links as one rigid body, about the root origin and along world axes (Featherstone §2.13).
#[derive(Clone, Copy)]
struct CompositeInertia {
    /// Mass, kg.
    mass: f64,
    /// Mass × position of the centre of mass, kg·m.
    moment: Vector3<f64>,
    /// About the root origin, kg·m².
    inertia: Matrix3<f64>,
}

impl CompositeInertia {
    fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.moment += other.moment;
        self.inertia += other.inertia;
    }

    /// Linear momentum, and angular momentum about the root origin, for a twist at the root origin.
    fn momentum(&self, twist: &Twist) -> Wrench {
        Wrench {
            force: self.mass * twist.linear + twist.angular.cross(&self.moment),
            torque: self.moment.cross(&twist.linear) + self.inertia * twist.angular,
        }
    }
}

impl Configuration<'_> {
    /// Joint-space mass matrix M, square with [`num_coordinates`](super::num_coordinates) rows, in kg, kg·m and kg·m².
    /// ½ vᵀ·M·v is the kinetic energy.
    ///
    /// Exactly symmetric, with the equivalent rotor inertias on the diagonal. Rows and columns of joints that do not
    /// move are zero. The rest is positive definite if every joint moves some mass or rotor.
    ///
    /// Composite rigid body algorithm (Featherstone §6.2, and §9.4 for the floating base), all in one frame: that of
    /// the root origin with world axes.
    pub fn mass_matrix(&self) -> DMatrix<f64> {
        let size = self.num_coordinates();
        let mut matrix = DMatrix::zeros(size, size);
        let composites = self.composite_inertias();
        let directions: Vec<Option<Twist>> =
            self.body.indexed_links().map(|(link, _)| self.direction_at_root(link)).collect();

        for (link, _) in self.body.indexed_links() {
            let (Some(joint), Some(direction)) = (&self.joints[link.0], &directions[link.0]) else { continue };
            let momentum = composites[link.0].momentum(direction);
            let Coordinate(column) = self.coordinate(joint);
            for above in self.up_from(link) {
                let (Some(other), Some(direction)) = (&self.joints[above.0], &directions[above.0]) else { continue };
                let Coordinate(row) = self.coordinate(other);
                let value = direction.linear.dot(&momentum.force) + direction.angular.dot(&momentum.torque);
                matrix[(row, column)] = value;
                matrix[(column, row)] = value;
            }
            matrix[(column, column)] += joint.rotor_inertia;
            if !self.body.is_fixed() {
                for axis in 0..3 {
                    for (row, value) in [(axis, momentum.force[axis]), (axis + 3, momentum.torque[axis])] {
                        matrix[(row, column)] = value;
                        matrix[(column, row)] = value;
                    }
                }
            }
        }
        if !self.body.is_fixed() {
            let whole = &composites[0];
            let moment = whole.moment.cross_matrix();
            matrix.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(whole.mass);
            matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(&-moment);
            matrix.fixed_view_mut::<3, 3>(3, 0).copy_from(&moment);
            matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(&whole.inertia);
        }
        matrix
    }

    /// Inertia of the subtree of each link.
    fn composite_inertias(&self) -> Vec<CompositeInertia> {
        let mut composites: Vec<CompositeInertia> = Vec::with_capacity(self.poses.len());
        for (index, link) in self.body.indexed_links() {
            let mass = link.mass.mass;
            let center = self.offset(LinkIndex::ROOT, index) + self.lever(index, link);
            // Parallel-axis theorem; exactly symmetric.
            let steiner = Matrix3::from_diagonal_element(center.norm_squared()) - center * center.transpose();
            let inertia = self.inertia(index, link) + steiner * mass;
            composites.push(CompositeInertia { mass, moment: center * mass, inertia });
        }
        for (index, link) in self.body.indexed_links().rev() {
            if let Some(parent) = link.parent {
                let composite = composites[index.0];
                composites[parent.0].add(&composite);
            }
        }
        composites
    }

    /// Motion subspace of a link's joint, at the root origin.
    fn direction_at_root(&self, link: LinkIndex) -> Option<Twist> {
        let Twist { linear, angular } = self.joints[link.0].as_ref()?.direction;
        Some(Twist { linear: linear + angular.cross(&self.offset(link, LinkIndex::ROOT)), angular })
    }
}
