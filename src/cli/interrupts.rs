//! Ctrl-C and its kin: a run that is told to stop ends its recordings.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bevy::prelude::*;
use bunraku::simulation::{SimulationClock, SimulationFault, SimulationStatus};
use signal_hook::consts::{SIGINT, SIGTERM};

/// What a summary says of a run that was told to stop.
pub const INTERRUPTED: &str = "interrupted";

/// The last signal that asked the run to stop, or 0.
#[derive(Resource, Clone, Debug, Default)]
pub struct Interrupts(Arc<AtomicUsize>);

impl Interrupts {
    /// Takes note of signals from now on. Those that are ignored, as SIGHUP is under `nohup`, stay so.
    pub fn watch() -> Self {
        let interrupts = Self::default();
        #[cfg(unix)]
        let signals = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
        #[cfg(not(unix))]
        let signals = [SIGINT, SIGTERM];
        for signal in signals {
            if let (false, Ok(number)) = (is_ignored(signal), usize::try_from(signal)) {
                // Where it fails, the signal ends the process, as if nobody had asked.
                let _ = signal_hook::flag::register_usize(signal, Arc::clone(&interrupts.0), number);
            }
        }
        interrupts
    }

    /// The exit code of a process that ends by the signal that came; `None` if none did.
    pub fn exit_code(&self) -> Option<u8> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => u8::try_from(128 + signal).ok(),
        }
    }
}

/// Whether this process was started to ignore a signal, as far as the system tells.
fn is_ignored(signal: i32) -> bool {
    let ignored = || {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
        Some(mask & (1 << (signal - 1)) != 0)
    };
    ignored().unwrap_or(false)
}

/// Ends the run after the step in which a signal came, or while it is paused.
pub fn stop(interrupts: Res<Interrupts>, clock: Res<SimulationClock>, mut status: ResMut<SimulationStatus>) {
    let goes_on = matches!(*status, SimulationStatus::Ready | SimulationStatus::Running);
    if interrupts.exit_code().is_some() && goes_on {
        *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message: INTERRUPTED.to_owned() });
    }
}
