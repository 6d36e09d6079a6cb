use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3, Vector6};

/// Pose in the notation of task files: x, y, z in m, then roll, pitch, yaw in **degrees**. The rotation is
/// Rz(yaw)·Ry(pitch)·Rx(roll).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame(pub [f64; 6]);

/// Distance of the sine of the pitch from ±1 that counts as gimbal lock. The original compares with 1e-10, but after
/// rounding to single precision. In double precision this wider bound detects all cases that the original detects.
const LOCK: f64 = 1e-6;

impl Frame {
    /// The origin of the world, without rotation.
    pub const IDENTITY: Self = Self([0.0; 6]);

    /// Converts to an isometry.
    pub fn to_isometry(self) -> Isometry3<f64> {
        let [x, y, z, roll, pitch, yaw] = self.0;
        let rotation = Rotation3::from_matrix_unchecked(rotation_of_rpy(&Vector3::new(roll, pitch, yaw)));
        Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::from_rotation_matrix(&rotation))
    }

    /// Converts from an isometry.
    pub fn of_isometry(pose: &Isometry3<f64>) -> Self {
        let position = pose.translation.vector;
        let rpy = rpy_of_rotation(pose.rotation.to_rotation_matrix().matrix());
        Self([position.x, position.y, position.z, rpy.x, rpy.y, rpy.z])
    }

    /// The 6-vector for expressions.
    pub fn to_vector(self) -> Vector6<f64> {
        Vector6::from(self.0)
    }
}

/// The matrix Rz(yaw)·Ry(pitch)·Rx(roll) of (roll, pitch, yaw) in degrees.
pub fn rotation_of_rpy(degrees: &Vector3<f64>) -> Matrix3<f64> {
    let [roll, pitch, yaw] = [degrees.x, degrees.y, degrees.z].map(f64::to_radians);
    Rotation3::from_euler_angles(roll, pitch, yaw).into_inner()
}

/// (roll, pitch, yaw) in degrees of a rotation matrix. In gimbal lock, at a pitch of ±90°, the yaw is 0.
pub fn rpy_of_rotation(matrix: &Matrix3<f64>) -> Vector3<f64> {
    let sine = -matrix[(2, 0)];
    let pitch = libm::atan2(sine, libm::hypot(matrix[(0, 0)], matrix[(1, 0)]));
    let (roll, yaw) = if (sine - 1.0).abs() <= LOCK {
        (libm::atan2(matrix[(0, 1)], matrix[(1, 1)]), 0.0)
    } else if (sine + 1.0).abs() <= LOCK {
        (-libm::atan2(matrix[(0, 1)], matrix[(1, 1)]), 0.0)
    } else {
        (libm::atan2(matrix[(2, 1)], matrix[(2, 2)]), libm::atan2(matrix[(1, 0)], matrix[(0, 0)]))
    };
    Vector3::new(roll, pitch, yaw).map(f64::to_degrees)
}
