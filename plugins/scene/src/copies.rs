//! Copies of a body in rows and grids.

use bunraku_body::{LinkIndex, kinematics};
use bunraku_document::{Mapping, Reporter, Result, Value};
use nalgebra::{Isometry3, Translation3, Vector3};

use super::model::{SceneBody, SceneDrive};

/// Maximum number of copies of a body: more are unintended.
const MOST: usize = 10_000;

/// Number of copies and their spacing, m.
pub(super) struct Copies {
    arrangement: Arrangement,
    spacing: Vector3<f64>,
}

/// The arrangement of copies.
#[derive(Clone, Copy)]
enum Arrangement {
    /// Each copy is offset by the whole spacing vector from the preceding one.
    Row(usize),
    /// The numbers of copies along X, Y and Z, offset by the components of the spacing.
    Grid([usize; 3]),
}

impl Arrangement {
    fn total(self) -> usize {
        match self {
            Self::Row(count) => count,
            Self::Grid(counts) => counts.iter().fold(1, |total, count| total.saturating_mul(*count)),
        }
    }

    /// Whether two copies would be at the same position.
    fn overlaps(self, spacing: &Vector3<f64>) -> bool {
        match self {
            Self::Row(count) => count > 1 && *spacing == Vector3::zeros(),
            Self::Grid(counts) => counts.iter().zip(spacing.iter()).any(|(count, step)| *count > 1 && *step == 0.0),
        }
    }

    /// The offset of each copy from the first, in spacings.
    fn steps(self) -> Vec<[usize; 3]> {
        match self {
            Self::Row(count) => (0..count).map(|step| [step; 3]).collect(),
            Self::Grid([columns, rows, layers]) => {
                (0..layers).flat_map(|z| (0..rows).flat_map(move |y| (0..columns).map(move |x| [x, y, z]))).collect()
            }
        }
    }
}

impl Copies {
    /// Reads `count` and `spacing`; `None` if there is no `count`.
    pub(super) fn read(mapping: &Mapping<'_, '_>) -> Option<Self> {
        let reporter = mapping.reporter();
        let spacing = mapping.array::<3>(&["spacing"]);
        let Some(value) = mapping.get(&["count"]) else {
            if let Some(node) = mapping.get(&["spacing"]) {
                let warning = node.warning("idle-spacing", "`spacing` does nothing without `count`");
                reporter.report(warning.help("write `count: 5`, or `count: [ 3, 2, 1 ]` for a grid"));
            }
            return None;
        };
        let arrangement = reporter.keep(read_arrangement(value, reporter))?;
        let total = arrangement.total();
        if total == 0 || total > MOST {
            let message = format!("{total} copies of a body cannot be made: from 1 to {MOST} can");
            reporter.report(value.error("out-of-range", message));
            return None;
        }
        let spacing = Vector3::from(spacing.unwrap_or_default());
        if arrangement.overlaps(&spacing) {
            let error = value.error("no-spacing", "copies of a body need a `spacing`: they would stand in each other");
            reporter.report(error.help("write `spacing: [ x, y, z ]`: metres from one to the next"));
            return None;
        }
        Some(Self { arrangement, spacing })
    }

    /// Total number of copies.
    pub(super) fn total(&self) -> usize {
        self.arrangement.total()
    }

    /// The body at each position, named `NAME-1` and so on; in a grid along X first, then Y, then Z. A root that
    /// follows a motion cannot be offset, which is an error at `place`.
    pub(super) fn of(&self, body: SceneBody, place: Value<'_>, reporter: &Reporter) -> Vec<SceneBody> {
        if matches!(body.drive, SceneDrive::Motion(_) | SceneDrive::KinematicRoot(_)) {
            let message = format!("`{}` is where its motion has it, and so would be all its copies", body.name);
            reporter.report(place.error("copies-of-motion", message));
            return vec![body];
        }
        let steps = self.arrangement.steps().into_iter().enumerate();
        steps.map(|(index, at)| self.copy(&body, index, at)).collect()
    }

    #[allow(clippy::cast_precision_loss)]
    fn copy(&self, body: &SceneBody, index: usize, at: [usize; 3]) -> SceneBody {
        let shift = Vector3::from(at.map(|step| step as f64)).component_mul(&self.spacing);
        let mut copy = body.clone();
        copy.name = format!("{}-{}", body.name, index + 1);
        let first = *copy.initial.link_pose(LinkIndex::ROOT);
        let root = Isometry3::from_parts(Translation3::from(first.translation.vector + shift), first.rotation);
        kinematics::update_link_poses(&copy.body, &root, &copy.initial.displacements, &mut copy.initial.link_poses);
        copy
    }
}

/// A number of copies, or one along each axis.
fn read_arrangement(value: Value<'_>, reporter: &Reporter) -> Result<Arrangement> {
    let number = |value: Value<'_>| {
        let number = value.as_integer(reporter)?;
        usize::try_from(number).map_err(|_| Box::new(value.error("out-of-range", "a number of copies is not negative")))
    };
    if value.items().is_none() {
        return Ok(Arrangement::Row(number(value)?));
    }
    let items: Vec<usize> = value.items().into_iter().flatten().map(number).collect::<Result<_>>()?;
    let counts = <[usize; 3]>::try_from(items);
    counts.map(Arrangement::Grid).map_err(|_| Box::new(value.expected("a number, or three: along X, Y and Z")))
}
