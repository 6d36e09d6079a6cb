//! The pages of the guide can be typed along: from top to bottom, each in a folder of its own with the project's assets,
//! their files are written, their commands are run, and the commands print what the page shows.
//!
//! - A block of YAML or XML whose first line is a comment with a file name is that file.
//! - A block of `text` is what the commands of the preceding block of `sh` print, apart from numbers. A line with `…`
//!   stands for any lines.
//! - A command whose comment has the words `exit code 1` fails.

use std::process::Output;

use bunraku_test_support::{TestFolder, share};

use super::commands::{Line, bunraku, folder};
use super::examples;
use super::pages::{Block, Page, pages};

/// First words of the commands that a test cannot run: they build, install, open a page or need Python.
const NOT_RUN: &[&str] = &["alias", "cargo", "cd", "export", "git", "pip", "python", "mdbook", "ros2"];

/// The file that a block is, by the comment in its first line.
fn file_name(block: &Block) -> Option<&str> {
    let first = block.text.lines().next()?;
    let of_xml = first.strip_prefix("<!-- ").and_then(|comment| comment.strip_suffix(" -->"));
    let name = first.strip_prefix("# ").or(of_xml)?;
    let is_name = !name.contains(' ') && name.rsplit_once('.').is_some_and(|(stem, _)| !stem.is_empty());
    (["yaml", "xml"].contains(&block.language.as_str()) && is_name).then_some(name)
}

/// Text with one blank between words and `0` for each number, so that measured times do not count.
fn without_numbers(line: &str) -> String {
    let mut text = String::new();
    for word in line.split_whitespace() {
        let is_of_number = |letter: char| letter.is_ascii_digit() || letter == '.';
        let mut last_is_digit = false;
        for letter in word.chars() {
            let is_digit = letter.is_ascii_digit() || (last_is_digit && is_of_number(letter));
            if !(is_digit && last_is_digit) {
                text.push(if is_digit { '0' } else { letter });
            }
            last_is_digit = is_digit;
        }
        text.push(' ');
    }
    text.trim_end().to_owned()
}

/// Lines of a block that the output of its commands lacks.
fn missing_lines<'a>(shown: &'a str, printed: &str) -> Vec<&'a str> {
    let printed: Vec<String> = printed.lines().map(without_numbers).collect();
    let lines = shown.lines().filter(|line| !line.trim().is_empty() && !line.contains('…'));
    lines.filter(|line| !printed.contains(&without_numbers(line))).collect()
}

/// Whether a command needs a feature with which tests do not build the program: the window's renderer, or ROS 2.
fn needs_feature(line: &Line) -> bool {
    let verb = line.of_bunraku().and_then(<[String]>::first).map_or("", String::as_str);
    let draws = |word: &String| ["--view", "--film", "--frames", "--ros2"].contains(&word.as_str());
    line.words.iter().any(|word| word == "viewer")
        || verb == "view"
        || (verb != "picture" && line.words.iter().any(draws))
}

/// Runs a command in a folder. `None` if it needs a feature, if the test cannot run it, or if it needs Choreonoid's data
/// and they are not there.
fn run(line: &Line, folder: &TestFolder) -> Option<Output> {
    let (before, behind) = line.parts();
    let example = before.iter().position(|word| word == "--example").and_then(|at| before.get(at + 1));
    if example.map_or_else(|| needs_feature(line), |_| !examples::is_built(before)) {
        return None;
    }
    let (mut command, arguments) = match (line.of_bunraku(), example) {
        (Some(arguments), _) => (bunraku(), arguments),
        (None, Some(name)) => (std::process::Command::new(examples::program(name)), behind),
        (None, None) => return None,
    };
    let mut arguments = arguments.to_vec();
    if line.has_share {
        let share = share()?;
        command.env("BUNRAKU_SHARE", &share);
        if let Some(at) = arguments.iter().position(|word| word == "--share") {
            arguments[at + 1] = share.to_str().unwrap().to_owned();
        }
    }
    Some(command.current_dir(folder.path()).args(&arguments).output().unwrap())
}

/// Runs a line that starts a script.
fn run_in_shell(line: &str, folder: &TestFolder) -> Output {
    std::process::Command::new("sh").args(["-c", line]).current_dir(folder.path()).output().unwrap()
}

/// Runs the commands of a block. Returns what they print, or `None` if one of them was not run.
fn printed(page: &Page, block: &Block, folder: &TestFolder, wrong: &mut Vec<String>) -> Option<String> {
    let mut printed = Some(String::new());
    for found in block.commands() {
        let first = found.text.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default();
        let output = match first {
            "sh" => Some(run_in_shell(&found.text, folder)),
            _ => Line::of(page, &found).and_then(|line| run(&line, folder)),
        };
        let Some(output) = output else {
            if !(["bunraku"].contains(&first) || NOT_RUN.contains(&first)) {
                wrong.push(format!("{}: `{}` cannot be tried by a test", page.at(&found), found.text));
            }
            printed = None;
            continue;
        };
        if examples::cannot_draw(&output) {
            printed = None;
            continue;
        }
        let whole = block.text.lines().nth(found.line - block.line).unwrap_or_default();
        let expected = i32::from(whole.contains("exit code 1"));
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        if output.status.code() != Some(expected) {
            wrong.push(format!("{}: `{}` has not the exit code {expected}: {text}", page.at(&found), found.text));
        }
        if let Some(printed) = &mut printed {
            *printed += &text;
        }
    }
    printed
}

/// Follows a page; returns the number of its commands that were run.
fn follow(page: &Page, wrong: &mut Vec<String>) -> usize {
    let folder = folder();
    let mut last = None;
    let mut number = 0;
    for block in page.all_blocks() {
        if let Some(name) = file_name(&block) {
            folder.write(name, &block.text);
        }
        match block.language.as_str() {
            "sh" => {
                last = printed(page, &block, &folder, wrong);
                number += block.commands().len();
            }
            "text" => {
                let Some(printed) = &last else { continue };
                for line in missing_lines(&block.text, printed) {
                    wrong.push(format!("{}:{}: not printed: {line}\nbut this is:\n{printed}", page.name, block.line));
                }
            }
            _ => {}
        }
    }
    number
}

#[test]
fn pages_of_the_guide_can_be_typed_along() {
    let mut wrong = Vec::new();
    let mut number = 0;
    for page in pages().iter().filter(|page| page.name.starts_with("docs/guide/")) {
        number += follow(page, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(number > 30, "only {number} commands were found");
}

#[test]
fn what_a_page_shows_is_compared_with_what_is_printed() {
    assert_eq!(without_numbers("wall time  0.087 s: 14.6 µs per step"), "wall time 0 s: 0 µs per step");
    assert_eq!(missing_lines("steps  12\n  … more\nnone\n", "steps 6000\n"), ["none"]);
    let block = |text: &str| Block { language: "yaml".to_owned(), line: 1, text: text.to_owned() };
    assert_eq!(file_name(&block("# arm/my.body\nformat: x\n")), Some("arm/my.body"));
    assert_eq!(file_name(&block("# A comment. Here.\n")), None);
    assert_eq!(file_name(&block("<!-- my.urdf -->\n")), Some("my.urdf"));
    assert_eq!(file_name(&block("format: x\n")), None);
}
