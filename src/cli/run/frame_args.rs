//! Options for the pictures of a run without a window.

use std::path::PathBuf;

#[cfg(not(feature = "viewer"))]
use bevy::prelude::*;
#[cfg(not(feature = "viewer"))]
use bunraku::scene::Scene;
use clap::Args;

use super::super::bitmap::picture_size;

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
    /// Write all pictures as a film: `.gif`, `.png` (animated), or by an installed ffmpeg `.mp4`, `.mkv`, `.mov`, `.webm`
    #[arg(long, value_name = "FILE", alias = "gif")]
    pub film: Option<PathBuf>,
    /// Pictures a simulated second
    #[arg(long, value_name = "HZ", default_value_t = 25.0)]
    pub fps: f64,
    /// Pixels across and down
    #[arg(long, value_name = "WxH", value_parser = picture_size, default_value = "640x480")]
    pub frame_size: [u32; 2],
}

impl Default for FrameArgs {
    /// No pictures.
    fn default() -> Self {
        Self { frames: None, film: None, fps: 25.0, frame_size: [640, 480] }
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
        there.filter(is_picture).chain(self.film.clone()).collect()
    }

    pub fn are_given(&self) -> bool {
        self.frames.is_some() || self.film.is_some()
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
