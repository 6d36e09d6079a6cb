use std::time::{Duration, Instant};

/// Knows when what waits in memory should go to the disk.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlushTimer {
    interval: Duration,
    last_flush: Instant,
    last_question: Instant,
}

impl FlushTimer {
    pub(super) fn new(interval: Duration, now: Instant) -> Self {
        Self { interval, last_flush: now, last_question: now }
    }

    /// Whether the interval since the last flush is over, or will be before the question comes again if it goes on
    /// coming at this pace.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let pace = now.saturating_duration_since(self.last_question);
        self.last_question = now;
        now.saturating_duration_since(self.last_flush).saturating_add(pace) >= self.interval
    }

    pub(super) fn flushed(&mut self, now: Instant) {
        self.last_flush = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longest time in milliseconds that anything waits if the question comes every `pace` milliseconds.
    fn longest_wait(interval: u64, pace: u64) -> u64 {
        let start = Instant::now();
        let mut timer = FlushTimer::new(Duration::from_millis(interval), start);
        let (mut waiting_since, mut longest) = (None, 0);
        for time in (1..200).map(|question| question * pace) {
            let now = start + Duration::from_millis(time);
            let since = *waiting_since.get_or_insert(time);
            longest = longest.max(time - since);
            if timer.is_due(now) {
                timer.flushed(now);
                waiting_since = None;
            }
        }
        longest
    }

    #[test]
    fn nothing_waits_longer_than_the_interval_while_frames_come() {
        for pace in [1, 2, 7, 100, 400, 499, 500, 501, 800, 999, 1000, 1500, 10_000] {
            assert!(longest_wait(1000, pace) <= 1000, "{pace}: {}", longest_wait(1000, pace));
        }
        // It is not that everything is due at once.
        assert!(longest_wait(1000, 100) >= 800);
    }

    #[test]
    fn extreme_intervals_are_always_and_never() {
        let now = Instant::now();
        assert!(FlushTimer::new(Duration::ZERO, now).is_due(now));
        assert!(!FlushTimer::new(Duration::MAX, now).is_due(now + Duration::from_secs(1 << 20)));
    }
}
