//! `bunraku completions` and `bunraku man`: shell completions and manual pages.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

use super::common::Failure;
use super::output::{line, text};

#[derive(Args)]
pub struct CompletionArgs {
    /// The shell
    shell: Shell,
}

#[derive(Args)]
pub struct ManArgs {
    /// Directory for the pages, one for each command; without it the first one is printed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints the completions of a shell.
pub fn completions(arguments: &CompletionArgs, mut command: Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "bunraku", &mut script);
    text(&String::from_utf8_lossy(&script))
}

/// Prints the manual page, or writes all of them.
pub fn man(arguments: &ManArgs, command: Command) -> Result<(), Failure> {
    let Some(folder) = &arguments.out else { return text(&page(command)?) };
    let failed =
        |error: std::io::Error| Failure::Message(format!("cannot write the pages: {error}: {}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(command, folder).map_err(failed)?;
    line(format!("written    {}", folder.display()))
}

fn page(command: Command) -> Result<String, Failure> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command).render(&mut page);
    rendered.map_err(|error| Failure::Message(format!("the manual page cannot be made: {error}")))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
