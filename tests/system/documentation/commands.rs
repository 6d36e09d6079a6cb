//! Every command on a page is valid: its verbs, options, packages and targets exist, and commands on the project's own
//! files succeed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bunraku_test_support::{TestFolder, corpus, share};

use super::examples;
use super::pages::{Found, Page, pages, root};

/// A command on a page.
pub(super) struct Line {
    /// Its location.
    place: String,
    /// Whether it gives Choreonoid's share directory, by `BUNRAKU_SHARE` or `--share`.
    pub(super) has_share: bool,
    pub(super) words: Vec<String>,
}

/// The words of a command: blanks separate them, except in single quotes.
fn words_of(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for letter in text.chars() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            _ if letter.is_whitespace() && !is_quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

impl Line {
    pub(super) fn of(page: &Page, found: &Found) -> Option<Self> {
        let mut words = words_of(&found.text);
        let settings = words
            .iter()
            .take_while(|word| {
                word.split_once('=')
                    .is_some_and(|(name, _)| name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_'))
            })
            .count();
        let has_share = words.drain(..settings).any(|word| word.starts_with("BUNRAKU_SHARE="))
            || words.iter().any(|word| word == "--share");
        (words.len() > 1 && ["cargo", "bunraku"].contains(&words[0].as_str())).then(|| Self {
            place: page.at(found),
            has_share,
            words: words
                .into_iter()
                .map(|word| match word.contains(char::is_whitespace) {
                    true => word,
                    false => word.trim_matches(|letter| "[]…".contains(letter)).to_owned(),
                })
                .collect(),
        })
    }

    /// The words before `--`, and those after it.
    pub(super) fn parts(&self) -> (&[String], &[String]) {
        match self.words.iter().position(|word| word == "--") {
            Some(at) => (&self.words[..at], &self.words[at + 1..]),
            None => (&self.words, &[]),
        }
    }

    /// The arguments of the program `bunraku`, if the command runs it.
    pub(super) fn of_bunraku(&self) -> Option<&[String]> {
        if self.words[0] == "bunraku" {
            return Some(&self.words[1..]);
        }
        let (before, behind) = self.parts();
        (before == ["cargo", "run"] && !behind.is_empty()).then_some(behind)
    }
}

fn lines() -> Vec<Line> {
    let mut lines = Vec::new();
    for page in pages() {
        let found = [page.spans(), page.shell()].concat();
        lines.extend(found.iter().filter_map(|found| Line::of(&page, found)));
    }
    lines
}

pub(super) fn bunraku() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bunraku"));
    command.env_remove("BUNRAKU_SHARE");
    command
}

/// The options in the help of a program.
fn options(help: &Output) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(&help.stdout).into_owned();
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '-'));
    words.filter(|word| word.starts_with("--") && word.len() > 2).map(str::to_owned).collect()
}

/// The options of each verb, from the help of the program.
fn verbs() -> BTreeMap<&'static str, BTreeSet<String>> {
    let verbs = [
        "run",
        "view",
        "info",
        "check",
        "convert",
        "compare",
        "plot",
        "picture",
        "report",
        "rerun",
        "sweep",
        "gather",
        "completions",
        "man",
        "task check",
        "task run",
        "task new",
        "task robot",
    ];
    let options = |verb: &'static str| {
        let help = bunraku().args(verb.split(' ')).arg("--help").output().unwrap();
        assert!(help.status.success(), "{verb}");
        (verb, options(&help))
    };
    verbs.into_iter().map(options).collect()
}

/// The options of a verb of cargo. Clippy accepts those of `check`, but its help does not list them.
fn cargo_options(verb: &str) -> BTreeSet<String> {
    let verb = if verb == "clippy" { "check" } else { verb };
    options(&Command::new(env!("CARGO")).args([verb, "--help"]).output().unwrap())
}

/// Whether a word is a placeholder.
fn is_placeholder(word: &str) -> bool {
    word.is_empty() || word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
}

/// The option in a word, without its value.
fn option(word: &str) -> Option<&str> {
    let word = word.trim_start_matches('[');
    (word.starts_with("--") && word.len() > 2).then(|| word.split('=').next().unwrap())
}

