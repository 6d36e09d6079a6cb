//! Displayed data and requests of the window, as plain data: panels use them without an app.

mod angle;
mod gallery;
mod marks;
mod moments;
mod primitive;
mod request;
mod selection;
mod shown;
mod side;
mod speed;
mod task;

pub use angle::AngleUnit;
pub use gallery::{Gallery, GalleryScene};
pub use marks::{Mark, Marks};
pub use moments::Moments;
pub use primitive::Primitive;
pub use request::{FileUse, Request};
pub use selection::{Selected, Selection};
pub use shown::{Doing, Problem, Shown, ShownBody, ShownSensor, ShownThrough, ShownValue};
pub use side::Side;
pub use speed::Speed;
pub use task::{ShownTask, TaskProgress};
