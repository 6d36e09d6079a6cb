//! Evaluation of texts with expressions and commands.

use std::ops::Range;

use bunraku_document::{Diagnostic, closest};

use super::expand::{Expander, Stop};
use super::expression::{Context, Value, evaluate};
use super::scopes::{Property, ScopeIndex};
use super::segments::{Segment, segments};
use super::tree::{Attribute, Element};
use super::yaml;

/// Maximum number of properties that need each other.
const LONGEST_CHAIN: usize = 20;

/// Maximum length of a text, bytes.
const LONGEST: usize = 1 << 20;

impl Expander<'_> {
    /// The value of a text at a location: that of its expression if it is nothing else, or else a text.
    pub(super) fn text(
        &mut self,
        text: &str,
        (file, range): (usize, &Range<usize>),
        scope: ScopeIndex,
    ) -> Result<Value, Stop> {
        self.value(text, scope, file).map_err(|message| self.stop(file, range, Diagnostic::error("xacro", message)))
    }

    /// The text of an attribute.
    pub(super) fn attribute_text(
        &mut self,
        element: &Element,
        attribute: &Attribute,
        scope: ScopeIndex,
    ) -> Result<String, Stop> {
        Ok(self.text(&attribute.value, (element.file, &attribute.range), scope)?.to_string())
    }

    fn value(&mut self, text: &str, scope: ScopeIndex, file: usize) -> Result<Value, String> {
        if !text.contains('$') {
            return Ok(Value::text(text));
        }
        let parts = segments(text)?;
        if let [part] = parts.as_slice() {
            return self.part(part, scope, file);
        }
        let mut joined = String::new();
        for part in &parts {
            joined.push_str(&self.part(part, scope, file)?.to_string());
            if joined.len() > LONGEST {
                return Err(format!("the text is longer than {LONGEST} bytes"));
            }
        }
        Ok(Value::text(joined))
    }

    fn part(&mut self, part: &Segment<'_>, scope: ScopeIndex, file: usize) -> Result<Value, String> {
        match part {
            Segment::Text(text) => Ok(Value::text(text)),
            Segment::Expression(text) => {
                // Commands in an expression are replaced by their texts first.
                let text = if text.contains("$(") { self.commands(text, scope, file)? } else { (*text).to_owned() };
                evaluate(&text, &mut InScope { expander: self, scope, file })
                    .map_err(|fault| format!("{fault}, in `{text}`"))
            }
            Segment::Command(text) => self.command(text, scope, file),
        }
    }

    fn commands(&mut self, text: &str, scope: ScopeIndex, file: usize) -> Result<String, String> {
        let mut replaced = String::new();
        for part in segments(text)? {
            match part {
                Segment::Text(text) => replaced.push_str(text),
                Segment::Expression(_) => return Err("an expression cannot be inside another one".to_owned()),
                Segment::Command(command) => replaced.push_str(&self.command(command, scope, file)?.to_string()),
            }
        }
        Ok(replaced)
    }

    /// `$(arg NAME)`, `$(find PACKAGE)`, `$(dirname)` or `$(eval EXPRESSION)`.
    fn command(&mut self, text: &str, scope: ScopeIndex, file: usize) -> Result<Value, String> {
        if let Some(expression) = text.trim_start().strip_prefix("eval ") {
            return evaluate(expression, &mut InScope { expander: self, scope, file });
        }
        let text = self.value(text, scope, file)?.to_string();
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["arg", name] => self.argument_value(name).map(Value::text),
            ["find", package] => {
                let directory = self.directory(file);
                let uri = format!("package://{package}/");
                let found =
                    self.reading.roots.resolve(&directory, &uri).map_err(|error| match error.to_diagnostic() {
                        Diagnostic { message, help: Some(help), .. } => format!("{message}: {help}"),
                        Diagnostic { message, .. } => message,
                    })?;
                Ok(Value::text(found.display().to_string().trim_end_matches('/')))
            }
            ["dirname"] => Ok(Value::text(self.directory(file).display().to_string())),
            ["env" | "optenv", ..] => {
                Err(format!("`$({text})` is not read, as a model does not depend on the environment: use `xacro:arg`"))
            }
            _ => Err(format!(
                "`$({text})` is not known: `$(arg NAME)`, `$(find PACKAGE)`, `$(dirname)` and `$(eval …)` are"
            )),
        }
    }

    fn argument_value(&self, name: &str) -> Result<String, String> {
        self.arguments.get(name).cloned().ok_or_else(|| {
            match closest(name, self.arguments.keys().map(String::as_str)) {
                Some(meant) => format!("there is no argument `{name}`: did you mean `{meant}`?"),
                None => format!("the argument `{name}` has no value: give it with `--xacro-arg {name}=VALUE`"),
            }
        })
    }

    /// The value of a property, evaluated at its first use.
    pub(super) fn variable(&mut self, scope: ScopeIndex, name: &str) -> Result<Option<Value>, String> {
        let Some((owner, property)) = self.scopes.find(scope, name) else { return Ok(None) };
        let (text, element) = match property {
            Property::Value(value) => return Ok(Some(value)),
            Property::Pending => return Err(format!("`{name}` needs its own value")),
            Property::Text(text, element) => (text, element),
        };
        if self.pending >= LONGEST_CHAIN {
            return Err(format!("`{name}` is the end of a chain of more than {LONGEST_CHAIN} properties"));
        }
        self.scopes.set(owner, name, Property::Pending);
        self.pending += 1;
        let value = self.value(&text, owner, element.file);
        self.pending -= 1;
        let value = value.map(typed)?;
        self.scopes.set(owner, name, Property::Value(value.clone()));
        Ok(Some(value))
    }

    /// The content of a YAML file.
    fn yaml(&self, name: &str, file: usize) -> Result<Value, String> {
        let path = self.reading.roots.find(&self.directory(file), name).map_err(|error| error.to_string())?;
        yaml::load(&path, &self.reading.options.limits)
    }
}

/// The value of a property or parameter with this value: texts may be numbers.
pub(super) fn typed(value: Value) -> Value {
    match value {
        Value::Text(text) => Value::literal(&text),
        other => other,
    }
}

/// The context of an expression.
struct InScope<'e, 'r> {
    expander: &'e mut Expander<'r>,
    scope: ScopeIndex,
    file: usize,
}

impl Context for InScope<'_, '_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, String> {
        self.expander.variable(self.scope, name)
    }

    fn names(&self) -> Vec<String> {
        self.expander.scopes.names(self.scope)
    }

    fn yaml(&mut self, file: &str) -> Result<Value, String> {
        self.expander.yaml(file, self.file)
    }

    fn argument(&mut self, name: &str) -> Result<String, String> {
        self.expander.argument_value(name)
    }
}
