//! Converts a motion to `.seq`, JSON or a table.

use std::path::{Path, PathBuf};

use bunraku::body::{Body, JointIndex};
use bunraku::document::Reporter;
use bunraku::motion::{
    BodyMotion, CsvNames, LongMotion, ReadCsvOptions, Sampling, SeqVersion, WriteOptions, load_csv, write_csv,
    write_json, write_seq_with,
};
use clap::{Args, ValueEnum};

use super::super::common::{CommonArgs, Failure};
use super::super::files::{self, Loaded};
use super::super::panics::caught;

/// Options for motions.
#[derive(Args)]
#[command(next_help_heading = "Motions")]
pub struct MotionArgs {
    /// The model that moves: its links and joints give the columns of a table their names
    #[arg(long, value_name = "MODEL")]
    body: Option<PathBuf>,
    /// Version of .seq: 2 is that of the manual, 4 what Choreonoid writes today, 1 the old one
    #[arg(long, value_name = "VERSION", value_enum, default_value_t = Version::Two)]
    seq_version: Version,
    /// Bring the motion to this rate, Hz: frames at a fixed rate along straight lines (rotations along the shorter
    /// arc), frames with times as by --fixed. For a table without times: the rate it has
    #[arg(long, value_name = "HZ", value_parser = positive)]
    rate: Option<f64>,
    /// Bring frames with times to a fixed rate, that of the file or --rate: each goes to the first frame at or after
    /// its time, and is held until the next
    #[arg(long, conflicts_with = "timed")]
    fixed: bool,
    /// With --fixed or --rate: bring frames with times onto straight lines between them instead of holding them
    #[arg(long)]
    interpolate: bool,
    /// Write a time for each frame
    #[arg(long)]
    timed: bool,
}

impl MotionArgs {
    /// The model that names links and joints, if one was given.
    pub(super) fn body(&self) -> Option<&Path> {
        self.body.as_deref()
    }

    /// The model and the rate; `None` if another option was given.
    pub(super) fn of_animation(&self) -> Option<(Option<&Path>, Option<f64>)> {
        let others = Self { body: None, rate: None, ..*self };
        (!others.are_given()).then(|| (self.body(), self.rate))
    }

    /// Whether the frames are written as they are read.
    fn keeps_frames(&self) -> bool {
        self.rate.is_none() && !self.fixed && !self.interpolate && !self.timed
    }

    fn version(&self) -> WriteOptions {
        let version = match self.seq_version {
            Version::One => SeqVersion::One,
            Version::Two => SeqVersion::Two,
            Version::Four => SeqVersion::Four,
        };
        WriteOptions { version }
    }

    /// Whether any of the options was given.
    pub(super) fn are_given(&self) -> bool {
        let Self { body, seq_version, rate, fixed, interpolate, timed } = self;
        body.is_some() || *seq_version != Version::Two || rate.is_some() || *fixed || *interpolate || *timed
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Version {
    #[value(name = "1")]
    One,
    #[value(name = "2")]
    Two,
    #[value(name = "4")]
    Four,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && f64::is_finite(rate) => Ok(rate),
        _ => Err("it must be a positive number of hertz".to_owned()),
    }
}

/// The format that a motion is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Seq,
    Json,
    Table,
}

impl Form {
    /// The format of files with this lower-case extension.
    pub(super) fn of(extension: &str) -> Option<Self> {
        match extension {
            "seq" => Some(Self::Seq),
            "json" => Some(Self::Json),
            "csv" => Some(Self::Table),
            _ => None,
        }
    }
}

