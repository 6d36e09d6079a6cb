/// Unknown content of a file, kept so that it is written back with the motion.
///
/// Each `text` is YAML in block style from column 0: lines `key: value…`, or the mapping of a whole component. It is
/// self-contained, without references to anchors elsewhere in its file. It is written back unchanged, in any version of
/// `.seq`. Keys of a component that the motion no longer has are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptYaml {
    /// Keys at the top of the file.
    TopKey {
        /// One or more keys with values.
        text: String,
    },
    /// Keys of a known component.
    ComponentKey {
        /// `content` of the component.
        content: String,
        /// One or more keys with values.
        text: String,
    },
    /// A component of unknown type.
    Component {
        /// The mapping of the component, including its frames.
        text: String,
    },
}

impl KeptYaml {
    /// The YAML text.
    pub fn text(&self) -> &str {
        match self {
            Self::TopKey { text } | Self::ComponentKey { text, .. } | Self::Component { text } => text,
        }
    }
}
