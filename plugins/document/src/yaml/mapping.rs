use std::cell::RefCell;

use super::tree::{Value, ValueKind};
use crate::{Diagnostic, Reporter, Result, Severity, closest};

/// Reads a mapping key by key and records the keys read, so that [`Mapping::finish`] can report unknown keys and
/// suggest corrections.
///
/// Each getter takes the spellings of a key, the preferred one first. An invalid value is reported as an error and
/// treated as absent; the report is a warning if the mapping is [forgiving](Mapping::forgive).
pub struct Mapping<'a, 'r> {
    value: Value<'a>,
    what: String,
    reporter: &'r Reporter,
    known: RefCell<Vec<&'static str>>,
    /// Fallback mappings for missing keys, in order of precedence.
    imported: Vec<Value<'a>>,
    /// Whether an invalid value is only a warning.
    forgiving: bool,
}

impl<'a, 'r> Mapping<'a, 'r> {
    /// A reader for `value`, which is called `what` in messages ("Link `ARM`"). Reports an error and returns `None` if
    /// the value is not a mapping.
    pub fn new(value: Value<'a>, what: impl Into<String>, reporter: &'r Reporter) -> Option<Self> {
        let what = what.into();
        if value.kind() != ValueKind::Mapping {
            reporter.report(not_a_mapping(value, &what));
            return None;
        }
        Some(Self { value, what, reporter, known: RefCell::default(), imported: Vec::new(), forgiving: false })
    }

    /// A reader for optional data: invalid values, or a value that is not a mapping, are reported as warnings.
    pub fn forgiving(value: Value<'a>, what: impl Into<String>, reporter: &'r Reporter) -> Option<Self> {
        let what = what.into();
        if value.kind() != ValueKind::Mapping {
            reporter.report(forgiven(not_a_mapping(value, &what)));
            return None;
        }
        Some(Self { value, what, reporter, known: RefCell::default(), imported: Vec::new(), forgiving: true })
    }

    /// From now on invalid values are reported as warnings; for data that is optional or has defaults.
    pub fn forgive(&mut self) {
        self.forgiving = true;
    }

    /// The value of an `Ok`; an `Err` is reported like the errors of the getters.
    pub fn keep<T>(&self, result: Result<T>) -> Option<T> {
        match result {
            Err(diagnostic) if self.forgiving => {
                self.reporter.report(forgiven(*diagnostic));
                None
            }
            result => self.reporter.keep(result),
        }
    }

