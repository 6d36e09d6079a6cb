use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use bunraku_document::{Diagnostic, Place, Position, Reporter, Severity, SourceFile, Span, closest, foreign_encoding};
use encoding_rs::{Encoding, SHIFT_JIS};

use super::bytes::{is_name, is_space};

/// Maximum number of warnings about one file. A broken exporter may repeat a fault in each node.
pub const MAX_WARNINGS: u32 = 200;

/// Maximum length of a message, characters.
const MAX_MESSAGE: usize = 400;

/// Maximum number of names in the path to a node, and maximum length of each, characters.
const MAX_NAMES: usize = 12;
const MAX_NAME: usize = 60;

/// Maximum number of names that an unknown name is compared with, and maximum length of a name, bytes.
const MAX_COMPARED: usize = 500;
const MAX_COMPARED_LENGTH: usize = 64;

/// Maximum length of a word that is marked in an excerpt, bytes.
const MAX_SPAN: usize = 200;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Location in a file: a byte offset. [`super::Document::place`] converts it to line and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location(pub(super) u32);

impl Location {
    /// Location of a byte; larger files than 4 GiB have been refused before.
    pub(super) fn new(offset: usize) -> Self {
        Self(number(offset))
    }
}

/// Converts a number that the limits keep small.
pub(super) fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Error in a text, before its file is known.
#[derive(Debug)]
pub(super) struct Problem {
    pub at: Location,
    pub code: &'static str,
    pub message: String,
    pub help: String,
}

impl Problem {
    /// An error with a remedy.
    pub fn new(at: Location, code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { at, code, message: cut(message.into(), MAX_MESSAGE), help: cut(help.into(), MAX_MESSAGE) }
    }

    /// Adds the `DEF` names of the ancestors, outermost first: `ROBOT > WAIST: the message`.
    pub fn within(mut self, names: &[Arc<str>]) -> Self {
        let inner = names.get(names.len().saturating_sub(MAX_NAMES)..).unwrap_or_default();
        if inner.is_empty() {
            return self;
        }
        let left_out = if inner.len() < names.len() { "… > " } else { "" };
        let names: Vec<_> = inner.iter().map(|name| cut(name.chars().take(MAX_NAME + 1).collect(), MAX_NAME)).collect();
        self.message = format!("{left_out}{}: {}", names.join(" > "), self.message);
        self
    }

    /// Replaces the remedy by the name among `known` of which `word` is probably a misspelling, if there is one. Long
    /// names and long lists are not compared, because that takes time.
    pub fn did_you_mean<'a>(self, word: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let short = |name: &&str| name.len() <= MAX_COMPARED_LENGTH;
        let known = known.into_iter().take(MAX_COMPARED).filter(short);
        match Some(word).filter(short).and_then(|word| closest(word, known)) {
            Some(known) => Self { help: format!("did you mean `{known}`?"), ..self },
            None => self,
        }
    }
}

