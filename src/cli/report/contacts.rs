//! Contact points over time.

use std::path::Path;

use bunraku::motion::Channel;
use nalgebra::Vector3;
use serde_json::{Value, json};

use super::super::common::Failure;
use super::super::replay::ReplayBody;
use super::curves::Curve;
use super::pack::Pack;
use super::poses::whole;

/// Maximum number of contact points of a page; beyond, frames have fewer.
const MOST_POINTS: usize = 1_000_000;

/// A row of a table of contacts.
struct Point {
    time: f64,
    position: [f64; 3],
    force: [f64; 3],
}

/// The contact points of a body, in the order of their times.
pub(super) struct Contacts(Vec<Point>);

impl Contacts {
    /// Reads the table of a body's contacts; `None` if none were recorded.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn of_body(directory: &Path, body: &ReplayBody) -> Result<Option<Self>, Failure> {
        let path = directory.join(format!("{}.contacts.csv", body.name));
        if !path.is_file() {
            return Ok(None);
        }
        let failed = |error: &str| Failure::Message(format!("cannot read the table: {error}: {}", path.display()));
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .comment(Some(b'#'))
            .from_path(&path)
            .map_err(|error| failed(&error.to_string()))?;
        let names = reader.headers().map_err(|error| failed(&error.to_string()))?.clone();
        let column = |name: &str| {
            let found = names.iter().position(|column| column.trim() == name);
            found.ok_or_else(|| failed(&format!("it has no column `{name}`")))
        };
        let time = column("time [s]")?;
        let position = [column("x [m]")?, column("y [m]")?, column("z [m]")?];
        let force = [column("fx [N]")?, column("fy [N]")?, column("fz [N]")?];
        let mut points = Vec::new();
        for row in reader.records() {
            let row = row.map_err(|error| failed(&error.to_string()))?;
            let number = |index: usize| row.get(index).and_then(|cell| cell.trim().parse::<f64>().ok());
            let vector = |columns: [usize; 3]| {
                let [x, y, z] = columns.map(number);
                Some([x?, y?, z?]).filter(|vector| vector.iter().all(|part| part.is_finite()))
            };
            // The last row of a run that was killed may be incomplete.
            if let (Some(time), Some(position), Some(force)) = (number(time), vector(position), vector(force)) {
                points.push(Point { time, position, force });
            }
        }
        points.sort_by(|one, other| one.time.total_cmp(&other.time));
        Ok(Some(Self(points)))
    }

    /// The points of each time.
    fn frames(&self) -> impl Iterator<Item = &[Point]> {
        self.0.chunk_by(|one, other| one.time == other.time)
    }

    /// The sum of the forces and the number of points over time; `times` are those of the recording, s.
    pub(super) fn curves(&self, body: &str, times: &[f64]) -> Vec<Curve> {
        let at = |time: f64| {
            let from = self.0.partition_point(|point| point.time < time - 1e-9);
            let to = self.0.partition_point(|point| point.time <= time + 1e-9);
            self.0.get(from..to).unwrap_or_default()
        };
        let curve = |name: &str, unit: &str, value: fn(&[Point]) -> f64| {
            let points = times.iter().map(|time| (*time, value(at(*time)))).collect();
            let channel = Channel { name: name.to_owned(), unit: unit.to_owned(), points };
            Curve { group: format!("{body}: contacts"), channel }
        };
        let force =
            |points: &[Point]| points.iter().map(|point| Vector3::from(point.force)).sum::<Vector3<f64>>().norm();
        #[allow(clippy::cast_precision_loss)]
        let number = |points: &[Point]| points.len() as f64;
        vec![curve("force", "N", force), curve("points", "points", number)]
    }

    /// Describes the points nearest to each frame of the replay.
    pub(super) fn describe(&self, times: &[f64], pack: &mut Pack) -> Value {
        let recorded: Vec<&[Point]> = self.frames().collect();
        let time_of = |frame: &&[Point]| frame.first().map_or(f64::NAN, |point| point.time);
        let step = |index: usize| Some(times.get(index + 1)? - times.get(index)?);
        let (mut first, mut positions, mut forces) = (vec![0_u32], Vec::new(), Vec::new());
        let mut count = 0_u32;
        let most = MOST_POINTS / times.len().max(1);
        for (index, time) in times.iter().enumerate() {
            let after = recorded.partition_point(|frame| time_of(frame) < *time);
            let near =
                [after.checked_sub(1), Some(after)].into_iter().flatten().filter_map(|index| recorded.get(index));
            let off = |frame: &&&[Point]| (time_of(frame) - time).abs();
            let nearest = near.min_by(|one, other| off(one).total_cmp(&off(other)));
            // Frames without contacts are not in the table.
            let limit = step(index).or(index.checked_sub(1).and_then(step)).unwrap_or(f64::INFINITY);
            for point in
                nearest.filter(|frame| off(frame) < 0.6 * limit).into_iter().flat_map(|frame| frame.iter()).take(most)
            {
                positions.extend(point.position.map(whole));
                #[allow(clippy::cast_possible_truncation)]
                forces.extend(point.force.map(|part| part as f32));
                count += 1;
            }
            first.push(count);
        }
        json!({ "first": pack.u32s(&first, 1), "positions": pack.i32s(&positions, 3), "forces": pack.f32s(&forces) })
    }
}
