use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash, RandomState};
use std::path::Path;

use crate::quotation::Quotation;
use crate::{Diagnostic, Place, SearchRoots, Severity};

/// Maximum number of findings of one kind that are kept; further ones are counted. A kind is a code and a severity.
pub const MOST_OF_A_KIND: usize = 100;

/// Collects findings during a load, so that one error does not hide the next.
///
/// A reader reports an invalid value here and continues with a default. The caller that started the load checks
/// [`Reporter::has_errors`] at the end.
#[derive(Debug, Default)]
pub struct Reporter {
    found: RefCell<Found>,
    hasher: RandomState,
    strict: bool,
    lenient: bool,
    /// Decides which files may be quoted; `None` allows all.
    quotation: RefCell<Option<Quotation>>,
}

#[derive(Debug, Default)]
struct Found {
    diagnostics: Vec<Diagnostic>,
    /// Hashes of the findings so far. An aliased node is read more than once and would report its findings again.
    seen: HashSet<u64>,
    /// Kinds in the order of their first finding.
    kinds: Vec<Kind>,
    /// Index of the finding that represents its group, by the hash of the group.
    groups: HashMap<u64, usize>,
    /// Counts of findings that represent a group, by index.
    repeated: HashMap<usize, Repeated>,
}

/// Findings that are not kept because another finding of their group is.
#[derive(Debug)]
struct Repeated {
    number: usize,
    /// Location of the first of them.
    next: Option<Place>,
}

#[derive(Debug)]
struct Kind {
    code: &'static str,
    severity: Severity,
    /// Number of findings in the list.
    kept: usize,
    /// Number of findings that were only counted.
    left_out: usize,
    /// Location of the first finding that was only counted.
    next: Option<Place>,
}

impl Found {
    #[expect(clippy::indexing_slicing, reason = "the index is that of a found or of the new last kind")]
    fn kind(&mut self, code: &'static str, severity: Severity) -> &mut Kind {
        let found = self.kinds.iter().position(|kind| kind.code == code && kind.severity == severity);
        let index = found.unwrap_or_else(|| {
            self.kinds.push(Kind { code, severity, kept: 0, left_out: 0, next: None });
            self.kinds.len() - 1
        });
        &mut self.kinds[index]
    }

    /// The kept findings; messages of those that represent a group contain its count.
    fn with_repeats(&self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics.clone();
        for (&index, repeated) in &self.repeated {
            if let Some(diagnostic) = diagnostics.get_mut(index) {
                repeated.describe(diagnostic);
            }
        }
        diagnostics
    }

    /// The findings, with the number omitted after the last of each kind.
    fn with_numbers(self) -> Vec<Diagnostic> {
        let diagnostics = self.with_repeats();
        let Self { mut kinds, .. } = self;
        let mut all = Vec::with_capacity(diagnostics.len() + kinds.len());
        for diagnostic in diagnostics {
            let kind =
                kinds.iter_mut().find(|kind| kind.code == diagnostic.code && kind.severity == diagnostic.severity);
            all.push(diagnostic);
            if let Some(kind) = kind {
                kind.kept -= 1;
                all.extend(kind.take_number());
            }
        }
        // Kinds of which no finding was kept.
        all.extend(kinds.iter_mut().filter_map(Kind::take_number));
        all
    }
}

impl Repeated {
    /// Adds the count to the message of the finding that represents the group.
    fn describe(&self, diagnostic: &mut Diagnostic) {
        let times = if self.number == 1 { "once more" } else { "more times" };
        let number = if self.number == 1 { String::new() } else { format!("{} ", grouped(self.number)) };
        let line = self.next.as_ref().and_then(|place| Some(place.span?.start.line));
        let line = line.map(|line| format!(", next on line {line}")).unwrap_or_default();
        diagnostic.message = format!("{}, and {number}{times} in this file{line}", diagnostic.message);
    }
}

impl Kind {
    /// Takes the summary of the omitted findings, once all kept findings of the kind have been listed.
    fn take_number(&mut self) -> Option<Diagnostic> {
        let number = if self.kept == 0 { std::mem::take(&mut self.left_out) } else { 0 };
        (number > 0).then(|| Diagnostic {
            place: self.next.take(),
            ..Diagnostic::new(self.severity, self.code, format!("… {} more", grouped(number)))
                .help("they are of the same kind; the next one is here")
        })
    }
}

