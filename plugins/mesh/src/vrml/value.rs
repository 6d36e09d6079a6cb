use std::ops::Deref;
use std::sync::Arc;

use super::Node;

macro_rules! field_types {
    ($($(#[$documentation:meta])* $name:ident($type:ty);)*) => {
        /// Type of a field, as in `PROTO` declarations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FieldType {
            $($(#[$documentation])* $name,)*
        }

        impl FieldType {
            /// Name in files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }

            pub(super) fn from_name(name: &[u8]) -> Option<Self> {
                [$(Self::$name,)*].into_iter().find(|known| known.name().as_bytes() == name)
            }
        }

        /// Value of a field. Lists are shared, so a clone is cheap.
        #[derive(Clone, Debug)]
        pub enum Value {
            $($(#[$documentation])* $name($type),)*
        }

        impl Value {
            /// Type of the value.
            pub fn field_type(&self) -> FieldType {
                match self {
                    $(Self::$name(_) => FieldType::$name,)*
                }
            }
        }
    };
}

field_types! {
    /// `TRUE` or `FALSE`.
    SFBool(bool);
    /// Red, green and blue, 0…1.
    SFColor([f64; 3]);
    /// A number.
    SFFloat(f64);
    /// An image.
    SFImage(Arc<Image>);
    /// An integer.
    SFInt32(i32);
    /// A node, or `None` for `NULL`.
    SFNode(Option<Arc<Node>>);
    /// A unit axis x, y, z and an angle, rad. An axis of zero length was replaced by the identity.
    SFRotation([f64; 4]);
    /// A text.
    SFString(Arc<str>);
    /// Seconds since 1970.
    SFTime(f64);
    /// Two numbers.
    SFVec2f([f64; 2]);
    /// Three numbers.
    SFVec3f([f64; 3]);
    /// Colours.
    MFColor(Arc<Vec<[f64; 3]>>);
    /// Numbers.
    MFFloat(Arc<Vec<f64>>);
    /// Integers.
    MFInt32(Arc<Vec<i32>>);
    /// Nodes.
    MFNode(Arc<NodeList>);
    /// Rotations.
    MFRotation(Arc<Vec<[f64; 4]>>);
    /// Texts.
    MFString(Arc<Vec<Arc<str>>>);
    /// Times.
    MFTime(Arc<Vec<f64>>);
    /// Pairs.
    MFVec2f(Arc<Vec<[f64; 2]>>);
    /// Triples.
    MFVec3f(Arc<Vec<[f64; 3]>>);
}

/// An image whose pixels are listed in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Number of components: 1 grey, 2 grey and alpha, 3 red, green and blue, 4 these and alpha.
    pub components: u8,
    /// Components of the pixels, row by row from the bottom.
    pub data: Vec<u8>,
}

/// A list of nodes.
#[derive(Clone, Debug, Default)]
pub struct NodeList {
    nodes: Vec<Arc<Node>>,
    height: u32,
}

impl NodeList {
    pub(super) fn new(nodes: Vec<Arc<Node>>) -> Self {
        let height = nodes.iter().map(|node| node.height()).max().unwrap_or(0);
        Self { nodes, height }
    }
}

impl Deref for NodeList {
    type Target = [Arc<Node>];

    fn deref(&self) -> &Self::Target {
        &self.nodes
    }
}

impl Value {
    /// Maximum height of the nodes.
    pub(super) fn height(&self) -> u32 {
        match self {
            Self::SFNode(Some(node)) => node.height(),
            Self::MFNode(nodes) => nodes.height,
            _ => 0,
        }
    }

    /// The nodes of an `SFNode` or `MFNode`; empty for other types.
    pub fn nodes(&self) -> &[Arc<Node>] {
        match self {
            Self::SFNode(Some(node)) => std::slice::from_ref(node),
            Self::MFNode(nodes) => nodes,
            _ => &[],
        }
    }

    /// Default value of a field of this type.
    pub(super) fn empty(field_type: FieldType) -> Self {
        match field_type {
            FieldType::SFBool => Self::SFBool(false),
            FieldType::SFColor => Self::SFColor([0.0; 3]),
            FieldType::SFFloat => Self::SFFloat(0.0),
            FieldType::SFImage => Self::SFImage(Arc::default()),
            FieldType::SFInt32 => Self::SFInt32(0),
            FieldType::SFNode => Self::SFNode(None),
            FieldType::SFRotation => Self::SFRotation([0.0, 0.0, 1.0, 0.0]),
            FieldType::SFString => Self::SFString(Arc::from("")),
            FieldType::SFTime => Self::SFTime(0.0),
            FieldType::SFVec2f => Self::SFVec2f([0.0; 2]),
            FieldType::SFVec3f => Self::SFVec3f([0.0; 3]),
            FieldType::MFColor => Self::MFColor(Arc::default()),
            FieldType::MFFloat => Self::MFFloat(Arc::default()),
            FieldType::MFInt32 => Self::MFInt32(Arc::default()),
            FieldType::MFNode => Self::MFNode(Arc::default()),
            FieldType::MFRotation => Self::MFRotation(Arc::default()),
            FieldType::MFString => Self::MFString(Arc::default()),
            FieldType::MFTime => Self::MFTime(Arc::default()),
            FieldType::MFVec2f => Self::MFVec2f(Arc::default()),
            FieldType::MFVec3f => Self::MFVec3f(Arc::default()),
        }
    }
}
