//! Sensor logs that were interrupted.

use std::cell::RefCell;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::rc::Rc;

use bunraku_sensors::log::{McapLog, McapProfile};
use mcap::read::{LinearReader, Options};
use mcap::records::Record;
use nalgebra::Isometry3;
use ruzstd::decoding::StreamingDecoder;

/// A file in memory, that is still there when its writer is not.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Cursor<Vec<u8>>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Seek for Shared {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.borrow_mut().seek(to)
    }
}

/// Messages with contents and times made of the bytes, in a log that is cut where the bytes say. Between writes the file
/// is valid without recovery; cut anywhere, another reader finds the messages before the cut; once ended it has all.
pub fn mcap(bytes: &[u8]) {
    let Some((&[profile, cut_low, cut_high], content)) = bytes.split_first_chunk::<3>() else { return };
    let profile = if profile.is_multiple_of(2) { McapProfile::Foxglove } else { McapProfile::Ros2 };
    let file = Shared::default();
    let mut log = McapLog::new(file.clone(), PathBuf::from("fuzz.mcap"), profile).expect("memory");
    let mut time = 0.0;
    for (index, piece) in content.chunks(8).enumerate() {
        let mut raw = [0; 8];
        raw[..piece.len()].copy_from_slice(piece);
        // Mostly ordinary steps; sometimes any number at all.
        time = if piece[0] < 250 { time + f64::from(piece[0]) * 0.01 } else { f64::from_le_bytes(raw) };
        let name = String::from_utf8_lossy(piece);
        let pose = Isometry3::translation(f64::from_le_bytes(raw), 0.0, 1.0);
        log.poses(time, [("world", &*name, pose)]).expect("memory");
        if index % 3 == 0 {
            log.clock(time).expect("memory");
        }
    }
    let interrupted = file.0.borrow().get_ref().clone();
    let before = count(&interrupted, false);
    log.finish().expect("memory");
    let whole = file.0.borrow().get_ref().clone();
    let all = count(&whole, false);
    assert!(before <= all, "{before} of {all} messages");
    assert!(all >= content.chunks(8).count(), "{all} messages");
    let cut = usize::from(u16::from_le_bytes([cut_low, cut_high])) % (whole.len() + 1);
    assert!(count(&whole[..cut], true) <= all);
}

/// Number of messages, by another reader. Of a file that is `cut` those in chunks before the cut.
fn count(file: &[u8], cut: bool) -> usize {
    let records = if cut {
        LinearReader::new_with_options(file, Options::IgnoreEndMagic.into())
    } else {
        LinearReader::new(file)
    };
    let records = match records {
        Ok(records) => records,
        Err(error) => {
            assert!(cut, "not a valid file: {error}");
            return 0;
        }
    };
    let mut messages = 0;
    for record in records {
        match record {
            Ok(Record::Chunk { header, data }) => {
                let content = decompressed(&data);
                assert_eq!(content.len() as u64, header.uncompressed_size);
                let records = LinearReader::sans_magic(&content).map(|record| record.expect("a whole record"));
                messages += records.filter(|record| matches!(record, Record::Message { .. })).count();
            }
            Ok(_) => {}
            Err(error) => {
                assert!(cut, "not a valid file: {error}");
                break;
            }
        }
    }
    messages
}

/// The content of a Zstandard frame, by a decoder that is not that of the encoder.
fn decompressed(frame: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    let mut decoder = StreamingDecoder::new(frame).expect("the head of a frame");
    decoder.read_to_end(&mut content).expect("a whole frame");
    content
}