    /// The mapping itself.
    pub fn node(&self) -> Value<'a> {
        self.value
    }

    /// Reporter of the findings.
    pub fn reporter(&self) -> &'r Reporter {
        self.reporter
    }

    /// Name in messages.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// Changes the name in messages, once the name of the object has been read.
    pub fn rename(&mut self, what: impl Into<String>) {
        self.what = what.into();
    }

    /// Adds a fallback mapping for missing keys; earlier imports have precedence.
    pub fn import(&mut self, other: Value<'a>) {
        self.imported.push(other);
    }

    /// Value of a key under any of its spellings. A key without a value counts as absent.
    pub fn get(&self, names: &[&'static str]) -> Option<Value<'a>> {
        let mut known = self.known.borrow_mut();
        for &name in names {
            if !known.contains(&name) {
                known.push(name);
            }
        }
        let given = |mapping: &Value<'a>| names.iter().any(|&name| mapping.get(name).is_some());
        let mapping = std::iter::once(self.value).chain(self.imported.iter().copied()).find(given)?;
        let mut found = names.iter().filter_map(|&name| Some((name, mapping.get(name)?)));
        let (used, value) = found.next()?;
        for (ignored, _) in found {
            let message = format!("`{ignored}` is ignored because `{used}` is given too");
            let help = format!("they mean the same: keep `{used}`");
            self.reporter.report(value.warning("same-key-twice", message).help(help));
        }
        (value.kind() != ValueKind::Null).then_some(value)
    }

    /// Value of a mandatory key; its absence is reported as an error.
    pub fn required(&self, names: &[&'static str]) -> Option<Value<'a>> {
        let name = names.first().copied().unwrap_or_default();
        self.required_or(names, &format!("add `{name}: …` to it"))
    }

    /// As [`required`](Self::required), with a specific remedy in the message.
    pub fn required_or(&self, names: &[&'static str], help: &str) -> Option<Value<'a>> {
        let value = self.get(names);
        if value.is_none() {
            let name = names.first().copied().unwrap_or_default();
            let start = crate::Span { end: self.value.span().start, ..self.value.span() };
            let diagnostic = Diagnostic::error("missing-key", format!("{} has no `{name}`", self.what));
            let diagnostic = diagnostic.at(self.value.source(), start).help(help);
            self.reporter.report(if self.forgiving { forgiven(diagnostic) } else { diagnostic });
        }
        value
    }

    /// Reads a key with `read` and reports its errors.
    pub fn read<T>(&self, names: &[&'static str], read: impl FnOnce(Value<'a>, &Reporter) -> Result<T>) -> Option<T> {
        self.get(names).and_then(|value| self.keep(read(value, self.reporter)))
    }

    /// Text value of a key.
    pub fn text(&self, names: &[&'static str]) -> Option<&'a str> {
        self.read(names, |value, _| value.as_text())
    }

    /// Number value of a key.
    pub fn number(&self, names: &[&'static str]) -> Option<f64> {
        self.read(names, Value::as_number)
    }

    /// Integer value of a key.
    pub fn integer(&self, names: &[&'static str]) -> Option<i32> {
        self.read(names, Value::as_integer)
    }

    /// Boolean value of a key.
    pub fn bool(&self, names: &[&'static str]) -> Option<bool> {
        self.read(names, |value, _| value.as_bool())
    }

    /// Value of a key as a list of `N` numbers.
    pub fn array<const N: usize>(&self, names: &[&'static str]) -> Option<[f64; N]> {
        self.read(names, Value::as_array::<N>)
    }

    /// Marks keys as known without reading them.
    pub fn accept(&self, names: &[&'static str]) {
        for &name in names {
            if !self.known.borrow().contains(&name) {
                self.known.borrow_mut().push(name);
            }
        }
    }

    /// Entries that were not read: key, span, value.
    pub fn unread(&self) -> Vec<(&'a str, crate::Span, Value<'a>)> {
        let known = self.known.borrow();
        let entries = |mapping: Value<'a>| mapping.entries().into_iter().flatten();
        let mut unread: Vec<_> = entries(self.value).filter(|(key, ..)| !known.contains(key)).collect();
        for (key, span, value) in self.imported.iter().copied().flat_map(entries) {
            if !known.contains(&key) && !unread.iter().any(|(other, ..)| *other == key) {
                unread.push((key, span, value));
            }
        }
        unread
    }

    /// Reports a warning for every entry that was not read; an error if the entry was [set](super::Document::set) from
    /// outside, or if the document [requires known keys](super::Document::require_known_keys).
    pub fn finish(self) {
        self.finish_except(&[]);
    }

    /// As [`finish`](Self::finish), without the keys `other`, which other programs read from the same file. An entry
    /// with an anchor is reported only if it looks like a misspelling, because other entries may refer to it.
    pub fn finish_except(self, other: &[&str]) {
        self.warn_of_unread(other, |meant| match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "it is ignored; does it belong elsewhere?".to_owned(),
        });
    }

    /// As [`finish`](Self::finish), for a reader that keeps unknown entries and writes them back.
    pub fn finish_keeping(self) {
        self.warn_of_unread(&[], |meant| match meant {
            Some(meant) => format!("did you mean `{meant}`? It is kept unchanged and has no effect"),
            None => "it is kept unchanged and has no effect".to_owned(),
        });
    }

    fn warn_of_unread(&self, except: &[&str], help: impl Fn(Option<&str>) -> String) {
        let known = self.known.borrow();
        for (key, span, value) in self.unread() {
            if except.contains(&key) {
                continue;
            }
            let meant = closest(key, known.iter().copied());
            if meant.is_none() && value.has_anchor() {
                continue;
            }
            let message = format!("unknown key `{key}` in {}", self.what);
            // A value that was set from outside must have an effect.
            let is_error = value.is_set() || (value.document().requires_known_keys && !self.reporter.is_lenient());
            let (severity, help) = match (is_error, meant) {
                (false, meant) => (Severity::Warning, help(meant)),
                (true, Some(meant)) => (Severity::Error, format!("did you mean `{meant}`?")),
                (true, None) => (Severity::Error, "it would have no effect; does it belong elsewhere?".to_owned()),
            };
            let group = (key, help.clone(), value.is_set());
            let diagnostic = Diagnostic::new(severity, "unknown-key", message).at(value.source(), span);
            self.reporter.report_in_group(group, diagnostic.help(help));
        }
    }
}

/// The warning for an error in optional data.
fn forgiven(mut diagnostic: Diagnostic) -> Diagnostic {
    const LEFT_OUT: &str = "it is left out";
    diagnostic.help = Some(match diagnostic.help {
        Some(help) => format!("{LEFT_OUT}; {help}"),
        None => LEFT_OUT.to_owned(),
    });
    diagnostic.into_warning()
}

fn not_a_mapping(value: Value<'_>, what: &str) -> Diagnostic {
    let diagnostic = value.expected(&format!("a mapping for {what}"));
    diagnostic.help("a mapping is lines of `key: value`, or `{ key: value, key: value }`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, SourceFile, yaml::Document};

    fn document(text: &str, reporter: &Reporter) -> Document {
        Document::parse(&SourceFile::from_text("test.yaml", text), &Limits::default(), reporter).unwrap()
    }

    #[test]
    fn a_misspelt_key_is_reported_with_its_location() {
        let reporter = Reporter::new();
        let document = document("mass: 1\njoitAxis: X\nAMOR: true\n", &reporter);
        let mapping = Mapping::new(document.root(), "Link `ARM`", &reporter).unwrap();
        assert_eq!(mapping.number(&["mass"]), Some(1.0));
        assert!(mapping.get(&["joint_axis", "jointAxis"]).is_none());
        mapping.finish_except(&["AMOR"]);
        let found = reporter.diagnostics();
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].to_string(),
            "test.yaml:2:1: warning[unknown-key]: unknown key `joitAxis` in Link `ARM` (did you mean `joint_axis`?)"
        );
    }

    #[test]
    fn an_unknown_key_that_was_set_is_an_error() {
        let reporter = Reporter::new();
        let mut document = document("mass: 1\nAMOR: true\n", &reporter);
        let set = |document: &mut Document, path, value| {
            document.set(path, value, "--set", &Limits::default(), &reporter).unwrap();
        };
        set(&mut document, "mas", "2");
        set(&mut document, "colour", "red");
        let mapping = Mapping::new(document.root(), "Link", &reporter).unwrap();
        mapping.number(&["mass"]);
        mapping.finish();
        let found: Vec<_> = reporter.diagnostics().iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "test.yaml:2:1: warning[unknown-key]: unknown key `AMOR` in Link (it is ignored; does it belong elsewhere?)",
                "--set:1:1: error[unknown-key]: unknown key `mas` in Link (did you mean `mass`?)",
                "--set:1:1: error[unknown-key]: unknown key `colour` in Link (it would have no effect; does it belong elsewhere?)",
            ]
        );
    }

    #[test]
    fn an_unknown_key_is_an_error_where_known_keys_are_required() {
        let found = |reporter: Reporter| {
            let mut document = document("mas: 1\n", &reporter);
            document.require_known_keys();
            let mapping = Mapping::new(document.root(), "Link", &reporter).unwrap();
            mapping.number(&["mass"]);
            mapping.finish();
            reporter.into_diagnostics().iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let text = "unknown key `mas` in Link (did you mean `mass`?)";
        assert_eq!(found(Reporter::new()), [format!("test.yaml:1:1: error[unknown-key]: {text}")]);
        assert_eq!(found(Reporter::new().lenient()), [format!("test.yaml:1:1: warning[unknown-key]: {text}")]);
    }

    #[test]
    fn what_is_kept_is_said_to_be() {
        let reporter = Reporter::new();
        let document = document("mas: 1\nsmell: 2\n", &reporter);
        let mapping = Mapping::new(document.root(), "Link", &reporter).unwrap();
        mapping.number(&["mass"]);
        mapping.finish_keeping();
        let help: Vec<_> = reporter.into_diagnostics().into_iter().map(|found| found.help.unwrap()).collect();
        assert_eq!(
            help,
            ["did you mean `mass`? It is kept unchanged and has no effect", "it is kept unchanged and has no effect"]
        );
    }

    #[test]
    fn errors_in_optional_data_are_warnings() {
        let reporter = Reporter::new();
        let document = document("size: big\ncolor: 5\n", &reporter);
        let mapping = Mapping::forgiving(document.root(), "Marker", &reporter).unwrap();
        assert_eq!((mapping.number(&["size"]), mapping.array::<3>(&["color"])), (None, None));
        assert!(mapping.required(&["uri"]).is_none());
        assert!(Mapping::forgiving(document.root().get("size").unwrap(), "Thing", &reporter).is_none());
        let found: Vec<_> = reporter.diagnostics().iter().map(|found| (found.severity.as_str(), found.code)).collect();
        let codes = ["not-a-number", "wrong-type", "missing-key", "wrong-type"];
        assert_eq!(found, codes.map(|code| ("warning", code)));
    }

    #[test]
    fn strict_makes_it_an_error() {
        let reporter = Reporter::strict();
        let document = document("mas: 1\n", &reporter);
        let mapping = Mapping::new(document.root(), "Link", &reporter).unwrap();
        mapping.number(&["mass"]);
        mapping.finish();
        assert!(reporter.has_errors());
    }

    #[test]
    fn both_spellings_at_once_are_reported() {
        let reporter = Reporter::new();
        let document = document("joint_id: 1\njointId: 2\n", &reporter);
        let mapping = Mapping::new(document.root(), "Link", &reporter).unwrap();
        assert_eq!(mapping.integer(&["joint_id", "jointId"]), Some(1));
        mapping.finish();
        assert_eq!(reporter.diagnostics()[0].code, "same-key-twice");
    }

    #[test]
    fn a_missing_key_is_an_error_at_the_mapping() {
        let reporter = Reporter::new();
        let document = document("a:\n  b: 1\n", &reporter);
        let mapping = Mapping::new(document.root().get("a").unwrap(), "Thing", &reporter).unwrap();
        assert!(mapping.required(&["format_version"]).is_none());
        assert_eq!(
            reporter.diagnostics()[0].to_string(),
            "test.yaml:2:3: error[missing-key]: Thing has no `format_version` (add `format_version: …` to it)"
        );
    }
}
