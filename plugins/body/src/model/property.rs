/// A value of a device key as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Property {
    /// A text, number or boolean, as written.
    Text(String),
    /// A list.
    List(Vec<Property>),
    /// Keys with values, in file order.
    Mapping(Vec<(String, Property)>),
}
