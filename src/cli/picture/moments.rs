//! Several moments in one picture: ghosts, and a camera that follows.

use std::sync::Arc;

use bunraku::body::LinkIndex;
use bunraku::document::closest;
use nalgebra::Vector3;

use super::super::common::Failure;
use super::Placed;

/// Transparency of ghosts.
const FAINT: f64 = 0.65;

/// The bodies that move, half transparent.
pub(super) fn ghosts(bodies: Vec<Placed>) -> impl Iterator<Item = Placed> {
    bodies.into_iter().filter(Placed::moves).map(|placed| {
        let mut body = (*placed.body).clone();
        for link in 0..body.links().len() {
            for shape in body.visual_mut(LinkIndex(link)).into_iter().flatten() {
                let opacity = (1.0 - shape.appearance.transparency) * (1.0 - FAINT);
                shape.appearance.transparency = 1.0 - opacity;
            }
        }
        Placed { body: Arc::new(body), ..placed }
    })
}

/// Displacement, m, of a body or link (BODY or BODY/LINK) from the start to the picture.
pub(super) fn offset(followed: &str, start: &[Placed], bodies: &[Placed]) -> Result<Vector3<f64>, Failure> {
    let (name, link) = followed.split_once('/').map_or((followed, None), |(name, link)| (name, Some(link)));
    let named = |bodies: &[Placed]| bodies.iter().position(|placed| placed.name == name);
    let missing = |what: &str, name: &str, known: Vec<&str>| {
        let meant = closest(name, known).map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
        Failure::Usage(format!("`--follow`: there is no {what} `{name}`{meant}"))
    };
    let known = || bodies.iter().map(|placed| placed.name.as_str()).collect();
    let [before, now] = [named(start).map(|index| &start[index]), named(bodies).map(|index| &bodies[index])];
    let (Some(before), Some(now)) = (before, now) else { return Err(missing("body", name, known())) };
    let link = match link {
        None => LinkIndex::ROOT,
        Some(link) => now
            .body
            .find_link(link)
            .ok_or_else(|| missing("link", link, now.body.links().iter().map(|link| link.name.as_str()).collect()))?,
    };
    Ok(now.state.link_pose(link).translation.vector - before.state.link_pose(link).translation.vector)
}
