//! Measurement of memory allocations.

/// The allocations of a thread during a piece of code.
#[derive(Clone, Copy, Debug)]
pub struct Allocations {
    /// Maximum number of bytes allocated at the same time, beyond those before.
    pub peak: usize,
    /// Number of allocations.
    pub count: usize,
}

/// Runs `work` and counts its allocations on this thread, so that concurrent tests do not interfere.
pub fn allocations<T>(work: impl FnOnce() -> T) -> (Allocations, T) {
    let mut result = None;
    let counted = allocation_counter::measure(|| result = Some(work()));
    let size = |number: u64| usize::try_from(number).expect("a size of memory");
    (Allocations { peak: size(counted.bytes_max), count: size(counted.count_total) }, result.expect("it ran"))
}

#[cfg(test)]
mod tests {
    use super::allocations;

    #[test]
    fn the_peak_is_counted_on_this_thread_alone() {
        let (found, _) = allocations(|| {
            drop(std::hint::black_box(vec![0_u8; 1000]));
            std::hint::black_box(vec![0_u8; 300])
        });
        assert_eq!((found.peak, found.count), (1000, 2));
        let other = std::thread::spawn(|| std::hint::black_box(vec![0_u8; 1 << 20]));
        let (found, _) = allocations(|| std::thread::sleep(std::time::Duration::from_millis(1)));
        assert!(found.peak < 1 << 20);
        other.join().unwrap();
    }
}
