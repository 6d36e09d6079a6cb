use bunraku_document::{Mapping, Reporter, Result, Value};
use nalgebra::{Matrix3, Point3};

use crate::MassProperties;

/// `mass`, `center_of_mass` and `inertia` of a link or `RigidBody`.
#[derive(Clone, Copy)]
pub(super) struct MassKeys {
    pub(super) mass: Option<f64>,
    pub(super) center_of_mass: Option<Point3<f64>>,
    pub(super) inertia: Option<Matrix3<f64>>,
}

impl MassKeys {
    pub(super) fn read(mapping: &Mapping<'_, '_>) -> Self {
        Self {
            mass: mapping.read(&["mass"], |value, reporter| {
                let mass = value.as_number(reporter)?;
                if mass < 0.0 {
                    let diagnostic = value.error("negative-mass", format!("the mass {mass} kg is negative"));
                    return Err(Box::new(diagnostic.help("write 0 for no mass")));
                }
                Ok(mass)
            }),
            center_of_mass: mapping.array::<3>(&["center_of_mass", "centerOfMass"]).map(Point3::from),
            inertia: mapping.read(&["inertia"], read_inertia),
        }
    }

    pub(super) fn is_any(&self) -> bool {
        self.mass.is_some() || self.center_of_mass.is_some() || self.inertia.is_some()
    }

    /// The mass properties, with missing values replaced by zero.
    pub(super) fn or_zero(self) -> MassProperties {
        MassProperties {
            mass: self.mass.unwrap_or(0.0),
            center_of_mass: self.center_of_mass.unwrap_or_default(),
            inertia: self.inertia.unwrap_or_else(Matrix3::zeros),
        }
    }
}

fn read_inertia(value: Value<'_>, reporter: &Reporter) -> Result<Matrix3<f64>> {
    let numbers = value.as_numbers(reporter)?;
    match *numbers.as_slice() {
        [xx, xy, xz, yy, yz, zz] => Ok(Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)),
        [_, _, _, _, _, _, _, _, _] => Ok(Matrix3::from_row_slice(&numbers)),
        _ => {
            let message = format!("an inertia has 6 numbers or 9, found {}", numbers.len());
            let help = "write `[ xx, xy, xz, yy, yz, zz ]`, or all 9 numbers of the matrix row by row";
            Err(Box::new(value.error("wrong-length", message).help(help)))
        }
    }
}
