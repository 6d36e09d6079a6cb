//! Decides which files findings may quote.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::{Diagnostic, Place, SearchRoots, SourceFile};

/// Keeps the content of files outside the roots out of findings.
#[derive(Debug)]
pub(crate) struct Quotation {
    roots: SearchRoots,
    /// Cached answers by path: a file may have thousands of findings, and each answer accesses the file system.
    known: RefCell<HashMap<PathBuf, bool>>,
}

impl Quotation {
    pub(crate) fn new(roots: SearchRoots) -> Self {
        Self { roots, known: RefCell::default() }
    }

    /// Whether a file may be quoted. A path without a file, such as the `--set …` of the command line, may be.
    pub(crate) fn allows(&self, file: &Path) -> bool {
        if let Some(known) = self.known.borrow().get(file) {
            return *known;
        }
        let allowed = !file.exists() || self.roots.shows(file);
        self.known.borrow_mut().insert(file.to_owned(), allowed);
        allowed
    }

    /// Removes from a finding everything that may be content of a file outside the roots.
    pub(crate) fn apply(&self, diagnostic: &mut Diagnostic) {
        let Some(place) = diagnostic.place.take() else { return };
        if !self.allows(place.source.path()) {
            diagnostic.message =
                "the file lies outside the search roots, and what it contains is not quoted".to_owned();
            let roots = self.roots.names();
            diagnostic.help = Some(format!("the roots are {roots}; `--allow-outside` quotes files anywhere"));
        }
        diagnostic.place = Some(self.place(place));
    }

    /// The same location, without the text of a file outside the roots.
    pub(crate) fn place(&self, place: Place) -> Place {
        match self.allows(place.source.path()) {
            true => place,
            false => Place { source: SourceFile::from_text(place.source.path(), ""), span: place.span },
        }
    }
}

#[cfg(test)]
mod tests {
    use bunraku_test_support::TestFolder;

    use crate::{Diagnostic, Reporter, SearchRoots, SourceFile, Span, render};

    const SECRET: &str = "TOKEN=x7Kq";

    /// Folder with a file inside the roots of `desk/scenes/a.scene.yaml`, and one outside.
    fn folder() -> TestFolder {
        TestFolder::with(&[
            ("desk/scenes/a.scene.yaml", "format: BunrakuScene\n"),
            ("desk/models/arm.body", SECRET),
            ("secret.txt", SECRET),
        ])
    }

    fn finding(folder: &TestFolder, file: &str) -> Diagnostic {
        let source = SourceFile::from_text(folder.path().join(file), SECRET);
        Diagnostic::error("wrong-type", format!("expected a list, found `{SECRET}`"))
            .at(&source, Span::at(1, 3))
            .help(format!("did you mean `{SECRET}`?"))
    }

    fn reported(folder: &TestFolder, file: &str, roots: &SearchRoots) -> String {
        let (reporter, inner) = (Reporter::new(), Reporter::new());
        reporter.quote_only(&roots.around(&folder.path().join("desk/scenes/a.scene.yaml")));
        // One finding directly, and more than [`MOST_OF_A_KIND`] through another reporter.
        reporter.report(finding(folder, file));
        for line in 1..=300 {
            let source = SourceFile::from_text(folder.path().join(file), format!("{SECRET}\n").repeat(300));
            inner.report(Diagnostic::warning("duplicate-key", SECRET).at(&source, Span::line(line)));
        }
        assert!(inner.pass_on(&reporter).is_none());
        reporter.into_diagnostics().iter().map(|found| format!("{}\n{found}\n", render::plain(found))).collect()
    }

    #[test]
    fn no_finding_quotes_a_file_outside_the_roots() {
        let folder = folder();
        let shown = reported(&folder, "secret.txt", &SearchRoots::default());
        assert!(!shown.contains("x7Kq"), "{shown}");
        assert!(shown.contains("secret.txt:1:3") && shown.contains("error[wrong-type]"), "{shown}");
        assert!(shown.contains("… 200 more") && shown.contains("`--allow-outside` quotes files anywhere"), "{shown}");
    }

    #[test]
    fn files_inside_the_roots_are_quoted_and_others_if_allowed() {
        let folder = folder();
        for (file, roots) in [
            ("desk/models/arm.body", SearchRoots::default()),
            ("desk/scenes/../models/arm.body", SearchRoots::default()),
            ("secret.txt", SearchRoots::default().allow_outside(true)),
            ("secret.txt", SearchRoots::new(Some(folder.path().to_owned()))),
        ] {
            let shown = reported(&folder, file, &roots);
            assert!(shown.contains("1 | TOKEN=x7Kq") && shown.contains("found `TOKEN=x7Kq`"), "{file}: {shown}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_roots_is_not_quoted() {
        let folder = folder();
        std::os::unix::fs::symlink("../../secret.txt", folder.path().join("desk/models/link.body")).unwrap();
        let shown = reported(&folder, "desk/models/link.body", &SearchRoots::default());
        assert!(!shown.contains("x7Kq"), "{shown}");
    }
}
