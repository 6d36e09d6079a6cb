use std::collections::HashMap;
use std::rc::Rc;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bunraku_document::Result;
use gltf::accessor::{Accessor, DataType};
use gltf::buffer::{Source, View};

use crate::mesh_file::MeshFile;

/// Maximum count of numbers read from the buffers of a file. Several accessors may refer to the same bytes.
const MAX_NUMBERS: usize = 1 << 26;

/// Contents of a file's buffers.
pub(super) struct Buffers<'a> {
    file: &'a MeshFile<'a>,
    buffers: Vec<Rc<[u8]>>,
    rows: HashMap<usize, Rows>,
    numbers: usize,
}

/// Table of numbers of an accessor.
#[derive(Clone)]
pub(super) struct Rows {
    values: Rc<[f32]>,
    width: usize,
}

impl Rows {
    pub(super) fn count(&self) -> usize {
        self.values.len() / self.width
    }

    /// The first numbers of a row.
    pub(super) fn row<const N: usize>(&self, index: u32) -> Option<[f32; N]> {
        let start = (index as usize).checked_mul(self.width)?;
        self.values.get(start..start.checked_add(self.width)?)?.get(..N)?.try_into().ok()
    }

    pub(super) fn finite_row<const N: usize>(&self, index: u32) -> Option<[f32; N]> {
        self.row(index).filter(|row| row.iter().all(|value| value.is_finite()))
    }
}

impl<'a> Buffers<'a> {
    pub(super) fn read(document: &gltf::Document, blob: Option<Vec<u8>>, file: &'a MeshFile<'a>) -> Result<Self> {
        let mut known: HashMap<&str, Rc<[u8]>> = HashMap::new();
        let mut buffers = Vec::new();
        let mut total = 0_u64;
        let blob: Option<Rc<[u8]>> = blob.map(Into::into);
        for buffer in document.buffers() {
            let bytes = match buffer.source() {
                Source::Bin => blob
                    .clone()
                    .ok_or_else(|| file.error("gltf-buffer", format!("buffer {} has no data", buffer.index()), None))?,
                Source::Uri(uri) => match known.get(uri) {
                    Some(bytes) => Rc::clone(bytes),
                    None => {
                        let bytes: Rc<[u8]> = match uri.strip_prefix("data:") {
                            Some(data) => decoded(data)
                                .ok_or_else(|| {
                                    let message = format!("the data of buffer {} is not base64", buffer.index());
                                    file.error("gltf-buffer", message, None)
                                })?
                                .into(),
                            None => file.read(uri, None)?.1.into(),
                        };
                        total = total.saturating_add(bytes.len() as u64);
                        if total > file.context.limits.file_size {
                            return Err(file.error("limit-file-size", "the buffers are too large together", None));
                        }
                        known.insert(uri, Rc::clone(&bytes));
                        bytes
                    }
                },
            };
            if bytes.len() < buffer.length() {
                let (index, length) = (buffer.index(), buffer.length());
                let message = format!("buffer {index} is cut off: {} of its {length} bytes are there", bytes.len());
                return Err(file.error("gltf-buffer", message, None));
            }
            buffers.push(bytes);
        }
        Ok(Self { file, buffers, rows: HashMap::new(), numbers: 0 })
    }

    /// Bytes of a buffer view.
    pub(super) fn view(&self, view: &View<'_>) -> Option<&[u8]> {
        let end = view.offset().checked_add(view.length())?;
        self.buffers.get(view.buffer().index())?.get(view.offset()..end)
    }

    /// The rows of an accessor; each has at least `width` numbers.
    pub(super) fn rows(&mut self, accessor: &Accessor<'_>, width: usize) -> Result<Rows> {
        let columns = accessor.dimensions().multiplicity();
        if columns < width {
            let message = format!("accessor {} has {columns} numbers a row instead of {width}", accessor.index());
            return Err(self.file.error("gltf-malformed", message, None));
        }
        if let Some(rows) = self.rows.get(&accessor.index()) {
            return Ok(rows.clone());
        }
        let (data_type, normalized) = (accessor.data_type(), accessor.normalized());
        let values: Vec<f32> = self.numbers(accessor, |bytes| float(data_type, normalized, bytes))?;
        let rows = Rows { values: values.into(), width: columns };
        self.rows.insert(accessor.index(), rows.clone());
        Ok(rows)
    }

