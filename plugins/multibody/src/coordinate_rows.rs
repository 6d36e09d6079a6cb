//! What a coordinate is held by: the ends of its range, dry friction, its largest velocity.

use bunraku_body::Range;

use super::constraints::{Constraints, Scene};
use super::coordinate_row::{CoordinateRow, Hold};
use super::equalities::Equalities;
use super::parameters::Parameters;
use super::rows::{Rows, gather};
use super::state::WarmStart;
use super::tangents::NO_RESPONSE;

impl Constraints {
    /// Adds what a coordinate is held by. `velocity` is that at the beginning of the step, `displacement` that in its middle,
    /// `spare` gives what the motor can do beside what it does, N·m or N.
    pub fn add_coordinate(
        &mut self,
        scene: &Scene<'_>,
        mut loops: Option<&mut Equalities>,
        motion: &[f64],
        coordinate: usize,
        (displacement, velocity, spare): (f64, f64, impl Fn() -> Range),
        warm: &WarmStart,
    ) {
        let model = &scene.system.coordinates[coordinate];
        let step = scene.time_step;
        let near = scene.parameters.range_margin + 4.0 * step * velocity.abs();
        let mut add = |hold: Hold, target: f64, [lower, upper]: [f64; 2], correction: f64| {
            let impulse = warm.coordinates[coordinate][hold as usize].min(upper).max(lower);
            let bounds = [lower, upper];
            self.add_row(
                scene,
                loops.as_deref_mut(),
                motion,
                coordinate,
                velocity,
                CoordinateRow {
                    coordinate,
                    hold,
                    rows: Rows::default(),
                    own: Rows::default(),
                    start: 0.0,
                    response: 0.0,
                    target,
                    lower: bounds[0],
                    upper: bounds[1],
                    correction,
                    impulse,
                    corrective: 0.0,
                },
            );
        };
        if model.friction > 0.0 {
            let bound = model.friction * step;
            add(Hold::Friction, 0.0, [-bound, bound], 0.0);
        }
        let range = &model.range;
        if range.lower <= range.upper {
            let depth_speed = |gap: f64| {
                let Parameters { correction_share, correction_speed, .. } = *scene.parameters;
                if gap < 0.0 { (-gap * correction_share / step).min(correction_speed) } else { 0.0 }
            };
            let (below, above) = (displacement - range.lower, range.upper - displacement);
            if below < near {
                add(Hold::Range, -below.max(0.0) / step, [0.0, f64::INFINITY], depth_speed(below));
            }
            if above < near {
                add(Hold::Range, above.max(0.0) / step, [f64::NEG_INFINITY, 0.0], -depth_speed(above));
            }
        }
        let speeds = &model.velocity_range;
        if speeds.lower <= speeds.upper {
            if speeds.lower > f64::NEG_INFINITY {
                add(Hold::Velocity, speeds.lower, [0.0, step * spare().upper.max(0.0)], 0.0);
            }
            if speeds.upper < f64::INFINITY {
                add(Hold::Velocity, speeds.upper, [step * spare().lower.min(0.0), 0.0], 0.0);
            }
        }
    }

    fn add_row(
        &mut self,
        scene: &Scene<'_>,
        loops: Option<&mut Equalities>,
        motion: &[f64],
        coordinate: usize,
        velocity: f64,
        mut row: CoordinateRow,
    ) {
        let Some(depth) = scene.structure.depth(coordinate) else { return };
        let path = &scene.structure.path(scene.system.coordinate_part[coordinate])[..=depth];
        let start = self.coordinate_indices.len();
        self.coordinate_indices.extend_from_slice(path);
        self.coordinate_values.resize(start + path.len(), [0.0]);
        self.coordinate_values[start + depth] = [1.0];
        scene.factor.half_solve_rows(path, &mut self.coordinate_values[start..]);
        row.own = Rows { start, len: path.len() };
        row.rows = row.own;
        row.start = velocity;
        if let Some(loops) = loops {
            let [change] = gather(&self.coordinate_indices, &self.coordinate_values, row.own, motion);
            let start = self.coordinate_indices.len();
            self.coordinate_indices.extend_from_within(row.own.start..row.own.start + row.own.len);
            self.coordinate_values.extend_from_within(row.own.start..row.own.start + row.own.len);
            loops.free(&mut self.coordinate_indices, &mut self.coordinate_values, start);
            row.rows = Rows { start, len: self.coordinate_indices.len() - start };
            let [seen] = gather(&self.coordinate_indices, &self.coordinate_values, row.rows, motion);
            row.start += change - seen;
        }
        let values = &self.coordinate_values[row.rows.start..row.rows.start + row.rows.len];
        row.response = values.iter().map(|[value]| value * value).sum();
        if row.response > NO_RESPONSE {
            self.coordinates.push(row);
        }
    }
}
