//! Decoding of image files. All calls of image decoders are in this file.

use std::cell::Cell;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use bunraku_document::{Limits, read_bytes};
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::{Pixels, TextureImage};

/// Maximum side of a texture, pixels: the limit that WebGPU guarantees for every graphics card.
pub const MAX_TEXTURE_SIDE: u32 = 8192;

/// Memory that decoding of a PNG file may take, bytes.
const MOST_MEMORY: usize = 512 << 20;

/// Reason why an image cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The file has another format.
    #[error("it is neither a PNG nor a JPEG file")]
    UnknownFormat,
    /// A side is too long.
    #[error("it measures {width}×{height} pixels; 1 to {most} are possible")]
    TooLarge {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Maximum length of a side.
        most: u32,
    },
    /// The PNG file is damaged, or too large.
    #[error("the PNG file cannot be decoded: {0}")]
    Png(#[from] png::DecodingError),
    /// The JPEG file is damaged.
    #[error("the JPEG file cannot be decoded: {0}")]
    Jpeg(#[from] DecodeErrors),
    /// The decoder panicked. Damaged files are known to trigger bugs in decoders.
    #[error("its data are damaged, and the decoder failed on them")]
    Panicked,
}

/// A decoded image: 1 (grey), 2 (grey, alpha), 3 (red, green, blue) or 4 channels (with alpha), sRGB, row by row from
/// the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedPicture {
    width: u32,
    height: u32,
    channels: usize,
    samples: Samples,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Samples {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
}

impl DecodedPicture {
    /// Width and height, pixels.
    pub fn dimensions(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Red, green, blue and alpha with 8 bits each.
    pub fn into_pixels(self) -> Pixels {
        let rgba = match self.samples {
            Samples::Bytes(bytes) => rgba(&bytes, self.channels),
            // Rounded to the nearest of the 256 values.
            Samples::Words(words) => {
                let bytes = words.iter().map(|word| u8::try_from((u32::from(*word) + 128) / 257).unwrap_or(u8::MAX));
                rgba(&bytes.collect::<Vec<_>>(), self.channels)
            }
        };
        Pixels { width: self.width, height: self.height, rgba }
    }

    /// Luminance with 16 bits: the grey value, or Y of CIE XYZ in sRGB's encoding.
    pub fn luminances(&self) -> Vec<u16> {
        let of_words = |words: &[u16]| words.chunks_exact(self.channels).map(luminance).collect();
        match &self.samples {
            // With the bits of the result, so that colours that differ do not become the same grey.
            Samples::Bytes(bytes) => of_words(&bytes.iter().map(|byte| u16::from(*byte) * 257).collect::<Vec<_>>()),
            Samples::Words(words) => of_words(words),
        }
    }
}

fn rgba(bytes: &[u8], channels: usize) -> Vec<[u8; 4]> {
    let pixels = bytes.chunks_exact(channels).map(|pixel| match *pixel {
        [grey] => [grey, grey, grey, u8::MAX],
        [grey, alpha] => [grey, grey, grey, alpha],
        [red, green, blue] => [red, green, blue, u8::MAX],
        [red, green, blue, alpha, ..] => [red, green, blue, alpha],
        [] => [0; 4],
    });
    pixels.collect()
}

/// Y of a pixel, by sRGB's primaries.
fn luminance(pixel: &[u16]) -> u16 {
    match pixel {
        [red, green, blue, ..] => {
            let [red, green, blue] = [red, green, blue].map(|value| u64::from(*value));
            u16::try_from((212_639 * red + 715_169 * green + 72_192 * blue + 500_000) / 1_000_000).unwrap_or(u16::MAX)
        }
        [grey, ..] => *grey,
        [] => 0,
    }
}

/// Decodes a PNG or JPEG file of at most `most_pixels` along each side.
///
/// # Errors
/// If the file has another format, is damaged or too large.
pub fn decode_picture(bytes: &[u8], most_pixels: u32) -> Result<DecodedPicture, PictureError> {
    let decode: fn(&[u8], u32) -> Result<DecodedPicture, PictureError> = match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => decode_png,
        [0xff, 0xd8, 0xff, ..] => decode_jpeg,
        _ => return Err(PictureError::UnknownFormat),
    };
    without_panic(|| decode(bytes, most_pixels)).ok_or(PictureError::Panicked)?
}

fn check_size(width: u32, height: u32, most: u32) -> Result<(), PictureError> {
    let is_allowed = |side| (1..=most).contains(&side);
    if is_allowed(width) && is_allowed(height) { Ok(()) } else { Err(PictureError::TooLarge { width, height, most }) }
}

fn decode_png(bytes: &[u8], most_pixels: u32) -> Result<DecodedPicture, PictureError> {
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: MOST_MEMORY });
    let info = decoder.read_header_info()?;
    let (width, height) = info.size();
    check_size(width, height, most_pixels)?;
    // Palettes and grey values of fewer bits become 8 bits; 16 bits stay.
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info()?;
    let (color, depth) = reader.output_color_type();
    let size = reader.output_buffer_size().filter(|size| *size <= MOST_MEMORY);
    let mut bytes = vec![0; size.ok_or(png::DecodingError::LimitsExceeded)?];
    reader.next_frame(&mut bytes)?;
    let samples = match depth {
        png::BitDepth::Sixteen => {
            Samples::Words(bytes.as_chunks::<2>().0.iter().map(|word| u16::from_be_bytes(*word)).collect())
        }
        _ => Samples::Bytes(bytes),
    };
    Ok(DecodedPicture { width, height, channels: color.samples(), samples })
}

