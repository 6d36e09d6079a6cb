//! Commands and their output, as a text to be compared with a snapshot.

use std::fs;
use std::path::Path;
use std::process::Output;

use bunraku_test_support::TestFolder;

use crate::common::{bunraku, stderr, stdout};

/// Commands in a directory of their own, and their output.
pub(super) struct Transcript {
    folder: TestFolder,
    text: String,
}

impl Transcript {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        Self { folder: TestFolder::with(files), text: String::new() }
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Notes what happens between two commands.
    pub(super) fn note(&mut self, text: &str) {
        self.text += &format!("# {text}\n\n");
    }

    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        self.folder.write(name, text.as_ref());
    }

    /// Edits a file.
    #[track_caller]
    pub(super) fn edit(&mut self, name: &str, from: &str, to: &str) {
        let path = self.folder.join(name);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "no {from:?} in {name}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
        let shown = |text: &str| text.trim().replace('\n', " ⏎ ");
        self.note(&format!("in {name}: `{}` becomes `{}`", shown(from), shown(to)));
    }

    /// Runs the program. Words are separated by spaces; text within `'` is one word.
    pub(super) fn run(&mut self, arguments: &str) -> Output {
        let words: Vec<String> = arguments
            .split('\'')
            .enumerate()
            .flat_map(|(index, part)| match index % 2 {
                0 => part.split_whitespace().map(str::to_owned).collect(),
                _ => vec![part.to_owned()],
            })
            .collect();
        let output = bunraku().current_dir(self.path()).args(words).output().unwrap();
        self.add(arguments, &output);
        output
    }

    /// Adds the output of the program: stdout, then stderr, then the exit code if it is not 0.
    pub(super) fn add(&mut self, arguments: &str, output: &Output) {
        self.text += &format!("$ bunraku {arguments}\n");
        for printed in [stdout(output), stderr(output)] {
            for line in printed.lines() {
                // Times differ between runs, and the constraint errors of a jam differ between machines.
                let varies = ["wall time  ", "errors     "].into_iter().find_map(|name| {
                    let (before, _) = line.split_once(name)?;
                    Some(format!("{before}{name}…"))
                });
                let line = varies.unwrap_or_else(|| line.replace(&self.path().display().to_string(), "DIR"));
                self.text += line.trim_end();
                self.text.push('\n');
            }
        }
        if output.status.code() != Some(0) {
            self.text += &format!("(exit code {})\n", output.status.code().unwrap());
        }
        self.text.push('\n');
    }

    /// The first lines of a file.
    pub(super) fn head(&mut self, name: &str, lines: usize) {
        let text = fs::read_to_string(self.folder.join(name)).unwrap();
        self.text += &format!("$ head -{lines} {name}\n");
        for line in text.lines().take(lines) {
            self.text += line;
            self.text.push('\n');
        }
        self.text.push('\n');
    }

    /// Replaces text that differs between runs.
    pub(super) fn mask(&mut self, of: impl Fn(&str) -> String) {
        self.text = of(&self.text);
    }

    pub(super) fn compare(self, snapshot: &str) {
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(snapshot, self.text);
        });
    }
}
