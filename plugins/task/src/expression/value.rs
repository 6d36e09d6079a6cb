use nalgebra::{Matrix3, Vector3, Vector6};

/// Value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number; 0 is false, anything else true.
    Scalar(f64),
    /// Three numbers: a position in m, or angles in degrees.
    Vector3(Vector3<f64>),
    /// A pose: x, y, z in m, roll, pitch, yaw in degrees.
    Vector6(Vector6<f64>),
    /// A rotation matrix.
    Rotation(Matrix3<f64>),
}

/// The type of a [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// A number.
    Scalar,
    /// Three numbers.
    Vector3,
    /// A pose.
    Vector6,
    /// A rotation matrix.
    Rotation,
}

impl ValueType {
    /// Name in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scalar => "a number",
            Self::Vector3 => "a 3-vector",
            Self::Vector6 => "a 6-vector",
            Self::Rotation => "a rotation",
        }
    }
}

impl Value {
    /// Type of the value.
    pub fn kind(&self) -> ValueType {
        match self {
            Self::Scalar(_) => ValueType::Scalar,
            Self::Vector3(_) => ValueType::Vector3,
            Self::Vector6(_) => ValueType::Vector6,
            Self::Rotation(_) => ValueType::Rotation,
        }
    }

    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Scalar(number) => number.is_finite(),
            Self::Vector3(vector) => vector.iter().all(|number| number.is_finite()),
            Self::Vector6(vector) => vector.iter().all(|number| number.is_finite()),
            Self::Rotation(matrix) => matrix.iter().all(|number| number.is_finite()),
        }
    }
}