fn decode_jpeg(bytes: &[u8], most_pixels: u32) -> Result<DecodedPicture, PictureError> {
    let options = DecoderOptions::default().set_strict_mode(false).set_max_width(usize::MAX).set_max_height(usize::MAX);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers()?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    let [width, height] = [width, height].map(|size| u32::try_from(size).unwrap_or(u32::MAX));
    check_size(width, height, most_pixels)?;
    let (color, channels) = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => (ColorSpace::Luma, 1),
        Some(ColorSpace::LumaA) => (ColorSpace::LumaA, 2),
        Some(ColorSpace::RGBA) => (ColorSpace::RGBA, 4),
        _ => (ColorSpace::RGB, 3),
    };
    decoder.set_options(options.jpeg_set_out_colorspace(color));
    let bytes = decoder.decode()?;
    Ok(DecodedPicture { width, height, channels, samples: Samples::Bytes(bytes) })
}

impl TextureImage {
    /// The pixels of the image, of at most `most_pixels` along each side.
    ///
    /// # Errors
    /// A text on why the image cannot be read, decoded or used.
    pub fn pixels(&self, most_pixels: u32) -> Result<Arc<Pixels>, String> {
        match self {
            Self::File(path) => decoded(&file(path)?, most_pixels),
            Self::Encoded(bytes) => decoded(bytes, most_pixels),
            Self::Pixels(pixels) => {
                check_size(pixels.width, pixels.height, most_pixels).map_err(|error| error.to_string())?;
                let is_whole = u64::from(pixels.width) * u64::from(pixels.height) == pixels.rgba.len() as u64;
                is_whole.then(|| Arc::clone(pixels)).ok_or_else(|| "it has too few pixels".to_owned())
            }
        }
    }
}

fn file(path: &Path) -> Result<Vec<u8>, String> {
    read_bytes(path, &Limits::default()).map_err(|error| error.to_string())
}

fn decoded(bytes: &[u8], most_pixels: u32) -> Result<Arc<Pixels>, String> {
    let picture = decode_picture(bytes, most_pixels).map_err(|error| error.to_string())?;
    Ok(Arc::new(picture.into_pixels()))
}

thread_local! {
    /// Whether this thread is in [`without_panic`].
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Held while the panic hook is replaced. If threads restored hooks in another order, one would be lost.
static HOOK: Mutex<()> = Mutex::new(());

/// Runs `work`, which must be unwind-safe. Returns `None` if it panics. The panic message is suppressed; those of other
/// threads are printed.
fn without_panic<T>(work: impl FnOnce() -> T) -> Option<T> {
    let _turn = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
    // The hook is restored below. A closure around it would add a layer with each image.
    let hook = Arc::new(RwLock::new(Some(std::panic::take_hook())));
    std::panic::set_hook(Box::new({
        let hook = Arc::clone(&hook);
        move |info| {
            let hook = hook.read().unwrap_or_else(PoisonError::into_inner);
            if let (false, Some(hook)) = (IS_GUARDED.get(), &*hook) {
                hook(info);
            }
        }
    }));
    IS_GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(work)).ok();
    IS_GUARDED.set(false);
    let hook = hook.write().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(hook) = hook {
        std::panic::set_hook(hook);
    }
    result
}

