//! Options for the pictures of a run without a window.

use std::path::PathBuf;

#[cfg(not(feature = "viewer"))]
use bevy::prelude::*;
#[cfg(not(feature = "viewer"))]
use bunraku::scene::Scene;
use clap::Args;

#[cfg(not(feature = "viewer"))]
use super::super::common::Failure;
#[cfg(not(feature = "viewer"))]
use super::super::view::no_window;

/// Pictures of a run without a window.
#[derive(Args)]
#[command(next_help_heading = "Pictures")]
pub struct FrameArgs {
    /// Write a picture for each moment, 00000.png and so on, into a directory
    #[arg(long, value_name = "DIR")]
    pub frames: Option<PathBuf>,
    /// Write all pictures as an animated GIF
    #[arg(long, value_name = "FILE")]
    pub gif: Option<PathBuf>,
    /// Pictures a simulated second
    #[arg(long, value_name = "HZ", default_value_t = 25.0)]
    pub fps: f64,
    /// Width and height of the pictures, pixels
    #[arg(long, num_args = 2, value_names = ["W", "H"], default_values_t = [640, 480])]
    pub frame_size: Vec<u32>,
}

impl Default for FrameArgs {
    /// No pictures.
    fn default() -> Self {
        Self { frames: None, gif: None, fps: 25.0, frame_size: vec![640, 480] }
    }
}

impl FrameArgs {
    /// The existing files that the pictures would replace.
    pub fn files_in_the_way(&self) -> Vec<PathBuf> {
        let is_picture = |path: &PathBuf| {
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            stem.len() >= 5
                && stem.bytes().all(|byte| byte.is_ascii_digit())
                && path.extension().is_some_and(|ending| ending == "png")
        };
        let folder = self.frames.as_ref().and_then(|folder| std::fs::read_dir(folder).ok());
        let there = folder.into_iter().flatten().flatten().map(|entry| entry.path());
        there.filter(is_picture).chain(self.gif.clone()).collect()
    }

    pub fn are_given(&self) -> bool {
        self.frames.is_some() || self.gif.is_some()
    }
}

#[cfg(not(feature = "viewer"))]
impl FrameArgs {
    pub fn watch(&self, _: &mut App, _: &[Entity]) -> Result<(), Failure> {
        let Self { fps: _, frame_size: _, .. } = self;
        if self.are_given() { Err(no_window()) } else { Ok(()) }
    }

    #[allow(clippy::unused_self)]
    pub fn draw(&self, _: &mut World, _: &Scene) -> Result<Vec<PathBuf>, Failure> {
        Ok(Vec::new())
    }
}
