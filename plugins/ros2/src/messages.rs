//! The messages that command bodies.

use super::decode::{MessageError, Payload};

/// Type of joint commands and states.
pub const JOINT_STATE: &str = "sensor_msgs/msg/JointState";
/// Type of the velocities of a base.
pub const TWIST: &str = "geometry_msgs/msg/Twist";

/// Commands to joints by name; a list of values is empty or has one for each name.
#[derive(Clone, Debug, PartialEq)]
pub struct JointCommand {
    pub names: Vec<String>,
    /// rad or m.
    pub positions: Vec<f64>,
    /// rad/s or m/s.
    pub velocities: Vec<f64>,
    /// N·m or N.
    pub efforts: Vec<f64>,
}

impl JointCommand {
    /// Reads a `sensor_msgs/JointState`.
    pub fn read(payload: &Payload) -> Result<Self, MessageError> {
        /// Length and final zero byte of an empty name.
        const SMALLEST_NAME: usize = 5;
        let mut reader = payload.reader();
        reader.header()?;
        let count = reader.length(SMALLEST_NAME)?;
        let names = (0..count).map(|_| reader.text().map(str::to_owned)).collect::<Result<Vec<_>, _>>()?;
        let mut list = |list| {
            let values = reader.f64_sequence()?;
            match values.len() {
                found if found == 0 || found == names.len() => Ok(values),
                found => Err(MessageError::Length { list, found, names: names.len() }),
            }
        };
        let [positions, velocities, efforts] = [list("`position`")?, list("`velocity`")?, list("`effort`")?];
        Ok(Self { names, positions, velocities, efforts })
    }
}

/// Velocity of a base: forwards, m/s, and to the left, rad/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaseVelocity {
    pub forwards: f64,
    pub turning: f64,
}

impl BaseVelocity {
    /// Reads a `geometry_msgs/Twist`.
    pub fn read(payload: &Payload) -> Result<Self, MessageError> {
        let [forwards, _, _, _, _, turning] = payload.reader().finite_array()?;
        Ok(Self { forwards, turning })
    }
}

#[cfg(test)]
mod tests {
    use bunraku_sensors::log::Cdr;
    use rustdds::bytes::Bytes;

    use super::*;

    fn payload(cdr: Cdr) -> Payload {
        Payload { bytes: Bytes::copy_from_slice(&cdr.into_bytes()[4..]), is_little_endian: true }
    }

    fn joint_state(names: &[&str], lists: [&[f64]; 3]) -> Payload {
        let mut cdr = Cdr::new();
        cdr.i32(1);
        cdr.u32(2);
        cdr.text("");
        cdr.length(names.len());
        names.iter().for_each(|name| cdr.text(name));
        lists.iter().for_each(|list| cdr.f64_sequence(list));
        payload(cdr)
    }

    #[test]
    fn joint_commands_are_read() {
        let read = JointCommand::read(&joint_state(&["A", "BC"], [&[1.0, 2.0], &[], &[f64::NAN, 0.5]])).unwrap();
        assert_eq!((read.names, read.positions), (vec!["A".to_owned(), "BC".to_owned()], vec![1.0, 2.0]));
        assert!(read.velocities.is_empty() && read.efforts[0].is_nan());
    }

    #[test]
    fn lists_of_other_lengths_are_refused() {
        let read = JointCommand::read(&joint_state(&["A", "B"], [&[1.0], &[], &[]]));
        assert_eq!(read, Err(MessageError::Length { list: "`position`", found: 1, names: 2 }));
    }

    #[test]
    fn cut_and_changed_messages_never_panic() {
        let whole = joint_state(&["SHOULDER", "HAND"], [&[1.0, 2.0], &[0.0, 0.0], &[3.0, 4.0]]);
        for end in 0..whole.bytes.len() {
            let cut = Payload { bytes: whole.bytes.slice(..end), ..whole.clone() };
            assert!(JointCommand::read(&cut).is_err(), "{end}");
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = whole.bytes.to_vec();
                bytes[end] = value;
                let changed = Payload { bytes: bytes.into(), is_little_endian: end % 2 == 0 };
                let _ = (JointCommand::read(&changed), BaseVelocity::read(&changed));
            }
        }
    }

    #[test]
    fn velocities_of_a_base_are_finite() {
        let twist = |last: f64| {
            let mut cdr = Cdr::new();
            cdr.f64_array([0.5, 0.0, 0.0, 0.0, 0.0, last]);
            BaseVelocity::read(&payload(cdr))
        };
        assert_eq!(twist(-1.0), Ok(BaseVelocity { forwards: 0.5, turning: -1.0 }));
        assert_eq!(twist(f64::NAN), Err(MessageError::NotFinite));
    }
}
