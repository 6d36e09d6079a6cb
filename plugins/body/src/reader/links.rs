//! The `links` of a model.

use bunraku_document::{Mapping, Value, ValueKind, closest};

use super::allowance::own_text;
use super::budget::Budget;
use super::continuous_track::read_continuous_track;
use super::link::read_link;
use super::link_entry::LinkEntry;
use super::reading::Reading;
use super::sub_bodies::read_sub_body;

/// Allowed types of an entry of `links`.
const TYPES: &[&str] = &["ContinuousTrack", "Link", "Skip", "SubBody"];

/// Reads the links of the file, including those of tracks and included models; `None` if one is invalid.
pub(super) fn read_links<'a>(links: Value<'a>, reading: &Reading<'_>) -> Option<Vec<LinkEntry<'a>>> {
    let reporter = reading.reporter;
    let items: Vec<(Option<&str>, Value<'a>)> = match links.kind() {
        ValueKind::Sequence => links.items().into_iter().flatten().map(|item| (None, item)).collect(),
        // One link for each type; in the original a mapping is sorted alphabetically.
        ValueKind::Mapping if links.entries().into_iter().flatten().all(|(kind, ..)| TYPES.contains(&kind)) => {
            let entries = links.entries().into_iter().flatten();
            let mut entries: Vec<_> = entries.map(|(kind, _, value)| (Some(kind), value)).collect();
            entries.sort_by_key(|&(kind, _)| kind);
            entries
        }
        _ => {
            let help = "write the links one after another, each beginning with `- name: …`";
            reporter.report(links.expected("a list of links").help(help));
            return None;
        }
    };
    if items.is_empty() {
        reporter.report(
            links.error("no-links", "a model needs at least one link").help("write `- name: …` below `links:`"),
        );
        return None;
    }
    // An invalid link must not cause further findings about its children.
    let mut budget = Budget::new(reading.allowance.get());
    let entries: Vec<_> = items.into_iter().map(|(kind, item)| read_entry(kind, item, reading, &mut budget)).collect();
    reading.allowance.set(budget.left);
    let entries: Vec<_> = entries.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
    if entries.is_empty() {
        let help = "take `type: Skip` away from one of them";
        reporter.report(links.error("no-links", "every link of the model is skipped").help(help));
        return None;
    }
    Some(entries)
}

/// Links of one entry; `None` if it is invalid. `kind` is its type if it is given by the key.
fn read_entry<'a>(
    kind: Option<&'a str>,
    value: Value<'a>,
    reading: &Reading<'_>,
    budget: &mut Budget,
) -> Option<Vec<LinkEntry<'a>>> {
    let link = Mapping::new(value, "a link", reading.reporter)?;
    let inner = link.text(&["type"]);
    if let (Some(kind), Some(inner)) = (kind, inner)
        && kind != inner
    {
        let message = format!("the type differs from the key above it, `{kind}`");
        reading.reporter.report(value.error("type-mismatch", message).help("remove `type` here, or write the same"));
    }
    match kind.or(inner) {
        None | Some("Link") => {
            let admitted = budget.left.take_links(1, own_text(value), value, reading.reporter);
            admitted.then(|| vec![read_link(value, link, reading, budget)])
        }
        Some("Skip") => Some(Vec::new()),
        Some("SubBody") => read_sub_body(value, link, reading, budget),
        Some("ContinuousTrack") => read_continuous_track(value, link, reading, budget),
        Some(other) => {
            let node = link.get(&["type"]).unwrap_or(value);
            let diagnostic = node.error("unknown-link-type", format!("a link of type `{other}` cannot be read"));
            reading.reporter.report(match closest(other, TYPES.iter().copied()) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic.help("the types are `Link`, `SubBody`, `ContinuousTrack` and `Skip`"),
            });
            None
        }
    }
}
