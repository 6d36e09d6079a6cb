/// Selects the steps of a simulation that are recorded: every n-th step from the first recorded one on.
#[derive(Clone, Copy, Debug)]
pub struct FrameSteps {
    steps_per_frame: u64,
    /// The step of the last frame; `None` before the first.
    last: Option<u64>,
}

impl FrameSteps {
    /// One frame every `steps_per_frame` steps, at least 1.
    pub fn every(steps_per_frame: u64) -> Self {
        Self { steps_per_frame: steps_per_frame.max(1), last: None }
    }

    /// Whether `step` must be recorded; it then counts as recorded.
    pub fn take(&mut self, step: u64) -> bool {
        let is_due = step.is_multiple_of(self.steps_per_frame);
        if is_due {
            self.last = Some(step);
        }
        is_due
    }

    /// Discards the frames of steps after `step`. Returns how many of `recorded` frames are left; `None` if all are.
    pub fn rewind(&mut self, step: u64, recorded: usize) -> Option<usize> {
        let last = self.last?;
        let step = step / self.steps_per_frame * self.steps_per_frame;
        if step >= last {
            return None;
        }
        let surplus = usize::try_from((last - step) / self.steps_per_frame).unwrap_or(usize::MAX);
        let left = recorded.saturating_sub(surplus);
        self.last = (left > 0).then_some(step);
        Some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_later_steps_are_discarded() {
        let mut frames = FrameSteps::every(4);
        let recorded = (3..=21).filter(|&step| frames.take(step)).count();
        assert_eq!(recorded, 5, "of the steps 4, 8, 12, 16 and 20");
        assert_eq!(frames.rewind(21, recorded), None);
        assert_eq!(frames.rewind(20, recorded), None);
        assert_eq!(frames.rewind(15, recorded), Some(3));
        assert_eq!(frames.rewind(15, 3), None);
        assert_eq!(frames.rewind(3, 3), Some(0), "the first frame is of a later step");
        assert_eq!(frames.rewind(0, 0), None);
    }

    #[test]
    fn an_empty_recording_can_be_rewound() {
        assert_eq!(FrameSteps::every(0).rewind(7, 0), None);
    }
}
