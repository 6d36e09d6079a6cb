//! Pictures as PNG files.

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Filter};

/// A picture: red, green and blue (sRGB) of each pixel, row by row from the top.
pub struct Bitmap {
    pub width: u32,
    pub height: u32,
    pub pixels: Vec<[u8; 3]>,
}

impl Bitmap {
    /// The bytes of a PNG file.
    pub fn encoded(&self) -> Result<Vec<u8>, String> {
        encoded(self.pixels.as_flattened(), self.width, self.height, ColorType::Rgb)
    }
}

/// The bytes of a PNG file with 8 bits for each channel of a pixel.
pub fn encoded(bytes: &[u8], width: u32, height: u32, color: ColorType) -> Result<Vec<u8>, String> {
    let encode = || -> Result<Vec<u8>, EncodingError> {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, width, height);
        encoder.set_color(color);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        encoder.set_filter(Filter::Adaptive);
        encoder.write_header()?.write_image_data(bytes)?;
        Ok(file)
    };
    encode().map_err(|error| error.to_string())
}

/// Parses the size of a picture, `WxH`, pixels.
pub fn picture_size(text: &str) -> Result<[u32; 2], String> {
    let parsed = text.split_once('x').and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    match parsed {
        Some([width @ 16..=4096, height @ 16..=4096]) => Ok([width, height]),
        _ => Err("write two numbers from 16x16 to 4096x4096, such as 800x600".to_owned()),
    }
}
