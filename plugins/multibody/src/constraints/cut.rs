//! Contacts where surfaces cut each other.

use nalgebra::Vector3;

use crate::model::contact::Contact;

/// Replaces the contacts from `first` on, the corners of one outline in which two surfaces are nearest, by the points in which they cut
/// each other: the corners that are inside, and where the outline comes out between those and others. All are as deep as the deepest.
///
/// Choreonoid's contacts are where the triangles of two meshes intersect. A sole that is tilted a little is supported at its edge that
/// is inside the floor and in its middle, where it leaves the floor; a rigid one that is supported at its corners falls flat.
pub fn cut_points(contacts: &mut Vec<Contact>, first: usize) {
    let corners = &mut contacts[first..];
    let deepest = corners.iter().map(|corner| corner.gap).fold(f64::INFINITY, f64::min);
    if deepest >= 0.0 {
        contacts.truncate(first);
        return;
    }
    let middle = corners.iter().map(|corner| corner.point).sum::<Vector3<f64>>() / corners.len() as f64;
    let one = corners[0].point - middle;
    let two = corners[0].normal.cross(&one);
    let angle = |corner: &Contact| {
        let offset = corner.point - middle;
        libm::atan2(two.dot(&offset), one.dot(&offset))
    };
    corners.sort_by(|first, second| angle(first).total_cmp(&angle(second)));
    let outline = contacts.split_off(first);
    // Two corners have one edge.
    let num_edges = if outline.len() == 2 { 1 } else { outline.len() };
    for (index, &corner) in outline.iter().enumerate() {
        if corner.gap < 0.0 {
            contacts.push(Contact { gap: deepest, ..corner });
        }
        let next = outline[(index + 1) % outline.len()];
        if index < num_edges && (corner.gap < 0.0) != (next.gap < 0.0) {
            let share = corner.gap / (corner.gap - next.gap);
            let (inside, outside) = if corner.gap < 0.0 { (corner, next) } else { (next, corner) };
            contacts.push(Contact {
                id: inside.id.rotate_left(1) ^ outside.id.rotate_right(1),
                point: corner.point + (next.point - corner.point) * share,
                gap: deepest,
                ..inside
            });
        }
    }
}