    /// The integers of an accessor.
    pub(super) fn indices(&mut self, accessor: &Accessor<'_>) -> Result<Vec<u32>> {
        if accessor.dimensions().multiplicity() != 1
            || !matches!(accessor.data_type(), DataType::U8 | DataType::U16 | DataType::U32)
        {
            let message = format!("accessor {} does not hold indices", accessor.index());
            return Err(self.file.error("gltf-malformed", message, None));
        }
        self.numbers(accessor, whole)
    }

    fn numbers<T: Copy + Default>(
        &mut self,
        accessor: &Accessor<'_>,
        read: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Vec<T>> {
        let columns = accessor.dimensions().multiplicity();
        let total = accessor.count().saturating_mul(columns);
        self.numbers = self.numbers.saturating_add(total);
        if self.numbers > MAX_NUMBERS {
            return Err(self.file.error("limit-numbers", "the accessors of the file are too large together", None));
        }
        let beyond = || {
            let message = format!("accessor {} reaches beyond its buffer", accessor.index());
            self.file.error("gltf-buffer", message, None)
        };
        let width = accessor.data_type().size();
        let mut values = match accessor.view() {
            Some(view) => {
                let bytes = self.view(&view).and_then(|bytes| bytes.get(accessor.offset()..)).ok_or_else(beyond)?;
                let stride = view.stride().unwrap_or(width * columns);
                table(bytes, accessor.count(), stride, columns, width, &read).ok_or_else(beyond)?
            }
            None => vec![T::default(); total],
        };
        if let Some(sparse) = accessor.sparse() {
            let count = sparse.count();
            if count > accessor.count() {
                return Err(beyond());
            }
            let (indices, replacements) = (sparse.indices(), sparse.values());
            let bytes =
                self.view(&indices.view()).and_then(|bytes| bytes.get(indices.offset()..)).ok_or_else(beyond)?;
            let size = indices.index_type().size();
            let indices = table(bytes, count, size, 1, size, &whole).ok_or_else(beyond)?;
            let bytes = self.view(&replacements.view()).and_then(|bytes| bytes.get(replacements.offset()..));
            let rows = table(bytes.ok_or_else(beyond)?, count, width * columns, columns, width, &read);
            for (index, row) in indices.into_iter().zip(rows.ok_or_else(beyond)?.chunks_exact(columns)) {
                let start = (index as usize).saturating_mul(columns);
                let target = values.get_mut(start..start.saturating_add(columns)).ok_or_else(beyond)?;
                target.copy_from_slice(row);
            }
        }
        Ok(values)
    }
}

/// `count` rows of `columns` numbers of `width` bytes each; `None` if there are too few bytes.
fn table<T>(
    bytes: &[u8],
    count: usize,
    stride: usize,
    columns: usize,
    width: usize,
    read: &impl Fn(&[u8]) -> Option<T>,
) -> Option<Vec<T>> {
    let last = count.checked_sub(1)?.checked_mul(stride)?.checked_add(width * columns)?;
    if last > bytes.len() {
        return None;
    }
    let mut values = Vec::with_capacity(count * columns);
    for row in 0..count {
        for cell in bytes.get(row * stride..)?.get(..width * columns)?.chunks_exact(width) {
            values.push(read(cell)?);
        }
    }
    Some(values)
}

/// An unsigned number of one, two or four bytes.
fn whole(bytes: &[u8]) -> Option<u32> {
    Some(match *bytes {
        [a] => u32::from(a),
        [a, b] => u32::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => return None,
    })
}

/// A number of any type. A normalized one is mapped to −1…1 or 0…1 (glTF 2.0 §3.11).
fn float(data_type: DataType, normalized: bool, bytes: &[u8]) -> Option<f32> {
    let scale = |value: f32, largest: f32| if normalized { (value / largest).max(-1.0) } else { value };
    Some(match data_type {
        DataType::F32 => f32::from_le_bytes(bytes.try_into().ok()?),
        DataType::U32 => whole(bytes)? as f32,
        DataType::U16 => scale(whole(bytes)? as f32, 65535.0),
        DataType::U8 => scale(whole(bytes)? as f32, 255.0),
        DataType::I16 => scale(f32::from(i16::from_le_bytes(bytes.try_into().ok()?)), 32767.0),
        DataType::I8 => scale(f32::from(i8::from_le_bytes(bytes.try_into().ok()?)), 127.0),
    })
}

/// Decodes the part of a data URI after `data:`.
pub(super) fn decoded(data: &str) -> Option<Vec<u8>> {
    let (kind, text) = data.split_once(',')?;
    if !kind.ends_with(";base64") {
        return None;
    }
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(&STANDARD, config).decode(text.trim()).ok()
}
