//! Reading of the headers of all components of a file.

use std::collections::{HashMap, HashSet};

use bunraku_document::{Diagnostic, Mapping, Reporter, Value, yaml::Document};

use super::at_start::at_start;
use super::component::{Component, OFFSET_KEYS, Surroundings};
use super::kept::{KeptPlace, pass_over_misplaced, unread};
use super::split::Block;
use super::stop::{Step, Stop};
use super::version::Version;

/// Content of a file besides its frames.
pub(super) struct Headers<'a> {
    version: Version,
    /// The list of components.
    pub(super) list: Value<'a>,
    /// Known components, in file order.
    pub(super) components: Vec<Component<'a>>,
    /// Unknown content, kept unchanged.
    pub(super) kept: Vec<KeptPlace<'a>>,
}

impl<'a> Headers<'a> {
    /// Reads the top level and all headers. Unless an error is reported, each component is either known or kept.
    pub(super) fn read(document: &'a Document, blocks: &[Block], reporter: &Reporter) -> Step<Self> {
        let Some(top) = Mapping::new(document.root(), "the motion", reporter) else { return Err(Stop::Reported) };
        let version = Version::read(&top)?;
        version.check_type(&top)?;
        check_content(&top, version)?;
        top.accept(&["frameRate", "frame_rate", "numFrames", "num_frames"]);
        top.accept(&["hasFrameTime", "has_frame_time", "partLabels", "part_labels"]);
        top.accept(&OFFSET_KEYS);
        let Some(list) = top.required(&["components"]) else { return Err(Stop::Reported) };
        let items = list.items().ok_or_else(|| Box::new(list.expected("a list of components")))?;
        let surroundings = Surroundings { top: &top, version, blocks, reporter };
        let (mut components, mut kept) = (Vec::new(), Vec::new());
        for (index, item) in items.enumerate() {
            components.extend(surroundings.component(item, index, &mut kept)?);
        }
        // Keys of components that a later one replaces would be written into that one.
        let last: HashMap<_, _> = components.iter().map(|one| (one.part(), one.index)).collect();
        let counts: HashSet<_> = last.into_values().collect();
        kept.retain(|place| !matches!(place, KeptPlace::ComponentKey { component, .. } if !counts.contains(component)));
        pass_over_misplaced(&top);
        kept.extend(unread(&top).map(|(key, value)| KeptPlace::TopKey(key, value)));
        top.finish_keeping();
        Ok(Self { version, list, components, kept })
    }

    /// Reports that the file contains no motion of a body.
    pub(super) fn report_no_motion(&self, reporter: &Reporter) -> Step<()> {
        let expected = self.version.main_contents();
        if self.components.is_empty() {
            let diagnostic = self.list.error("no-motion", "the motion has no component that can be read");
            return Err(Box::new(diagnostic.help(format!("expected {expected}"))).into());
        }
        // A trajectory of the ZMP alone is intentional; an unknown content may be a misspelling.
        let contents: Vec<_> = self.components.iter().map(|component| format!("`{}`", component.content)).collect();
        let message = "the motion has neither link positions nor joint displacements: it moves no body";
        let help = format!("expected {expected}; found {}", contents.join(", "));
        reporter.report(self.list.warning("no-motion", message).help(help));
        Ok(())
    }
}

/// Checks the `content` of the top level, whose value is specified in the manual. No reader depends on it; in version 1
/// the `type` has the same meaning.
fn check_content(top: &Mapping<'_, '_>, version: Version) -> bunraku_document::Result<()> {
    const CONTENT: &str = "BodyMotion";
    let Some(value) = top.get(&["content"]) else {
        if version == Version::Old {
            return Ok(());
        }
        let message = format!("the motion has no `content: {CONTENT}`");
        let diagnostic = at_start(Diagnostic::note("top-content", message), top.node());
        top.reporter()
            .report(diagnostic.help("it is read anyway; other programs may need it to recognize body motions"));
        return Ok(());
    };
    let found = value.as_text()?;
    if found != CONTENT {
        let message = format!("the `content` of the file is `{found}`, not `{CONTENT}`");
        let help = format!("it is read as a body motion; write `content: {CONTENT}`");
        top.reporter().report(value.warning("top-content", message).help(help));
    }
    Ok(())
}
