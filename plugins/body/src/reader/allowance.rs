//! Resource limits of a load.

use bunraku_document::{Diagnostic, Reporter, Value};

/// Maximum number of elements. More are an accident or an attack (aliases of aliases); real models have thousands.
const MOST_ELEMENTS: usize = 30_000;
/// Maximum nesting depth of elements; the deepest real nesting is 12.
pub(super) const DEEPEST_ELEMENT: usize = 200;
/// Maximum number of links, which tracks and included models multiply; real models have a few hundred.
pub(super) const MOST_LINKS: usize = 10_000;
/// Maximum number of shapes of mesh files; a whole building as a mesh has about ten thousand.
pub(super) const MOST_MESH_SHAPES: usize = 200_000;
/// Maximum number of files that a model of XML includes.
pub(super) const MOST_INCLUDED_FILES: usize = 200;
/// Maximum number of resource nodes, each of which accesses the disk; real models have hundreds.
const MOST_RESOURCES: usize = 10_000;
/// Maximum number of stored values of unknown keys; real models have a few hundred.
pub(super) const MOST_PROPERTIES: usize = 100_000;
/// Maximum nesting depth of stored values. Aliases of aliases can nest deeper than text can; real keys nest 5 levels.
pub(super) const DEEPEST_PROPERTY: usize = 64;
/// Maximum size of the files of included models, bytes; each inclusion counts. Those of real models have a few hundred
/// kilobytes, and one that contains its meshes some ten megabytes.
const MOST_FILE_BYTES: usize = 128 << 20;
/// Texts are copied with the element that contains them: each time this many bytes count as one more element.
const BYTES_OF_ONE: usize = 1_000;

/// Remedy for an exceeded limit.
const ALIASES: &str = "an alias stands for all it names: are there aliases of aliases?";

/// Remaining resources of a load, over all included models.
///
/// The functions that take from it report the first limit that is exceeded. After that, reading must stop.
#[derive(Clone, Copy)]
pub(super) struct Allowance {
    elements: usize,
    links: usize,
    mesh_shapes: usize,
    resources: usize,
    file_bytes: usize,
    /// Number of values that may still be stored; 0 once the limit is exceeded.
    pub(super) properties: usize,
    /// Whether a limit was exceeded and reported.
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
    /// Whether a limit was exceeded: reading should stop.
    pub(super) fn is_full(&self) -> bool {
        self.full || self.properties == 0
    }

    /// Takes `count` links, each with `text` bytes of text.
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

    /// Takes `count` elements, each with `text` bytes of text.
    pub(super) fn take_elements(&mut self, count: usize, text: usize, node: Value<'_>, reporter: &Reporter) -> bool {
        let cost = count.saturating_mul(weight(text));
        self.take(|left| &mut left.elements, cost, reporter, || too_many_elements(node))
    }

    /// Reports elements that are nested too deep.
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

    /// Takes the file of an included model.
    pub(super) fn take_file(&mut self, bytes: usize, node: Value<'_>, reporter: &Reporter) -> bool {
        self.take(
            |left| &mut left.file_bytes,
            bytes,
            reporter,
            || {
                let most = MOST_FILE_BYTES >> 20;
                let message = format!("the files of the models inside this one have more than {most} MiB together");
                let help = "a file counts each time it is included: put large meshes into separate files";
                node.error("limit-sub-bodies", message).help(help)
            },
        )
    }

    /// Takes `count` shapes of mesh files.
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

    /// Takes `count` stored values.
    pub(super) fn take_properties(&mut self, count: usize, node: Value<'_>, reporter: &Reporter) -> bool {
        // The last one is never taken: 0 remaining means that the limit was exceeded.
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
        format!("the links have more than {MOST_ELEMENTS} elements, or more than {DEEPEST_ELEMENT} nesting levels");
    node.error("limit-elements", message).help(ALIASES)
}

pub(super) fn too_many_properties(node: Value<'_>) -> Diagnostic {
    let message =
        format!("the model holds more than {MOST_PROPERTIES} values, or more than {DEEPEST_PROPERTY} nesting levels");
    node.error("limit-properties", message).help(ALIASES)
}

/// Number of elements for which an object with this many bytes of text counts.
pub(super) fn weight(text: usize) -> usize {
    1 + text / BYTES_OF_ONE
}

/// Size of the text of a node itself, bytes: its own, or its keys and scalar values.
pub(super) fn own_text(node: Value<'_>) -> usize {
    let own = |value: Value<'_>| value.text().map_or(0, str::len);
    let entries = node.entries().into_iter().flatten().map(|(key, _, value)| key.len() + own(value));
    own(node) + entries.sum::<usize>()
}
