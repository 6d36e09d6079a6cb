//! Vision simulator items: which cameras and range sensors are recorded.

use bunraku_document::{Reporter, Value};

use super::items::Item;

/// The class of the item.
pub(super) const CLASS: &str = "GLVisionSimulatorItem";

/// A vision simulator that records what it measures.
pub(super) struct VisionRecording {
    /// Names of the body items whose sensors it simulates; empty for all bodies.
    pub(super) bodies: Vec<String>,
}

impl VisionRecording {
    /// The recording of an item; `None`, with a note, if it records nothing.
    pub(super) fn read(item: Item<'_>, reporter: &Reporter) -> Option<Self> {
        let settings = item.settings();
        let is_enabled = settings.flag(&["enabled"], reporter).unwrap_or(true);
        let records = settings.flag(&["record_vision_data", "recordVisionData"], reporter).unwrap_or(false);
        if !(is_enabled && records) {
            let message = format!("`{}` ({CLASS}) records no pictures or scans", item.name());
            let help = "`record: { sensors: true }` in a scene simulates and records all sensors";
            reporter.report(item.value().note("no-counterpart", message).help(help));
            return None;
        }
        let listed = settings.get(&["target_bodies", "targetBodies"]);
        let bodies = match listed.and_then(Value::items) {
            Some(items) => items.filter_map(Value::text).map(str::to_owned).collect(),
            // Old projects have one text with commas.
            None => listed.and_then(Value::text).map(split).unwrap_or_default(),
        };
        Some(Self { bodies })
    }
}

fn split(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}
