//! Point clouds as PLY files.

use std::io::Write;
use std::path::Path;

use nalgebra::Vector3;

use super::LogError;
use super::whole::write_whole;

/// Writes points (m) as binary PLY, with colours if there is one for each. `comment` is one line with the time and the
/// frame.
///
/// # Errors
/// If the number of colours is neither 0 nor that of the points, or the file cannot be written.
pub fn write_ply(path: &Path, points: &[Vector3<f32>], colors: &[[u8; 3]], comment: &str) -> Result<(), LogError> {
    if !colors.is_empty() && colors.len() != points.len() {
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
    bytes.push_str("end_header\n");
    let mut bytes = bytes.into_bytes();
    for (index, point) in points.iter().enumerate() {
        point.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
        bytes.extend(colors.get(index).into_iter().flatten());
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
        write_ply(&path, &points, &[[7, 8, 9], [10, 11, 12]], "time 0.5 s\nframe Tank/Kinect").unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let end = bytes.windows(11).position(|part| part == b"end_header\n").unwrap() + 11;
        let header = std::str::from_utf8(&bytes[..end]).unwrap();
        assert!(header.contains("comment time 0.5 s frame Tank/Kinect\nelement vertex 2\n"), "{header}");
        assert_eq!(bytes.len(), end + 2 * 15);
        assert_eq!(&bytes[end + 12..end + 15], [7, 8, 9]);
        assert_eq!(bytes[end + 15..end + 19], (-4.0_f32).to_le_bytes());
        assert!(matches!(write_ply(&path, &points, &[[0; 3]], ""), Err(LogError::Shape { .. })));
    }
}
