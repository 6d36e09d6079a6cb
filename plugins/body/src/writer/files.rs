//! References to other files, and images to be written.

use std::path::{Component, Path, PathBuf};

use bunraku_document::{Diagnostic, PathError};
use bunraku_mesh::{Pixels, TextureImage};

use super::{Writer, WrittenFile};

impl Writer<'_> {
    /// Path of another file in the model file: relative to its directory, or by `${SHARE}` if the file is in the share
    /// directory and not near the model file.
    pub(super) fn uri(&self, file: &Path) -> String {
        let file = absolute(file);
        let directory = absolute(self.options.path.parent().unwrap_or(Path::new("")));
        // Models are in sibling directories of one folder.
        let folder = directory.parent().filter(|above| above.parent().is_some()).unwrap_or(&directory);
        for share in self.options.roots.shares().iter().map(|share| absolute(share)) {
            if !file.starts_with(folder)
                && !directory.starts_with(&share)
                && let Ok(rest) = file.strip_prefix(&share)
            {
                return format!("${{SHARE}}/{}", slashed(rest));
            }
        }
        let uri = slashed(&relative(&file, &directory));
        if matches!(self.place.find(&directory, &uri), Err(PathError::Outside { .. }))
            && self.outside.borrow_mut().insert(uri.clone())
        {
            let message = format!("the model refers to a file that cannot be read from its location: {uri}");
            self.reporter.report(
                Diagnostic::warning("outside", message)
                    .help("write the model nearer to its files, or read it with `--allow-outside`"),
            );
        }
        uri
    }

    /// Name of an image that is written beside the model file.
    pub(super) fn picture(&self, image: &TextureImage) -> String {
        let mut pictures = self.pictures.borrow_mut();
        if let Some((_, file)) = pictures.iter().find(|(known, _)| same_image(known, image)) {
            return file_name(&file.path);
        }
        let (bytes, extension) = match image {
            TextureImage::Encoded(bytes) => (bytes.to_vec(), extension(bytes)),
            TextureImage::Pixels(pixels) => (png(pixels), "png"),
            TextureImage::File(path) => return self.uri(path),
        };
        let stem = self.options.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let taken = self.named_files();
        let free = (pictures.len() + 1..).find_map(|number| {
            let path = self.options.path.with_file_name(format!("{stem}-texture{number}.{extension}"));
            let is_free = !taken.contains(&absolute(&path)) && pictures.iter().all(|(_, file)| file.path != path);
            is_free.then_some(path)
        });
        let path = free.unwrap_or_default();
        let name = file_name(&path);
        pictures.push((image.clone(), WrittenFile { path, bytes }));
        name
    }

    /// Files that the model refers to, which no written image may overwrite.
    fn named_files(&self) -> Vec<PathBuf> {
        let shapes = self.body.links().iter().flat_map(|link| link.visual.iter().chain(&link.collision));
        let files = shapes.flat_map(|shape| {
            let texture = shape.appearance.texture.as_ref().and_then(|texture| match &texture.image {
                TextureImage::File(path) => Some(path.as_path()),
                TextureImage::Encoded(_) | TextureImage::Pixels(_) => None,
            });
            texture.into_iter().chain(shape.origin.iter().map(|origin| origin.file.as_path()))
        });
        let mut files: Vec<_> = files.map(Path::to_owned).collect();
        files.sort();
        files.dedup();
        files.iter().map(|file| absolute(file)).collect()
    }
}

fn same_image(first: &TextureImage, second: &TextureImage) -> bool {
    use std::sync::Arc;
    match (first, second) {
        (TextureImage::Encoded(first), TextureImage::Encoded(second)) => Arc::ptr_eq(first, second) || first == second,
        (TextureImage::Pixels(first), TextureImage::Pixels(second)) => Arc::ptr_eq(first, second) || first == second,
        _ => false,
    }
}

/// Canonical form of the existing part of a path.
fn absolute(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (path.parent().and_then(|parent| parent.canonicalize().ok()), path.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => path,
    }
}

