//! Code that all verbs share: their common options and their failures.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Instant;

use bunraku::body::LoadOptions;
use bunraku::document::{Limits, Reporter, SearchRoots};
use clap::Args;

/// When the program started.
pub static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Options of every verb.
#[derive(Args, Clone)]
pub struct CommonArgs {
    /// Choreonoid's share directory: what `${SHARE}` in files stands for; repeated, the first with a file is taken
    #[arg(long, value_name = "DIR", env = "BUNRAKU_SHARE", global = true, hide_env_values = true)]
    pub share: Vec<PathBuf>,
    /// Where Choreonoid is installed: what `${PROGRAM_TOP}` in files stands for
    #[arg(long, value_name = "DIR", env = "BUNRAKU_PROGRAM_TOP", global = true, hide_env_values = true)]
    pub program_top: Option<PathBuf>,
    /// The directory of a Choreonoid project: what `${PROJECT_DIR}` in files stands for
    #[arg(long, value_name = "DIR", env = "BUNRAKU_PROJECT_DIR", global = true, hide_env_values = true)]
    pub project_dir: Option<PathBuf>,
    /// Name of the simulator item to use in a Choreonoid project [default: the first AISTSimulator]
    #[arg(long, value_name = "NAME", global = true)]
    pub simulator: Option<String>,
    /// Keyframe in which an MJCF model is shown or converted [default: the pose of its file]; scenes are not changed
    #[arg(long, value_name = "NAME", global = true)]
    pub keyframe: Option<String>,
    /// Value of an argument of a model with macros (xacro), in place of its default; may be repeated
    #[arg(long, value_name = "NAME=VALUE", global = true, value_parser = xacro_argument)]
    pub xacro_arg: Vec<(String, String)>,
    /// Read files that models name anywhere on the disk, not only around the model and in the share directory
    #[arg(long, global = true)]
    pub allow_outside: bool,
    /// Treat warnings as errors
    #[arg(long, global = true)]
    pub strict: bool,
    /// Only warn of unknown keys in scenes, which are errors
    #[arg(long, global = true, conflicts_with = "strict")]
    pub lenient: bool,
}

impl CommonArgs {
    /// The share directories. The variable may name several, separated like those of `PATH`.
    pub fn shares(&self) -> Vec<PathBuf> {
        let split = |share: &PathBuf| match share.is_dir() {
            true => vec![share.clone()],
            false => std::env::split_paths(share).collect(),
        };
        self.share.iter().flat_map(split).collect()
    }

    /// The same options with directories changed by `change`.
    ///
    /// # Errors
    /// If `change` fails for one of them.
    pub fn with_directories<E>(&self, change: impl Fn(&Path) -> Result<PathBuf, E>) -> Result<Self, E> {
        let one = |path: &Option<PathBuf>| path.as_deref().map(&change).transpose();
        Ok(Self {
            share: self.shares().iter().map(|share| change(share)).collect::<Result<_, E>>()?,
            program_top: one(&self.program_top)?,
            project_dir: one(&self.project_dir)?,
            ..self.clone()
        })
    }

    pub fn load_options(&self) -> LoadOptions {
        let roots = SearchRoots::new(self.shares())
            .with_variables(self.program_top.clone(), self.project_dir.clone())
            .with_ros_environment()
            .allow_outside(self.allow_outside);
        let xacro_arguments = self.xacro_arg.clone();
        LoadOptions { roots, limits: Limits::default(), xacro_arguments, ..LoadOptions::default() }
    }

    /// A reporter for the files and directories that the user named. It quotes no file outside the directories around
    /// them.
    pub fn reporter<P: AsRef<Path>>(&self, named: impl IntoIterator<Item = P>) -> Reporter {
        let reporter = if self.strict { Reporter::strict() } else { Reporter::new() };
        let reporter = if self.lenient { reporter.lenient() } else { reporter };
        let roots = named.into_iter().fold(self.load_options().roots, |roots, path| match path.as_ref() {
            directory if directory.is_dir() => roots.around_directory(directory),
            file => roots.around(file),
        });
        reporter.quote_only(&roots);
        reporter
    }
}

/// Reads `--xacro-arg`, also in ROS's form `NAME:=VALUE`.
fn xacro_argument(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once(":=").or_else(|| text.split_once('='));
    let pair = pair.map(|(name, value)| (name.trim().to_owned(), value.to_owned()));
    pair.filter(|(name, _)| !name.is_empty()).ok_or_else(|| "write `NAME=VALUE`".to_owned())
}

/// How a verb fails.
pub enum Failure {
    /// The data or the run is faulty and the user has been informed: exit code 1.
    Reported,
    /// The data or the run is faulty; the message is still to be printed: exit code 1.
    Message(String),
    /// A signal ended the run and the user has been informed: the exit code of that signal.
    Exit(u8),
    /// Wrong usage; the message is still to be printed: exit code 2.
    Usage(String),
}