#[test]
fn verbs_and_options_of_the_program_exist() {
    let verbs = verbs();
    let mut wrong = Vec::new();
    let mut number = 0;
    for line in lines() {
        let Some(arguments) = line.of_bunraku() else { continue };
        number += 1;
        // The verbs of tasks have two words.
        let first = arguments.first().map_or("", String::as_str);
        if ["--help", "--version"].contains(&first) || is_placeholder(first) {
            continue;
        }
        let verb = if first == "task" { arguments[..arguments.len().min(2)].join(" ") } else { first.to_owned() };
        let Some(known) = verbs.get(verb.as_str()) else {
            wrong.push(format!("{}: `{}` has no verb of ours", line.place, line.words.join(" ")));
            continue;
        };
        for option in arguments.iter().filter_map(|word| option(word)).filter(|option| !known.contains(*option)) {
            wrong.push(format!("{}: `bunraku {verb}` has no {option}", line.place));
        }
    }
    // Options without a command belong to some verb, to cargo, or to the script that the page in the same directory
    // describes.
    let of_cargo = cargo_options("test");
    let all: BTreeSet<&str> = verbs.values().flatten().chain(&of_cargo).map(String::as_str).collect();
    for page in pages() {
        let beside: String = fs::read_dir(page.directory())
            .unwrap()
            .filter_map(|entry| fs::read_to_string(entry.unwrap().path()).ok())
            .collect();
        let own_script = page.name.starts_with("benches/");
        for found in page.spans().iter().filter(|found| found.text.starts_with("--")) {
            number += 1;
            let words: Vec<&str> = found.text.split_whitespace().collect();
            let option = option(words[0]).unwrap_or_default();
            let is_target = words.get(1).is_some_and(|name| target(root(), option, name) == Some(true));
            let is_of_script = own_script && beside.contains(&format!("\"{option}\""));
            if !(all.contains(option) || is_target || is_of_script) {
                wrong.push(format!("{}: nothing has the option {option}", page.at(found)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(number > 20, "only {number} were found");
}

/// The directory of a package.
fn package(name: &str) -> Option<PathBuf> {
    let plugins = fs::read_dir(root().join("plugins")).unwrap().map(|entry| entry.unwrap().path());
    let mut directories = plugins.chain([
        root().to_owned(),
        root().join("python"),
        root().join("tests/support"),
        root().join("tests/fuzzing"),
    ]);
    let line = format!("name = \"{name}\"");
    directories.find(|directory| {
        fs::read_to_string(directory.join("Cargo.toml")).is_ok_and(|text| text.lines().nth(1) == Some(&line))
    })
}

/// Whether a package has a target; `None` if the option does not name one.
fn target(package: &Path, option: &str, name: &str) -> Option<bool> {
    let directory = match option {
        "--example" => "examples",
        "--test" => "tests",
        "--bench" => "benches",
        _ => return None,
    };
    let directory = package.join(directory);
    Some(directory.join(format!("{name}.rs")).is_file() || directory.join(name).join("main.rs").is_file())
}

/// Whether a package has a feature.
fn has_feature(package: &Path, name: &str) -> bool {
    let text = fs::read_to_string(package.join("Cargo.toml")).unwrap();
    let features = text.split("[features]").nth(1).unwrap_or_default();
    let features = features.split("\n[").next().unwrap_or_default();
    features.lines().any(|line| line.split_once(" = ").is_some_and(|(feature, _)| feature == name))
}

/// The errors in a command of cargo.
fn faults(words: &[String], known: &BTreeSet<String>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut packages = Vec::new();
    let pairs: Vec<(&str, &str)> = words.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str())).collect();
    for (_, name) in pairs.iter().filter(|(option, name)| ["-p", "--package"].contains(option) && !is_placeholder(name))
    {
        match package(name) {
            Some(directory) => packages.push(directory),
            None => faults.push(format!("there is no package {name}")),
        }
    }
    if packages.is_empty() {
        packages.push(root().to_owned());
    }
    for (option, name) in pairs.iter().filter(|(_, name)| !is_placeholder(name)) {
        if !packages.iter().all(|package| target(package, option, name) != Some(false)) {
            faults.push(format!("nothing is called {name} for {option}"));
        }
        if *option == "--features" {
            let missing = name.split(',').filter(|name| !packages.iter().any(|package| has_feature(package, name)));
            faults.extend(missing.map(|name| format!("there is no feature {name}")));
        }
    }
    let unknown = words.iter().filter_map(|word| option(word)).filter(|option| !known.contains(*option));
    faults.extend(unknown.map(|option| format!("cargo has no {option} here")));
    faults
}

#[test]
fn packages_targets_and_features_of_cargo_commands_exist() {
    let mut wrong = Vec::new();
    let mut helps = BTreeMap::new();
    let lines = lines();
    for line in lines.iter().filter(|line| line.words[0] == "cargo") {
        let (words, _) = line.parts();
        let verb = words[1].as_str();
        let known = helps.entry(verb).or_insert_with(|| cargo_options(verb));
        if known.is_empty() {
            wrong.push(format!("{}: cargo has no {verb}", line.place));
        }
        wrong.extend(faults(words, known).into_iter().map(|fault| format!("{}: {fault}", line.place)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let number = helps.len();
    assert!(number > 4, "cargo's verbs are {:?}", helps.keys());
}

#[test]
fn wrong_commands_are_found() {
    let known = BTreeSet::from(["--example".to_owned(), "--features".to_owned()]);
    let faults = |text: &str| faults(&text.split(' ').map(str::to_owned).collect::<Vec<_>>(), &known);
    assert!(faults("cargo run --example picture --features viewer").is_empty());
    assert_eq!(faults("cargo run --example nothing"), ["nothing is called nothing for --example"]);
    assert_eq!(faults("cargo run --features nothing"), ["there is no feature nothing"]);
    assert_eq!(faults("cargo run -p nothing"), ["there is no package nothing"]);
    assert_eq!(faults("cargo run --nothing"), ["cargo has no --nothing here"]);
    assert_eq!(words_of("run  --set 'a={ b: 1 }' x"), ["run", "--set", "a={ b: 1 }", "x"]);
    assert!(package("bunraku_body").is_some() && has_feature(&package("bunraku_body").unwrap(), "assets"));
}

/// Whether a file refers to Choreonoid's share directory.
fn names_share(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.contains("${SHARE}"))
}

/// Runs a command of a page in the folder of its files; `None` if it names files that do not exist.
fn run(line: &Line, folder: &TestFolder) -> Option<Output> {
    let (before, behind) = line.parts();
    let example = before.iter().position(|word| word == "--example").and_then(|at| before.get(at + 1));
    let arguments = match (line.of_bunraku(), example) {
        (Some(arguments), _) => arguments,
        (None, Some(_)) if before[0] == "cargo" && before[1] == "run" && examples::is_built(before) => behind,
        _ => return None,
    };
    let files: Vec<PathBuf> = arguments.iter().map(|word| folder.join(word)).filter(|path| path.is_file()).collect();
    // Commands that create files need none.
    let is_new = arguments.starts_with(&["task".to_owned(), "new".to_owned()]);
    // A sweep of an earlier line on the same page.
    let is_made = matches!(arguments, [verb, made, ..] if verb == "gather" && folder.join(made).is_dir());
    // A window waits for the user.
    let opens_window =
        arguments.first().is_some_and(|verb| verb == "view") || arguments.iter().any(|word| word == "--view");
    if opens_window || (files.is_empty() && !is_new && !is_made) || arguments.iter().any(|word| is_placeholder(word)) {
        return None;
    }
    let mut command = match example {
        Some(name) => Command::new(examples::program(name)),
        None => bunraku(),
    };
    let mut arguments = arguments.to_vec();
    if line.has_share || files.iter().any(|file| names_share(file)) {
        let share = share()?;
        command.env("BUNRAKU_SHARE", &share);
        if let Some(at) = arguments.iter().position(|word| word == "--share") {
            arguments[at + 1] = share.to_str().unwrap().to_owned();
        }
        // A walk takes a while; its start is enough here.
        if ["run", "sweep"].contains(&arguments[0].as_str()) && !arguments.iter().any(|word| word == "--duration") {
            arguments.extend(["--duration", "0.2"].map(str::to_owned));
        }
    }
    Some(command.current_dir(folder.path()).args(&arguments).output().unwrap())
}

/// A folder with the project's own files, and the Choreonoid project that the pages refer to.
pub(super) fn folder() -> TestFolder {
    let folder = TestFolder::new();
    copy(&root().join("assets"), Path::new("assets"), &folder);
    if let Some(corpus) = corpus() {
        let project = corpus.join("sample/SimpleController/SR1Walk.cnoid");
        folder.write("SR1Walk.cnoid", fs::read(project).unwrap());
    }
    folder
}

fn copy(from: &Path, to: &Path, folder: &TestFolder) {
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to, folder);
        } else {
            folder.write(to, fs::read(entry.path()).unwrap());
        }
    }
}

#[test]
fn commands_on_existing_files_succeed() {
    let folder = folder();
    let mut wrong = Vec::new();
    let mut number = 0;
    // Pages of the guide are followed from top to bottom by a test of their own.
    for line in lines().into_iter().filter(|line| !line.place.starts_with("docs/guide/")) {
        let Some(output) = run(&line, &folder) else { continue };
        number += 1;
        if !output.status.success() && !examples::cannot_draw(&output) {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            wrong.push(format!("{}: `{}` fails: {message}", line.place, line.words.join(" ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(number >= 2, "only {number} were run");
}