/// Decimal number with spaces between groups of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

impl Reporter {
    /// A reporter that leaves severities unchanged.
    pub fn new() -> Self {
        Self::default()
    }

    /// A reporter that turns every warning into an error.
    pub fn strict() -> Self {
        Self { strict: true, ..Self::default() }
    }

    /// This reporter, for which unknown keys are warnings in every document.
    #[must_use]
    pub fn lenient(self) -> Self {
        Self { lenient: true, ..self }
    }

    /// Whether unknown keys are warnings in every document.
    pub fn is_lenient(&self) -> bool {
        self.lenient
    }

    /// Quotes no file outside these roots from now on. A finding in such a file keeps its severity, code, file and
    /// line, and loses its message, its help and the source line. Reason: a scene may name any file of the disk, and a
    /// secret must not get into a log.
    ///
    /// Only the first call has an effect, so that files referenced by the first file follow its roots.
    pub fn quote_only(&self, roots: &SearchRoots) {
        self.quotation.borrow_mut().get_or_insert_with(|| Quotation::new(roots.clone()));
    }

    /// Whether findings may quote a file. Code that puts words of the file into a message located elsewhere must check
    /// this itself.
    pub fn quotes(&self, file: &Path) -> bool {
        self.quotation.borrow().as_ref().is_none_or(|quotation| quotation.allows(file))
    }

    /// Adds a finding, unless an equal one was added before. Of each kind [`MOST_OF_A_KIND`] are kept.
    pub fn report(&self, mut diagnostic: Diagnostic) {
        if let Some(quotation) = &*self.quotation.borrow() {
            quotation.apply(&mut diagnostic);
        }
        let place = diagnostic.place.as_ref();
        let (path, span) = (place.map(|place| place.source.path()), place.and_then(|place| place.span));
        let hash = self.hasher.hash_one((diagnostic.code, path, span, &diagnostic.message));
        let mut found = self.found.borrow_mut();
        if !found.seen.insert(hash) {
            return;
        }
        diagnostic.severity = self.severity(diagnostic.severity);
        let kind = found.kind(diagnostic.code, diagnostic.severity);
        if kind.kept < MOST_OF_A_KIND {
            kind.kept += 1;
            found.diagnostics.push(diagnostic);
        } else {
            kind.left_out += 1;
            kind.next = kind.next.take().or(diagnostic.place);
        }
    }

    /// Adds a finding that may recur in one file, such as a misspelt key. Of findings with equal `group` the first is
    /// kept, with the count of the others.
    pub fn report_in_group(&self, group: impl Hash, diagnostic: Diagnostic) {
        let path = diagnostic.place.as_ref().map(|place| place.source.path());
        let group = self.hasher.hash_one((diagnostic.code, path, group));
        let mut found = self.found.borrow_mut();
        let Some(&index) = found.groups.get(&group) else {
            let next = found.diagnostics.len();
            drop(found);
            self.report(diagnostic);
            let mut found = self.found.borrow_mut();
            if found.diagnostics.len() > next {
                found.groups.insert(group, next);
            }
            return;
        };
        let place = diagnostic.place.as_ref();
        let hash = self.hasher.hash_one((
            diagnostic.code,
            place.map(|place| place.source.path()),
            place.and_then(|place| place.span),
            &diagnostic.message,
        ));
        if found.seen.insert(hash) {
            let repeated =
                found.repeated.entry(index).or_insert_with(|| Repeated { number: 0, next: diagnostic.place });
            repeated.number += 1;
        }
    }

    /// The severity under the strictness of this reporter.
    fn severity(&self, severity: Severity) -> Severity {
        if self.strict && severity == Severity::Warning { Severity::Error } else { severity }
    }

