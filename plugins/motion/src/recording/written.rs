//! What is written of a recording, by whichever thread has the time.
//!
//! To make text of a frame of a humanoid takes a tenth of what its simulation step does. A thread that all recorders share does it while the next
//! steps are made; where it falls behind, or cannot be had, the thread that records does it itself.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;

use super::partial::PartialFile;

/// A partial file, and frames that are to be written to it.
#[derive(Debug)]
pub(super) struct Written {
    pub partial: PartialFile,
    handed_over: Vec<f64>,
    /// Of the thread behind, which has nobody to tell.
    failure: Option<io::Error>,
}

impl Written {
    pub fn new(partial: PartialFile) -> Self {
        Self { partial, handed_over: Vec::new(), failure: None }
    }

    /// Takes frames over, to be written soon, and leaves none.
    pub fn take(&mut self, gathered: &mut Vec<f64>) -> io::Result<()> {
        self.write()?;
        std::mem::swap(&mut self.handed_over, gathered);
        Ok(())
    }

    /// Writes all there is.
    pub fn settle(&mut self, gathered: &mut Vec<f64>) -> io::Result<()> {
        self.take(gathered)?;
        self.write()
    }

    /// Hands the frames that were taken over to the operating system, if that is not done yet.
    fn write(&mut self) -> io::Result<()> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let Self { partial, handed_over, .. } = self;
        let numbers = partial.layout().numbers_per_frame();
        let result = handed_over.chunks(numbers).try_for_each(|frame| partial.push(frame));
        handed_over.clear();
        result.and_then(|()| partial.flush())
    }
}

type Recording = Arc<Mutex<Written>>;

/// Has what was handed over written by the thread behind.
pub(super) fn write_behind(written: &Recording) {
    static BEHIND: LazyLock<Option<Sender<Recording>>> = LazyLock::new(|| {
        let (sender, receiver) = channel::<Recording>();
        let work = move || {
            for written in receiver {
                let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
                if written.failure.is_none() {
                    written.failure = written.write().err();
                }
            }
        };
        // Without it each recorder finds its frames still there when it has more.
        thread::Builder::new().name("recordings".to_owned()).spawn(work).ok().map(|_| sender)
    });
    if let Some(behind) = &*BEHIND {
        // It never ends.
        let _ = behind.send(Arc::clone(written));
    }
}
