//! Playback position in a motion.

/// Playback position that moves with a clock: play, pause, seek, speed, reverse, loop.
///
/// Times of the motion are in seconds, as in its frames; the clock is that of the caller. Without any change of state
/// the position follows the clock's own time, without accumulated rounding.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct Playback {
    start: f64,
    end: f64,
    position: f64,
    speed: f64,
    looping: bool,
    state: PlaybackState,
    /// Clock time and position at the last change of state; since then the position has followed the clock.
    anchor: Option<(f64, f64)>,
}

/// State of a playback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub enum PlaybackState {
    /// The position advances with every step.
    Playing,
    /// The position does not change until it is played.
    Paused,
    /// The position is at the end, or in reverse at the start. Playing begins anew.
    Ended,
}

/// Tolerance of the end, s: a simulation step that should reach the end may miss it by rounding.
const END_TOLERANCE: f64 = 1e-9;

/// Result of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaybackStep {
    /// The motion ended in this step. A looping one has begun again.
    pub ended: bool,
    /// The position is not the previous one plus the elapsed time, because the motion began again.
    pub jumped: bool,
}

impl Playback {
    /// Playback of a motion from `start` to `end` (s), from its start, at normal speed, once.
    pub fn new(start: f64, end: f64) -> Self {
        let end = end.max(start);
        Self { start, end, position: start, speed: 1.0, looping: false, state: PlaybackState::Playing, anchor: None }
    }

    /// Current time of the motion, s, from its start to its end.
    pub fn position(&self) -> f64 {
        self.position
    }

    /// State of the playback.
    pub fn state(&self) -> PlaybackState {
        self.state
    }

    /// Speed as a multiple of the clock's; negative in reverse.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Whether it begins again at its end.
    pub fn is_looping(&self) -> bool {
        self.looping
    }

    /// Resumes; from the start (in reverse: from the end) if the motion has ended.
    pub fn play(&mut self) {
        if self.state == PlaybackState::Ended {
            self.position = if self.speed < 0.0 { self.end } else { self.start };
        }
        self.state = PlaybackState::Playing;
        self.anchor = None;
    }

    /// Pauses at the current position.
    pub fn pause(&mut self) {
        if self.state == PlaybackState::Playing {
            self.state = PlaybackState::Paused;
        }
        self.anchor = None;
    }

    /// Moves to a time of the motion (s), clamped to its ends. A playing motion continues from there; a paused or ended
    /// one is paused there. NaN is ignored.
    pub fn seek(&mut self, time: f64) {
        if time.is_nan() {
            return;
        }
        self.position = time.clamp(self.start, self.end);
        if self.state == PlaybackState::Ended {
            self.state = PlaybackState::Paused;
        }
        self.anchor = None;
    }

    /// Sets the speed; 0 stops the position without pausing. A speed that is not finite is ignored.
    pub fn set_speed(&mut self, speed: f64) {
        if speed.is_finite() {
            self.speed = speed;
            self.anchor = None;
        }
    }

    /// Sets whether it begins again at its end.
    pub fn set_looping(&mut self, looping: bool) {
        self.looping = looping;
    }

