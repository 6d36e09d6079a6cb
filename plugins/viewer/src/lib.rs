//! Display of bodies: a [window] on a simulation, and [images](picture) of bodies, rendered without a window.
//!
//! | module | content |
//! |---|---|
//! | [`picture`] | images of bodies in given states |
//! | [`painter`] | images of cameras on robots, rendered by Bevy instead of ray casting |
//! | [`window`] | the window: an app, its plugin, settings kept between starts |
//! | [`view`] | displayed data and requests, as plain data |
//! | [`panels`] | time line, tree, inspector, joints, sensors, plots, problems: functions of that data |
//! | [`timeline`] | stored snapshots of a run; run, pause, step, back |
//! | [`curves`] | logged quantities of joints and sensors |
//! | [`camera`], [`stage`], [`marks`] | the camera, the surroundings of the bodies, overlays |

/// egui's plugin for Bevy in the version in use, for panels of apps that show bodies.
pub use bevy_egui;

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
