//! Writing of recordings on a shared thread.
//!
//! Formatting a frame of a humanoid takes a tenth of the time of its simulation step. A thread that all recorders share
//! does it during the next steps. If that thread is too slow or cannot be started, the recording thread does it itself.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;

use super::partial::PartialFile;

/// A partial file, and frames to be written to it.
#[derive(Debug)]
pub(super) struct Written {
    pub partial: PartialFile,
    handed_over: Vec<f64>,
    /// Error of the writing thread, to be returned by the next call.
    failure: Option<io::Error>,
}

impl Written {
    pub fn new(partial: PartialFile) -> Self {
        Self { partial, handed_over: Vec::new(), failure: None }
    }

    /// Takes over frames for writing and leaves `gathered` empty.
    pub fn take(&mut self, gathered: &mut Vec<f64>) -> io::Result<()> {
        self.write()?;
        std::mem::swap(&mut self.handed_over, gathered);
        Ok(())
    }

    /// Writes all frames.
    pub fn settle(&mut self, gathered: &mut Vec<f64>) -> io::Result<()> {
        self.take(gathered)?;
        self.write()
    }

    /// Writes the frames that were taken over, if there are any.
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

/// Requests that the writing thread writes the frames taken over.
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
        // Without the thread, each recorder finds its frames unwritten when it adds more.
        thread::Builder::new().name("recordings".to_owned()).spawn(work).ok().map(|_| sender)
    });
    if let Some(behind) = &*BEHIND {
        // The thread never ends.
        let _ = behind.send(Arc::clone(written));
    }
}
