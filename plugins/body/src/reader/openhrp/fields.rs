//! Field values by name and type.

use std::sync::Arc;

use bunraku_document::Diagnostic;
use bunraku_mesh::vrml::{Field, FieldType, Location, Node, Value};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::place::{Findings, Place, shortened};

/// Remedy for numbers that are not finite.
pub(super) const FINITE: &str = "write numbers, neither `inf` nor `nan`";

/// Fields of a node. Values of the wrong type or that are not finite are reported and treated as absent.
#[derive(Clone, Copy)]
pub(super) struct Fields<'f> {
    pub(super) place: &'f Place,
    pub(super) findings: &'f Findings<'f>,
}

/// Typed getters.
macro_rules! getters {
    ($($(#[$documentation:meta])* $visibility:vis $getter:ident: $type:ty = $variant:ident;)*) => {
        impl Fields<'_> {
            $($(#[$documentation])* $visibility fn $getter(&self, name: &str) -> Option<$type> {
                let field = self.field(name)?;
                match field.value {
                    Value::$variant(value) => Some(value.clone()),
                    _ => self.wrong_type(&field, FieldType::$variant),
                }
            })*
        }
    };
}

getters! {
    any_number: f64 = SFFloat;
    any_vector: [f64; 3] = SFVec3f;
    any_color: [f64; 3] = SFColor;
    any_rotation: [f64; 4] = SFRotation;
    /// An `MFFloat`; its numbers may be infinite.
    pub(super) numbers: Arc<Vec<f64>> = MFFloat;
    /// An `SFInt32`.
    pub(super) integer: i32 = SFInt32;
    /// An `SFBool`.
    pub(super) flag: bool = SFBool;
    /// An `SFString`.
    pub(super) text: Arc<str> = SFString;
    /// An `MFString`.
    pub(super) texts: Arc<Vec<Arc<str>>> = MFString;
}

impl<'f> Fields<'f> {
    /// A field with a value from the node or its `PROTO`.
    pub(super) fn field(&self, name: &str) -> Option<Field<'f>> {
        self.place.node.field(name)
    }

    /// Whether the node itself sets a field.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.field(name).is_some_and(|field| field.given)
    }

    /// Location for a finding about a field: its value, or the node if the field has its default.
    pub(super) fn location(&self, name: &str) -> Location {
        match self.field(name) {
            Some(field) if field.given => field.location,
            _ => self.place.node.location(),
        }
    }

    /// Reports fields that the `PROTO` should declare but does not; the original refuses such a file.
    pub(super) fn expect(&self, names: &[&str]) {
        let Some(instance) = self.place.node.instance() else { return };
        let prototype = instance.prototype();
        for name in names.iter().filter(|name| self.field(name).is_none()) {
            let prototype_name = shortened(prototype.name());
            let message = format!("`PROTO {prototype_name}` does not declare `{name}`; it has the value of the manual");
            let warning = Diagnostic::warning("missing-field", message);
            self.findings.report_in(
                &self.place.document,
                prototype.location(),
                warning.help("copy the declaration of the manual"),
            );
        }
    }

    /// A warning about a field, with a remedy.
    pub(super) fn warning(&self, name: &str, code: &'static str, message: impl Into<String>, help: &str) {
        self.report(name, Diagnostic::warning(code, message).help(help));
    }

    /// An error about a field, with a remedy.
    pub(super) fn error(&self, name: &str, code: &'static str, message: impl Into<String>, help: &str) {
        self.report(name, Diagnostic::error(code, message).help(help));
    }

    /// A finding about a field.
    pub(super) fn report(&self, name: &str, diagnostic: Diagnostic) {
        self.findings.report(self.place, self.location(name), diagnostic);
    }

    /// The type of a field is given by its declaration, so the error is located there.
    fn wrong_type<T>(&self, field: &Field<'_>, wanted: FieldType) -> Option<T> {
        let instance = self.place.node.instance()?;
        let prototype = instance.prototype();
        let declaration = prototype.fields().iter().find(|declaration| &*declaration.name == field.name);
        let at = declaration.map_or(field.location, |declaration| declaration.location);
        let message = format!(
            "`{}` of `PROTO {}` is an `{}`, but must be an `{}`",
            field.name,
            shortened(prototype.name()),
            field.value.field_type().name(),
            wanted.name()
        );
        let error = Diagnostic::error("field-type", message).help("copy the declaration of the manual");
        self.findings.report_in(&self.place.document, at, error);
        None
    }

    fn finite<T>(&self, name: &str, value: T, is_finite: impl Fn(&T) -> bool) -> Option<T> {
        if is_finite(&value) {
            return Some(value);
        }
        self.error(name, "not-finite", format!("`{name}` is not finite"), FINITE);
        None
    }

    /// An `SFFloat`.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.finite(name, self.any_number(name)?, |number| number.is_finite())
    }

    /// An `SFVec3f`.
    pub(super) fn vector(&self, name: &str) -> Option<Vector3<f64>> {
        self.finite(name, self.any_vector(name)?, |vector| vector.iter().all(|number| number.is_finite()))
            .map(Vector3::from)
    }

    /// An `SFColor`.
    pub(super) fn color(&self, name: &str) -> Option<Vector3<f64>> {
        self.finite(name, self.any_color(name)?, |color| color.iter().all(|number| number.is_finite()))
            .map(Vector3::from)
    }

    /// An `SFRotation`.
    pub(super) fn rotation(&self, name: &str) -> Option<UnitQuaternion<f64>> {
        let rotation = self.any_rotation(name)?;
        let [x, y, z, angle] = self.finite(name, rotation, |all| all.iter().all(|number| number.is_finite()))?;
        // The axis is a unit vector already, except for rounding.
        let axis = bunraku_mesh::unit_vector(Vector3::new(x, y, z), 1e-6)?;
        Some(UnitQuaternion::from_axis_angle(&axis, angle))
    }

    /// The nodes of an `MFNode` or `SFNode`.
    pub(super) fn nodes(&self, name: &str) -> &'f [Arc<Node>] {
        self.field(name).map(|field| field.value.nodes()).unwrap_or_default()
    }

    /// Name of the node: its `DEF` name or, if it has none, the value of the field `name`, as in the manual.
    pub(super) fn name(&self) -> &'f str {
        let name = self.place.node.name();
        match self.field("name").map(|field| field.value) {
            Some(Value::SFString(field)) if name.is_empty() => field,
            _ => name,
        }
    }

    /// As [`name`](Self::name), with a note if it is the value of the field.
    pub(super) fn noted_name(&self) -> &'f str {
        let name = self.name();
        if self.place.node.name().is_empty() && !name.is_empty() {
            let short = shortened(name);
            let message = format!("it is called `{short}` by its field `name`, as the manual says");
            let help = format!("write `DEF {short}` before it: Choreonoid knows such names alone");
            self.report("name", Diagnostic::note("manual-wins", message).help(help));
        }
        name
    }

    /// Pose by `translation`, `rotation` and the `center` of the rotation: T · C · R · C⁻¹.
    pub(super) fn centered_pose(&self) -> Isometry3<f64> {
        let center = Translation3::from(self.vector("center").unwrap_or_default());
        let Isometry3 { translation, rotation } = self.pose();
        translation * center * rotation * center.inverse()
    }

    /// Pose by `translation` and `rotation`.
    pub(super) fn pose(&self) -> Isometry3<f64> {
        let translation = self.vector("translation").unwrap_or_default();
        Isometry3::from_parts(Translation3::from(translation), self.rotation("rotation").unwrap_or_default())
    }
}
