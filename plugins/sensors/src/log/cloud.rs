//! Point clouds as PLY files.

use std::io::Write;
use std::path::Path;

use nalgebra::Vector3;

use super::LogError;
use super::whole::write_whole;

/// Points with their data; a list is empty, or has a value for each point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cloud<'c> {
    /// Positions, m.
    pub points: &'c [Vector3<f32>],
    /// Red, green and blue (sRGB).
    pub colors: &'c [[u8; 3]],
    /// Intensities from 0 to 1.
    pub intensities: &'c [f32],
    /// Rings, or rows of a scan.
    pub rings: &'c [u16],
    /// Times relative to the sample, s.
    pub times: &'c [f32],
}

/// Type of a field of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    Short,
    Float,
}

impl Cloud<'_> {
    /// Whether each list is empty or has a value for each point.
    pub(super) fn is_sound(&self) -> bool {
        let lengths = [self.colors.len(), self.intensities.len(), self.rings.len(), self.times.len()];
        lengths.into_iter().all(|length| length == 0 || length == self.points.len())
    }

    /// Names and types of the fields of each point besides its position and its colour, in their order.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&'static str, FieldKind)> {
        let fields = [
            ("intensity", FieldKind::Float, !self.intensities.is_empty()),
            ("ring", FieldKind::Short, !self.rings.is_empty()),
            ("time", FieldKind::Float, !self.times.is_empty()),
        ];
        fields.into_iter().filter(|(.., is_given)| *is_given).map(|(name, kind, _)| (name, kind))
    }

    /// Appends the fields of a point, little-endian.
    pub(super) fn push_fields(&self, index: usize, bytes: &mut Vec<u8>) {
        bytes.extend(self.intensities.get(index).into_iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend(self.rings.get(index).into_iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend(self.times.get(index).into_iter().flat_map(|value| value.to_le_bytes()));
    }
}

/// Writes points as binary PLY. `comment` is one line with the time and the frame.
///
/// # Errors
/// If a list is neither empty nor as long as that of the points, or the file cannot be written.
pub fn write_ply(path: &Path, cloud: &Cloud<'_>, comment: &str) -> Result<(), LogError> {
    let Cloud { points, colors, .. } = cloud;
    if !cloud.is_sound() {
        let values = colors.len();
        return Err(LogError::Shape { path: path.to_owned(), values, width: points.len(), height: 1 });
    }
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\ncomment {}\nelement vertex {}\n",
        comment.replace(['\n', '\r'], " "),
        points.len()
    );
    bytes.push_str("property float x\nproperty float y\nproperty float z\n");
    if !colors.is_empty() {
        bytes.push_str("property uchar red\nproperty uchar green\nproperty uchar blue\n");
    }
    for (name, kind) in cloud.fields() {
        let kind = match kind {
            FieldKind::Short => "ushort",
            FieldKind::Float => "float",
        };
        bytes.push_str(&format!("property {kind} {name}\n"));
    }
    bytes.push_str("end_header\n");
    let mut bytes = bytes.into_bytes();
    for (index, point) in points.iter().enumerate() {
        point.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
        bytes.extend(colors.get(index).into_iter().flatten());
        cloud.push_fields(index, &mut bytes);
    }
    write_whole(path, |writer| writer.write_all(&bytes).map_err(|error| error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cloud_is_laid_out_as_its_header_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud.ply");
        let points = [Vector3::new(1.0, 2.0, 3.0), Vector3::new(-4.0, 5.5, f32::NAN)];
        let colors = [[7, 8, 9], [10, 11, 12]];
        let cloud = Cloud { points: &points, colors: &colors, ..Cloud::default() };
        write_ply(&path, &cloud, "time 0.5 s\nframe Tank/Kinect").unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let end = bytes.windows(11).position(|part| part == b"end_header\n").unwrap() + 11;
        let header = std::str::from_utf8(&bytes[..end]).unwrap();
        assert!(header.contains("comment time 0.5 s frame Tank/Kinect\nelement vertex 2\n"), "{header}");
        assert_eq!(bytes.len(), end + 2 * 15);
        assert_eq!(&bytes[end + 12..end + 15], [7, 8, 9]);
        assert_eq!(bytes[end + 15..end + 19], (-4.0_f32).to_le_bytes());
        let short = Cloud { points: &points, colors: &[[0; 3]], ..Cloud::default() };
        assert!(matches!(write_ply(&path, &short, ""), Err(LogError::Shape { .. })));
    }

    #[test]
    fn a_cloud_of_a_scanner_has_intensity_ring_and_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud.ply");
        let cloud = Cloud {
            points: &[Vector3::zeros(), Vector3::x()],
            intensities: &[0.25, 0.5],
            rings: &[3, 258],
            times: &[-0.1, 0.0],
            ..Cloud::default()
        };
        write_ply(&path, &cloud, "").unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let end = bytes.windows(11).position(|part| part == b"end_header\n").unwrap() + 11;
        let header = std::str::from_utf8(&bytes[..end]).unwrap();
        let fields = "property float z\nproperty float intensity\nproperty ushort ring\nproperty float time\n";
        assert!(header.contains(fields), "{header}");
        let second = &bytes[end + 22..];
        assert_eq!(second.len(), 22);
        assert_eq!((&second[12..16], &second[16..18]), (&0.5_f32.to_le_bytes()[..], &[2, 1][..]));
        assert!(matches!(write_ply(&path, &Cloud { rings: &[1], ..cloud }, ""), Err(LogError::Shape { .. })));
    }
}
