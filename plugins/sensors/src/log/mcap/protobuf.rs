//! Protocol-buffer messages: one declaration gives the type that is written and its description in the file.

use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto, OneofDescriptorProto};

/// Type of a field, and whether it is a list.
#[derive(Clone, Copy)]
pub enum Kind {
    Scalar(Type),
    Scalars(Type),
    /// A number that may be absent.
    OptionalNumber,
    /// Another message, by its full name with a leading dot.
    Message(&'static str),
    Messages(&'static str),
}

/// A Rust type that a field may have.
pub trait FieldType {
    const KIND: Kind;
}

macro_rules! scalars {
    ($($rust:ty: $kind:ident),+) => {
        $(impl FieldType for $rust {
            const KIND: Kind = Kind::Scalar(Type::$kind);
        })+
    };
}

// Foxglove's schemas have `fixed32` for all unsigned numbers.
scalars!(f64: Double, u32: Fixed32, i32: Int32, i64: Int64, bool: Bool, String: String, Vec<u8>: Bytes);

impl FieldType for Vec<f64> {
    const KIND: Kind = Kind::Scalars(Type::Double);
}

impl FieldType for Vec<u32> {
    const KIND: Kind = Kind::Scalars(Type::Fixed32);
}

impl FieldType for Option<f64> {
    const KIND: Kind = Kind::OptionalNumber;
}

impl<M: Described> FieldType for Option<M> {
    const KIND: Kind = Kind::Message(M::REFERENCE);
}

impl<M: Described> FieldType for Vec<M> {
    const KIND: Kind = Kind::Messages(M::REFERENCE);
}

/// A field: its name, its tag, its type.
pub type Field = (&'static str, i32, Kind);

/// A message: its name without the package, its fields.
pub type Description = (&'static str, &'static [Field]);

/// A message that describes itself.
pub trait Described: Message {
    /// Full name with a leading dot, as in the descriptions of other messages.
    const REFERENCE: &'static str;
    const DESCRIPTION: Description;
}

/// Declares messages of a package and, if it is named, the list of their descriptions. A field is `name: type [kind] = tag`, where
/// `kind` is what [`prost`] requires for the type.
macro_rules! messages {
    (
        package $package:literal $(, $list:ident)?;
        $($(#[$attribute:meta])* $message:ident {
            $($(#[$comment:meta])* $field:ident: $type:ty [$($kind:tt)+] = $tag:tt),+ $(,)?
        })+
    ) => {
        $(
            $(#[$attribute])*
            #[derive(Clone, PartialEq, Message)]
            pub struct $message {
                $($(#[$comment])* #[prost($($kind)+, tag = $tag)] pub $field: $type,)+
            }

            impl Described for $message {
                const REFERENCE: &'static str = concat!(".", $package, ".", stringify!($message));
                const DESCRIPTION: Description =
                    (stringify!($message), &[$((stringify!($field), $tag, <$type as FieldType>::KIND)),+]);
            }
        )+

        messages! { list $($list)?; $($message),+ }
    };
    (list $list:ident; $($message:ident),+) => {
        pub const $list: &[Description] = &[$($message::DESCRIPTION),+];
    };
    (list; $($message:ident),+) => {};
}

pub(super) use messages;

/// A file of descriptions.
pub fn file(name: &str, package: &str, imports: &[&str], messages: &[Description]) -> FileDescriptorProto {
    FileDescriptorProto {
        name: Some(name.to_owned()),
        package: Some(package.to_owned()),
        dependency: imports.iter().map(|&import| import.to_owned()).collect(),
        message_type: messages.iter().map(|(name, fields)| message(name, fields)).collect(),
        syntax: Some("proto3".to_owned()),
        ..FileDescriptorProto::default()
    }
}

/// A message.
pub fn message(name: &str, fields: &[Field]) -> DescriptorProto {
    let mut message = DescriptorProto { name: Some(name.to_owned()), ..DescriptorProto::default() };
    for &(name, tag, kind) in fields {
        let mut field = field(name, tag, kind);
        if matches!(kind, Kind::OptionalNumber) {
            // Proto3 describes an optional field as the only one of a set.
            field.proto3_optional = Some(true);
            field.oneof_index = i32::try_from(message.oneof_decl.len()).ok();
            message.oneof_decl.push(OneofDescriptorProto { name: Some(format!("_{name}")), options: None });
        }
        message.field.push(field);
    }
    message
}

fn field(name: &str, tag: i32, kind: Kind) -> FieldDescriptorProto {
    let (label, kind, reference) = match kind {
        Kind::Scalar(kind) => (Label::Optional, kind, None),
        Kind::Scalars(kind) => (Label::Repeated, kind, None),
        Kind::OptionalNumber => (Label::Optional, Type::Double, None),
        Kind::Message(reference) => (Label::Optional, Type::Message, Some(reference)),
        Kind::Messages(reference) => (Label::Repeated, Type::Message, Some(reference)),
    };
    FieldDescriptorProto {
        name: Some(name.trim_start_matches("r#").to_owned()),
        number: Some(tag),
        label: Some(label.into()),
        r#type: Some(kind.into()),
        type_name: reference.map(str::to_owned),
        ..FieldDescriptorProto::default()
    }
}
