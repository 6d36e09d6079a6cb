//! Descriptions of the messages, which are stored in the file.

use prost::Message;
use prost_types::field_descriptor_proto::Type;
use prost_types::{DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FileDescriptorSet};

use super::messages::{BUNRAKU, FOXGLOVE, GOOGLE, Header, PackedElementField};
use super::protobuf::{Described, Field, Kind, file, message};
use crate::ValuesKind;

/// Names of Foxglove's numeric types, in the order of their IDs from 0.
const NUMERIC_TYPES: [&str; 9] =
    ["UNKNOWN", "UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "FLOAT32", "FLOAT64"];

/// Tag of the first number of a measurement of a few numbers.
pub const FIRST_VALUE: i32 = 3;

/// All messages as a `google.protobuf.FileDescriptorSet`, as MCAP requires.
pub fn descriptions() -> Vec<u8> {
    const TIME: &str = "google/protobuf/timestamp.proto";
    const SHOWN: &str = "foxglove/messages.proto";
    let mut shown = file(SHOWN, "foxglove", &[TIME], FOXGLOVE);
    for message in &mut shown.message_type {
        if message.name() == PackedElementField::DESCRIPTION.0 {
            describe_numeric_types(message);
        }
    }
    let mut own = file("bunraku/messages.proto", "bunraku", &[TIME, SHOWN], BUNRAKU);
    own.message_type.extend(ValuesKind::ALL.into_iter().map(values));
    FileDescriptorSet { file: vec![file(TIME, "google.protobuf", &[], GOOGLE), shown, own] }.encode_to_vec()
}

/// Description of a measurement of a few numbers.
fn values(kind: ValuesKind) -> DescriptorProto {
    let number = |(quantity, tag): (&crate::Quantity, i32)| (quantity.name, tag, Kind::Scalar(Type::Double));
    let numbers = kind.quantities().iter().zip(FIRST_VALUE..).map(number);
    let fields: Vec<Field> = Header::DESCRIPTION.1.iter().copied().chain(numbers).collect();
    message(kind.device_type(), &fields)
}

/// Describes the type of a field of packed points, a plain number in our message, as an enumeration.
fn describe_numeric_types(message: &mut DescriptorProto) {
    for field in message.field.iter_mut().filter(|field| field.name() == "type") {
        field.set_type(Type::Enum);
        field.type_name = Some(format!("{}.NumericType", PackedElementField::REFERENCE));
    }
    let values = NUMERIC_TYPES.into_iter().zip(0..).map(|(name, number)| EnumValueDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        options: None,
    });
    let (name, value) = (Some("NumericType".to_owned()), values.collect());
    message.enum_type.push(EnumDescriptorProto { name, value, ..EnumDescriptorProto::default() });
}
