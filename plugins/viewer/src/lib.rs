//! Bodies to look at: [pictures](picture) of them, drawn without a window.

pub mod picture;
