//! Recordings laid over the curves of the window.

use bunraku_motion::Channel;

use super::log::thinned;

/// The curves of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Name of its file or directory, which is added to the names of its curves.
    pub name: String,
    /// Bodies by name, each with its curves.
    pub bodies: Vec<(String, Vec<Channel>)>,
}

impl Overlay {
    /// Times, s, and values of a curve of a body, at most about `most` points; empty if the recording lacks it.
    pub fn points(&self, body: &str, channel: &str, most: usize) -> Vec<[f64; 2]> {
        let channels = self.bodies.iter().find(|(name, _)| name == body).map(|(_, channels)| channels);
        let channel = channels.and_then(|channels| channels.iter().find(|known| known.name == channel));
        let points = channel.into_iter().flat_map(|channel| &channel.points);
        let points: Vec<_> =
            points.filter(|(_, value)| value.is_finite()).map(|(time, value)| [*time, *value]).collect();
        thinned(&points, most)
    }
}
