//! Checks of the project's documentation.

mod commands;
mod examples;
mod guide;
mod names;
mod pages;
mod promises;
mod reflection;
mod results;
mod third_party;
mod unused_dependencies;
