//! Available commands and their signatures.

mod bind;
mod signature;

pub use bind::{BindError, Binding, bind};
pub use signature::{COMMANDS, CommandKind, Formal, FormalKind, Signature, find};
