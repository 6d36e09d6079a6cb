//! What the project says of itself holds.

mod circles;
mod commands;
mod examples;
mod names;
mod pages;
mod reflection;
