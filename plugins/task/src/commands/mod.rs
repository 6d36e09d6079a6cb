//! What commands there are, and what they take.

mod bind;
mod signature;

pub use bind::{BindError, Binding, bind};
pub use signature::{COMMANDS, CommandKind, Formal, FormalKind, Signature, find};
