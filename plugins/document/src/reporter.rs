use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash, RandomState};
use std::path::Path;

use crate::quotation::Quotation;
use crate::{Diagnostic, Place, SearchRoots, Severity};

/// So many findings of one kind are kept; the others are counted. A kind is a code and a severity.
pub const MOST_OF_A_KIND: usize = 100;

/// Collects findings while a load goes on, so that one bad line does not hide the next.
///
/// A reader that cannot make sense of a value reports it here and carries on with a default; whoever started
/// the load asks [`Reporter::has_errors`] at the end.
#[derive(Debug, Default)]
pub struct Reporter {
    found: RefCell<Found>,
    hasher: RandomState,
    strict: bool,
    /// Which files may be quoted; `None`: all of them.
    quotation: RefCell<Option<Quotation>>,
}

#[derive(Debug, Default)]
struct Found {
    diagnostics: Vec<Diagnostic>,
    /// Hashes of findings that were made already: a node that is aliased is read more than once.
    seen: HashSet<u64>,
    /// In the order in which the kinds came up.
    kinds: Vec<Kind>,
    /// Indices of findings that stand for others of their group, by the hash of the group.
    groups: HashMap<u64, usize>,
    /// Findings that stand for others, by their indices.
    repeated: HashMap<usize, Repeated>,
}

/// Findings that are not kept because another one of their group is.
#[derive(Debug)]
struct Repeated {
    number: usize,
    /// The first of them.
    next: Option<Place>,
}

#[derive(Debug)]
struct Kind {
    code: &'static str,
    severity: Severity,
    /// How many are in the list of findings.
    kept: usize,
    /// How many are not.
    left_out: usize,
    /// Where the first of these is.
    next: Option<Place>,
}

impl Found {
    fn kind(&mut self, code: &'static str, severity: Severity) -> &mut Kind {
        let found = self.kinds.iter().position(|kind| kind.code == code && kind.severity == severity);
        let index = found.unwrap_or_else(|| {
            self.kinds.push(Kind { code, severity, kept: 0, left_out: 0, next: None });
            self.kinds.len() - 1
        });
        &mut self.kinds[index]
    }

    /// The findings that are kept, those that stand for others with their number.
    fn with_repeats(&self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics.clone();
        for (&index, repeated) in &self.repeated {
            if let Some(diagnostic) = diagnostics.get_mut(index) {
                repeated.describe(diagnostic);
            }
        }
        diagnostics
    }

    /// The findings, and behind the last of each kind how many were left out.
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
        // Those of which none was kept.
        all.extend(kinds.iter_mut().filter_map(Kind::take_number));
        all
    }
}

impl Repeated {
    /// Adds the number to the message of the finding that stands for them.
    fn describe(&self, diagnostic: &mut Diagnostic) {
        let times = if self.number == 1 { "once more" } else { "more times" };
        let number = if self.number == 1 { String::new() } else { format!("{} ", grouped(self.number)) };
        let line = self.next.as_ref().and_then(|place| Some(place.span?.start.line));
        let line = line.map(|line| format!(", next on line {line}")).unwrap_or_default();
        diagnostic.message = format!("{}, and {number}{times} in this file{line}", diagnostic.message);
    }
}

impl Kind {
    /// How many were left out, if any, when all that were kept have been.
    fn take_number(&mut self) -> Option<Diagnostic> {
        let number = if self.kept == 0 { std::mem::take(&mut self.left_out) } else { 0 };
        (number > 0).then(|| Diagnostic {
            place: self.next.take(),
            ..Diagnostic::new(self.severity, self.code, format!("… {} more", grouped(number)))
                .help("they are like those above, and go on here")
        })
    }
}

/// A number with blanks between its thousands.
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
    /// A reporter that keeps severities as they are reported.
    pub fn new() -> Self {
        Self::default()
    }

    /// A reporter that turns every warning into an error.
    pub fn strict() -> Self {
        Self { strict: true, ..Self::default() }
    }

    /// From now on, quotes no file outside these roots: a finding in such a file keeps its severity, code, file and line, and loses
    /// its message, its help and the source line. A scene may name any file of the disk, and a secret must not get into a log.
    ///
    /// The first call decides: what is loaded on behalf of a file is quoted as that file allows.
    pub fn quote_only(&self, roots: &SearchRoots) {
        self.quotation.borrow_mut().get_or_insert_with(|| Quotation::new(roots.clone()));
    }

    /// Whether findings may quote a file. Messages located elsewhere that contain words of the file ask this themselves.
    pub fn quotes(&self, file: &Path) -> bool {
        self.quotation.borrow().as_ref().is_none_or(|quotation| quotation.allows(file))
    }

    /// Adds a finding, unless the very same was made before. Of each kind [`MOST_OF_A_KIND`] are kept.
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

    /// The same for a finding that may come up again and again in one file, as a misspelt key does: of those whose `group` is equal
    /// the first is kept, with the number of the others.
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

    /// What a finding of this severity counts as here.
    fn severity(&self, severity: Severity) -> Severity {
        if self.strict && severity == Severity::Warning { Severity::Error } else { severity }
    }

    /// Hands all findings on, but for the first error, which is what the caller ends with and reports.
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

    /// The value of an `Ok`; an `Err` is reported and gives `None`.
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

    /// How many findings of one severity were reported, with those that were only counted.
    pub fn count(&self, severity: Severity) -> usize {
        let found = self.found.borrow();
        found.kinds.iter().filter(|kind| kind.severity == severity).map(|kind| kind.kept + kind.left_out).sum()
    }

    /// The findings so far, in the order they were made.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.found.borrow().with_repeats()
    }

    /// The findings, in the order they were made. Behind the last of a kind of which not all are kept, one says how many
    /// more there are.
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
    fn of_twenty_thousand_equal_findings_a_hundred_are_kept_and_the_others_counted() {
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
    fn findings_of_a_group_are_one_with_a_number() {
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
    fn findings_that_are_handed_on_keep_their_number() {
        let (inner, outer) = (Reporter::new(), Reporter::strict());
        fill(&inner, 1_234_667);
        inner.report(Diagnostic::error("bad-value", "bad"));
        let error = inner.pass_on(&outer);
        assert_eq!(error.map(|error| error.code), Some("bad-value"));
        assert_eq!(outer.count(Severity::Error), 1_234_667);
        assert_eq!(outer.into_diagnostics().last().unwrap().message, "… 1 234 567 more");
    }
}
