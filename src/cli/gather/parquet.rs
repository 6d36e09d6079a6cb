//! A table as an Apache Parquet file: one row group, a page for each column, plain values without compression.
//!
//! The format is that of <https://parquet.apache.org/docs/file-format/>; its metadata is in Thrift's compact protocol.
//! The crate `parquet` without features takes 48 s of processor time to build, a twentieth of the whole first build, for
//! the few calls that this table needs.

use super::table::{Cells, Table};

const MAGIC: &[u8] = b"PAR1";

// Numbers of the format's enums.
const TYPE_INT64: i64 = 2;
const TYPE_DOUBLE: i64 = 5;
const TYPE_BYTE_ARRAY: i64 = 6;
const OPTIONAL: i64 = 1;
const UTF8: i64 = 0;
const ENCODING_PLAIN: i64 = 0;
const ENCODING_RLE: i64 = 3;
const UNCOMPRESSED: i64 = 0;
const DATA_PAGE: i64 = 0;

/// The bytes of the file.
pub fn bytes(table: &Table) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    let (mut schema, mut chunks) = (Vec::new(), Vec::new());
    let mut root = Struct::default();
    root.text(4, "schema").integer(5, I32, to_i64(table.columns.len()));
    schema.push(root);
    let mut total = 0;
    for column in &table.columns {
        let (kind, page) = page(&column.cells(table.num_rows));
        let mut element = Struct::default();
        element.integer(1, I32, kind).integer(3, I32, OPTIONAL).text(4, &column.name);
        if kind == TYPE_BYTE_ARRAY {
            element.integer(6, I32, UTF8);
        }
        schema.push(element);

        let offset = to_i64(file.len());
        file.extend(header(table.num_rows, page.len()).end());
        file.extend(page);
        let size = to_i64(file.len()) - offset;
        total += size;

        let mut metadata = Struct::default();
        metadata
            .integer(1, I32, kind)
            .list(2, I32, [ENCODING_PLAIN, ENCODING_RLE].map(zigzag))
            .list(3, BINARY, [binary(&column.name)])
            .integer(4, I32, UNCOMPRESSED)
            .integer(5, I64, to_i64(table.num_rows))
            .integer(6, I64, size)
            .integer(7, I64, size)
            .integer(9, I64, offset);
        let mut chunk = Struct::default();
        chunk.integer(2, I64, offset).nested(3, metadata);
        chunks.push(chunk);
    }
    let mut group = Struct::default();
    group.list(1, STRUCT, chunks.into_iter().map(Struct::end)).integer(2, I64, total).integer(
        3,
        I64,
        to_i64(table.num_rows),
    );
    let mut footer = Struct::default();
    footer
        .integer(1, I32, 1)
        .list(2, STRUCT, schema.into_iter().map(Struct::end))
        .integer(3, I64, to_i64(table.num_rows))
        .list(4, STRUCT, [group.end()])
        .text(6, concat!("bunraku ", env!("CARGO_PKG_VERSION")));
    let footer = footer.end();
    file.extend(&footer);
    file.extend(to_u32(footer.len()).to_le_bytes());
    file.extend(MAGIC);
    file
}

/// The header of a page with `length` bytes.
fn header(num_values: usize, length: usize) -> Struct {
    let mut data = Struct::default();
    data.integer(1, I32, to_i64(num_values)).integer(2, I32, ENCODING_PLAIN).integer(3, I32, ENCODING_RLE).integer(
        4,
        I32,
        ENCODING_RLE,
    );
    let mut header = Struct::default();
    let length = to_i64(length);
    header.integer(1, I32, DATA_PAGE).integer(2, I32, length).integer(3, I32, length).nested(5, data);
    header
}

/// The type of a column, and its page: which rows have a value, then these values.
fn page(cells: &Cells) -> (i64, Vec<u8>) {
    match cells {
        Cells::Integers(values) => (TYPE_INT64, optional(values, |value| value.to_le_bytes().to_vec())),
        Cells::Numbers(values) => (TYPE_DOUBLE, optional(values, |value| value.to_le_bytes().to_vec())),
        Cells::Texts(values) => (
            TYPE_BYTE_ARRAY,
            optional(values, |text| [&to_u32(text.len()).to_le_bytes()[..], text.as_bytes()].concat()),
        ),
    }
}

