//! Messages as bytes.

use std::io;

use bunraku_body::dynamics::Twist;
use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};

use super::settings::{ProcessLayout, ProcessOutput};

/// State of a body at the beginning of a step.
pub(super) struct State<'a> {
    pub step: u64,
    /// s
    pub time: f64,
    /// rad or m, joint order.
    pub displacements: &'a [f64],
    /// rad/s or m/s, joint order.
    pub velocities: &'a [f64],
    /// Of the root link, in the world.
    pub root: &'a Isometry3<f64>,
    /// Of the origin of the root link, world axes.
    pub twist: Twist,
}

/// Commands of a reply, joint order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Commands {
    pub values: Vec<f64>,
    /// Target velocities beside target displacements, or empty.
    pub velocities: Vec<f64>,
}

#[derive(Serialize)]
struct JsonState<'a> {
    step: u64,
    time: f64,
    displacements: &'a [f64],
    velocities: &'a [f64],
    root: JsonRoot,
}

#[derive(Serialize)]
struct JsonRoot {
    translation: [f64; 3],
    /// w, x, y, z.
    quaternion: [f64; 4],
    velocity: [f64; 3],
    angular_velocity: [f64; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonReply {
    #[serde(default)]
    efforts: Vec<f64>,
    #[serde(default)]
    displacements: Vec<f64>,
    #[serde(default)]
    velocities: Vec<f64>,
}

impl State<'_> {
    fn quaternion(&self) -> [f64; 4] {
        let rotation = self.root.rotation.quaternion();
        [rotation.w, rotation.i, rotation.j, rotation.k]
    }

    /// Appends the state as a message.
    ///
    /// # Errors
    /// If it cannot be encoded.
    pub fn encode(&self, layout: ProcessLayout, message: &mut Vec<u8>) -> io::Result<()> {
        let (translation, quaternion) = (self.root.translation.vector.into(), self.quaternion());
        let (velocity, angular_velocity) = (self.twist.linear.into(), self.twist.angular.into());
        match layout {
            ProcessLayout::Json => {
                let root = JsonRoot { translation, quaternion, velocity, angular_velocity };
                let &Self { step, time, displacements, velocities, .. } = self;
                serde_json::to_writer(&mut *message, &JsonState { step, time, displacements, velocities, root })?;
                message.push(b'\n');
            }
            ProcessLayout::Binary => {
                let numbers = self.displacements.iter().chain(self.velocities);
                let root: [&[f64]; 4] = [&translation, &quaternion, &velocity, &angular_velocity];
                let mut payload = self.step.to_le_bytes().to_vec();
                let all = std::iter::once(&self.time).chain(numbers).chain(root.into_iter().flatten());
                payload.extend(all.flat_map(|number| number.to_le_bytes()));
                frame(&payload, message)?;
            }
        }
        Ok(())
    }
}

/// Appends a text as a message.
///
/// # Errors
/// If it is too long.
pub(super) fn encode_text(text: &[u8], layout: ProcessLayout, message: &mut Vec<u8>) -> io::Result<()> {
    match layout {
        ProcessLayout::Json => {
            message.extend_from_slice(text);
            message.push(b'\n');
            Ok(())
        }
        ProcessLayout::Binary => frame(text, message),
    }
}

/// Appends a payload after its length.
fn frame(payload: &[u8], message: &mut Vec<u8>) -> io::Result<()> {
    let length = u32::try_from(payload.len()).map_err(io::Error::other)?;
    message.extend_from_slice(&length.to_le_bytes());
    message.extend_from_slice(payload);
    Ok(())
}

/// Longest reply of `joints` joints, bytes. A number of JSON with all digits and blanks around it has at most 64.
pub(super) fn longest_reply(layout: ProcessLayout, joints: usize) -> usize {
    match layout {
        ProcessLayout::Json => 1024 + 2 * 64 * joints,
        ProcessLayout::Binary => 4 + 2 * 8 * joints,
    }
}

/// Number of bytes of the first reply in `bytes`, if it is complete.
pub(super) fn complete(layout: ProcessLayout, bytes: &[u8]) -> Option<usize> {
    match layout {
        ProcessLayout::Json => bytes.iter().position(|byte| *byte == b'\n').map(|end| end + 1),
        ProcessLayout::Binary => {
            let length = u32::from_le_bytes(*bytes.first_chunk()?);
            let whole = usize::try_from(length).ok()?.checked_add(4)?;
            (bytes.len() >= whole).then_some(whole)
        }
    }
}

/// Reads a complete reply.
///
/// # Errors
/// A description of what was expected.
pub(super) fn decode(
    (layout, output): (ProcessLayout, ProcessOutput),
    joints: usize,
    reply: &[u8],
) -> Result<Commands, String> {
    let commands = match layout {
        ProcessLayout::Json => decode_json(output, reply)?,
        ProcessLayout::Binary => decode_binary(output, joints, reply)?,
    };
    let lengths = [Some(&commands.values), Some(&commands.velocities).filter(|velocities| !velocities.is_empty())];
    for values in lengths.into_iter().flatten() {
        if values.len() != joints {
            return Err(format!("with {} numbers for {joints} joints", values.len()));
        }
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(format!("with the number {value}"));
        }
    }
    Ok(commands)
}

