use std::collections::HashMap;
use std::sync::Arc;

use super::Prototype;
use super::tree::{Definition, GivenField};

/// The instance whose body is being read.
pub(super) struct Environment {
    pub prototype: Arc<Prototype>,
    /// Names defined in the body.
    pub definitions: HashMap<Arc<str>, Definition>,
    pub given: Vec<GivenField>,
    /// Whether an `IS` refers to the fields.
    pub uses_fields: bool,
}
