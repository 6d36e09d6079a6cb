//! Values over time for each joint: `velocity` and `effort` of a controller.

use std::path::Path;

use bunraku_body::{Body, JointIndex, JointKind};
use bunraku_document::{Diagnostic, Reporter, Value, ValueKind, closest};
use bunraku_motion::{BodyMotion, CsvNames, OtherFrames, ReadCsvOptions, Sequence, load_csv};

use super::context::SceneContext;
use super::model::JointProfiles;

/// The quantity of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// In a scene degrees/s or m/s, in files rad/s or m/s.
    Velocity,
    /// N·m or N.
    Effort,
}

impl Quantity {
    /// The name of the motion component that holds this quantity.
    fn content(self) -> &'static str {
        match self {
            Self::Velocity => "JointVelocity",
            Self::Effort => "JointEffort",
        }
    }

    /// Further names of motion components, or of column stems, that hold this quantity.
    fn other_contents(self) -> &'static [&'static str] {
        match self {
            Self::Velocity => &["JointVelocities", "velocity", "velocities"],
            Self::Effort => &["JointEfforts", "JointTorque", "effort", "efforts"],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Velocity => "velocities",
            Self::Effort => "efforts",
        }
    }

    /// The factor from the unit in scenes to SI units.
    fn scale(self, kind: JointKind) -> f64 {
        match (self, kind) {
            (Self::Velocity, JointKind::Revolute) => 1_f64.to_radians(),
            _ => 1.0,
        }
    }
}

/// Reads a number for all joints, a list in joint order, a mapping by joint name to numbers or tables `[ [ time, value
/// ], … ]`, or the name of a file; `None` after an error.
pub(super) fn read(
    value: Value<'_>,
    body: &Body,
    quantity: Quantity,
    context: &SceneContext<'_>,
) -> Option<JointProfiles> {
    let reporter = context.reporter;
    let mut profiles: JointProfiles = vec![None; body.num_joints()];
    let scale =
        |index: usize| quantity.scale(body.joint(JointIndex(index)).map_or(JointKind::Fixed, |joint| joint.kind));
    match value.kind() {
        ValueKind::Scalar if value.text().is_some_and(|text| text.trim().parse::<f64>().is_err()) => {
            return read_file(value, body, quantity, context);
        }
        ValueKind::Scalar => {
            let number = reporter.keep(value.as_number(reporter))?;
            for (index, profile) in profiles.iter_mut().enumerate() {
                *profile = body.joint(JointIndex(index)).and_then(|_| constant(number * scale(index)));
            }
        }
        ValueKind::Sequence => {
            let numbers = reporter.keep(value.as_numbers(reporter))?;
            if numbers.len() != profiles.len() {
                let (expected, found) = (profiles.len(), numbers.len());
                let message =
                    format!("expected {expected} numbers, one for each joint of `{}`, found {found}", body.name);
                let help = "by joint name, `{ NAME: 1 }`, those that are not named are left alone";
                reporter.report(value.error("wrong-length", message).help(help));
                return None;
            }
            for (index, (profile, number)) in profiles.iter_mut().zip(numbers).enumerate() {
                *profile = constant(number * scale(index));
            }
        }
        ValueKind::Mapping => {
            let mut is_sound = true;
            for (name, span, inner) in value.entries().into_iter().flatten() {
                let found = body.find_joint(name).and_then(|joint| Some((joint, profiles.get_mut(joint.0)?)));
                let Some((joint, profile)) = found else {
                    let diagnostic = value.error("unknown-joint", format!("`{}` has no joint `{name}`", body.name));
                    reporter.report(meant(diagnostic.at(inner.source(), span), name, body));
                    is_sound = false;
                    continue;
                };
                *profile = read_one(inner, scale(joint.0), context);
                is_sound &= profile.is_some();
            }
            if !is_sound {
                return None;
            }
        }
        ValueKind::Null => {
            reporter.report(value.expected("a number, a list in joint order, a mapping by joint name or a file"));
            return None;
        }
    }
    Some(profiles)
}

fn constant(value: f64) -> Option<Sequence<f64>> {
    Sequence::timed(vec![0.0], 1, vec![value]).ok()
}

fn meant(diagnostic: Diagnostic, name: &str, body: &Body) -> Diagnostic {
    let names = (0..body.num_joints()).map(|joint| body.joint_name(JointIndex(joint)));
    match closest(name, names) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic,
    }
}

/// A number, or a table of times and values.
fn read_one(value: Value<'_>, scale: f64, context: &SceneContext<'_>) -> Option<Sequence<f64>> {
    if value.items().is_none() {
        let number = context.reporter.keep(value.as_number(context.reporter))?;
        return constant(number * scale);
    }
    let (times, rows) = read_rows::<2>(value, context)?;
    let values = rows.into_iter().map(|[_, value]| value * scale).collect();
    keep_times(value, Sequence::timed(times, 1, values), context)
}

