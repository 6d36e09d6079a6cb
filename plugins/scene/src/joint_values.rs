//! One number for each joint: as a single number, a list in joint order, or a mapping by joint name.

use bunraku_body::{Body, JointIndex};
use bunraku_document::{Reporter, Result, Value, ValueKind, closest};

/// The forms that a key allows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Forms {
    /// A single number for all joints is allowed, too.
    WithScalar,
    /// Only a list or a mapping.
    ListOrMapping,
}

/// Sets the values of the joints that `value` gives; the others keep what `values` holds.
pub(super) fn read(value: Value<'_>, body: &Body, forms: Forms, values: &mut [f64], reporter: &Reporter) -> Result<()> {
    for (slot, given) in values.iter_mut().zip(given(value, body, forms, reporter)?) {
        *slot = given.unwrap_or(*slot);
    }
    Ok(())
}

/// The value given for each joint, in the unit it is written in; `None` for joints that are not named.
pub(super) fn given(value: Value<'_>, body: &Body, forms: Forms, reporter: &Reporter) -> Result<Vec<Option<f64>>> {
    let mut values = vec![None; body.num_joints()];
    match value.kind() {
        ValueKind::Sequence => {
            let numbers = value.as_numbers(reporter)?;
            if numbers.len() != values.len() {
                let message = format!(
                    "expected {} numbers, one for each joint of `{}`, found {}",
                    values.len(),
                    body.name,
                    numbers.len()
                );
                return Err(Box::new(value.error("wrong-length", message)));
            }
            values = numbers.into_iter().map(Some).collect();
        }
        ValueKind::Mapping => {
            for (name, span, number) in value.entries().into_iter().flatten() {
                let Some(slot) = body.find_joint(name).and_then(|joint| values.get_mut(joint.0)) else {
                    let diagnostic = value.error("unknown-joint", format!("`{}` has no joint `{name}`", body.name));
                    let diagnostic = diagnostic.at(number.source(), span);
                    let names = (0..body.num_joints()).map(|joint| body.joint_name(JointIndex(joint)));
                    return Err(Box::new(match closest(name, names) {
                        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                        None => diagnostic,
                    }));
                };
                *slot = Some(number.as_number(reporter)?);
            }
        }
        ValueKind::Scalar if forms == Forms::WithScalar => values.fill(Some(value.as_number(reporter)?)),
        ValueKind::Scalar | ValueKind::Null => {
            return Err(Box::new(value.expected("a list in joint order or a mapping by joint name")));
        }
    }
    Ok(values)
}
