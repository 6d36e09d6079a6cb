//! Many rays at once.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::thread;

use crate::scene::{Caster, Hit, Ray, Reach, Scene};

/// Rays that a thread takes at a time: some tenths of a millisecond.
const CHUNK: usize = 2048;

/// How many threads cast the rays of a batch. Results do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(NonZeroUsize);

impl Threads {
    /// One.
    pub const ONE: Self = Self(NonZeroUsize::MIN);

    /// That many, at least one.
    pub fn new(count: usize) -> Self {
        Self(NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN))
    }

    /// One for each core.
    pub fn available() -> Self {
        Self(thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}

impl Default for Threads {
    fn default() -> Self {
        Self::available()
    }
}

impl Scene {
    /// What each of the rays meets; the very same as casting them one by one.
    pub fn cast_all(&self, rays: &[Ray], reach: Reach, threads: Threads) -> Vec<Option<Hit>> {
        let mut hits = vec![None; rays.len()];
        self.fill(&mut hits, threads, |caster, index| rays.get(index).and_then(|ray| caster.cast(ray, reach)));
        hits
    }

    /// Sets every entry of `values` to what `make` says for its index, in several threads where that pays.
    pub fn fill<T: Send>(&self, values: &mut [T], threads: Threads, make: impl Fn(&mut Caster<'_>, usize) -> T + Sync) {
        let fill = |caster: &mut Caster<'_>, first: usize, values: &mut [T]| {
            for (offset, value) in values.iter_mut().enumerate() {
                *value = make(caster, first + offset);
            }
        };
        let workers = threads.0.get().min(values.len().div_ceil(CHUNK));
        if workers <= 1 {
            fill(&mut self.caster(), 0, values);
            return;
        }
        let chunks = Mutex::new(values.chunks_mut(CHUNK).enumerate());
        let work = || {
            let mut caster = self.caster();
            loop {
                let next = chunks.lock().map_or(None, |mut chunks| chunks.next());
                let Some((index, chunk)) = next else { break };
                fill(&mut caster, index * CHUNK, chunk);
            }
        };
        thread::scope(|scope| {
            // One that cannot be started leaves its share to the others.
            for _ in 1..workers {
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
    }
}
