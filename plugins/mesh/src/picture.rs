//! Decoding of image files. All calls of image decoders are in this file.

use std::cell::Cell;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use image::{DynamicImage, ImageError, ImageReader};

/// Reason why an image cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The decoder returned an error.
    #[error(transparent)]
    Refused(#[from] ImageError),
    /// The decoder panicked. Damaged files are known to trigger bugs in decoders.
    #[error("its data are damaged, and the decoder failed on them")]
    Panicked,
}

/// Decodes a PNG or JPEG file of at most `most_pixels` along each side.
///
/// # Errors
/// If the file has another format, is damaged or too large.
pub fn decode_picture(bytes: &[u8], most_pixels: u32) -> Result<DynamicImage, PictureError> {
    let decode = || {
        let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(ImageError::IoError)?;
        let mut limits = image::Limits::default();
        (limits.max_image_width, limits.max_image_height) = (Some(most_pixels), Some(most_pixels));
        reader.limits(limits);
        reader.decode()
    };
    Ok(without_panic(decode).ok_or(PictureError::Panicked)??)
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

    #[test]
    fn images_are_decoded_up_to_the_size_limit() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = Cursor::new(Vec::new());
        image::RgbImage::from_pixel(5, 3, image::Rgb([1, 2, 3])).write_to(&mut file, image::ImageFormat::Png).unwrap();
        let picture = decode_picture(file.get_ref(), 5).unwrap().into_rgb8();
        assert_eq!((picture.dimensions(), picture.get_pixel(4, 2).0), ((5, 3), [1, 2, 3]));
        assert!(matches!(decode_picture(file.get_ref(), 4), Err(PictureError::Refused(_))));
        assert!(matches!(decode_picture(b"no picture", 4), Err(PictureError::Refused(_))));
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
