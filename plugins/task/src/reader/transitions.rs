use bunraku_document::{Mapping, Reporter, Value};

use crate::model::{Branch, Origin, StateId, Transition};

pub(super) fn read(node: Value<'_>, reporter: &Reporter) -> Option<Transition> {
    let entry = Mapping::new(node, "a transition", reporter)?;
    let id = |names| entry.required(names).and_then(|id| entry.keep(id.as_integer(reporter))).map(StateId);
    let (source, target) = (id(&["source_id", "sourceId"]), id(&["target_id", "targetId"]));
    let branch = match entry.integer(&["source_index", "sourceIndex"]).unwrap_or(0) {
        0 => Branch::True,
        _ => Branch::False,
    };
    let target_index = entry.integer(&["target_index", "targetIndex"]).unwrap_or(0);
    if let Some(guard) = entry.get(&["guard"]).filter(|guard| guard.text().is_some_and(|text| !text.trim().is_empty()))
    {
        let diagnostic = guard.warning("guard", "guards of transitions, of some files of 2017, are not evaluated");
        reporter.report(diagnostic.help("use a decision with this condition"));
    }
    entry.accept(&["id", "type"]);
    entry.finish();
    Some(Transition { source: source?, target: target?, branch, target_index, origin: Origin::of(node) })
}
