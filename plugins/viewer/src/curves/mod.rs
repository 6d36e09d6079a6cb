//! Logged quantities of joints and sensors, for plots.

mod channel;
mod log;
mod numbers;
mod overlay;
mod record;
mod table;

pub use channel::{Channel, Quantity};
pub use log::CurveLog;
pub use numbers::numbers_of;
pub use overlay::Overlay;
pub use record::{record_curves, rewind_curves};
pub use table::{Curve, CurveSource, write_table};
