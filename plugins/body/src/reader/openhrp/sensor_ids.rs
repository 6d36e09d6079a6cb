//! IDs of sensors: those of a kind are numbered from 0, without gaps or duplicates.

use std::collections::BTreeMap;
use std::rc::Rc;

use bunraku_document::Diagnostic;

use super::fields::Fields;
use super::place::{Findings, Place, shortened};
use crate::Device;
use crate::reader::tree::runs;

/// Largest ID for which gaps are searched; larger ones are typing errors.
const LARGEST: usize = 9_999;

type Numbers<'d> = BTreeMap<&'d str, BTreeMap<usize, &'d Rc<Place>>>;

/// Warns of IDs that two sensors of a kind share.
pub(super) fn check_repeats(devices: &[(Device, Rc<Place>)], findings: &Findings<'_>) {
    let mut kinds = Numbers::new();
    for (device, place) in devices {
        let Some(id) = device.id else { continue };
        let kind = place.node.type_name();
        if let Some(first) = kinds.entry(kind).or_default().insert(id, place) {
            let message = format!("number {id} is that of the {} `{first}`, too", shortened(kind));
            let warning = Diagnostic::warning("duplicate-sensor-id", message);
            report(place, findings, warning.help("give each sensor of a kind a number of its own"));
        }
    }
}

/// Warns of unused IDs below the largest of a kind.
pub(super) fn check_gaps(devices: &[(Device, Rc<Place>)], findings: &Findings<'_>) {
    let mut kinds = Numbers::new();
    for (device, place) in devices {
        if let Some(id) = device.id {
            kinds.entry(place.node.type_name()).or_default().insert(id, place);
        }
    }
    for (kind, known) in kinds {
        let Some((&largest, place)) = known.last_key_value() else { continue };
        let unused: Vec<_> = (0..largest.min(LARGEST)).filter(|id| !known.contains_key(id)).collect();
        if !unused.is_empty() {
            let message = format!("no {} has the number {}", shortened(kind), runs(&unused));
            let warning = Diagnostic::warning("unused-sensor-id", message);
            report(place, findings, warning.help("number the sensors of a kind from 0 without gaps"));
        }
    }
}

fn report(place: &Rc<Place>, findings: &Findings<'_>, warning: Diagnostic) {
    let fields = Fields { place, findings };
    let name = if fields.field("deviceId").is_some() { "deviceId" } else { "sensorId" };
    fields.report(name, warning);
}
