//! Files of the ground truth of an image.

use std::io::Write;
use std::path::Path;

use super::LogError;
use super::npy::write_vectors_npy;
use super::picture::write_label_png;
use super::table::quoted;
use super::whole::write_whole;
use crate::GroundTruth;

/// Columns of a table of boxes.
const COLUMNS: &str = "label,body,link,pixels,left [px],top [px],right [px],bottom [px],\
    whole left [px],whole top [px],whole right [px],whole bottom [px],\
    x [m],y [m],z [m],qw,qx,qy,qz,size x [m],size y [m],size z [m]";

/// Writes the ground truth of an image beside it: `<name>.labels.png` (16 bits), `<name>.boxes.csv`, `<name>.normals.npy`
/// and `<name>.flow.npy`, as far as it is there.
///
/// # Errors
/// If a file cannot be written.
pub fn write_truth(folder: &Path, name: &str, truth: &GroundTruth) -> Result<(), LogError> {
    let GroundTruth { width, height, labels, normals, flow, boxes } = truth;
    let (columns, rows) = (*width as usize, *height as usize);
    let file = |end: &str| folder.join(format!("{name}.{end}"));
    if !normals.is_empty() {
        write_vectors_npy(&file("normals.npy"), normals, columns, rows)?;
    }
    if !flow.is_empty() {
        write_vectors_npy(&file("flow.npy"), flow, columns, rows)?;
    }
    if labels.is_empty() {
        return Ok(());
    }
    write_label_png(&file("labels.png"), labels, *width, *height)?;
    let mut text = format!("{COLUMNS}\n");
    for found in boxes {
        let (body, link) = found.name.split_once('/').unwrap_or((&found.name, ""));
        text.push_str(&format!("{},{},{},{}", found.label, quoted(body), quoted(link), found.pixels));
        found.visible.iter().for_each(|value| text.push_str(&format!(",{value}")));
        match found.whole {
            Some(whole) => whole.iter().for_each(|value| text.push_str(&format!(",{value}"))),
            None => text.push_str(",,,,"),
        }
        found.pose.iter().chain(&found.size).for_each(|value| text.push_str(&format!(",{value}")));
        text.push('\n');
    }
    write_whole(&file("boxes.csv"), |writer| writer.write_all(text.as_bytes()).map_err(|error| error.to_string()))
}
