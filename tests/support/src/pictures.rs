//! Invalid pictures for decoders.

/// A PNG of 4 × 4 pixels whose palette has one colour and a third of a second one, which some pixels use. The length of
/// `PLTE` must be a multiple of 3 (PNG specification, 11.2.2).
pub fn png_with_a_broken_palette() -> Vec<u8> {
    // Each row begins with its filter type, 0.
    let rows = [0, 0, 1, 1, 1].repeat(4);
    let length = rows.len() as u16;
    // zlib: a header, one uncompressed block, and a checksum.
    let mut data = vec![0x78, 0x01, 0x01];
    data.extend(length.to_le_bytes().into_iter().chain((!length).to_le_bytes()));
    data.extend(&rows);
    data.extend(adler32(&rows).to_be_bytes());
    let header = [0, 0, 0, 4, 0, 0, 0, 4, 8, 3, 0, 0, 0];
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, content) in [(b"IHDR", &header[..]), (b"PLTE", &[1, 2, 3, 4]), (b"IDAT", &data), (b"IEND", &[])] {
        let chunk = [&kind[..], content].concat();
        file.extend((content.len() as u32).to_be_bytes());
        file.extend(&chunk);
        file.extend(crc32(&chunk).to_be_bytes());
    }
    file
}

/// Adler-32 checksum, RFC 1950.
fn adler32(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1, 0), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (b + a) % 65521)
    });
    b << 16 | a
}

/// CRC-32 checksum, PNG specification, annex D.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}
