//! Sequences of images.

use std::io::{self, Write};

use bunraku_body::BodyState;
use gif::{Encoder, Frame, Repeat};
use image::RgbaImage;

use super::camera::PictureCamera;
use super::data::{Picture, PictureError, PictureSize, PosedBody};
use super::device;
use super::studio::{Scenery, Studio};

/// A camera in front of moving bodies that renders a sequence of images without a window.
pub struct Film {
    studio: Studio,
    scenery: Scenery,
}

impl Film {
    /// Sets up bodies and camera.
    ///
    /// # Errors
    /// As for [`take_picture`](super::take_picture).
    pub fn new(bodies: &[PosedBody], camera: &PictureCamera, size: PictureSize) -> Result<Self, PictureError> {
        let mut studio = Studio::new(device::open()?);
        let scenery = studio.set_up(bodies, camera, size)?;
        Ok(Self { studio, scenery })
    }

    /// An image of the bodies in these states, in the order in which they were set up.
    ///
    /// # Errors
    /// If the renderer fails.
    pub fn take(&mut self, states: &[BodyState]) -> Result<Picture, PictureError> {
        self.studio.pose(&self.scenery, states);
        self.studio.expose(&self.scenery)
    }
}

/// Writes images of the same size as an endlessly repeated animated GIF.
pub struct GifWriter<W: Write> {
    encoder: Encoder<W>,
    /// Delay between images, hundredths of a second.
    delay: u16,
}

/// Quality of the colour selection, from 1 (best, slow) to 30.
const COLOR_SPEED: i32 = 10;

impl<W: Write> GifWriter<W> {
    /// Begins a GIF with a rate in images per second. GIF rounds the delay to hundredths of a second, with a minimum of
    /// 2.
    ///
    /// # Errors
    /// If it cannot be written, or the images exceed the maximum size of a GIF.
    /// If it cannot be written, or the pictures are larger than a GIF may be.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn new(target: W, size: PictureSize, rate: f64) -> io::Result<Self> {
        let side = |pixels: u32| u16::try_from(pixels).map_err(io::Error::other);
        let mut encoder = Encoder::new(target, side(size.width)?, side(size.height)?, &[]).map_err(io::Error::other)?;
        encoder.set_repeat(Repeat::Infinite).map_err(io::Error::other)?;
        let delay = (100.0 / rate).round().clamp(2.0, 60_000.0) as u16;
        Ok(Self { encoder, delay })
    }

    /// Adds an image.
    ///
    /// # Errors
    /// If it cannot be written.
    #[allow(clippy::cast_possible_truncation)]
    pub fn push(&mut self, picture: RgbaImage) -> io::Result<()> {
        let (width, height) = (picture.width() as u16, picture.height() as u16);
        let mut pixels = picture.into_raw();
        let mut frame = Frame::from_rgba_speed(width, height, &mut pixels, COLOR_SPEED);
        frame.delay = self.delay;
        self.encoder.write_frame(&frame).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_animation_has_its_pictures_for_their_time() {
        let mut bytes = Vec::new();
        let size = PictureSize { width: 4, height: 3 };
        let mut writer = GifWriter::new(&mut bytes, size, 25.0).expect("begun");
        for shade in [0, 100, 200] {
            writer.push(RgbaImage::from_pixel(4, 3, image::Rgba([shade, 0, 0, 255]))).expect("added");
        }
        drop(writer);
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes.as_slice()).expect("a GIF");
        let mut shades = Vec::new();
        while let Some(frame) = decoder.read_next_frame().expect("whole") {
            assert_eq!((frame.width, frame.height, frame.delay), (4, 3, 4));
            shades.push(frame.buffer[0]);
        }
        assert_eq!(shades, [0, 100, 200]);
    }
}
