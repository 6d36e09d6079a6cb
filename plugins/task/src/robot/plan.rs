/// Time between samples of a plan, s; that of the original.
pub const TIME_STEP: f64 = 0.05;

/// Planned displacements of the joints.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct Plan {
    /// Displacements at the beginning of the command, rad or m.
    start: Vec<f64>,
    /// Times of the samples since the beginning of the command, s: increasing, without 0; the last is the duration.
    times: Vec<f64>,
    /// Displacements of all joints, rad or m, sample after sample.
    displacements: Vec<f64>,
}

impl Plan {
    /// A plan that begins at these displacements of all joints, rad or m.
    pub(super) fn new(start: &[f64]) -> Self {
        Self { start: start.to_vec(), ..Self::default() }
    }

    pub(super) fn push(&mut self, time: f64, displacements: &[f64]) {
        self.times.push(time);
        self.displacements.extend_from_slice(displacements);
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether it has no samples.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// A sample: its time since the command began, s, and the displacements of all joints, rad or m.
    pub fn sample(&self, index: usize) -> Option<(f64, &[f64])> {
        let first = index.checked_mul(self.start.len())?;
        Some((*self.times.get(index)?, self.displacements.get(first..first + self.start.len())?))
    }

    /// Duration, s.
    pub fn duration(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Displacements of all joints (rad or m) and their velocities (rad/s or m/s) at a time since the beginning of the
    /// command (s). Cubic interpolation between samples, with slopes from the neighbouring samples, and at rest at both
    /// ends.
    pub fn at(&self, time: f64, displacements: &mut [f64], velocities: &mut [f64]) {
        let before = self.times.partition_point(|sample| *sample <= time);
        let (Some((from_time, from)), Some((to_time, to))) = (self.knot(before), self.knot(before + 1)) else {
            displacements.copy_from_slice(self.knot(before).map_or(&self.start, |(_, last)| last));
            velocities.fill(0.0);
            return;
        };
        let length = to_time - from_time;
        let share = ((time - from_time) / length).clamp(0.0, 1.0);
        let ends = from.iter().zip(to);
        for (joint, ((displacement, velocity), (first, last))) in
            displacements.iter_mut().zip(velocities).zip(ends).enumerate()
        {
            let [slope, next] = [before, before + 1].map(|knot| self.slope(knot, joint) * length);
            let cubic = 2.0 * (first - last) + slope + next;
            let square = 3.0 * (last - first) - 2.0 * slope - next;
            *displacement = first + share * (slope + share * (square + share * cubic));
            *velocity = (slope + share * (2.0 * square + share * 3.0 * cubic)) / length;
        }
    }

    /// The start, index 0, or a sample after it.
    fn knot(&self, number: usize) -> Option<(f64, &[f64])> {
        match number.checked_sub(1) {
            None => Some((0.0, &self.start)),
            Some(sample) => self.sample(sample),
        }
    }

    /// Velocity of a joint at a knot: that of the parabola through it and its neighbours, 0 at the ends.
    #[expect(clippy::indexing_slicing, reason = "each knot has the displacements of all joints")]
    fn slope(&self, number: usize, joint: usize) -> f64 {
        let before = number.checked_sub(1).and_then(|before| self.knot(before));
        let (Some((t0, q0)), Some((t1, q1)), Some((t2, q2))) = (before, self.knot(number), self.knot(number + 1))
        else {
            return 0.0;
        };
        let (first, second) = (t1 - t0, t2 - t1);
        let (rise, next) = ((q1[joint] - q0[joint]) / first, (q2[joint] - q1[joint]) / second);
        (second * rise + first * next) / (first + second)
    }
}

/// Times of the samples of a move: every step, the last at its end.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast of a positive number saturates")]
pub(super) fn sample_times(duration: f64) -> impl Iterator<Item = f64> {
    let steps = (duration / TIME_STEP - 1e-9).ceil().max(1.0) as usize;
    (1..=steps).map(move |step| if step == steps { duration } else { step as f64 * TIME_STEP })
}

/// Fraction of the path at a fraction of the time: a cubic that begins and ends at rest.
pub(super) fn cubic(share: f64) -> f64 {
    share * share * (3.0 - 2.0 * share)
}

#[cfg(test)]
mod tests {
    use super::{Plan, TIME_STEP, cubic, sample_times};

    const DURATION: f64 = 0.52;

    /// A move of two joints, one by 1 and the other by -2, with the usual sampling.
    fn plan() -> Plan {
        let mut plan = Plan::new(&[0.0, 1.0]);
        for time in sample_times(DURATION) {
            let share = cubic(time / DURATION);
            plan.push(time, &[share, 1.0 - 2.0 * share]);
        }
        plan
    }

    #[test]
    fn a_plan_is_smooth_between_samples() {
        let plan = plan();
        let (mut at, mut velocities) = ([0.0; 2], [0.0; 2]);
        // The slope of a parabola through samples of a cubic has an error of a sixth of the third derivative times the
        // squared step. At the ends the slope is exact.
        let slack = 12.0 / DURATION.powi(3) / 6.0 * TIME_STEP.powi(2);
        for step in 0..=1040 {
            let time = f64::from(step) * 0.0005;
            plan.at(time, &mut at, &mut velocities);
            let share = time / DURATION;
            let speed = 6.0 * share * (1.0 - share) / DURATION;
            assert!((at[0] - cubic(share)).abs() < slack * TIME_STEP, "{time}: {at:?}");
            assert!((velocities[0] - speed).abs() < 2.0 * slack, "{time}: {velocities:?} {speed}");
            assert!((at[1] - (1.0 - 2.0 * at[0])).abs() < 1e-12, "{time}: {at:?}");
            assert!((velocities[1] + 2.0 * velocities[0]).abs() < 1e-9, "{time}: {velocities:?}");
        }
    }

    #[test]
    fn a_plan_is_at_rest_at_its_ends() {
        let plan = plan();
        assert_eq!(plan.duration(), DURATION);
        let (mut at, mut velocities) = ([9.0; 2], [9.0; 2]);
        for (time, expected) in [(-1.0, [0.0, 1.0]), (0.0, [0.0, 1.0]), (DURATION, [1.0, -1.0]), (7.0, [1.0, -1.0])] {
            plan.at(time, &mut at, &mut velocities);
            assert!(
                at.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12),
                "{time}: {at:?}"
            );
            assert_eq!(velocities, [0.0; 2], "{time}");
        }
        Plan::new(&[0.5, 0.5]).at(0.1, &mut at, &mut velocities);
        assert_eq!((at, velocities), ([0.5; 2], [0.0; 2]));
    }
}
