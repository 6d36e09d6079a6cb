//! Stored moments of a run, limited in number.

/// Moments of a run by step; the first one is always kept.
///
/// When it is full, every other moment is removed, and further moments are stored at twice the interval. The whole run
/// is thus covered, whatever its length.
#[derive(Clone, Debug)]
pub struct History<T> {
    moments: Vec<(u64, T)>,
    capacity: usize,
    /// Minimum number of steps between two moments.
    interval: u64,
}

impl<T> History<T> {
    /// An empty history for at most `capacity` moments, at least 2.
    pub fn new(capacity: usize) -> Self {
        Self { moments: Vec::new(), capacity: capacity.max(2), interval: 1 }
    }

    /// Whether a moment at this step is far enough from the last one to be stored.
    pub fn wants(&self, step: u64) -> bool {
        self.moments.last().is_none_or(|(last, _)| step >= last.saturating_add(self.interval))
    }

    /// Adds a moment after all others; one at the step of the last replaces it.
    pub fn push(&mut self, step: u64, moment: T) {
        self.forget_from(step);
        if self.moments.len() >= self.capacity {
            let mut index = 0;
            self.moments.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.interval = self.interval.saturating_mul(2);
        }
        self.moments.push((step, moment));
    }

    /// Removes moments at `step` or later.
    pub fn forget_from(&mut self, step: u64) {
        self.moments.truncate(self.moments.partition_point(|(known, _)| *known < step));
    }

    /// Removes all moments.
    pub fn clear(&mut self) {
        self.moments.clear();
        self.interval = 1;
    }

    /// The last moment at or before a step, or else the first.
    pub fn at(&self, step: u64) -> Option<(u64, &T)> {
        let index = self.moments.partition_point(|(known, _)| *known <= step).saturating_sub(1);
        self.moments.get(index).map(|(step, moment)| (*step, moment))
    }

    /// Step of the last moment.
    pub fn last_step(&self) -> Option<u64> {
        self.moments.last().map(|(step, _)| *step)
    }

    /// Number of moments.
    pub fn len(&self) -> usize {
        self.moments.len()
    }

    /// Whether there are no moments.
    pub fn is_empty(&self) -> bool {
        self.moments.is_empty()
    }

    /// All moments with their steps, earliest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &T)> {
        self.moments.iter().map(|(step, moment)| (*step, moment))
    }

    /// Sets the maximum number of moments; at least 2.
    pub fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity.max(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_history_spans_the_whole_run_at_a_coarser_interval() {
        let mut history = History::new(8);
        for step in 0..1000 {
            if history.wants(step) {
                history.push(step, step * 10);
            }
        }
        assert!(history.len() <= 8 && history.len() > 3, "{}", history.len());
        let steps: Vec<_> = history.iter().map(|(step, _)| step).collect();
        assert_eq!(steps[0], 0);
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(*steps.last().expect("not empty") > 500);
        assert_eq!(history.at(0), Some((0, &0)));
        let (step, moment) = history.at(700).expect("not empty");
        assert!(step <= 700 && *moment == step * 10);
    }

    #[test]
    fn continuing_from_an_earlier_time_removes_later_snapshots() {
        let mut history = History::new(100);
        for step in [0, 10, 20, 30] {
            history.push(step, step);
        }
        assert_eq!(history.at(25), Some((20, &20)));
        history.forget_from(21);
        assert_eq!(history.last_step(), Some(20));
        history.push(20, 99);
        assert_eq!((history.len(), history.at(20)), (3, Some((20, &99))));
        assert_eq!(history.at(5), Some((0, &0)));
        history.forget_from(0);
        assert!(history.is_empty() && history.at(3).is_none() && history.wants(0));
    }
}
