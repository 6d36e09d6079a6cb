//! Films: animated GIF and PNG, and what an installed ffmpeg writes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use bunraku::viewer::picture::{GifWriter, Picture, PictureSize};
use png::{BitDepth, ColorType, Compression, Encoder, Writer};

/// Endings of films that ffmpeg writes.
const OF_FFMPEG: [&str; 4] = ["mp4", "mkv", "mov", "webm"];

/// A film during writing: pictures of one size.
pub enum Film {
    Gif(GifWriter<BufWriter<File>>),
    Png(Box<Writer<BufWriter<File>>>),
    Ffmpeg(Child),
}

/// Whether a film can have this name.
pub fn is_film(path: &Path) -> bool {
    ending(path).is_some_and(|ending| ["gif", "png"].iter().chain(&OF_FFMPEG).any(|known| *known == ending))
}

fn ending(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase())
}

impl Film {
    /// Begins a film of so many pictures, `rate` of them a second.
    pub fn new(path: &Path, size: PictureSize, rate: f64, pictures: usize) -> Result<Self, String> {
        let ending = ending(path).unwrap_or_default();
        if OF_FFMPEG.contains(&ending.as_str()) {
            return ffmpeg(path, size, rate).map(Self::Ffmpeg);
        }
        let file = BufWriter::new(File::create(path).map_err(|error| error.to_string())?);
        if ending == "png" {
            return animated_png(file, size, rate, pictures).map(|writer| Self::Png(Box::new(writer)));
        }
        GifWriter::new(file, size, rate).map(Self::Gif).map_err(|error| error.to_string())
    }

    /// Adds a picture.
    pub fn push(&mut self, picture: Picture) -> Result<(), String> {
        match self {
            Self::Gif(writer) => writer.push(picture.image).map_err(|error| error.to_string()),
            Self::Png(writer) => writer.write_image_data(picture.image.as_raw()).map_err(|error| error.to_string()),
            // Why it refuses pictures, it says at its end.
            Self::Ffmpeg(child) => {
                if let Some(input) = &mut child.stdin
                    && input.write_all(picture.image.as_raw()).is_err()
                {
                    child.stdin = None;
                }
                Ok(())
            }
        }
    }

    /// Ends the film.
    pub fn finish(self) -> Result<(), String> {
        match self {
            Self::Gif(_) => Ok(()),
            Self::Png(writer) => writer.finish().map_err(|error| error.to_string()),
            Self::Ffmpeg(child) => {
                let output = child.wait_with_output().map_err(|error| error.to_string())?;
                if output.status.success() {
                    return Ok(());
                }
                let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
                Err(format!("ffmpeg has ended with {}: {said}", output.status))
            }
        }
    }
}

fn animated_png(
    file: BufWriter<File>,
    size: PictureSize,
    rate: f64,
    pictures: usize,
) -> Result<Writer<BufWriter<File>>, String> {
    let mut encoder = Encoder::new(file, size.width, size.height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    let pictures = u32::try_from(pictures).map_err(|error| error.to_string())?;
    encoder.set_animated(pictures, 0).map_err(|error| error.to_string())?;
    // Milliseconds: numerator and denominator have 16 bits.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let delay = (1000.0 / rate).round().clamp(1.0, 65_535.0) as u16;
    encoder.set_frame_delay(delay, 1000).map_err(|error| error.to_string())?;
    encoder.write_header().map_err(|error| error.to_string())
}

/// Starts ffmpeg, which reads raw pictures from its standard input.
fn ffmpeg(path: &Path, size: PictureSize, rate: f64) -> Result<Child, String> {
    let target = if path.is_absolute() { path.to_owned() } else { PathBuf::from(".").join(path) };
    Command::new("ffmpeg")
        .args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pixel_format", "rgba"])
        .args(["-video_size", &format!("{}x{}", size.width, size.height), "-framerate", &rate.to_string(), "-i", "-"])
        // Most players need even sides and this layout of colours.
        .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"])
        .arg(target)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("ffmpeg cannot be started ({error}); without it there are `.gif` and `.png`"))
}
