use bunraku_document::{Mapping, Reporter, Value};

use super::entries::non_empty;
use super::numbers::{frame, numbers};
use crate::model::{Frame, ModelName, Origin, Parameter, ParameterName, ParameterValue};

/// Reads a parameter; `models` are the names of models with their numbers in older files.
pub(super) fn read(node: Value<'_>, models: &[(Option<i32>, ModelName)], reporter: &Reporter) -> Option<Parameter> {
    let mut entry = Mapping::new(node, "a parameter", reporter)?;
    // Before 2019 `rname` is the variable and `name` the label.
    let variable = entry.text(&["rname"]).filter(|name| !name.trim().is_empty()).map(str::to_owned);
    let given = match variable {
        Some(_) => entry.text(&["name"]),
        None => Some(non_empty(&entry, &["name"])?),
    };
    let name = variable.clone().or_else(|| given.map(str::to_owned)).unwrap_or_default();
    entry.rename(format!("parameter `{name}`"));
    let label = entry.text(&["disp_name", "dispName"]);
    let label = label.or(given.filter(|_| variable.is_some())).unwrap_or(&name).to_owned();
    entry.accept(&["seq", "elem_num", "elem_type", "id"]);
    let value = read_value(&entry, models, reporter);
    let unit = entry.text(&["units", "unit"]).filter(|unit| !unit.is_empty()).map(str::to_owned);
    let hidden = entry.bool(&["hide"]).unwrap_or(false);
    entry.finish();
    Some(Parameter { name: ParameterName(name), label, value: value?, unit, hidden, origin: Origin::of(node) })
}

/// Warns of a `model_id` of 0 if a model has that number: the parameter is not bound to it.
fn report_unbound(what: &str, value: Value<'_>, models: &[(Option<i32>, ModelName)], reporter: &Reporter) {
    if let Some((_, model)) = models.iter().find(|(id, _)| *id == Some(0)) {
        let message = format!("{what} is bound to no model, although `{model}` has the number 0");
        let help = "0 means that the parameter is not bound: number the models from 1";
        reporter.report(value.warning("unbound-parameter", message).help(help));
    }
}

/// Value of `param_type`.
#[derive(Clone, Copy, PartialEq)]
enum Declared {
    Integer,
    Double,
    Frame,
    /// Not given: before 2019 the number of values determines the type.
    Nothing,
}

fn read_value(
    entry: &Mapping<'_, '_>,
    models: &[(Option<i32>, ModelName)],
    reporter: &Reporter,
) -> Option<ParameterValue> {
    let values = entry.get(&["values", "value"]);
    // In files before 2019, `type` is 0 for a plain parameter and 1 for one bound to a model.
    let old_type = entry.integer(&["type"]);
    let declared = match (entry.get(&["param_type", "paramType"]), old_type) {
        (Some(value), _) => declared(value, values, reporter)?,
        (None, Some(_)) => Declared::Nothing,
        (None, None) => {
            entry.required_or(&["param_type"], "write 1 for an integer, 2 for a number, 3 for a pose");
            return None;
        }
    };
    let number = entry.integer(&["model_param_id", "model_feature_id"]).unwrap_or(-1);
    let by_number = entry.get(&["model_id"]).and_then(|value| {
        // The generator of 2019-02 numbers models from 1 and writes 0, or nothing, for an unbound parameter.
        let number = reporter.keep(value.as_integer(reporter)).filter(|&number| number >= 0)?;
        if number == 0 {
            report_unbound(entry.what(), value, models, reporter);
            return None;
        }
        let found = models.iter().find(|(id, _)| *id == Some(number)).map(|(_, name)| name.clone());
        if found.is_none() {
            let message = format!("{} refers to the model {number}, which is not there", entry.what());
            reporter.report(value.error("unknown-model", message).help("use the `id` of one of `models`"));
        }
        found
    });
    let model = entry.text(&["model_name", "modelName"]).filter(|name| !name.is_empty()).map(ModelName::from);
    if let Some(model) = model.or(by_number) {
        let remembered = values.and_then(|value| {
            // An unused copy, which may be anything.
            let quiet = Reporter::new();
            numbers(value, &quiet).and_then(|numbers| numbers.try_into().ok()).map(Frame)
        });
        let feature = usize::try_from(number).ok();
        return Some(ParameterValue::Bound { model, feature, remembered });
    }
    let Some(values) = values else {
        entry.required_or(&["values"], "write the value: `values: 0`, or of a pose `values: [0, 0, 0, 0, 0, 0]`");
        return None;
    };
    if values.items().is_some_and(|items| items.len() == 6) {
        return frame(values, reporter).map(ParameterValue::Frame);
    }
    match declared {
        Declared::Integer => reporter.keep(values.as_integer(reporter)).map(ParameterValue::Integer),
        Declared::Double => reporter.keep(values.as_number(reporter)).map(ParameterValue::Double),
        Declared::Frame | Declared::Nothing => match *numbers(values, reporter)? {
            [number] if declared == Declared::Nothing => Some(ParameterValue::Double(number)),
            [x, y, z] => Some(ParameterValue::Vector([x, y, z])),
            [x, y, z, roll, pitch, yaw] => Some(ParameterValue::Frame(Frame([x, y, z, roll, pitch, yaw]))),
            ref other => {
                let message = format!("a pose has 6 numbers, {} has {}", entry.what(), other.len());
                let diagnostic = values.error("wrong-length", message);
                reporter.report(diagnostic.help("write `[x, y, z, roll, pitch, yaw]` in m and degrees"));
                None
            }
        },
    }
}

fn declared(value: Value<'_>, values: Option<Value<'_>>, reporter: &Reporter) -> Option<Declared> {
    match reporter.keep(value.as_integer(reporter))? {
        1 => Some(Declared::Integer),
        2 => Some(Declared::Double),
        3 => match values {
            // In databases before 2019-03 it was a text, which expressions do not support.
            Some(values) if values.items().is_none() && values.text().is_some_and(|text| !text.contains(',')) => {
                let diagnostic = value.error("text-parameter", "a parameter of type 3 is a pose, this one has a text");
                reporter.report(diagnostic.help("write six numbers, or 2 for a number"));
                None
            }
            _ => Some(Declared::Frame),
        },
        // Type in the manual.
        4 => Some(Declared::Frame),
        other => {
            let diagnostic = value.error("unknown-parameter-type", format!("there is no type {other} of parameters"));
            reporter.report(diagnostic.help("1 is an integer, 2 a number, 3 a pose"));
            None
        }
    }
}
