use bunraku_document::closest;

use super::{Formal, Signature};
use crate::model::Argument;

/// Value of a formal parameter.
#[derive(Clone, Copy, Debug)]
pub enum Binding<'t> {
    /// Argument from the file.
    Given(&'t Argument),
    /// Default value.
    Default(f64),
}

/// Reason why arguments do not match a command.
#[derive(Clone, Debug)]
pub enum BindError<'t> {
    /// There is no formal parameter with this name.
    Unknown {
        /// The argument.
        argument: &'t Argument,
        /// Suggested remedy.
        help: String,
    },
    /// An argument is given twice.
    Twice(&'t Argument),
    /// A formal parameter without a default has no argument.
    Missing(&'static Formal),
    /// There are more arguments than formal parameters.
    TooMany(&'t Argument),
}

/// Binds arguments to the formal parameters of a command: by name, or in order if no name is known.
///
/// # Errors
/// All arguments that do not match.
pub fn bind<'t>(
    signature: &'static Signature,
    arguments: &'t [Argument],
) -> Result<Vec<(&'static Formal, Binding<'t>)>, Vec<BindError<'t>>> {
    let formals = signature.formals;
    let named = |argument: &Argument| formals.iter().any(|formal| formal.name == argument.name);
    let by_name = arguments.iter().any(named);
    let mut errors = Vec::new();
    if by_name {
        for (index, argument) in arguments.iter().enumerate() {
            if !named(argument) {
                errors.push(BindError::Unknown { argument, help: help(signature, &argument.name) });
            } else if arguments.iter().take(index).any(|other| other.name == argument.name) {
                errors.push(BindError::Twice(argument));
            }
        }
    } else if let Some(argument) = arguments.get(formals.len()) {
        errors.push(BindError::TooMany(argument));
    }
    let mut bound = Vec::with_capacity(formals.len());
    for (index, formal) in formals.iter().enumerate() {
        let given = match by_name {
            true => arguments.iter().find(|argument| argument.name == formal.name),
            false => arguments.get(index),
        };
        match (given, formal.default) {
            (Some(argument), _) => bound.push((formal, Binding::Given(argument))),
            (None, Some(default)) => bound.push((formal, Binding::Default(default))),
            (None, None) => errors.push(BindError::Missing(formal)),
        }
    }
    if errors.is_empty() { Ok(bound) } else { Err(errors) }
}

fn help(signature: &Signature, name: &str) -> String {
    match closest(name, signature.formals.iter().map(|formal| formal.name)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => {
            let names: Vec<_> = signature.formals.iter().map(|formal| formal.name).collect();
            format!("`{}` takes {}", signature.name, names.join(", "))
        }
    }
}
