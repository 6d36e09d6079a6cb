//! Bodies to look at: a [window] on a simulation, and [pictures](picture) of bodies, drawn without a window.
//!
//! | module | what is in it |
//! |---|---|
//! | [`picture`] | pictures of bodies in given states |
//! | [`painter`] | what cameras on robots see, drawn by Bevy instead of rays |
//! | [`window`] | the window: an app, its plugin, what is kept between starts |
//! | [`view`] | what is shown and asked for, as plain data |
//! | [`panels`] | time line, tree, inspector, joints, sensors, plots, problems: functions over that data |
//! | [`timeline`] | remembered moments of a run; run, pause, step, back |
//! | [`curves`] | what joints and sensors did over time |
//! | [`camera`], [`stage`], [`marks`] | the camera, what is around the bodies, what is drawn beside them |

pub mod camera;
pub mod curves;
pub mod marks;
pub mod painter;
pub mod panels;
pub mod picture;
pub mod stage;
pub mod timeline;
pub mod view;
pub mod window;
