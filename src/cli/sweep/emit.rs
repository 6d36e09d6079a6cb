//! Scripts that run a sweep on Slurm, by GNU parallel or on Ray.

use std::path::Path;

use clap::ValueEnum;

/// An engine that runs a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// A batch script with an array of jobs: `sbatch DIR/slurm_array.sh`
    Slurm,
    /// A shell script for GNU parallel: `sh DIR/parallel.sh`
    Parallel,
    /// A Python script for Ray: `python DIR/ray_sweep.py`
    Ray,
}

/// Slurm's default limit on the size of an array is 1001.
const MOST_TASKS: usize = 1000;

impl Engine {
    /// Name of the script.
    pub fn script_name(self) -> &'static str {
        match self {
            Self::Slurm => "slurm_array.sh",
            Self::Parallel => "parallel.sh",
            Self::Ray => "ray_sweep.py",
        }
    }

    /// The script for a sweep of `runs` runs in `directory`, run by `program`; both paths are absolute.
    pub fn script(self, program: &Path, directory: &Path, runs: usize) -> String {
        let (program, directory) = (program.to_string_lossy(), directory.to_string_lossy());
        let (program, directory) = (program.as_ref(), directory.as_ref());
        match self {
            Self::Slurm => slurm(program, directory, runs),
            Self::Parallel => parallel(program, directory, runs),
            Self::Ray => ray(program, directory, runs),
        }
    }
}

fn slurm(program: &str, directory: &str, runs: usize) -> String {
    let per_task = runs.div_ceil(MOST_TASKS).max(1);
    let last = runs.div_ceil(per_task).saturating_sub(1);
    let (program, quoted) = (shell(program), shell(directory));
    format!(
        "\
#!/bin/sh
#SBATCH --job-name=bunraku
#SBATCH --array=0-{last}
#SBATCH --cpus-per-task=1
# {runs} runs, {per_task} to a task. Runs that have ended are not run again: submit the script once more after a failure.
first=$((SLURM_ARRAY_TASK_ID * {per_task}))
exec {program} sweep {quoted} --rows \"$first-$((first + {}))\" --jobs 1
",
        per_task - 1
    )
}

fn parallel(program: &str, directory: &str, runs: usize) -> String {
    let (program, quoted) = (shell(program), shell(directory));
    let last = runs.saturating_sub(1);
    // GNU parallel passes the words of its command to a shell once more.
    format!(
        "\
#!/bin/sh
# {runs} runs. Runs that have ended are not run again. Options of parallel: sh parallel.sh --jobs 4 --sshlogin host
seq 0 {last} | exec parallel \"$@\" --quote {program} sweep {quoted} --rows {{}} --jobs 1
"
    )
}

fn ray(program: &str, directory: &str, runs: usize) -> String {
    format!(
        r#""""{runs} runs on Ray. Runs that have ended are not run again: start the script once more after a failure."""

import subprocess
import sys

import ray

PROGRAM = {program:?}
DIRECTORY = {directory:?}
RUNS = {runs}


# A run whose worker dies is started again.
@ray.remote(num_cpus=1, max_retries=-1)
def run(row: int) -> int:
    command = [PROGRAM, "sweep", DIRECTORY, "--rows", str(row), "--jobs", "1"]
    return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode


ray.init()
codes = ray.get([run.remote(row) for row in range(RUNS)])
failed = [row for row, code in enumerate(codes) if code != 0]
print(f"{{RUNS}} runs, {{len(failed)}} failed {{failed or ''}}".rstrip())
sys.exit(1 if failed else 0)
"#
    )
}

/// A word of a shell.
fn shell(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+=:@%".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(shell("/a/b-c_1.sh"), "/a/b-c_1.sh");
        assert_eq!(shell("a b$"), "'a b$'");
        assert_eq!(shell("it's"), r"'it'\''s'");
    }

    #[test]
    fn the_example_is_what_is_written() {
        let example = include_str!("../../../python/examples/slurm_array.sh");
        let (program, directory) = ("/shared/bin/bunraku", "/shared/out/rover_sweep");
        assert_eq!(Engine::Slurm.script(program.as_ref(), directory.as_ref(), 15), example);
    }

    /// An array has at most a thousand tasks, and the tasks have all runs.
    #[test]
    fn a_large_array_has_several_runs_to_a_task() {
        let script = slurm("bunraku", "out", 2500);
        assert!(script.contains("--array=0-833\n") && script.contains("SLURM_ARRAY_TASK_ID * 3"), "{script}");
        assert!(script.contains("$((first + 2))"));
        assert!(slurm("bunraku", "out", 1).contains("--array=0-0\n"));
    }
}
