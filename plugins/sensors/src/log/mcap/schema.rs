//! Descriptions of the messages, which are stored in the file.

use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    FileDescriptorSet, OneofDescriptorProto,
};

use crate::ValuesKind;

/// Type of a field.
#[derive(Clone, Copy)]
enum Kind {
    Double,
    Fixed32,
    Int32,
    Int64,
    Bool,
    Text,
    Bytes,
    /// Another message, by its full name.
    Message(&'static str),
    Enum(&'static str),
}

/// A field: name, number, type; `true` if it is a list.
type Field = (&'static str, i32, Kind, bool);

/// A message whose numbers are absent or present, as those of joints.
const WITH_PRESENCE: &str = "JointState";

const STAMP: Field = ("timestamp", 1, Kind::Message(".google.protobuf.Timestamp"), false);
const FRAME: Field = ("frame_id", 2, Kind::Text, false);

/// Names of Foxglove's numeric types, in the order of their IDs from 0.
const NUMERIC_TYPES: [&str; 9] =
    ["UNKNOWN", "UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "FLOAT32", "FLOAT64"];

const fn number(name: &'static str, tag: i32) -> Field {
    (name, tag, Kind::Double, false)
}

const fn numbers(name: &'static str, tag: i32) -> Field {
    (name, tag, Kind::Double, true)
}

const fn text(name: &'static str, tag: i32) -> Field {
    (name, tag, Kind::Text, false)
}

const fn one(name: &'static str, tag: i32, message: &'static str) -> Field {
    (name, tag, Kind::Message(message), false)
}

const fn many(name: &'static str, tag: i32, message: &'static str) -> Field {
    (name, tag, Kind::Message(message), true)
}

/// Messages of package `foxglove`: the fields of its published schemas that are used here.
const FOXGLOVE: [(&str, &[Field]); 18] = [
    ("Vector3", &[number("x", 1), number("y", 2), number("z", 3)]),
    ("Point3", &[number("x", 1), number("y", 2), number("z", 3)]),
    ("Quaternion", &[number("x", 1), number("y", 2), number("z", 3), number("w", 4)]),
    ("Color", &[number("r", 1), number("g", 2), number("b", 3), number("a", 4)]),
    ("Pose", &[one("position", 1, ".foxglove.Vector3"), one("orientation", 2, ".foxglove.Quaternion")]),
    (
        "FrameTransform",
        &[
            STAMP,
            text("parent_frame_id", 2),
            text("child_frame_id", 3),
            one("translation", 4, ".foxglove.Vector3"),
            one("rotation", 5, ".foxglove.Quaternion"),
        ],
    ),
    ("FrameTransforms", &[many("transforms", 1, ".foxglove.FrameTransform")]),
    ("CompressedImage", &[STAMP, ("data", 2, Kind::Bytes, false), text("format", 3), text("frame_id", 4)]),
    (
        "RawImage",
        &[
            STAMP,
            ("width", 2, Kind::Fixed32, false),
            ("height", 3, Kind::Fixed32, false),
            text("encoding", 4),
            ("step", 5, Kind::Fixed32, false),
            ("data", 6, Kind::Bytes, false),
            text("frame_id", 7),
        ],
    ),
    (
        "PointCloud",
        &[
            STAMP,
            FRAME,
            one("pose", 3, ".foxglove.Pose"),
            ("point_stride", 4, Kind::Fixed32, false),
            many("fields", 5, ".foxglove.PackedElementField"),
            ("data", 6, Kind::Bytes, false),
        ],
    ),
    (
        "LaserScan",
        &[
            STAMP,
            FRAME,
            one("pose", 3, ".foxglove.Pose"),
            number("start_angle", 4),
            number("end_angle", 5),
            numbers("ranges", 6),
            numbers("intensities", 7),
        ],
    ),
    (
        "TriangleListPrimitive",
        &[
            one("pose", 1, ".foxglove.Pose"),
            many("points", 2, ".foxglove.Point3"),
            one("color", 3, ".foxglove.Color"),
            many("colors", 4, ".foxglove.Color"),
            ("indices", 5, Kind::Fixed32, true),
        ],
    ),
    (
        "SceneEntity",
        &[
            STAMP,
            FRAME,
            text("id", 3),
            ("frame_locked", 5, Kind::Bool, false),
            many("triangles", 12, ".foxglove.TriangleListPrimitive"),
        ],
    ),
    ("SceneUpdate", &[many("entities", 2, ".foxglove.SceneEntity")]),
    (
        "CameraCalibration",
        &[
            STAMP,
            text("frame_id", 9),
            ("width", 2, Kind::Fixed32, false),
            ("height", 3, Kind::Fixed32, false),
            text("distortion_model", 4),
            numbers("D", 5),
            numbers("K", 6),
            numbers("R", 7),
            numbers("P", 8),
        ],
    ),
    (WITH_PRESENCE, &[text("name", 1), number("position", 2), number("velocity", 3), number("effort", 5)]),
    (
        "LocationFix",
        &[
            ("timestamp", 6, Kind::Message(".google.protobuf.Timestamp"), false),
            text("frame_id", 7),
            number("latitude", 1),
            number("longitude", 2),
            number("altitude", 3),
        ],
    ),
    ("JointStates", &[STAMP, many("joints", 2, ".foxglove.JointState")]),
];

/// Messages for which Foxglove has no schema.
const BUNRAKU: [(&str, &[Field]); 2] = [
    (
        "Imu",
        &[
            STAMP,
            FRAME,
            one("linear_acceleration", 3, ".foxglove.Vector3"),
            one("angular_velocity", 4, ".foxglove.Vector3"),
        ],
    ),
    ("Wrench", &[STAMP, FRAME, one("force", 3, ".foxglove.Vector3"), one("torque", 4, ".foxglove.Vector3")]),
];

/// Tag of the first number of a measurement of a few numbers.
pub const FIRST_VALUE: i32 = 3;

/// Time type of package `google.protobuf`.
const GOOGLE: [(&str, &[Field]); 1] =
    [("Timestamp", &[("seconds", 1, Kind::Int64, false), ("nanos", 2, Kind::Int32, false)])];

/// All messages as a `google.protobuf.FileDescriptorSet`, as MCAP requires.
pub fn descriptions() -> Vec<u8> {
    const TIME: &str = "google/protobuf/timestamp.proto";
    const SHOWN: &str = "foxglove/messages.proto";
    let mut shown = file(SHOWN, "foxglove", &[TIME], &FOXGLOVE);
    shown.message_type.push(packed_element_field());
    let mut own = file("bunraku/messages.proto", "bunraku", &[TIME, SHOWN], &BUNRAKU);
    own.message_type.extend(ValuesKind::ALL.into_iter().map(values));
    FileDescriptorSet { file: vec![file(TIME, "google.protobuf", &[], &GOOGLE), shown, own] }.encode_to_vec()
}

/// Description of a measurement of a few numbers.
fn values(kind: ValuesKind) -> DescriptorProto {
    let numbers = kind.quantities().iter().zip(FIRST_VALUE..).map(|(quantity, tag)| number(quantity.name, tag));
    let fields: Vec<Field> = [STAMP, FRAME].into_iter().chain(numbers).collect();
    message(kind.device_type(), &fields)
}

fn file(name: &str, package: &str, imports: &[&str], messages: &[(&str, &[Field])]) -> FileDescriptorProto {
    FileDescriptorProto {
        name: Some(name.to_owned()),
        package: Some(package.to_owned()),
        dependency: imports.iter().map(|&import| import.to_owned()).collect(),
        message_type: messages.iter().map(|(name, fields)| message(name, fields)).collect(),
        syntax: Some("proto3".to_owned()),
        ..FileDescriptorProto::default()
    }
}

fn message(name: &str, fields: &[Field]) -> DescriptorProto {
    let mut message = DescriptorProto {
        name: Some(name.to_owned()),
        field: fields.iter().map(field).collect(),
        ..DescriptorProto::default()
    };
    if name == WITH_PRESENCE {
        for field in message.field.iter_mut().filter(|field| field.r#type == Some(Type::Double.into())) {
            // Proto3 describes an optional field as the only one of a set.
            field.proto3_optional = Some(true);
            field.oneof_index = i32::try_from(message.oneof_decl.len()).ok();
            let name = format!("_{}", field.name());
            message.oneof_decl.push(OneofDescriptorProto { name: Some(name), options: None });
        }
    }
    message
}

fn field(&(name, tag, kind, repeated): &Field) -> FieldDescriptorProto {
    let (kind, type_name) = match kind {
        Kind::Double => (Type::Double, None),
        Kind::Fixed32 => (Type::Fixed32, None),
        Kind::Int32 => (Type::Int32, None),
        Kind::Int64 => (Type::Int64, None),
        Kind::Bool => (Type::Bool, None),
        Kind::Text => (Type::String, None),
        Kind::Bytes => (Type::Bytes, None),
        Kind::Message(name) => (Type::Message, Some(name.to_owned())),
        Kind::Enum(name) => (Type::Enum, Some(name.to_owned())),
    };
    let label = if repeated { Label::Repeated } else { Label::Optional };
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(tag),
        label: Some(label.into()),
        r#type: Some(kind.into()),
        type_name,
        ..FieldDescriptorProto::default()
    }
}

/// Description of a field of packed points, with its type as an enumeration.
fn packed_element_field() -> DescriptorProto {
    let kind = Kind::Enum(".foxglove.PackedElementField.NumericType");
    let fields = [text("name", 1), ("offset", 2, Kind::Fixed32, false), ("type", 3, kind, false)];
    let values = NUMERIC_TYPES.into_iter().zip(0..).map(|(name, number)| EnumValueDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        options: None,
    });
    let numeric = EnumDescriptorProto {
        name: Some("NumericType".to_owned()),
        value: values.collect(),
        ..EnumDescriptorProto::default()
    };
    DescriptorProto { enum_type: vec![numeric], ..message("PackedElementField", &fields) }
}