/// Truncates a long text: a name may be as long as the file.
fn cut(mut text: String, most: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(most) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Result of a parsing step.
pub(super) type Parsed<T> = Result<T, Box<Problem>>;

/// The bytes of a file. They are decoded, and line numbers are computed, only for messages.
#[derive(Debug)]
pub(super) struct Source {
    path: PathBuf,
    bytes: Vec<u8>,
    encoding: OnceLock<Option<&'static Encoding>>,
    text: OnceLock<Arc<SourceFile>>,
    line_starts: OnceLock<Vec<u32>>,
    warnings: AtomicU32,
}

impl Source {
    pub fn new(path: PathBuf, bytes: Vec<u8>) -> Self {
        Self {
            path,
            bytes,
            encoding: OnceLock::new(),
            text: OnceLock::new(),
            line_starts: OnceLock::new(),
            warnings: AtomicU32::new(0),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Offset of the text, after a byte order mark.
    pub fn start(&self) -> usize {
        if self.bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
    }

    /// A name or string of this file. Bytes that are not UTF-8 are decoded from the detected encoding of the file.
    pub fn decode<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        match (std::str::from_utf8(bytes), self.encoding()) {
            (Ok(text), _) => Cow::Borrowed(text),
            (Err(_), Some(encoding)) => encoding.decode_without_bom_handling(bytes).0,
            (Err(_), None) => String::from_utf8_lossy(bytes),
        }
    }

    /// Whether a bracket may be the second byte of a character.
    pub fn is_shift_jis(&self) -> bool {
        self.encoding() == Some(SHIFT_JIS)
    }

    /// The detected encoding of a file that is not UTF-8.
    fn encoding(&self) -> Option<&'static Encoding> {
        *self.encoding.get_or_init(|| foreign_encoding(&self.bytes))
    }

    /// The file as text, for excerpts.
    pub fn file(&self) -> &Arc<SourceFile> {
        self.text.get_or_init(|| {
            let text = self.decode(self.bytes.get(self.start()..).unwrap_or_default());
            SourceFile::from_text(&self.path, text.replace("\r\n", "\n").replace('\r', "\n"))
        })
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let next = |offset: usize| self.bytes.get(offset + 1);
            let ends = self
                .bytes
                .iter()
                .enumerate()
                .filter(|&(offset, &byte)| byte == b'\n' || (byte == b'\r' && next(offset) != Some(&b'\n')));
            let starts = ends.map(|(offset, _)| number(offset + 1));
            std::iter::once(number(self.start())).chain(starts).collect()
        })
    }

    fn position(&self, location: Location) -> Position {
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start <= location.0).max(1);
        let start = starts.get(line - 1).copied().unwrap_or(0);
        let before = self.bytes.get(start as usize..location.0 as usize).unwrap_or_default();
        let characters = match self.encoding() {
            // A hostile file may be a single line. Sums in bytes are many times as fast.
            None => before.chunks(255).map(|chunk| usize::from(chunk.iter().map(begins_letter).sum::<u8>())).sum(),
            Some(_) => self.decode(before).chars().count(),
        };
        Position { line: number(line), column: number(characters + 1) }
    }

    /// Span of the word or character at a location.
    pub fn span(&self, location: Location) -> Span {
        let start = self.position(location);
        let rest = self.bytes.get(location.0 as usize..).unwrap_or_default();
        let rest = rest.get(..MAX_SPAN).unwrap_or(rest);
        let length = rest.iter().take_while(|&&byte| is_name(byte) || (!is_space(byte) && b"+-.".contains(&byte)));
        let length = length.count();
        let characters = self.decode(rest.get(..length).unwrap_or_default()).chars().count().max(1);
        let end = Position { line: start.line, column: start.column.saturating_add(number(characters)) };
        Span { start, end }
    }

    pub fn place(&self, location: Location) -> Place {
        Place { source: Arc::clone(self.file()), span: Some(self.span(location)) }
    }

    /// Whether further warnings are dropped, so that their texts need not be built.
    pub fn is_silent(&self) -> bool {
        self.warnings.load(Ordering::Relaxed) > MAX_WARNINGS
    }

    /// Reports a warning about nodes with these names, up to the maximum number of warnings.
    pub fn warn(&self, reporter: &Reporter, problem: Problem, names: &[Arc<str>]) {
        self.tell(Severity::Warning, reporter, problem, names);
    }

    /// As [`warn`](Self::warn), with a note.
    pub fn note(&self, reporter: &Reporter, problem: Problem, names: &[Arc<str>]) {
        self.tell(Severity::Note, reporter, problem, names);
    }

    fn tell(&self, severity: Severity, reporter: &Reporter, problem: Problem, names: &[Arc<str>]) {
        let count = self.warnings.fetch_add(1, Ordering::Relaxed);
        if count < MAX_WARNINGS {
            let problem = problem.within(names);
            let finding = Diagnostic::new(severity, problem.code, problem.message).help(problem.help);
            reporter.report(finding.at(self.file(), self.span(problem.at)));
        } else if count == MAX_WARNINGS {
            let message =
                format!("there are more than {MAX_WARNINGS} warnings about this file; the others are left out");
            let warning = Diagnostic::warning("too-many-warnings", message).help("correct those first");
            reporter.report(warning.at(self.file(), self.span(problem.at)));
        }
    }

    pub fn error(&self, problem: Problem) -> Box<Diagnostic> {
        let error = Diagnostic::error(problem.code, problem.message).help(problem.help);
        Box::new(error.at(self.file(), self.span(problem.at)))
    }
}

/// 1 for a byte that is not a continuation byte of UTF-8.
fn begins_letter(byte: &u8) -> u8 {
    u8::from(byte & 0xc0 != 0x80)
}
