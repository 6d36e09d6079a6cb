//! The pages of promises and limits: each line names tests that exist, and each limit is that of the code.

use std::fs;

use super::pages::root;

/// Cells of the rows of all tables of a page, without heads.
fn rows(page: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let mut rows = Vec::new();
    let mut is_body = false;
    for line in text.lines() {
        let Some(row) = line.strip_prefix('|') else {
            is_body = false;
            continue;
        };
        if row.starts_with("---") {
            is_body = true;
        } else if is_body {
            rows.push(row.trim_end_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect());
        }
    }
    rows
}

/// Files and names in them: words between backquotes, a file before the names in it.
fn references(cell: &str) -> Vec<(String, String)> {
    let mut file = None;
    let mut found = Vec::new();
    for word in cell.split('`').skip(1).step_by(2) {
        if word.ends_with(".rs") {
            file = Some(word);
        } else if let Some(file) = file {
            found.push((file.to_owned(), word.to_owned()));
        }
    }
    found
}

/// Why a reference leads to no test; `None` if it does.
fn fault(file: &str, name: &str) -> Option<String> {
    let Ok(text) = fs::read_to_string(root().join(file)) else { return Some(format!("there is no file {file}")) };
    // The targets of the fuzz tests are words of a macro.
    let listed = || {
        text.contains("\nmacro_rules!")
            && text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == name)
    };
    let is_test = text.split("#[test]").skip(1).any(|after| after.contains(&format!("fn {name}(")));
    (!is_test && !listed()).then(|| format!("{file} has no test `{name}`"))
}

#[test]
fn each_promise_has_a_test_that_exists() {
    let (mut faults, mut number) = (Vec::new(), 0);
    for page in ["docs/explanation/promises.md", "docs/explanation/robustness.md", "docs/reference/limits.md"] {
        for row in rows(page) {
            let tests: Vec<_> = row.last().map(|cell| references(cell)).unwrap_or_default();
            if tests.is_empty() && page.ends_with("promises.md") {
                faults.push(format!("{page}: no test holds: {}", row[0]));
            }
            number += tests.len();
            faults.extend(tests.iter().filter_map(|(file, name)| fault(file, name)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(number > 40, "{number}");
}

/// Clippy, whose warnings are errors when the crates are checked, finds the places; this test finds that it looks.
#[test]
fn readers_of_bytes_are_linted() {
    let lints = ["cast_possible_truncation", "cast_possible_wrap", "cast_sign_loss", "indexing_slicing"];
    for package in ["body", "document", "mesh", "motion", "scene", "task"] {
        let text = fs::read_to_string(root().join(format!("plugins/{package}/src/lib.rs"))).unwrap();
        let warned: Vec<&str> = text.split("warn(").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        for lint in lints {
            let name = format!("clippy::{lint}");
            let is_on = warned.iter().any(|list| list.split(',').any(|word| word.trim() == name));
            assert!(is_on, "{name} is not on in {package}");
        }
    }
}

#[test]
fn a_missing_test_is_noticed() {
    assert!(fault("tests/system/documentation/promises.rs", "a_missing_test_is_noticed").is_none());
    assert!(fault("tests/system/documentation/promises.rs", "a_test_of_another_name").is_some());
    assert!(fault("tests/none.rs", "a").is_some());
}

/// The value of a constant: numbers, products and shifts.
fn value(expression: &str) -> Option<u128> {
    if let Some((left, right)) = expression.split_once("<<") {
        return Some(value(left)? << value(right)?);
    }
    if let Some((left, right)) = expression.split_once('*') {
        return Some(value(left)? * value(right)?);
    }
    expression.trim().replace('_', "").parse().ok()
}

/// The expression of a constant.
fn constant<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("const {name}: "))?;
    Some(rest.split_once('=')?.1.split_once(';')?.0)
}

/// The expression of a field of the last value of a structure that has it.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.rsplit_once(&format!("{name}: "))?.1.split([',', '}']).next()
}

#[test]
fn the_limits_of_the_page_are_those_of_the_code() {
    let mut wrong = Vec::new();
    let rows = rows("docs/reference/limits.md");
    for row in &rows {
        let [what, shown, code, ..] = row.as_slice() else { continue };
        let Some((file, name)) = references(code).pop() else { panic!("{what}: no constant in `{code}`") };
        let text = fs::read_to_string(root().join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let found = constant(&text, &name).or_else(|| field(&text, &name)).and_then(value);
        let digits: String = shown.chars().take_while(|letter| letter.is_ascii_digit() || *letter == ' ').collect();
        let shown_value = digits.replace(' ', "").parse().ok();
        let scaled = match shown {
            shown if shown.ends_with(" MiB") => shown_value.map(|number: u128| number << 20),
            _ => shown_value,
        };
        if found.is_none() || found != scaled {
            wrong.push(format!("{what}: the page has {shown}, {file} has {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows.len() > 25, "{}", rows.len());
}
