//! Moments that are marked on the time line.

use std::collections::BTreeSet;

use bevy::prelude::*;

/// Largest number of marks of a kind; of more, every other one is left out.
const MOST: usize = 2000;

/// Steps that are marked on the time line.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    /// Steps in which two bodies began to touch.
    pub touches: Vec<u64>,
    /// First and last steps of recordings that were switched on by hand.
    pub recorded: Vec<[u64; 2]>,
    /// Pairs of bodies that touched in the last step; unknown at the start and after a rewind.
    touching: Option<BTreeSet<[Entity; 2]>>,
    was_recording: bool,
}

impl Moments {
    pub(crate) fn touch(&mut self, step: u64, touching: BTreeSet<[Entity; 2]>) {
        let begins = self.touching.as_ref().is_some_and(|before| !touching.is_subset(before));
        if begins {
            self.touches.push(step);
        }
        if self.touches.len() > MOST {
            let mut is_kept = false;
            self.touches.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
        }
        self.touching = Some(touching);
    }

    pub(crate) fn record(&mut self, step: u64, is_recording: bool) {
        match self.recorded.last_mut().filter(|_| self.was_recording) {
            Some(last) if is_recording => last[1] = step,
            _ if is_recording => self.recorded.push([step, step]),
            _ => {}
        }
        self.was_recording = is_recording;
    }

    pub(crate) fn forget_after(&mut self, step: u64) {
        self.touches.retain(|touch| *touch <= step);
        self.recorded.retain(|[from, _]| *from <= step);
        self.recorded.iter_mut().for_each(|[_, to]| *to = step.min(*to));
        self.touching = None;
        self.was_recording = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(numbers: &[u32]) -> BTreeSet<[Entity; 2]> {
        let entity = |number: u32| Entity::from_raw_u32(number).expect("an entity");
        numbers.iter().map(|number| [entity(0), entity(*number)]).collect()
    }

    #[test]
    fn touches_begin_and_recordings_last() {
        let mut moments = Moments::default();
        for (step, touching) in [(0, &[1][..]), (1, &[1]), (2, &[1, 2]), (3, &[2]), (4, &[1, 2])] {
            moments.touch(step, pairs(touching));
            moments.record(step, (1..=3).contains(&step));
        }
        assert_eq!(moments.touches, [2, 4], "those at the start are no news");
        assert_eq!(moments.recorded, [[1, 3]]);
        moments.forget_after(2);
        assert_eq!((&moments.touches[..], &moments.recorded[..]), (&[2][..], &[[1, 2]][..]));
        moments.touch(3, pairs(&[1, 2]));
        assert_eq!(moments.touches, [2], "they touch already");
    }

    #[test]
    fn there_are_never_too_many() {
        let mut moments = Moments::default();
        for step in 0..20_000 {
            moments.touch(step, pairs(if step % 2 == 0 { &[] } else { &[1] }));
        }
        assert!(moments.touches.len() <= MOST && moments.touches.len() > MOST / 4, "{}", moments.touches.len());
    }
}
