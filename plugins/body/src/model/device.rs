use nalgebra::Affine3;

use super::LinkIndex;

/// A sensor, light or other equipment on a link, as the file describes it.
#[derive(Clone, Debug)]
pub struct Device {
    /// What it is: the word after `type` in the file, such as `ForceSensor`.
    pub kind: String,
    /// Name; may be empty.
    pub name: String,
    /// Number by which controllers find it among its kind.
    pub id: Option<usize>,
    /// The link it is mounted on.
    pub link: LinkIndex,
    /// From the device's own frame to the link frame; a rigid motion unless the file scales what encloses it.
    pub transform: Affine3<f64>,
    /// Whether it is on at the start.
    pub enabled: bool,
    /// All other keys of the file, in file order.
    pub properties: Vec<(String, Property)>,
}

/// A value of a device key as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Property {
    /// A text, number or truth value, as written.
    Text(String),
    /// A list.
    List(Vec<Property>),
    /// Keys with values, in file order.
    Mapping(Vec<(String, Property)>),
}

impl Device {
    /// The value of a key.
    pub fn property(&self, key: &str) -> Option<&Property> {
        self.properties.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}
