/// A primitive shape that can be added as a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// A cube.
    Box,
    /// A sphere.
    Sphere,
    /// An upright cylinder, as high as it is wide.
    Cylinder,
}

impl Primitive {
    /// All shapes, in the order of the menu.
    pub const ALL: [Self; 3] = [Self::Box, Self::Sphere, Self::Cylinder];

    /// Name in the menu.
    pub fn label(self) -> &'static str {
        match self {
            Self::Box => "Box",
            Self::Sphere => "Sphere",
            Self::Cylinder => "Cylinder",
        }
    }

    /// Name of its model.
    pub fn word(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::Sphere => "sphere",
            Self::Cylinder => "cylinder",
        }
    }
}