    /// Advances while the clock moves from `now` to `next` (s).
    pub fn advance(&mut self, now: f64, next: f64) -> PlaybackStep {
        if self.state != PlaybackState::Playing {
            return PlaybackStep::default();
        }
        let (clock, position) = *self.anchor.get_or_insert((now, self.position));
        let target = position + self.speed * (next - clock);
        let has_ended = if self.speed > 0.0 {
            target >= self.end - END_TOLERANCE
        } else {
            self.speed < 0.0 && target <= self.start + END_TOLERANCE
        };
        if !has_ended {
            self.position = target;
            return PlaybackStep::default();
        }
        let length = self.end - self.start;
        self.anchor = None;
        if self.looping && length > 0.0 {
            self.position = self.start + (target - self.start).rem_euclid(length);
            return PlaybackStep { ended: true, jumped: true };
        }
        self.position = if self.speed > 0.0 { self.end } else { self.start };
        self.state = PlaybackState::Ended;
        PlaybackStep { ended: true, jumped: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions after steps of 0.25 s, starting at `clock`.
    fn positions(playback: &mut Playback, clock: &mut f64, steps: usize) -> Vec<f64> {
        let step = |_| {
            playback.advance(*clock, *clock + 0.25);
            *clock += 0.25;
            playback.position()
        };
        (0..steps).map(step).collect()
    }

    #[test]
    fn it_stops_at_its_end() {
        let (mut playback, mut clock) = (Playback::new(1.0, 1.6), 0.0);
        assert_eq!(positions(&mut playback, &mut clock, 4), [1.25, 1.5, 1.6, 1.6]);
        assert_eq!(playback.state(), PlaybackState::Ended);
        playback.play();
        assert_eq!(positions(&mut playback, &mut clock, 2), [1.25, 1.5]);
        let ends = (0..3).filter(|_| playback.advance(clock, clock + 0.25).ended).count();
        assert_eq!(ends, 1);
    }

    #[test]
    fn it_ends_with_the_step_that_meets_its_end() {
        let mut playback = Playback::new(0.0, 0.5);
        assert!(playback.advance(0.0, 0.5 - 1e-12).ended);
        assert_eq!((playback.position(), playback.state()), (0.5, PlaybackState::Ended));
        assert!(!playback.advance(0.5, 0.75).ended);
    }

    #[test]
    fn seek_while_paused_stays_paused() {
        let (mut playback, mut clock) = (Playback::new(0.0, 10.0), 0.0);
        positions(&mut playback, &mut clock, 1);
        playback.pause();
        playback.seek(4.0);
        assert_eq!(positions(&mut playback, &mut clock, 3), [4.0; 3]);
        assert_eq!(playback.state(), PlaybackState::Paused);
        playback.play();
        assert_eq!(positions(&mut playback, &mut clock, 2), [4.25, 4.5]);
        playback.seek(1.0);
        assert_eq!(positions(&mut playback, &mut clock, 1), [1.25]);
        playback.seek(99.0);
        assert_eq!((positions(&mut playback, &mut clock, 1), playback.state()), (vec![10.0], PlaybackState::Ended));
        playback.seek(f64::NAN);
        playback.seek(2.0);
        assert_eq!((positions(&mut playback, &mut clock, 1), playback.state()), (vec![2.0], PlaybackState::Paused));
    }

    #[test]
    fn speed_may_be_any_and_backward() {
        let (mut playback, mut clock) = (Playback::new(0.0, 1.0), 0.0);
        playback.set_speed(2.0);
        assert_eq!(positions(&mut playback, &mut clock, 1), [0.5]);
        playback.set_speed(-1.0);
        assert_eq!(positions(&mut playback, &mut clock, 3), [0.25, 0.0, 0.0]);
        assert_eq!(playback.state(), PlaybackState::Ended);
        playback.play();
        assert_eq!(positions(&mut playback, &mut clock, 1), [0.75]);
        playback.set_speed(0.0);
        playback.set_speed(f64::NAN);
        assert_eq!(positions(&mut playback, &mut clock, 1), [0.75]);
        assert_eq!((playback.state(), playback.speed()), (PlaybackState::Playing, 0.0));
    }

    #[test]
    fn it_begins_again_in_both_directions() {
        let (mut playback, mut clock) = (Playback::new(1.0, 1.6), 0.0);
        playback.set_looping(true);
        let near = |found: Vec<f64>, expected: &[f64]| {
            assert_eq!(found.len(), expected.len());
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        };
        near(positions(&mut playback, &mut clock, 5), &[1.25, 1.5, 1.15, 1.4, 1.05]);
        playback.set_speed(-1.0);
        near(positions(&mut playback, &mut clock, 2), &[1.4, 1.15]);
        // One step is longer than the whole motion.
        playback.set_speed(10.0);
        near(positions(&mut playback, &mut clock, 1), &[1.25]);
        let mut still = Playback::new(2.0, 2.0);
        still.set_looping(true);
        assert!(still.advance(0.0, 0.1).ended && still.position() == 2.0);
    }

    #[test]
    fn a_full_turn_is_the_identity() {
        let mut playback = Playback::new(0.0, 0.5);
        playback.set_looping(true);
        assert_eq!(
            (playback.advance(0.0, 0.5), playback.position()),
            (PlaybackStep { ended: true, jumped: true }, 0.0)
        );
    }

    #[test]
    fn small_steps_do_not_add_up_rounding() {
        let mut playback = Playback::new(0.0, 1000.0);
        for step in 0..100_000 {
            playback.advance(f64::from(step) * 0.001, f64::from(step + 1) * 0.001);
            assert_eq!(playback.position(), f64::from(step + 1) * 0.001);
        }
    }
}
