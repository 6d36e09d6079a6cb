//! Controllers that are programs of their own: a child process gets the state of a body and returns commands for its
//! joints, once a control period, over its standard input and output.
//!
//! The exchange is in lockstep: the step waits for the reply, and no reply depends on the wall clock. A program whose
//! replies depend on its messages alone therefore gives the same run each time.

mod child;
mod component;
mod description;
mod layout;
mod settings;

pub use component::{ProcessController, ProcessState};
pub use settings::{ControllerProcess, ProcessLayout, ProcessOutput};

pub(crate) use component::control;
