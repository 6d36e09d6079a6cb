//! Casting of many rays at once.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::thread;

use crate::bvh::WIDTH;
use crate::scene::{Caster, Hit, Ray, Reach, Scene};

/// Number of rays that a thread takes at a time: some tenths of a millisecond.
const CHUNK: usize = 2048;

/// Number of threads for a batch of rays. Results do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(NonZeroUsize);

impl Threads {
    /// One thread.
    pub const ONE: Self = Self(NonZeroUsize::MIN);

    /// This number of threads, at least one.
    pub fn new(count: usize) -> Self {
        Self(NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN))
    }

    /// One thread for each core.
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
    /// Hits of the rays, identical to those of casting them one by one. Neighbouring rays with the same origin and
    /// similar directions are faster.
    pub fn cast_all(&self, rays: &[Ray], reach: Reach, threads: Threads) -> Vec<Option<Hit>> {
        let mut hits = vec![None; rays.len()];
        let ray = |index: usize| rays.get(index).map(|ray| (*ray, reach));
        self.fill(&mut hits, threads, ray, |_, _, hit| hit);
        hits
    }

    /// Casts the ray of each entry of `values`, and sets the entry to the result of `make` for its index and hit. Uses
    /// several threads if that is worthwhile.
    pub fn fill<T: Send>(
        &self,
        values: &mut [T],
        threads: Threads,
        ray: impl Fn(usize) -> Option<(Ray, Reach)> + Sync,
        make: impl Fn(&mut Caster<'_>, Option<(Ray, Reach)>, Option<Hit>) -> T + Sync,
    ) {
        let fill = |caster: &mut Caster<'_>, first: usize, values: &mut [T]| {
            for (packet, values) in values.chunks_mut(WIDTH).enumerate() {
                let (mut rays, mut hits) = ([None; WIDTH], [None; WIDTH]);
                for (offset, slot) in rays.iter_mut().take(values.len()).enumerate() {
                    *slot = ray(first + WIDTH * packet + offset);
                }
                caster.cast_some(&rays, &mut hits);
                for ((value, ray), hit) in values.iter_mut().zip(&rays).zip(&hits) {
                    *value = make(caster, *ray, *hit);
                }
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
            // If a thread cannot be started, the others do its work.
            for _ in 1..workers {
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
    }
}
