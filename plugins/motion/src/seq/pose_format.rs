/// Order of the numbers of a pose (`SE3Format`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoseFormat {
    /// x y z, then the quaternion w x y z.
    QuaternionWxyz,
    /// x y z, then the quaternion x y z w.
    QuaternionXyzw,
    /// x y z, then roll, pitch and yaw in radians: Rz(yaw) · Ry(pitch) · Rx(roll).
    RollPitchYaw,
}

impl PoseFormat {
    /// Names in the file format.
    pub(crate) const WORDS: [&'static str; 3] = ["XYZQWQXQYQZ", "XYZQXQYQZQW", "XYZRPY"];

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        match word {
            "XYZQWQXQYQZ" => Some(Self::QuaternionWxyz),
            "XYZQXQYQZQW" => Some(Self::QuaternionXyzw),
            "XYZRPY" => Some(Self::RollPitchYaw),
            _ => None,
        }
    }
}