fn optional<T>(values: &[Option<T>], bytes: impl Fn(&T) -> Vec<u8>) -> Vec<u8> {
    let mut levels = Vec::new();
    for run in values.chunk_by(|a, b| a.is_some() == b.is_some()) {
        // A run of equal levels: twice its length, and the level.
        levels.extend(varint((run.len() as u64) << 1));
        levels.push(u8::from(run.first().is_some_and(Option::is_some)));
    }
    let values = values.iter().flatten().flat_map(bytes);
    to_u32(levels.len()).to_le_bytes().into_iter().chain(levels).chain(values).collect()
}

// Types of Thrift's compact protocol.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A struct in Thrift's compact protocol; its fields are added in ascending order.
#[derive(Default)]
struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    fn field(&mut self, id: u8, kind: u8, content: impl IntoIterator<Item = u8>) -> &mut Self {
        self.bytes.push((id - self.last) << 4 | kind);
        self.last = id;
        self.bytes.extend(content);
        self
    }

    fn integer(&mut self, id: u8, kind: u8, value: i64) -> &mut Self {
        self.field(id, kind, zigzag(value))
    }

    fn text(&mut self, id: u8, text: &str) -> &mut Self {
        self.field(id, BINARY, binary(text))
    }

    fn nested(&mut self, id: u8, nested: Self) -> &mut Self {
        self.field(id, STRUCT, nested.end())
    }

    fn list(&mut self, id: u8, kind: u8, items: impl IntoIterator<Item = Vec<u8>>) -> &mut Self {
        let items: Vec<Vec<u8>> = items.into_iter().collect();
        let header = match u8::try_from(items.len()) {
            Ok(length @ 0..15) => vec![length << 4 | kind],
            _ => [vec![0xf0 | kind], varint(items.len() as u64)].concat(),
        };
        self.field(id, LIST, header.into_iter().chain(items.concat()))
    }

    fn end(self) -> Vec<u8> {
        let mut bytes = self.bytes;
        bytes.push(0);
        bytes
    }
}

fn binary(text: &str) -> Vec<u8> {
    [varint(text.len() as u64), text.as_bytes().to_vec()].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

#[allow(clippy::cast_sign_loss)]
fn zigzag(value: i64) -> Vec<u8> {
    varint((value << 1 ^ value >> 63) as u64)
}

/// Sizes are far below the limits of the format: a table has a million rows at most.
fn to_i64(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn to_u32(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Values in the order of the file; `python/tests/test_sweep.py` reads whole files with pyarrow.
    #[test]
    fn a_page_has_levels_and_values() {
        let (kind, page) = page(&Cells::Integers(vec![Some(1), Some(2), None]));
        assert_eq!(kind, TYPE_INT64);
        assert_eq!(page[..8], [4, 0, 0, 0, 4, 1, 2, 0]);
        assert_eq!(page[8..], [&1_i64.to_le_bytes()[..], &2_i64.to_le_bytes()[..]].concat());
    }

    #[test]
    fn numbers_are_those_of_the_compact_protocol() {
        assert_eq!(zigzag(0), [0]);
        assert_eq!(zigzag(-1), [1]);
        assert_eq!(zigzag(150), [0xac, 0x02]);
        let mut fields = Struct::default();
        fields.integer(1, I32, 1).integer(3, I64, -1).text(4, "a");
        assert_eq!(fields.end(), [0x15, 2, 0x26, 1, 0x18, 1, b'a', 0]);
    }

    #[test]
    fn a_file_begins_and_ends_with_its_magic() {
        let mut table = Table::default();
        table.begin_row();
        table.set("a", &json!("x"));
        let file = bytes(&table);
        assert!(file.starts_with(MAGIC) && file.ends_with(MAGIC));
        let length = u32::from_le_bytes(file[file.len() - 8..file.len() - 4].try_into().unwrap()) as usize;
        assert!(length + 12 < file.len());
    }
}