/// Path of `file` relative to `directory`; both are absolute.
fn relative(file: &Path, directory: &Path) -> PathBuf {
    let shared = file.components().zip(directory.components()).take_while(|(first, second)| first == second).count();
    if shared == 0 {
        // The file is on another drive.
        return file.to_owned();
    }
    let up = directory.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}

fn slashed(path: &Path) -> String {
    if path.is_absolute() {
        return path.to_string_lossy().into_owned();
    }
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let text = parts.join("/");
    // A relative path may look like a variable or a scheme.
    if text.starts_with("${") || text.contains("://") { format!("./{text}") } else { text }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// File name extension, determined from the first bytes.
fn extension(bytes: &[u8]) -> &'static str {
    const BEGINNINGS: &[(&[u8], &str)] = &[
        (b"\x89PNG", "png"),
        (b"\xff\xd8\xff", "jpg"),
        (b"GIF8", "gif"),
        (b"BM", "bmp"),
        (b"DDS ", "dds"),
        (b"\xabKTX 20", "ktx2"),
        (b"RIFF", "webp"),
        (b"II*\0", "tif"),
        (b"MM\0*", "tif"),
    ];
    BEGINNINGS.iter().find(|(begin, _)| bytes.starts_with(begin)).map_or("png", |(_, extension)| extension)
}

/// A PNG file (W3C PNG, ISO/IEC 15948) with 8-bit RGBA. The pixels are stored without compression, because such images
/// are small.
fn png(pixels: &Pixels) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::with_capacity(13);
    header.extend(pixels.width.to_be_bytes());
    header.extend(pixels.height.to_be_bytes());
    // 8 bits, RGBA, the only compression and filter method, not interlaced.
    header.extend([8, 6, 0, 0, 0]);
    chunk(&mut file, *b"IHDR", &header);

    let width = usize::try_from(pixels.width).unwrap_or(usize::MAX).max(1);
    // Each row begins with its filter type, which is 0 (none).
    let rows = pixels.rgba.chunks(width).flat_map(|row| std::iter::once(0).chain(row.iter().flatten().copied()));
    let rows: Vec<u8> = rows.collect();
    chunk(&mut file, *b"IDAT", &zlib_stored(&rows));
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    file.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
    file.extend(kind);
    file.extend(data);
    let checksum = kind.iter().chain(data).fold(u32::MAX, |crc, &byte| {
        // CRC-32 of ISO 3309, bit by bit.
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 })
    });
    file.extend((!checksum).to_be_bytes());
}

/// A zlib stream (RFC 1950) of stored blocks (RFC 1951 §3.2.4).
fn zlib_stored(data: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let mut blocks = data.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        stream.push(u8::from(blocks.peek().is_none()));
        let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
    }
    let (first, second) = data.iter().fold((1_u32, 0_u32), |(first, second), &byte| {
        let first = (first + u32::from(byte)) % 65_521;
        (first, (second + first) % 65_521)
    });
    stream.extend((second << 16 | first).to_be_bytes());
    stream
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_between_directories() {
        let way = |file, directory| slashed(&relative(Path::new(file), Path::new(directory)));
        assert_eq!(way("/a/b/c.stl", "/a/b"), "c.stl");
        assert_eq!(way("/a/m/c.stl", "/a/b"), "../m/c.stl");
        assert_eq!(way("/a/b/${x}/c.stl", "/a/b/d"), "../${x}/c.stl");
        assert_eq!(way("/a/b/${x}/c.stl", "/a/b"), "./${x}/c.stl");
    }

    #[test]
    fn checksums_are_those_of_the_standards() {
        // The end of every PNG file; "Wikipedia" is the usual example for Adler-32.
        let mut end = Vec::new();
        chunk(&mut end, *b"IEND", &[]);
        assert_eq!(end[8..], [0xae, 0x42, 0x60, 0x82]);
        assert_eq!(zlib_stored(b"Wikipedia")[16..], [0x11, 0xe6, 0x03, 0x98]);
    }
}
