//! The page `docs/reference/command-line.md`, written from the definitions of the arguments.
//!
//! `INSTA_UPDATE=always cargo test --workspace --bin bunraku` writes it; without that, the test fails if it is stale.

use std::fmt::Write;
use std::path::Path;

use clap::{Arg, Command};

const HEAD: &str = "# Command line

`bunraku --help` and `bunraku COMMAND --help` print the same. A test writes this page from the definitions of the arguments.

Exit codes: 0 done; 1 the data or the run is at fault, with a message on stderr; 2 wrong usage; 130, 143 or 129 where SIGINT, SIGTERM
or SIGHUP ended a run. `--json` prints one JSON document on stdout and nothing else there; its `failure` is the reason where a command
fails, beside `diagnostics`. Of each kind of finding a hundred are shown, then the number of the others.

";

/// The values of an argument, as `--help` shows them.
fn values(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let takes_values = argument.get_action().takes_values();
    names.iter().filter(|_| takes_values).map(|name| format!(" {name}")).collect()
}

/// The cell that names an argument.
fn name(argument: &Arg) -> String {
    match (argument.get_long(), argument.get_short()) {
        (Some(long), Some(short)) => format!("`-{short}`, `--{long}{}`", values(argument)),
        (Some(long), None) => format!("`--{long}{}`", values(argument)),
        (None, Some(short)) => format!("`-{short}{}`", values(argument)),
        (None, None) => {
            let many = if argument.get_num_args().is_some_and(|number| number.max_values() > 1) { "…" } else { "" };
            format!("`{}{many}`", values(argument).trim_start())
        }
    }
}

/// The cell with the help of an argument, its possible values, default and environment variable.
fn meaning(argument: &Arg) -> String {
    let mut meaning = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let possible: Vec<String> =
        argument.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if argument.get_action().takes_values() && !possible.is_empty() {
        let _ = write!(meaning, ": {}", possible.join(", "));
    }
    let defaults: Vec<_> = argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if argument.get_action().takes_values() && !defaults.is_empty() {
        let _ = write!(meaning, "; default `{}`", defaults.join(" "));
    }
    if let Some(variable) = argument.get_env() {
        let _ = write!(meaning, "; also `{}`", variable.to_string_lossy());
    }
    meaning.replace('\n', " ").replace('|', "\\|").replace('<', "&lt;")
}

fn table<'a>(page: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    let rows: String = arguments
        .filter(|argument| !argument.is_hide_set() && !["help", "version"].contains(&argument.get_id().as_str()))
        .map(|argument| format!("| {} | {} |\n", name(argument), meaning(argument)))
        .collect();
    if !rows.is_empty() {
        let _ = write!(page, "| argument | meaning |\n|---|---|\n{rows}\n");
    }
}

fn section(page: &mut String, command: &Command, path: &str) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let positionals = command.get_positionals().map(|argument| {
        let word = name(argument);
        let word = word.trim_matches('`');
        if argument.is_required_set() { format!(" {word}") } else { format!(" [{word}]") }
    });
    let _ = write!(page, "## {path}\n\n{about}.\n\n    {path}{} [OPTIONS]\n\n", positionals.collect::<String>());
    table(page, command.get_arguments().filter(|argument| !argument.is_global_set()));
}

fn page(mut command: Command) -> String {
    command.build();
    let mut page = HEAD.to_owned();
    page.push_str("## Options of every command\n\n");
    table(&mut page, command.get_arguments().filter(|argument| argument.is_global_set()));
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let path = format!("bunraku {}", verb.get_name());
        let inner: Vec<_> = verb.get_subcommands().filter(|verb| verb.get_name() != "help").collect();
        if inner.is_empty() {
            section(&mut page, verb, &path);
        }
        for verb in inner {
            section(&mut page, verb, &format!("{path} {}", verb.get_name()));
        }
    }
    format!("{}\n", page.trim_end())
}

#[test]
fn the_page_of_the_command_line_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/command-line.md");
    let expected = page(<super::Cli as clap::CommandFactory>::command());
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(
        found == expected,
        "the page is stale: `INSTA_UPDATE=always cargo test --workspace --bin bunraku` writes it"
    );
}