    /// Passes all findings to another reporter, except the first error, which is returned for the caller to report.
    pub fn pass_on(self, to: &Reporter) -> Option<Box<Diagnostic>> {
        let found = self.found.into_inner();
        let diagnostics = found.with_repeats();
        let Found { kinds, .. } = found;
        let mut first_error = None;
        for diagnostic in diagnostics {
            if diagnostic.severity == Severity::Error && first_error.is_none() {
                first_error = Some(Box::new(diagnostic));
            } else {
                to.report(diagnostic);
            }
        }
        for Kind { code, severity, left_out, next, .. } in kinds {
            let mut found = to.found.borrow_mut();
            let kind = found.kind(code, to.severity(severity));
            kind.left_out += left_out;
            let next = next.map(|place| match &*to.quotation.borrow() {
                Some(quotation) => quotation.place(place),
                None => place,
            });
            kind.next = kind.next.take().or(next);
        }
        first_error
    }

    /// The value of an `Ok`. An `Err` is reported and gives `None`.
    pub fn keep<T>(&self, result: crate::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(diagnostic) => {
                self.report(*diagnostic);
                None
            }
        }
    }

    /// Whether an error was reported.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// Number of findings of one severity, including those that were only counted.
    pub fn count(&self, severity: Severity) -> usize {
        let found = self.found.borrow();
        found.kinds.iter().filter(|kind| kind.severity == severity).map(|kind| kind.kept + kind.left_out).sum()
    }

    /// The findings so far, in order of report.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.found.borrow().with_repeats()
    }

    /// The first error, for callers that want no more.
    ///
    /// A load that has failed without one is an error in itself, about `path`.
    pub fn into_error(self, path: &Path) -> Box<Diagnostic> {
        let first = self.into_diagnostics().into_iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        Box::new(first.unwrap_or_else(|| {
            Diagnostic::error("unreadable-file", format!("the file cannot be read: {}", path.display()))
        }))
    }

    /// The findings, in order of report. The last kept finding of a kind is followed by a count of the omitted ones, if
    /// any.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.found.into_inner().with_numbers()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourceFile, Span};

    fn fill(reporter: &Reporter, number: u32) {
        let source = SourceFile::from_text("a.body", "");
        for line in 1..=number {
            reporter.report(Diagnostic::warning("duplicate-key", "again").at(&source, Span::line(line)));
        }
    }

    #[test]
    fn only_a_hundred_findings_of_a_kind_are_kept() {
        let reporter = Reporter::new();
        fill(&reporter, 20_000);
        reporter.report(Diagnostic::error("bad-value", "bad"));
        assert_eq!((reporter.count(Severity::Warning), reporter.count(Severity::Error)), (20_000, 1));
        let found = reporter.into_diagnostics();
        assert_eq!(found.len(), 102);
        let more = found[100].to_string();
        assert!(more.starts_with("a.body:101:1: warning[duplicate-key]: … 19 900 more ("), "{more}");
        assert_eq!(found[101].code, "bad-value", "what ended the load comes last");
    }

    #[test]
    fn findings_of_a_group_become_one_with_a_count() {
        let reporter = Reporter::new();
        let source = SourceFile::from_text("a.body", "");
        let misspelt = |line| {
            let message = format!("unknown key `joitAxis` in Link `L{line}`");
            Diagnostic::warning("unknown-key", message).at(&source, Span::line(line))
        };
        for line in [3, 7, 7, 9, 1203] {
            reporter.report_in_group("joitAxis", misspelt(line));
        }
        reporter.report_in_group("mas", misspelt(5));
        reporter.report_in_group("mas", misspelt(6));
        assert_eq!(reporter.count(Severity::Warning), 2);
        let outer = Reporter::new();
        assert!(reporter.pass_on(&outer).is_none());
        let found: Vec<String> = outer.into_diagnostics().iter().map(|found| found.message.clone()).collect();
        assert_eq!(
            found,
            [
                "unknown key `joitAxis` in Link `L3`, and 3 more times in this file, next on line 7",
                "unknown key `joitAxis` in Link `L5`, and once more in this file, next on line 6",
            ]
        );
    }

    #[test]
    fn findings_passed_on_keep_their_count() {
        let (inner, outer) = (Reporter::new(), Reporter::strict());
        fill(&inner, 1_234_667);
        inner.report(Diagnostic::error("bad-value", "bad"));
        let error = inner.pass_on(&outer);
        assert_eq!(error.map(|error| error.code), Some("bad-value"));
        assert_eq!(outer.count(Severity::Error), 1_234_667);
        assert_eq!(outer.into_diagnostics().last().unwrap().message, "… 1 234 567 more");
    }
}
