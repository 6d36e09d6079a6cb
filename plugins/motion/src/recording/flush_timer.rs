use std::time::{Duration, Instant};

/// Decides when waiting frames must be written to the disk.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlushTimer {
    interval: Duration,
    last_flush: Instant,
}

impl FlushTimer {
    pub(super) fn new(interval: Duration, now: Instant) -> Self {
        Self { interval, last_flush: now }
    }

    /// Whether the interval since the last flush is over. If it is called for every frame at a steady pace, no frame
    /// waits longer than the interval: the first frame after a flush comes one pace after it.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.last_flush) >= self.interval
    }

    pub(super) fn flushed(&mut self, now: Instant) {
        self.last_flush = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longest wait of a frame in milliseconds, for one frame every `pace` milliseconds.
    fn longest_wait(interval: u64, pace: u64) -> u64 {
        let start = Instant::now();
        let mut timer = FlushTimer::new(Duration::from_millis(interval), start);
        let (mut waiting_since, mut longest) = (None, 0);
        for time in (1..2000).map(|frame| frame * pace) {
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
            let wait = longest_wait(1000, pace);
            // Flushes must not be due too early, either.
            assert!(wait <= 1000 && wait + 2 * pace > 1000, "{pace}: {wait}");
        }
    }

    #[test]
    fn extreme_intervals_are_always_and_never() {
        let now = Instant::now();
        assert!(FlushTimer::new(Duration::ZERO, now).is_due(now));
        assert!(!FlushTimer::new(Duration::MAX, now).is_due(now + Duration::from_secs(1 << 20)));
    }
}
