//! Ctrl-C and other termination signals. The first signal ends the run and completes its recordings. A second one, sent
//! because a step does not end, ends the process immediately.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bevy::prelude::*;
use bunraku::simulation::{SimulationClock, SimulationFault, SimulationStatus};
use signal_hook::consts::{SIGINT, SIGTERM};

/// Makes a write that exceeds the file size limit of the system (`ulimit -f`) fail like any other, with a message. By
/// default SIGXFSZ ends the process without one.
pub fn survive_file_size_limit() {
    #[cfg(unix)]
    {
        // Handling the signal is enough: the write then fails with EFBIG. If the handler cannot be installed, the
        // default behaviour remains.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    }
}

/// The failure in the summary of a run that was interrupted.
pub const INTERRUPTED: &str = "interrupted";

/// A second signal this soon after the first is part of the same request: some senders send it twice.
const SAME_WISH: Duration = Duration::from_secs(1);

/// The last signal that requested the end of the run, or 0.
#[derive(Resource, Clone, Debug, Default)]
pub struct Interrupts(Arc<AtomicUsize>);

impl Interrupts {
    /// Records signals from now on. Signals that the process ignores, as SIGHUP under `nohup`, stay ignored.
    pub fn watch() -> Self {
        let interrupts = Self::default();
        let is_late = interrupts.note_when_late(SAME_WISH);
        #[cfg(unix)]
        let signals = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
        #[cfg(not(unix))]
        let signals = [SIGINT, SIGTERM];
        for signal in signals {
            if let (false, Ok(number)) = (is_ignored(signal), usize::try_from(signal)) {
                let _ = signal_hook::flag::register_conditional_default(signal, Arc::clone(&is_late));
                // If this fails, the signal ends the process as it does by default.
                let _ = signal_hook::flag::register_usize(signal, Arc::clone(&interrupts.0), number);
            }
        }
        interrupts
    }

    /// A flag that is set `after` this time since the first signal.
    fn note_when_late(&self, after: Duration) -> Arc<AtomicBool> {
        let is_late = Arc::new(AtomicBool::new(false));
        let (asked, noted) = (Arc::downgrade(&self.0), Arc::clone(&is_late));
        // Without the thread a second signal is handled like the first.
        let _ = std::thread::Builder::new().name("interrupts".to_owned()).spawn(move || {
            while asked.upgrade().is_some_and(|asked| asked.load(Ordering::Relaxed) == 0) {
                std::thread::sleep(after / 10);
            }
            std::thread::sleep(after);
            noted.store(true, Ordering::Relaxed);
        });
        is_late
    }

    /// The exit code for the signal that was received; `None` if there was none.
    pub fn exit_code(&self) -> Option<u8> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => u8::try_from(128 + signal).ok(),
        }
    }
}

/// Whether this process was started with the signal ignored, as far as the operating system can tell.
fn is_ignored(signal: i32) -> bool {
    let ignored = || {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
        Some(mask & (1 << (signal - 1)) != 0)
    };
    ignored().unwrap_or(false)
}

/// Ends the run, also a paused one, after the update in which a signal came: a twentieth of a second of steps, or one
/// longer step.
pub fn stop(interrupts: Res<Interrupts>, clock: Res<SimulationClock>, mut status: ResMut<SimulationStatus>) {
    let goes_on = matches!(*status, SimulationStatus::Ready | SimulationStatus::Running);
    if interrupts.exit_code().is_some() && goes_on {
        *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message: INTERRUPTED.to_owned() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_late_some_time_after_the_first() {
        let interrupts = Interrupts::default();
        let is_late = interrupts.note_when_late(Duration::from_millis(50));
        std::thread::sleep(Duration::from_millis(300));
        assert!(!is_late.load(Ordering::Relaxed), "nobody has asked");
        interrupts.0.store(2, Ordering::Relaxed);
        assert!(!is_late.load(Ordering::Relaxed), "just now");
        while !is_late.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
