//! Logged quantities of joints and sensors, for plots.

mod channel;
mod log;
mod numbers;
mod record;
mod table;

pub use channel::{Channel, Quantity};
pub use log::CurveLog;
pub use numbers::numbers_of;
pub use record::{record_curves, rewind_curves};
pub use table::{Curve, write_table};
