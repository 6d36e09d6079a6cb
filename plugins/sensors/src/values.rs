//! Measurements that are a few numbers.

use serde::{Deserialize, Serialize};

/// A number that a sensor measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Name, such as `latitude`.
    pub name: &'static str,
    /// Unit, such as `deg`; empty for a dimensionless number.
    pub unit: &'static str,
}

/// Kind of a measurement that is a few numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValuesKind {
    /// Of a joint that turns.
    Encoder,
    /// Of a joint that slides.
    LinearEncoder,
    /// Magnetic flux density along the axes of the sensor.
    Magnetometer,
    /// Geodetic position, and velocity along world axes.
    Gnss,
    /// Static air pressure.
    Barometer,
    /// Contact, 0 or 1, and the force of all contacts of the link.
    TouchSensor,
}

/// A measurement that is a few numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Values {
    /// Their kind.
    pub kind: ValuesKind,
    /// As [`ValuesKind::quantities`] lists them.
    pub numbers: Vec<f64>,
}

const fn quantity(name: &'static str, unit: &'static str) -> Quantity {
    Quantity { name, unit }
}

impl ValuesKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Encoder, Self::LinearEncoder, Self::Magnetometer, Self::Gnss, Self::Barometer, Self::TouchSensor];

    /// Type of the devices of this kind.
    pub fn device_type(self) -> &'static str {
        match self {
            Self::Encoder => "Encoder",
            Self::LinearEncoder => "LinearEncoder",
            Self::Magnetometer => "Magnetometer",
            Self::Gnss => "Gnss",
            Self::Barometer => "Barometer",
            Self::TouchSensor => "TouchSensor",
        }
    }

    /// Kind of the devices of a type; `None` if they measure something else.
    pub fn of_device_type(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.device_type() == name)
    }

    /// The numbers, in their order.
    pub fn quantities(self) -> &'static [Quantity] {
        match self {
            Self::Encoder => &ENCODER,
            Self::LinearEncoder => &LINEAR_ENCODER,
            Self::Magnetometer => &MAGNETOMETER,
            Self::Gnss => &GNSS,
            Self::Barometer => &BAROMETER,
            Self::TouchSensor => &TOUCH_SENSOR,
        }
    }
}

const ENCODER: [Quantity; 2] = [quantity("displacement", "rad"), quantity("velocity", "rad/s")];
const LINEAR_ENCODER: [Quantity; 2] = [quantity("displacement", "m"), quantity("velocity", "m/s")];
const MAGNETOMETER: [Quantity; 3] = [quantity("bx", "T"), quantity("by", "T"), quantity("bz", "T")];
const GNSS: [Quantity; 6] = [
    quantity("latitude", "deg"),
    quantity("longitude", "deg"),
    quantity("altitude", "m"),
    quantity("v_east", "m/s"),
    quantity("v_north", "m/s"),
    quantity("v_up", "m/s"),
];
const BAROMETER: [Quantity; 1] = [quantity("pressure", "Pa")];
const TOUCH_SENSOR: [Quantity; 2] = [quantity("touching", ""), quantity("force", "N")];

impl Values {
    /// The numbers with their names and units.
    pub fn named(&self) -> impl Iterator<Item = (Quantity, f64)> {
        self.kind.quantities().iter().copied().zip(self.numbers.iter().copied())
    }
}
