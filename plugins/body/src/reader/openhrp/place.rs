//! Location of a node in a model, and the findings about it.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, Severity};
use bunraku_mesh::vrml::{Document, Location, Node};

/// Maximum number of findings about a model. A broken exporter may repeat a fault in each joint.
const MOST_FINDINGS: usize = 200;

/// Maximum length of a name in a message, characters: a name may be as long as the file.
pub(super) const LONGEST_NAME: usize = 60;

/// Maximum number of names in the path to a node in messages; the innermost are kept.
const MOST_NAMES: usize = 12;

/// A node with a meaning in OpenHRP, and its ancestors.
#[derive(Debug)]
pub(super) struct Place {
    around: Option<Rc<Place>>,
    /// File that contains it: the model or one it inlines.
    pub(super) document: Arc<Document>,
    pub(super) node: Arc<Node>,
}

impl Place {
    pub(super) fn new(around: Option<&Rc<Self>>, document: &Arc<Document>, node: &Arc<Node>) -> Rc<Self> {
        Rc::new(Self { around: around.map(Rc::clone), document: Arc::clone(document), node: Arc::clone(node) })
    }

    /// Names of the ancestors and the node, outermost first. If there are too many, the innermost and one more. A node
    /// without a name is represented by its type.
    pub(super) fn way(&self) -> Vec<Arc<str>> {
        let places = std::iter::successors(Some(self), |place| place.around.as_deref());
        let name = |place: &Self| {
            let name = place.node.name();
            Arc::from(shortened(if name.is_empty() { place.node.type_name() } else { name }))
        };
        let mut names: Vec<_> = places.take(MOST_NAMES + 1).map(name).collect();
        names.reverse();
        names
    }

    /// As [`way`](Self::way), without the node itself.
    pub(super) fn way_to(&self) -> Vec<Arc<str>> {
        self.around.as_deref().map(Self::way).unwrap_or_default()
    }
}

/// Writes the names from the model down: `SR1 > WAIST > CHEST`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.way();
        let innermost = names.get(names.len().saturating_sub(MOST_NAMES)..).unwrap_or_default();
        if innermost.len() < names.len() {
            f.write_str("… > ")?;
        }
        f.write_str(&innermost.join(" > "))
    }
}

/// A text of the file, shortened for a message.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Findings about a model.
pub(super) struct Findings<'r> {
    pub(super) reporter: &'r Reporter,
    count: Cell<usize>,
}

impl<'r> Findings<'r> {
    pub(super) fn new(reporter: &'r Reporter) -> Self {
        Self { reporter, count: Cell::new(0) }
    }

    /// Whether a further finding is reported, so that building its text is worthwhile.
    pub(super) fn has_room(&self) -> bool {
        self.count.get() < MOST_FINDINGS
    }

    /// Reports a finding about a node; its message is prefixed with the names of the ancestors.
    pub(super) fn report(&self, place: &Place, at: Location, mut diagnostic: Diagnostic) {
        diagnostic.message = format!("{place}: {}", diagnostic.message);
        self.report_in(&place.document, at, diagnostic);
    }

    /// Reports a finding about a file.
    pub(super) fn report_in(&self, document: &Document, at: Location, mut diagnostic: Diagnostic) {
        let count = self.count.get();
        self.count.set(count + 1);
        // An error counts even if it is no longer reported.
        if count < MOST_FINDINGS || (diagnostic.severity == Severity::Error && !self.reporter.has_errors()) {
            diagnostic.place = Some(document.place(at));
            self.reporter.report(diagnostic);
        } else if count == MOST_FINDINGS {
            let message =
                format!("there are more than {MOST_FINDINGS} findings about this model; the others are left out");
            let mut diagnostic = Diagnostic::warning("too-many-findings", message).help("correct those first");
            diagnostic.place = Some(document.place(at));
            self.reporter.report(diagnostic);
        }
    }
}
