//! The last resort: a panic ends a run, not the program.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Mutex, PoisonError};

/// Does `work`. A panic in it is not printed, wherever it is caught; one that nobody catches is given as its text.
pub fn guard<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let last = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&last);
    let hook = take_hook();
    set_hook(Box::new(move |panic| {
        *seen.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string().replace('\n', " ");
    }));
    let result = catch_unwind(AssertUnwindSafe(work));
    set_hook(hook);
    result.map_err(|_| std::mem::take(&mut *last.lock().unwrap_or_else(PoisonError::into_inner)))
}
