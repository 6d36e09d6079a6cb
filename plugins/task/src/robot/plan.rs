/// Time between samples of a plan, s, as in the original.
pub const TIME_STEP: f64 = 0.05;

/// Where the joints are to be from now on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Times of the samples since the command began, s: increasing, without 0, the last the duration.
    times: Vec<f64>,
    /// Displacements of all joints, rad or m, sample after sample.
    displacements: Vec<f64>,
    num_joints: usize,
}

impl Plan {
    pub(super) fn new(num_joints: usize) -> Self {
        Self { num_joints, ..Self::default() }
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
        let first = index.checked_mul(self.num_joints)?;
        Some((*self.times.get(index)?, self.displacements.get(first..first + self.num_joints)?))
    }
}

/// The times of the samples of a move: every step, the last at its end.
pub(super) fn sample_times(duration: f64) -> impl Iterator<Item = f64> {
    let steps = (duration / TIME_STEP - 1e-9).ceil().max(1.0) as usize;
    (1..=steps).map(move |step| if step == steps { duration } else { step as f64 * TIME_STEP })
}

/// The share of a way that is behind at a share of the time: a cubic that begins and ends at rest.
pub(super) fn cubic(share: f64) -> f64 {
    share * share * (3.0 - 2.0 * share)
}