#[cfg(test)]
mod tests {
    use bunraku_test_support::png_with_a_broken_palette;

    use super::*;

    /// Held by tests that replace the hook or cause its replacement.
    static ALONE: Mutex<()> = Mutex::new(());

    #[test]
    fn an_image_that_makes_the_decoder_panic_is_an_error() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let error = decode_picture(&png_with_a_broken_palette(), 512).unwrap_err();
        assert!(matches!(error, PictureError::Panicked), "{error}");
    }

    fn encoded(image: &image::DynamicImage, format: image::ImageFormat) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        image.write_to(&mut file, format).unwrap();
        file.into_inner()
    }

    #[test]
    fn images_are_decoded_up_to_the_size_limit() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let picture = image::RgbImage::from_pixel(5, 3, image::Rgb([1, 2, 3])).into();
        let file = encoded(&picture, image::ImageFormat::Png);
        let picture = decode_picture(&file, 5).unwrap();
        assert_eq!(picture.dimensions(), (5, 3));
        assert_eq!(picture.into_pixels().rgba, [[1, 2, 3, 255]; 15]);
        assert!(matches!(decode_picture(&file, 4), Err(PictureError::TooLarge { .. })));
        assert!(matches!(decode_picture(b"no picture", 4), Err(PictureError::UnknownFormat)));
    }

    /// The crate `image` is another reader of the same files.
    #[test]
    fn images_of_all_kinds_have_the_pixels_that_another_reader_finds() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut random = bunraku_test_support::Random::new(46);
        let mut words = || (0..7 * 5 * 4).map(|_| random.bits() as u16).collect::<Vec<_>>();
        let words = image::ImageBuffer::<image::Rgba<u16>, _>::from_raw(7, 5, words()).unwrap();
        let source = image::DynamicImage::from(words);
        let png = [
            source.to_luma8().into(),
            source.to_luma_alpha8().into(),
            source.to_rgb8().into(),
            source.to_rgba8().into(),
            source.to_luma16().into(),
            source.to_luma_alpha16().into(),
            source.to_rgb16().into(),
            source.clone(),
        ];
        let jpeg: [image::DynamicImage; 2] = [source.to_luma8().into(), source.to_rgb8().into()];
        let files = png.iter().map(|image| encoded(image, image::ImageFormat::Png));
        for file in files.chain(jpeg.iter().map(|image| encoded(image, image::ImageFormat::Jpeg))) {
            let (found, expected) = (decode_picture(&file, 7).unwrap(), image::load_from_memory(&file).unwrap());
            // The other reader's coefficients have six digits, too, in single precision.
            let luminances = found.luminances().into_iter().zip(expected.to_luma16().into_raw());
            let is_near = |(found, expected): (u16, u16)| found.abs_diff(expected) <= 1;
            assert!(luminances.clone().all(is_near), "{:?}", expected.color());
            assert_eq!(luminances.len(), 35);
            assert_eq!(found.into_pixels().rgba.concat(), expected.to_rgba8().into_raw(), "{:?}", expected.color());
        }
    }

    #[test]
    fn panics_of_other_threads_keep_their_hook() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&seen);
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            noted.lock().unwrap().push(info.payload_as_str().unwrap_or_default().to_owned());
        }));
        let inside = without_panic(|| {
            let other = std::thread::spawn(|| panic!("of another thread"));
            assert!(other.join().is_err());
            panic!("of the work")
        });
        let after = std::thread::spawn(|| panic!("afterwards")).join();
        std::panic::set_hook(before);
        assert!(Option::<()>::is_none(&inside) && after.is_err());
        let seen = seen.lock().unwrap();
        assert!(seen.contains(&"of another thread".to_owned()) && seen.contains(&"afterwards".to_owned()), "{seen:?}");
        assert!(!seen.contains(&"of the work".to_owned()), "{seen:?}");
    }
}
