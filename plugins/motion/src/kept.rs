/// Something a file has and Bunraku does not know, kept so that nothing is lost when the motion is written again.
///
/// Each `text` is YAML in block style from column 0 on: lines `key: value…`, or the mapping of a whole component. It
/// stands on its own, without anchors from elsewhere in its file. It is written back as it is, in any version of `.seq`;
/// keys of a component that the motion has no more are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptYaml {
    /// Keys at the top of the file.
    TopKey {
        /// One key and its value, or several.
        text: String,
    },
    /// Keys of a component that is known itself.
    ComponentKey {
        /// The `content` of the component.
        content: String,
        /// One key and its value, or several.
        text: String,
    },
    /// A component of a type that is not known.
    Component {
        /// The mapping of the component, its frames included.
        text: String,
    },
}

impl KeptYaml {
    /// The YAML, whatever it is for.
    pub fn text(&self) -> &str {
        match self {
            Self::TopKey { text } | Self::ComponentKey { text, .. } | Self::Component { text } => text,
        }
    }
}