/// Writes the motion; returns the file.
pub(super) fn convert(
    (input, output): (&Path, &Path),
    options: &MotionArgs,
    form: Form,
    common: &CommonArgs,
    reporter: &Reporter,
) -> Result<Vec<PathBuf>, Failure> {
    let names = match &options.body {
        Some(model) => Names::of(&load_body(model, common, reporter)?),
        None => Names::default(),
    };
    if options.keeps_frames()
        && form != Form::Json
        && let Some(motion) = files::open_long(input, reporter)
    {
        return convert_long(&motion, &names, (form, options.version(), output), reporter);
    }
    let motion = load(input, &names, options, common, reporter)?;
    let motion = change(motion, options).map_err(|error| Failure::Message(format!("{error}: {}", input.display())))?;
    if reporter.has_errors() {
        return Err(Failure::Reported);
    }
    let written = match form {
        Form::Seq => write_seq_with(&motion, &options.version(), output),
        Form::Json => write_json(&motion, output, reporter),
        Form::Table => write_csv(&motion, &names.of_csv(), output, reporter),
    };
    written.map_err(|error| {
        reporter.report(error.to_diagnostic());
        Failure::Reported
    })?;
    if reporter.has_errors() { Err(Failure::Reported) } else { Ok(vec![output.to_owned()]) }
}

/// Converts a motion that need not fit into memory.
fn convert_long(
    motion: &LongMotion,
    names: &Names,
    (form, version, output): (Form, WriteOptions, &Path),
    reporter: &Reporter,
) -> Result<Vec<PathBuf>, Failure> {
    let written = caught(output, reporter, || {
        Some(match form {
            Form::Table => motion.write_csv(&names.of_csv(), output, reporter),
            _ => motion.write_seq(&version, output, reporter),
        })
    });
    match written {
        Some(Ok(())) if !reporter.has_errors() => Ok(vec![output.to_owned()]),
        Some(Err(error)) => {
            reporter.report(error.into_diagnostic());
            Err(Failure::Reported)
        }
        _ => Err(Failure::Reported),
    }
}

fn load(
    input: &Path,
    names: &Names,
    options: &MotionArgs,
    common: &CommonArgs,
    reporter: &Reporter,
) -> Result<BodyMotion, Failure> {
    if files::is_table(input) {
        let options = ReadCsvOptions { frame_rate: options.rate };
        return reporter.keep(load_csv(input, &names.of_csv(), &options, reporter)).ok_or(Failure::Reported);
    }
    let what = match files::load(input, common, reporter).ok_or(Failure::Reported)? {
        Loaded::Motion(motion) => return Ok(*motion),
        Loaded::Model(_) => "a model",
        Loaded::Scene(_) => "a scene",
        Loaded::Tasks(_) | Loaded::Robot(_) => "a task",
    };
    Err(Failure::Usage(format!("{what} cannot become a motion: {}", input.display())))
}

fn change(motion: BodyMotion, options: &MotionArgs) -> Result<BodyMotion, bunraku::motion::SequenceError> {
    let sampling = if options.interpolate { Sampling::Linear } else { Sampling::Hold };
    let motion = match options.rate {
        Some(rate) => motion.import_at(rate, sampling)?.resample(rate, Sampling::Linear)?,
        None if options.fixed => motion.import(sampling)?,
        None => motion,
    };
    Ok(if options.timed { motion.with_times() } else { motion })
}

fn load_body(path: &Path, common: &CommonArgs, reporter: &Reporter) -> Result<Body, Failure> {
    match files::load(path, common, reporter) {
        Some(Loaded::Model(body)) => Ok(*body),
        Some(_) => Err(Failure::Usage(format!("`--body` is not a model: {}", path.display()))),
        None => Err(Failure::Reported),
    }
}

/// The names of a body's links and joints.
#[derive(Default)]
struct Names {
    links: Vec<String>,
    joints: Vec<String>,
}

impl Names {
    fn of(body: &Body) -> Self {
        let joints = (0..body.num_joints()).map(|joint| body.joint_name(JointIndex(joint)).to_owned());
        Self { links: body.links().iter().map(|link| link.name.clone()).collect(), joints: joints.collect() }
    }

    fn of_csv(&self) -> CsvNames<'_> {
        CsvNames { links: &self.links, joints: &self.joints }
    }
}