/// The times of a table and the remaining values of its rows; `None` after an error.
pub(super) fn read_rows<const N: usize>(
    value: Value<'_>,
    context: &SceneContext<'_>,
) -> Option<(Vec<f64>, Vec<[f64; N]>)> {
    let reporter = context.reporter;
    let rows = value.items().into_iter().flatten().map(|row| reporter.keep(row.as_array::<N>(reporter)));
    let rows: Vec<[f64; N]> = rows.collect::<Option<_>>()?;
    if rows.is_empty() {
        reporter.report(value.error("empty-table", "the table has no rows").help("a row is `[ time, value ]`"));
        return None;
    }
    Some((rows.iter().map(|row| row[0]).collect(), rows))
}

/// Reports times that do not form a sequence.
pub(super) fn keep_times<T, E: ToString>(
    value: Value<'_>,
    sequence: Result<Sequence<T>, E>,
    context: &SceneContext<'_>,
) -> Option<Sequence<T>> {
    match sequence {
        Ok(sequence) => Some(sequence),
        Err(error) => {
            let help = "times are in s, each row later than the one before";
            context.reporter.report(value.error("table-times", error.to_string()).help(help));
            None
        }
    }
}

/// Reads a table or a motion file.
fn read_file(value: Value<'_>, body: &Body, quantity: Quantity, context: &SceneContext<'_>) -> Option<JointProfiles> {
    let (file, reporter) = (context.file(value)?, context.reporter);
    let motion = load_table_or_motion(&file, context)?;
    let content = quantity.content();
    let is_it =
        |found: &str| [content].iter().chain(quantity.other_contents()).any(|known| known.eq_ignore_ascii_case(found));
    let other = motion.others.iter().find_map(|other| match &other.frames {
        OtherFrames::Values(values) if is_it(&other.content) => Some(values),
        _ => None,
    });
    let plain = motion.joint_displacements.as_ref().filter(|_| is_table(&file));
    let Some(values) = other.or(plain) else {
        let message = format!("there are no {} in {}", quantity.name(), file.display());
        let help = format!(
            "a `.seq` has them in a MultiValueSeq with the content `{content}`, a `.csv` in columns called after joints"
        );
        reporter.report(value.error("nothing-to-command", message).help(help));
        return None;
    };
    let mut profiles: JointProfiles = vec![None; body.num_joints()];
    let labels = values.part_labels();
    for part in 0..values.num_parts() {
        let index = match labels.get(part) {
            Some(label) => match body.find_joint(label) {
                Some(joint) => joint.0,
                None if reporter.quotes(&file) => {
                    let message = format!("`{}` has no joint `{label}`, which is in {}", body.name, file.display());
                    reporter.report(meant(value.error("unknown-joint", message), label, body));
                    return None;
                }
                None => {
                    let message = format!("`{}` has no joint of a name that is in {}", body.name, file.display());
                    reporter.report(value.error("unknown-joint", message));
                    return None;
                }
            },
            None => part,
        };
        let Some(profile) = profiles.get_mut(index) else {
            let message = format!(
                "there are {} for {} joints in the file, but `{}` has {}",
                quantity.name(),
                values.num_parts(),
                body.name,
                body.num_joints()
            );
            reporter.report(value.warning("joint-count", message).help("those beyond are left out"));
            break;
        };
        *profile = part_of(values, part);
    }
    Some(profiles)
}

/// One part of a sequence, at the same times.
fn part_of(values: &Sequence<f64>, part: usize) -> Option<Sequence<f64>> {
    let one = values.frames().map(|frame| frame.get(part).copied()).collect::<Option<_>>()?;
    match values.timing() {
        bunraku_motion::Timing::Rate { frame_rate, offset } => {
            Sequence::new(*frame_rate, 1, one).and_then(|sequence| sequence.with_offset(*offset)).ok()
        }
        bunraku_motion::Timing::Times { times, .. } => Sequence::timed(times.clone(), 1, one).ok(),
    }
}

/// Whether the extension of a file is that of a table (`.csv`).
pub(super) fn is_table(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

/// Loads a `.csv` without the names of a body, or a `.seq`.
pub(super) fn load_table_or_motion(file: &Path, context: &SceneContext<'_>) -> Option<BodyMotion> {
    let reporter = context.reporter;
    let none = CsvNames { links: &[], joints: &[] };
    if is_table(file) {
        return reporter.keep(load_csv(file, &none, &ReadCsvOptions::default(), reporter));
    }
    let own = Reporter::new();
    let motion = BodyMotion::load(file, &own);
    // A file without a motion of a body is valid here.
    for finding in own.into_diagnostics().into_iter().filter(|finding| finding.code != "no-motion") {
        reporter.report(finding);
    }
    reporter.keep(motion)
}