fn decode_json(output: ProcessOutput, reply: &[u8]) -> Result<Commands, String> {
    let key = output.key();
    let expected = || format!("with {}, which is not a line like {{\"{key}\": [0.5, 0]}}", quoted(reply));
    let JsonReply { efforts, displacements, velocities } = serde_json::from_slice(reply).map_err(|_| expected())?;
    let (values, velocities, others) = match output {
        ProcessOutput::Effort => (efforts, Vec::new(), [displacements, velocities]),
        ProcessOutput::Displacement => (displacements, velocities, [efforts, Vec::new()]),
        ProcessOutput::Velocity => (velocities, Vec::new(), [efforts, displacements]),
    };
    match others.iter().all(Vec::is_empty) {
        true => Ok(Commands { values, velocities }),
        false => Err(expected()),
    }
}

fn decode_binary(output: ProcessOutput, joints: usize, reply: &[u8]) -> Result<Commands, String> {
    let payload = reply.get(4..).unwrap_or_default();
    let (numbers, rest) = payload.as_chunks::<8>();
    let with_velocities = output == ProcessOutput::Displacement && numbers.len() == 2 * joints;
    if !rest.is_empty() || !(numbers.len() == joints || with_velocities) {
        return Err(wrong_length(output, joints, payload.len()));
    }
    let mut values: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let velocities = values.split_off(joints);
    Ok(Commands { values, velocities })
}

fn wrong_length(output: ProcessOutput, joints: usize, length: usize) -> String {
    let expected = 8 * joints;
    match output {
        ProcessOutput::Displacement => format!("of {length} bytes instead of {expected} or {}", 2 * expected),
        _ => format!("of {length} bytes instead of {expected}"),
    }
}

/// The fault of an incomplete reply, if it is already certain.
///
/// # Errors
/// A description of what was expected.
pub(super) fn check_beginning(
    (layout, output): (ProcessLayout, ProcessOutput),
    joints: usize,
    bytes: &[u8],
) -> Result<(), String> {
    if let (ProcessLayout::Binary, Some(length)) = (layout, bytes.first_chunk::<4>()) {
        let length = u32::from_le_bytes(*length) as usize;
        if length + 4 > longest_reply(layout, joints) {
            return Err(format!("{}: it begins with {}", wrong_length(output, joints, length), quoted(bytes)));
        }
    }
    if bytes.len() > longest_reply(layout, joints) {
        return Err(format!("with more than {} bytes: it begins with {}", bytes.len(), quoted(bytes)));
    }
    Ok(())
}

