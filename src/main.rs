//! The command line: one verb a file in `cli/`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
