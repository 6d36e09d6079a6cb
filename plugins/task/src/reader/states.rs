use bunraku_document::{Mapping, Reporter, Value, closest};

use super::entries::{expression, list, non_empty};
use crate::model::{
    ActionKind, Argument, CommandState, ExpressionText, ModelAction, ModelName, Origin, State, StateId, StateKind,
};

pub(super) fn read(node: Value<'_>, reporter: &Reporter) -> Option<State> {
    let mut entry = Mapping::new(node, "a state", reporter)?;
    let id = entry.required(&["id"]).and_then(|id| entry.keep(id.as_integer(reporter)))?;
    entry.rename(format!("state {id}"));
    let number = entry.required_or(&["type"], "1 initial, 2 final, 3 decision, 5 command, 6 merge")?;
    let kind = match entry.keep(number.as_integer(reporter))? {
        1 => StateKind::Initial,
        2 => StateKind::Final,
        3 => StateKind::Decision { condition: entry.get(&["condition"]).and_then(|value| expression(value, reporter)) },
        4 => StateKind::Fork,
        5 => StateKind::Command(read_command(&entry)?),
        6 => StateKind::Merge,
        other => {
            let diagnostic = number.error("unknown-state-type", format!("state {id} has the type {other}"));
            reporter.report(diagnostic.help("1 is initial, 2 final, 3 a decision, 5 a command, 6 a merge"));
            return None;
        }
    };
    let position = match entry.get(&["pos"]) {
        Some(value) => entry.keep(value.as_array::<2>(reporter)),
        // Before 2019.
        None => Some([entry.number(&["pos_x"]).unwrap_or(0.0), entry.number(&["pos_y"]).unwrap_or(0.0)]),
    };
    // Old files have the keys of all types in every state.
    entry.accept(&["condition", "cmd_name", "disp_name", "arguments", "model_actions", "id", "pos_x", "pos_y"]);
    entry.finish();
    Some(State { id: StateId(id), kind, position: position.unwrap_or_default(), origin: Origin::of(node) })
}

fn read_command(entry: &Mapping<'_, '_>) -> Option<CommandState> {
    let command = non_empty(entry, &["cmd_name", "cmdName"])?.to_owned();
    let label = entry.text(&["disp_name", "dispName"]).unwrap_or(&command).to_owned();
    let command_origin = entry.get(&["cmd_name", "cmdName"]).map(Origin::of).unwrap_or_default();
    let arguments = list(entry, entry.get(&["arguments"]), "arguments", &read_argument);
    let actions = list(entry, entry.get(&["model_actions", "modelActions"]), "model actions", &read_action);
    Some(CommandState { command, command_origin, label, arguments, actions })
}

fn read_argument(node: Value<'_>, reporter: &Reporter) -> Option<Argument> {
    let mut entry = Mapping::new(node, "an argument", reporter)?;
    let value = entry.get(&["name"]);
    let name = non_empty(&entry, &["name"])?.to_owned();
    entry.rename(format!("argument `{name}`"));
    entry.accept(&["seq", "id"]);
    // An empty value is left to the check, which has access to the state.
    let text = entry.required_or(&["value"], "write its value: `value: \"…\"`")?;
    let value_text =
        expression(text, reporter).unwrap_or_else(|| ExpressionText { text: String::new(), origin: Origin::of(text) });
    entry.finish();
    Some(Argument { name, value: value_text, origin: value.map(Origin::of).unwrap_or_default() })
}

fn read_action(node: Value<'_>, reporter: &Reporter) -> Option<ModelAction> {
    let entry = Mapping::new(node, "a model action", reporter)?;
    let value = entry.required(&["action"])?;
    let kind = match entry.keep(value.as_text())? {
        "attach" => ActionKind::Attach,
        "detach" => ActionKind::Detach,
        other => {
            let diagnostic = value.error("unknown-action", format!("`{other}` is not a model action"));
            reporter.report(diagnostic.help(match closest(other, ["attach", "detach"]) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "there are `attach` and `detach`".to_owned(),
            }));
            return None;
        }
    };
    let model = ModelName::from(non_empty(&entry, &["model"])?);
    let target = entry.get(&["target"]).and_then(|value| expression(value, reporter));
    entry.accept(&["seq", "id"]);
    entry.finish();
    Some(ModelAction { kind, model, target, origin: Origin::of(node) })
}