/// The beginning of a reply, as text, for messages.
pub(super) fn quoted(bytes: &[u8]) -> String {
    const LONGEST: usize = 60;
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches(['\n', '\r']);
    let mut short: String = text.chars().take(LONGEST).flat_map(char::escape_default).collect();
    if text.chars().count() > LONGEST {
        short.push('…');
    }
    format!("`{short}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: (ProcessLayout, ProcessOutput) = (ProcessLayout::Json, ProcessOutput::Effort);
    const BINARY: (ProcessLayout, ProcessOutput) = (ProcessLayout::Binary, ProcessOutput::Displacement);

    fn state(root: &Isometry3<f64>) -> State<'_> {
        State { step: 7, time: 0.5, displacements: &[0.25], velocities: &[-1.0], root, twist: Twist::ZERO }
    }

    #[test]
    fn states_are_lines_of_json_or_numbers() {
        let root = Isometry3::translation(1.0, 2.0, 3.0);
        let mut line = Vec::new();
        state(&root).encode(ProcessLayout::Json, &mut line).unwrap();
        assert_eq!(
            String::from_utf8(line).unwrap(),
            "{\"step\":7,\"time\":0.5,\"displacements\":[0.25],\"velocities\":[-1.0],\"root\":{\"translation\":[1.0,2.0,3.0],\
             \"quaternion\":[1.0,0.0,0.0,0.0],\"velocity\":[0.0,0.0,0.0],\"angular_velocity\":[0.0,0.0,0.0]}}\n"
        );
        let mut bytes = Vec::new();
        state(&root).encode(ProcessLayout::Binary, &mut bytes).unwrap();
        assert_eq!(bytes.len(), 4 + 8 * (2 + 2 + 13));
        assert_eq!(bytes[..4], 136_u32.to_le_bytes());
        assert_eq!(bytes[4..12], 7_u64.to_le_bytes());
        let numbers: Vec<f64> = bytes[12..].as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        assert_eq!(numbers[..7], [0.5, 0.25, -1.0, 1.0, 2.0, 3.0, 1.0]);
    }

    #[test]
    fn replies_are_read_in_both_layouts() {
        let read = decode(JSON, 2, b"{\"efforts\": [1, -2.5e-3]}\n").unwrap();
        assert_eq!(read, Commands { values: vec![1.0, -2.5e-3], velocities: vec![] });
        let reply = [2.0_f64, 3.0, 4.0, 5.0].iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
        let mut message = Vec::new();
        frame(&reply, &mut message).unwrap();
        assert_eq!(complete(BINARY.0, &message), Some(36));
        assert_eq!(complete(BINARY.0, &message[..35]), None);
        let read = decode(BINARY, 2, &message).unwrap();
        assert_eq!(read, Commands { values: vec![2.0, 3.0], velocities: vec![4.0, 5.0] });
    }

    #[test]
    fn replies_without_meaning_are_described() {
        for (reply, message) in [
            ("hello\n", "with `hello`, which is not a line like {\"efforts\": [0.5, 0]}"),
            ("{\"efforts\": [NaN, 1]}\n", "which is not a line like"),
            ("{\"efforts\": [1, 1], \"velocities\": [1, 1]}\n", "which is not a line like"),
            ("{\"effort\": [1, 1]}\n", "which is not a line like"),
            ("{\"efforts\": [1]}\n", "with 1 numbers for 2 joints"),
            ("{\"efforts\": [1, 1e999]}\n", "which is not a line like"),
            ("{}\n", "with 0 numbers for 2 joints"),
        ] {
            let found = decode(JSON, 2, reply.as_bytes()).unwrap_err();
            assert!(found.contains(message), "{found}");
        }
        let found = check_beginning(BINARY, 2, b"{\"displacements\"").unwrap_err();
        assert!(found.contains("bytes instead of 16 or 32") && found.contains("begins with `{"), "{found}");
        let nan = [f64::NAN, 0.0].iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
        let mut message = Vec::new();
        frame(&nan, &mut message).unwrap();
        assert_eq!(decode(BINARY, 2, &message).unwrap_err(), "with the number NaN");
        assert!(check_beginning(JSON, 1, &[b' '; 2000]).is_err());
    }
}
