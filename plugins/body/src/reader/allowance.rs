//! What a load may cost.

use bunraku_document::{Diagnostic, Reporter, Value};

/// A model with more elements than this is an accident or an attack (aliases of aliases); real ones have thousands.
const MOST_ELEMENTS: usize = 30_000;
/// Elements inside each other; the deepest real nesting is 12.
pub(super) const DEEPEST_ELEMENT: usize = 200;
/// The same of links, which tracks and models inside models multiply; real ones have some hundred.
pub(super) const MOST_LINKS: usize = 10_000;
/// Shapes of mesh files; a whole building as a mesh has some ten thousand.
const MOST_MESH_SHAPES: usize = 200_000;
/// Resource nodes look for files on the disk; real models have hundreds.
const MOST_RESOURCES: usize = 10_000;
/// Values that are kept as they are; real models have some hundred.
pub(super) const MOST_PROPERTIES: usize = 100_000;
/// The same inside each other: aliases of aliases can nest deeper than a text can; real keys nest 5 deep.
pub(super) const DEEPEST_PROPERTY: usize = 64;
/// Bytes of the files of models inside others, each read as often as it is there; those of real models have some hundred
/// kilobytes, and one that spells out its meshes some ten megabytes.
const MOST_FILE_BYTES: usize = 128 << 20;
/// Texts are repeated like what they stand in: each time so many bytes count as one more of it.
const BYTES_OF_ONE: usize = 1_000;

/// What to do about too much.
const ALIASES: &str = "an alias stands for all it names: are there aliases of aliases?";

/// What may still be read, counted over all models of a load: each may be there many times.
///
/// The functions that take from it report the first thing that is too much. After that nothing more may be read.
#[derive(Clone, Copy)]
pub(super) struct Allowance {
    elements: usize,
    links: usize,
    mesh_shapes: usize,
    resources: usize,
    file_bytes: usize,
    /// Values that may still be kept as they are; 0 when there were too many.
    pub(super) properties: usize,
    /// A limit was hit and reported.
    full: bool,
}

impl Default for Allowance {
    fn default() -> Self {
        Self {
            elements: MOST_ELEMENTS,
            links: MOST_LINKS,
            mesh_shapes: MOST_MESH_SHAPES,
            resources: MOST_RESOURCES,
            file_bytes: MOST_FILE_BYTES,
            properties: MOST_PROPERTIES,
            full: false,
        }
    }
}

impl Allowance {
    /// Whether a limit was hit: nothing more is worth reading.
    pub(super) fn is_full(&self) -> bool {
        self.full || self.properties == 0
    }

    /// Takes so many links, each with so many bytes of text.
    pub(super) fn take_links(&mut self, count: usize, text: usize, node: Value<'_>, reporter: &Reporter) -> bool {
        let cost = count.saturating_mul(weight(text));
        self.take(
            |left| &mut left.links,
            cost,
            reporter,
            || {
                let message = format!("the model has more than {MOST_LINKS} links, or their texts are too long");
                let help = "tracks, aliases and models inside models multiply links: use fewer";
                node.error("limit-links", message).help(help)
            },
        )
    }

    /// Takes so many elements, each with so many bytes of text.
    pub(super) fn take_elements(&mut self, count: usize, text: usize, node: Value<'_>, reporter: &Reporter) -> bool {
        let cost = count.saturating_mul(weight(text));
        self.take(|left| &mut left.elements, cost, reporter, || too_many_elements(node))
    }

    /// Refuses elements that are too deep inside each other.
    pub(super) fn refuse_elements(&mut self, node: Value<'_>, reporter: &Reporter) -> bool {
        self.take(|left| &mut left.elements, usize::MAX, reporter, || too_many_elements(node))
    }

    /// Takes a resource.
    pub(super) fn take_resource(&mut self, node: Value<'_>, reporter: &Reporter) -> bool {
        self.take(
            |left| &mut left.resources,
            1,
            reporter,
            || {
                let message = format!("the links have more than {MOST_RESOURCES} resources");
                let help = "a resource stands for all it contains: are there resources of resources?";
                node.error("limit-resources", message).help(help)
            },
        )
    }

    /// Takes a file of a model inside another one.
    pub(super) fn take_file(&mut self, bytes: usize, node: Value<'_>, reporter: &Reporter) -> bool {
        self.take(
            |left| &mut left.file_bytes,
            bytes,
            reporter,
            || {
                let most = MOST_FILE_BYTES >> 20;
                let message = format!("the files of the models inside this one have more than {most} MiB together");
                let help = "a file counts as often as it is there: put large meshes into files of their own";
                node.error("limit-sub-bodies", message).help(help)
            },
        )
    }

    /// Takes so many shapes of mesh files.
    pub(super) fn take_mesh_shapes(&mut self, count: usize, node: Value<'_>, reporter: &Reporter) -> bool {
        self.take(
            |left| &mut left.mesh_shapes,
            count,
            reporter,
            || {
                let message = format!("the mesh files of the links have more than {MOST_MESH_SHAPES} shapes together");
                node.error("limit-shapes", message).help(ALIASES)
            },
        )
    }

    /// Takes so many values that are kept as they are.
    pub(super) fn take_properties(&mut self, count: usize, node: Value<'_>, reporter: &Reporter) -> bool {
        // The last one is never taken: none left means that there were too many.
        let cost = if count < self.properties { count } else { usize::MAX };
        self.take(|left| &mut left.properties, cost, reporter, || too_many_properties(node))
    }

    fn take(
        &mut self,
        amount: fn(&mut Self) -> &mut usize,
        count: usize,
        reporter: &Reporter,
        too_much: impl FnOnce() -> Diagnostic,
    ) -> bool {
        if self.full {
            return false;
        }
        let amount = amount(self);
        if let Some(left) = amount.checked_sub(count) {
            *amount = left;
            return true;
        }
        self.full = true;
        reporter.report(too_much());
        false
    }
}

fn too_many_elements(node: Value<'_>) -> Diagnostic {
    let message =
        format!("the links have more than {MOST_ELEMENTS} elements, or more than {DEEPEST_ELEMENT} inside each other");
    node.error("limit-elements", message).help(ALIASES)
}

pub(super) fn too_many_properties(node: Value<'_>) -> Diagnostic {
    let message = format!(
        "the model holds more than {MOST_PROPERTIES} values, or more than {DEEPEST_PROPERTY} inside each other"
    );
    node.error("limit-properties", message).help(ALIASES)
}

/// As how many a thing counts that holds so many bytes of text.
pub(super) fn weight(text: usize) -> usize {
    1 + text / BYTES_OF_ONE
}

/// Bytes of the text of a node itself: its own, or its keys and the single values behind them.
pub(super) fn own_text(node: Value<'_>) -> usize {
    let own = |value: Value<'_>| value.text().map_or(0, str::len);
    let entries = node.entries().into_iter().flatten().map(|(key, _, value)| key.len() + own(value));
    own(node) + entries.sum::<usize>()
}
