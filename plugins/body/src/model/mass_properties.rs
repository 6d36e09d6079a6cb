use nalgebra::{Matrix3, Point3, Vector3};

/// Mass, centre of mass and inertia of a rigid part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the link frame, m.
    pub center_of_mass: Point3<f64>,
    /// Inertia about the centre of mass, along the axes of the link frame, kg·m².
    pub inertia: Matrix3<f64>,
}

impl MassProperties {
    /// Zero mass.
    pub const ZERO: Self = Self {
        mass: 0.0,
        center_of_mass: Point3::new(0.0, 0.0, 0.0),
        inertia: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// Default of a link without mass keys: 1 kg at its origin, with 1 kg·m² about each axis.
    pub const UNSAID: Self = Self {
        mass: 1.0,
        center_of_mass: Point3::new(0.0, 0.0, 0.0),
        inertia: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    };

    /// Whether there is a centre of mass or an inertia although the mass is zero. Written models have neither.
    pub(crate) fn is_massless_with_data(&self) -> bool {
        self.mass <= 0.0 && *self != Self::ZERO
    }

    /// Combines several parts into one rigid body: masses add, inertias are moved to the common centre of mass
    /// (parallel-axis theorem). [`Self::ZERO`] if the total mass is zero, as in the original.
    pub fn combine(parts: &[Self]) -> Self {
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        if mass <= 0.0 {
            return Self::ZERO;
        }
        let moment: Vector3<f64> = parts.iter().map(|part| part.mass * part.center_of_mass.coords).sum();
        let center_of_mass = Point3::from(moment / mass);
        let inertia = parts
            .iter()
            .map(|part| part.inertia + point_inertia(part.mass, &(part.center_of_mass - center_of_mass)))
            .sum();
        Self { mass, center_of_mass, inertia }
    }

    /// Mass properties in another frame; `pose` is the part's frame in that frame.
    #[must_use]
    pub fn transformed(&self, pose: &nalgebra::Isometry3<f64>) -> Self {
        let rotation = pose.rotation.to_rotation_matrix();
        Self {
            mass: self.mass,
            center_of_mass: pose * self.center_of_mass,
            inertia: rotation * self.inertia * rotation.transpose(),
        }
    }
}

/// Inertia about the origin of a point mass at `offset`.
fn point_inertia(mass: f64, offset: &Vector3<f64>) -> Matrix3<f64> {
    mass * (Matrix3::identity() * offset.norm_squared() - offset * offset.transpose())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_half_rods_make_a_rod() {
        // A rod of mass m and length l has m·l²/12 across and 0 along its axis.
        let rod = |mass: f64, length: f64, centre: f64| {
            let across = mass * length * length / 12.0;
            MassProperties {
                mass,
                center_of_mass: Point3::new(centre, 0.0, 0.0),
                inertia: Matrix3::from_diagonal(&Vector3::new(0.0, across, across)),
            }
        };
        let whole = MassProperties::combine(&[rod(1.0, 0.5, 0.25), rod(1.0, 0.5, 0.75)]);
        let expected = rod(2.0, 1.0, 0.5);
        assert!((whole.inertia - expected.inertia).norm() < 1e-15);
        assert_eq!((whole.mass, whole.center_of_mass), (expected.mass, expected.center_of_mass));
    }

    #[test]
    fn an_empty_combination_has_no_mass() {
        let ghost = MassProperties { inertia: Matrix3::identity(), ..MassProperties::ZERO };
        assert_eq!(MassProperties::combine(&[ghost]), MassProperties::ZERO);
    }
}
