//! Where a motion is being played, and how it goes on.

/// A time in a motion that moves with the clock: plays, pauses, jumps, goes slower or backward, begins again.
///
/// Times of the motion are seconds, as in its frames; the clock is that of whoever plays it. A playback that is never
/// touched is at the clock's own time, without the rounding of many small steps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct Playback {
    start: f64,
    end: f64,
    position: f64,
    speed: f64,
    looping: bool,
    state: PlaybackState,
    /// Time of the clock and position since when nothing but time has changed the position.
    anchor: Option<(f64, f64)>,
}

/// Whether a motion is being played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub enum PlaybackState {
    /// It goes on with every step.
    Playing,
    /// It stays where it is until it is told to play.
    Paused,
    /// It has come to its end, or playing backward to its start, and stays there; played again, it begins anew.
    Ended,
}

/// How near to its end, s, a motion has ended: a step of a simulation that should meet the end may miss it by rounding.
const END_TOLERANCE: f64 = 1e-9;

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaybackStep {
    /// The motion ended in this step. A looping one began again at once.
    pub ended: bool,
    /// The position is not the one before plus what time has passed: the motion began again.
    pub jumped: bool,
}

impl Playback {
    /// Plays a motion from `start` to `end` (s), from its start on, at its own speed, once.
    pub fn new(start: f64, end: f64) -> Self {
        let end = end.max(start);
        Self { start, end, position: start, speed: 1.0, looping: false, state: PlaybackState::Playing, anchor: None }
    }

    /// Time of the motion now, s, from its start to its end.
    pub fn position(&self) -> f64 {
        self.position
    }

    /// Whether it plays.
    pub fn state(&self) -> PlaybackState {
        self.state
    }

    /// Seconds of the motion in a second of the clock; negative: backward.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Whether it begins again at its end.
    pub fn is_looping(&self) -> bool {
        self.looping
    }

    /// Goes on; from the start (backward: from the end) if the motion had ended.
    pub fn play(&mut self) {
        if self.state == PlaybackState::Ended {
            self.position = if self.speed < 0.0 { self.end } else { self.start };
        }
        self.state = PlaybackState::Playing;
        self.anchor = None;
    }

    /// Stays where it is.
    pub fn pause(&mut self) {
        if self.state == PlaybackState::Playing {
            self.state = PlaybackState::Paused;
        }
        self.anchor = None;
    }

    /// Jumps to a time of the motion (s), or to the nearer end of it. What plays goes on from there; what is paused
    /// or has ended is paused there. A time that is not a number is ignored.
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

    /// Goes on at another speed; 0 stands still without being paused. A speed that is not finite is ignored.
    pub fn set_speed(&mut self, speed: f64) {
        if speed.is_finite() {
            self.speed = speed;
            self.anchor = None;
        }
    }

    /// Whether to begin again at the end.
    pub fn set_looping(&mut self, looping: bool) {
        self.looping = looping;
    }

    /// Moves on while the clock goes from `now` to `next` (s).
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

    /// Steps of 0.25 s from `clock` on; gives the positions.
    fn positions(playback: &mut Playback, clock: &mut f64, steps: usize) -> Vec<f64> {
        let step = |_| {
            playback.advance(*clock, *clock + 0.25);
            *clock += 0.25;
            playback.position()
        };
        (0..steps).map(step).collect()
    }

    #[test]
    fn it_ends_and_stays() {
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
        // Longer than the whole motion in one step.
        playback.set_speed(10.0);
        near(positions(&mut playback, &mut clock, 1), &[1.25]);
        let mut still = Playback::new(2.0, 2.0);
        still.set_looping(true);
        assert!(still.advance(0.0, 0.1).ended && still.position() == 2.0);
    }

    #[test]
    fn a_whole_round_is_where_it_began() {
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
