//! Documents whose nodes have source locations; the base of every file reader of Bunraku.
//!
//! - [`SourceFile`]: the text of a file and its path;
//! - [`yaml`]: a YAML tree in which every node has a line and column, with a [`Mapping`] reader that detects unknown
//!   keys;
//! - [`Diagnostic`] and [`Reporter`]: findings with location and remedy; collected, never printed.
//!   [`Reporter::quote_only`] keeps the content of files outside the roots out of them;
//! - [`render`]: diagnostics as text with an excerpt of the source;
//! - [`Limits`]: upper limits for the size of a document;
//! - [`SearchRoots`]: resolves a path written in a file to a path on disk; [`FoundFiles`] lists the files found;
//! - [`Origins`]: moves findings in a generated text to the files from which its lines come;
//! - [`refuse_crowded_elements`]: refuses XML that would take its parser too long; [`escaped_xml`]: a text for an XML file,
//!   and [`is_xml_character`]: whether it can stand in one;
//! - [`write_atomically`]: writes a file completely or not at all.

// No bytes of a file make a reader panic or lose digits: `get` and patterns instead of indices.
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod diagnostic;
mod encoding;
mod found_files;
mod limits;
mod origins;
mod packages;
mod path_error;
mod quotation;
mod read;
pub mod render;
mod reporter;
mod search_roots;
mod shorten;
mod source;
mod suggest;
mod visible;
mod write;
mod xml;
pub mod yaml;

pub use diagnostic::{Diagnostic, Place, Position, Severity, Span};
pub use encoding::foreign_encoding;
pub use found_files::FoundFiles;
pub use limits::Limits;
pub use origins::Origins;
pub use path_error::PathError;
pub use read::{ReadError, read_bytes};
pub use reporter::{MOST_OF_A_KIND, Reporter};
pub use search_roots::SearchRoots;
pub use shorten::shortened;
pub use source::SourceFile;
pub use suggest::closest;
pub use write::{write_atomically, write_atomically_by};
pub use xml::{escaped_xml, is_xml_character, refuse_crowded_elements};
pub use yaml::{Mapping, NodeIdentity, Value, ValueKind};

/// Result of an operation that fails with a located message.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;
